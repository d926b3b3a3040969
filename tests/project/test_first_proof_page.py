"""The walk of docs/first-proof.md can be walked: its texts are lemmas, and the last one proves."""

import re
from pathlib import Path

import pytest

from tests.cli.running import bmc

PAGE = Path(__file__).parents[2] / "docs" / "first-proof.md"

# Smaller than the page's, which asks at the defaults.
ASKED = ("--engine", "kinduction", "--k", "2", "-p", "replicas=2", "-p", "max_records=1", "--json")


def written(lemmas: int) -> str:
    """What a reader has in the file after so many lemmas."""
    page = PAGE.read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    start, *rest = blocks
    return start + "\n".join(rest[:lemmas])


@pytest.mark.parametrize(
    ("lemmas", "code", "fails"),
    [
        (0, 3, "ElectedLeaderInIsr"),
        (1, 3, "ElectedLeaderInIsr"),
        (2, 3, "WithinBounds"),
        (3, 0, None),
    ],
)
def test_each_stage_answers_as_the_page_says(
    lemmas: int, code: int, fails: str | None, tmp_path: Path
) -> None:
    first = tmp_path / "first.py"
    first.write_text(written(lemmas), encoding="utf-8")
    answered = bmc("prove", f"{first}:First", *ASKED)
    assert answered.code == code
    (result,) = answered.document["results"]
    assert result["property"] == "ElectedLeaderInIsr"
    if fails is None:
        assert result["verdict"] == "proved"
        assert len(result["lemmas"]) == 3
    else:
        assert result["induction_failure"]["conjunct"] == fails


def test_ic3_needs_none_of_them(tmp_path: Path) -> None:
    first = tmp_path / "first.py"
    first.write_text(written(0), encoding="utf-8")
    answered = bmc("prove", f"{first}:First", "--engine", "ic3", *ASKED[4:])
    assert answered.code == 0
