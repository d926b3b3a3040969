"""What has its type already is not converted, and the rest is, with typer's own messages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import bmc

_SCRIPT = """
import sys
from bmc.cli.app import run
code = run(sys.argv[1:])
sys.exit(10 if "pydantic" in sys.modules else code)
"""


def test_options_of_text_and_plain_numbers_do_not_load_what_converts() -> None:
    """It took a quarter of a short command, and most options are such or not given at all."""
    words = ["explore", "id-sequence", "-p", "max_id=3", "-P", "TypeOk", "--json"]
    words += ["--max-depth", "2", "--timeout", "60.5"]
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-depth", "two"), "--max-depth"),
        (("--format", "pdf"), "--format"),
        (("--max-traces", "many"), "--max-traces"),
        (("-p", "max_id"), "max_id"),
        (("--max-depth", "٣3"), "--max-depth"),
        (("--max-depth", "1_0"), "--max-depth takes a number written in the digits 0 to 9 alone"),
        (("--max-depth", " 1"), "--max-depth takes a number written"),
        (("--timeout", "1_0.5"), "--timeout takes a number written"),
        (("--timeout", "1.2.3"), "--timeout"),
    ],
)
def test_what_is_no_number_or_choice_is_refused(words: tuple[str, ...], said: str) -> None:
    found = bmc("explore", "id-sequence", *words)
    assert found.code == 2
    assert said in found.err


def test_numbers_choices_and_paths_have_their_types(tmp_path: Path) -> None:
    words = ("--max-depth", "2", "--format", "tla", "--spill", str(tmp_path / "states"))
    found = bmc("explore", "id-sequence", *words)
    assert found.code == 0
    assert (tmp_path / "states").is_dir()
