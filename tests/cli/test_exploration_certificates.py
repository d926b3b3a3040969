"""What was proved by looking at every state has a certificate, and a false one is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import outcome
from tests.cli.running import ROOT, bmc

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("exploration certificates")

QUEUE = f"{ROOT / 'docs' / 'examples' / 'fifo_queue.py'}:FifoQueue"
STEPS = """
from bmc.lang import *


class Steps(Protocol):
    last = Parameter("last", default=2, low=1, high=3, about="where it ends")
    Count = Integer("Count", 0, last)
    count = Variable(Count)

    @action()
    def Init(self, s):
        s.count = 0

    @action()
    def Step(self, s):
        s.require(s.count < self.last)
        s.count = s.count + 1

    Next = one_of(Step)

    @invariant("true at last=2")
    def UpToTwo(self, s):
        return s.count <= 2

    @invariant("true")
    def UpToThree(self, s):
        return s.count <= 3

    @witness("never")
    def Beyond(self, s):
        return 6 // s.count > 6
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("explored") / "queue.json"
    made = bmc("prove", QUEUE, "--engine", "explicit", "--certificate", str(file), "--json")
    assert made.code == outcome.OK, made.err
    results = made.document["results"]
    assert {one["property"] for one in results} == {"Once", "AnsweredWasProcessed"}
    assert {one["certificate"] for one in results} == {str(file)}
    return file


def test_it_is_accepted_once_all_states_were_found_again(certificate: Path) -> None:
    judged = bmc("certify", str(certificate), "--protocol", QUEUE, "--json")
    assert judged.code == outcome.OK, judged.err
    assert judged.document["distinct_states"] == 49
    assert judged.document["checked_by"] == "the interpreter at all 49 states"
    assert "All 49 reachable states" in bmc("certify", str(certificate), "--protocol", QUEUE).out


def _one_state_less(document: dict[str, Any]) -> None:
    levels = document["levels"]
    levels[levels.index(max(levels))] -= 1
    document["distinct_states"] -= 1


def _without_the_last_level(document: dict[str, Any]) -> None:
    document["distinct_states"] -= document["levels"].pop()


def _other_steps(document: dict[str, Any]) -> None:
    document["generated_states"] += 1


def _another_statement(document: dict[str, Any]) -> None:
    document["holds"]["Once"] = document["holds"]["AnsweredWasProcessed"]


def _nothing_claimed(document: dict[str, Any]) -> None:
    document["holds"] = {}


def _other_parameters(document: dict[str, Any]) -> None:
    document["parameters"]["numbers"] = 1


def _no_number(document: dict[str, Any]) -> None:
    document["levels"][0] = "1"


def _no_whole_number(document: dict[str, Any]) -> None:
    document["distinct_states"] = float(document["distinct_states"])


def _a_part_of_its_own(document: dict[str, Any]) -> None:
    document["believed"] = True


def _without_parameters(document: dict[str, Any]) -> None:
    document["parameters"] = {}


def _a_list_of_parameters(document: dict[str, Any]) -> None:
    document["parameters"] = list(document["parameters"].items())


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (_one_state_less, "the reachable states are not those that it counts"),
        (_without_the_last_level, "the reachable states are not those that it counts"),
        (_other_steps, "the reachable states are not those that it counts"),
        (_another_statement, "it claims another Once than"),
        (_nothing_claimed, "it claims nothing"),
        (_other_parameters, "it belongs to another model"),
        (_no_number, "expected an integer"),
        (_no_whole_number, "expected an integer, found 49.0"),
        (_a_part_of_its_own, "a part 'believed', which this version of bmc does not know"),
        (_without_parameters, "it leaves out capacity, numbers"),
        (_a_list_of_parameters, "a part of it is of another form than that part has"),
    ],
)
def test_a_forged_one_is_refused(
    certificate: Path, tmp_path: Path, forge: Callable[[dict[str, Any]], None], said: str
) -> None:
    document = json.loads(certificate.read_text(encoding="utf-8"))
    forge(document)
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(document), encoding="utf-8")
    judged = bmc("certify", str(forged), "--protocol", QUEUE)
    assert judged.code == outcome.USAGE
    assert said in judged.err
    assert "accepted" not in judged.out


