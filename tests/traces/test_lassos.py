"""A lasso in a file: what a page, an ITF file and a text say of its loop and of fairness."""

import json
from pathlib import Path

import pytest

from tests.cli.running import bmc

CLASSICS = Path(__file__).parents[2] / "docs/examples/classics"
LOCK = (f"{CLASSICS / 'mutual_exclusion.py'}:TestAndSet", "-P", "EntersWeakly")
ELECTION = (f"{CLASSICS / 'leader_election.py'}:ChangRoberts", "-P", "ElectedWithoutStarting")
TABLE = (
    f"{CLASSICS / 'dining_philosophers.py'}:Philosophers",
    *("-p", "philosophers=2", "-P", "Eats"),
)


def written(path: Path, *words: str) -> str:
    answered = bmc("check", *words, "--trace", str(path))
    assert answered.code == 1
    assert f"Trace: {path}" in answered.out
    return path.read_text(encoding="utf-8")


def test_a_page_shows_the_loop_and_why_fairness_does_not_exclude_it(tmp_path: Path) -> None:
    page = written(tmp_path / "lasso.html", *LOCK)
    assert page.count('class="row round"') == 3
    assert "for ever, from here on:" in page
    assert '"last": 4, "loop": 1' in page
    assert "<code>WF_vars(Enter(p=p1))</code></td><td>not enabled in state 3" in page


def test_itf_says_where_the_loop_begins(tmp_path: Path) -> None:
    found = json.loads(written(tmp_path / "lasso.itf.json", *LOCK))
    assert (found["loop"], len(found["states"])) == (1, 4)


def test_json_and_text_are_those_of_the_command(tmp_path: Path) -> None:
    found = json.loads(written(tmp_path / "lasso.json", *LOCK))
    assert (found["loop"], found["closing"]["action"]) == (1, "Leave")
    assert "and so on for ever: this is state 1 again" in written(tmp_path / "lasso.txt", *LOCK)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (ELECTION, "This is mere stuttering: Start could be taken, and no fairness asks for it."),
        (TABLE, "No step follows that state: the behaviour has come to its end."),
    ],
)
def test_mere_stuttering_is_told_from_an_end(
    tmp_path: Path, words: tuple[str, ...], hint: str
) -> None:
    assert hint in written(tmp_path / "lasso.txt", *words)
    page = written(tmp_path / "lasso.html", *words)
    assert hint in page
    assert 'class="row round"' not in page


def test_what_no_form_says_is_refused_before_anything_is_decided(tmp_path: Path) -> None:
    answered = bmc("check", *LOCK, "--trace", str(tmp_path / "lasso.png"))
    assert answered.code == 2
    assert "does not say its form" in answered.err
