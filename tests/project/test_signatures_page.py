"""docs/signatures.md says what the language itself says of its words."""

import re
from pathlib import Path

from bmc import lang
from bmc.cli.signatures import signatures

PAGE = Path(__file__).parents[2] / "docs" / "signatures.md"


def test_the_page_is_the_program_s() -> None:
    said = "write it again: python -m bmc.cli.signatures > docs/signatures.md"
    assert PAGE.read_text(encoding="utf-8") == signatures(), said


def test_every_word_has_its_arguments_and_says_what_it_is() -> None:
    rows = dict(re.findall(r"^\| `(\w+)\(.*?\)` \| (.*) \|$", signatures(), re.MULTILINE))
    plumbing = {"Amount", "Bound", "Expr", "Operand", "Protocol", "Sort", "State", "Step", "Term"}
    errors = {name for name in lang.__all__ if name.endswith("Error")}
    constants = {"BOOL", "TRUE", "FALSE"}
    words = set(lang.__all__) - plumbing - errors - constants - {"BoundTooSmall", "UnknownName"}
    assert words - rows.keys() == set()
    assert [name for name, about in rows.items() if not about.strip()] == []