def test_what_is_false_is_disproved_whatever_it_counts(tmp_path: Path) -> None:
    """Model and statements are as they should be: only that the claim holds is a lie."""
    file = tmp_path / "steps.py"
    file.write_text(STEPS, encoding="utf-8")
    steps = f"{file}:Steps"

    def proved(last: int, *claims: str) -> Any:
        to = tmp_path / f"{last}.json"
        asked = [word for claim in claims for word in ("-P", claim)]
        size = ("-p", f"last={last}", "--engine", "explicit")
        made = bmc("prove", steps, *size, *asked, "--certificate", str(to))
        assert made.code == outcome.OK, made.out
        return json.loads(to.read_text(encoding="utf-8"))

    lie = proved(3, "UpToThree")
    lie["holds"]["UpToTwo"] = proved(2, "UpToTwo")["holds"]["UpToTwo"]
    forged = tmp_path / "lie.json"
    forged.write_text(json.dumps(lie), encoding="utf-8")
    judged = bmc("certify", str(forged), "--protocol", steps)
    assert judged.code == outcome.USAGE
    assert "a reachable state shows otherwise of UpToTwo" in judged.err


REMEMBERED = (
    STEPS
    + """

class Past(History):
    moved = Variable(BOOL)

    def initially(self, s):
        s.moved = False

    @after("Step")
    def step(self, s):
        s.moved = True


class Moves(Steps):
    @invariant("who has counted has moved")
    def Moved(self, s):
        return (s.count == 0) | s.moved


SUITE = Suite("moves", Moves, "steps", (Moves.UpToThree, Moves.Moved), history=Past)
"""
)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Moved", "Moved speaks of moved, history that an explicit exploration leaves out"),
        ("Unheard", "Unheard"),
    ],
)
def test_what_no_exploration_shows_is_refused_by_name(
    claim: str, said: str, tmp_path: Path
) -> None:
    """Of a claim about a history it was told that there is no such variable, and in no file."""
    file, made = tmp_path / "moves.py", tmp_path / "made.json"
    file.write_text(REMEMBERED, encoding="utf-8")
    suite = f"{file}:SUITE"
    asked = ("-P", "UpToThree", "--engine", "explicit", "--certificate", str(made))
    assert bmc("prove", suite, *asked).code == outcome.OK
    document = json.loads(made.read_text(encoding="utf-8"))
    document["holds"] = {claim: "0" * 64}
    made.write_text(json.dumps(document), encoding="utf-8")
    judged = bmc("certify", str(made), "--protocol", suite)
    assert judged.code == outcome.USAGE
    assert f"{made} is rejected: " in judged.err
    assert said in judged.err


def test_a_witness_that_is_never_reached_is_no_claim(tmp_path: Path) -> None:
    """A lock's record has witnesses beside claims, and they were said to be accepted as well."""
    file = tmp_path / "steps.py"
    file.write_text(STEPS, encoding="utf-8")
    steps, lock = f"{file}:Steps", tmp_path / "bmc.lock"
    made = bmc("regress", "--update", "--baseline", str(lock), "--protocol", steps)
    assert made.code == outcome.OK, made.err
    (record,) = [
        one for one in lock.with_suffix(".lock.d").iterdir() if "Beyond" in one.read_text()
    ]
    judged = bmc("certify", str(record), "--protocol", steps, "--json").document
    assert (judged["claims"], judged["unreached"]) == ([], ["Beyond"])
    assert "never reached Beyond" in bmc("certify", str(record), "--protocol", steps).out


def test_only_who_explores_reads_it(certificate: Path, tmp_path: Path) -> None:
    asked = bmc("certify", str(certificate), "--protocol", QUEUE, "--independent")
    assert asked.code == outcome.USAGE
    assert "of an exploration" in asked.err
    asked = bmc("certificate", "export", str(certificate), "--smtlib", str(tmp_path / "questions"))
    assert asked.code == outcome.USAGE
    assert "--engine ic3" in asked.err
    assert not (tmp_path / "questions").exists()


def test_no_file_runs_because_a_certificate_names_it(certificate: Path) -> None:
    judged = bmc("certify", str(certificate))
    assert judged.code == outcome.USAGE
    assert "--protocol" in judged.err


def test_the_answer_names_the_protocol_that_was_judged(certificate: Path, tmp_path: Path) -> None:
    document = json.loads(certificate.read_text(encoding="utf-8"))
    document["protocol"] = "kafka"
    renamed = tmp_path / "renamed.json"
    renamed.write_text(json.dumps(document), encoding="utf-8")
    judged = bmc("certify", str(renamed), "--protocol", QUEUE)
    assert judged.code == outcome.OK
    assert judged.out.startswith(QUEUE)


@pytest.mark.parametrize("word", [("--every-instance",), ("--solver", "z3")])
def test_what_would_change_nothing_is_refused(certificate: Path, word: tuple[str, ...]) -> None:
    """It was passed over without a word."""
    judged = bmc("certify", str(certificate), "--protocol", QUEUE, *word)
    assert judged.code == outcome.USAGE
    assert f"{word[0]} would change nothing" in judged.err
