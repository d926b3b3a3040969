"""A lasso in a file: what a page, an ITF file and a text say of its loop and of fairness."""

import json
from pathlib import Path

import pytest

from bmc.cli.commands.lasso_output import lasso_text
from bmc.cli.shared import catalogue
from bmc.engines.liveness.decide import Question, decide
from bmc.reports.vocabulary import Vocabulary
from tests.cli.running import bmc

CLASSICS = Path(__file__).parents[2] / "docs/examples/classics"
LOCK = f"{CLASSICS / 'mutual_exclusion.py'}:TestAndSet"
ELECTION = f"{CLASSICS / 'leader_election.py'}:ChangRoberts"
TABLE = f"{CLASSICS / 'dining_philosophers.py'}:Philosophers"


def text(protocol: str, claim: str, form: str) -> str:
    suite = catalogue.find(protocol)
    question = Question(suite, {}, (claim,))
    (found,) = decide(question)
    assert found.lasso is not None
    words = Vocabulary.of(suite, question.parameters)
    return lasso_text(suite, words, found, found.lasso, form)


def test_a_page_shows_the_loop_and_why_fairness_does_not_exclude_it() -> None:
    page = text(LOCK, "EntersWeakly", "html")
    assert page.count('class="row round"') == 3
    assert "for ever, from here on:" in page
    assert '"last": 4, "loop": 1' in page
    assert "<code>WF_vars(Enter(p=p1))</code></td><td>not enabled in state 3" in page


def test_itf_says_where_the_loop_begins() -> None:
    found = json.loads(text(LOCK, "EntersWeakly", "itf"))
    assert (found["loop"], len(found["states"])) == (1, 4)


def test_json_and_text_are_those_of_the_command() -> None:
    found = json.loads(text(LOCK, "EntersWeakly", "json"))
    assert (found["loop"], found["closing"]["action"]) == (1, "Leave")
    assert "and so on for ever: this is state 1 again" in text(LOCK, "EntersWeakly", "text")


@pytest.mark.parametrize(
    ("protocol", "claim", "hint"),
    [
        (
            ELECTION,
            "ElectedWithoutStarting",
            "This is mere stuttering: Start could be taken, and no fairness asks for it.",
        ),
        (TABLE, "Eats", "No step follows that state: the behaviour has come to its end."),
    ],
)
def test_mere_stuttering_is_told_from_an_end(protocol: str, claim: str, hint: str) -> None:
    assert hint in text(protocol, claim, "text")
    page = text(protocol, claim, "html")
    assert hint in page
    assert 'class="row round"' not in page


def test_the_command_writes_what_its_file_asks_for(tmp_path: Path) -> None:
    file = tmp_path / "lasso.itf.json"
    answered = bmc("check", LOCK, "-P", "EntersWeakly", "--trace", str(file))
    assert answered.code == 1
    assert f"Trace: {file}" in answered.out
    assert json.loads(file.read_text(encoding="utf-8"))["loop"] == 1
    answered = bmc("check", LOCK, "-P", "EntersWeakly", "--trace", str(tmp_path / "lasso.png"))
    assert answered.code == 2
    assert "does not say its form" in answered.err
