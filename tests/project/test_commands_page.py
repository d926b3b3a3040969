"""docs/commands.md says what the program itself says of its commands."""

from pathlib import Path

from bmc.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"


def test_the_page_is_the_program_s() -> None:
    said = "write it again: python -m bmc.cli.reference > docs/commands.md"
    assert PAGE.read_text(encoding="utf-8") == reference(), said


def test_every_command_and_option_is_there() -> None:
    page = reference()
    for command in ("prove", "trace check", "sweep verify", "export tla", "certificate", "doctor"):
        assert f"\n## bmc {command}" in page
    assert "| `--graph FILE` |" in page
    assert "| `--out DIR` | Where rows, evidence and reports go" in page
