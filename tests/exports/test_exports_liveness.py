"""A temporal claim as a circuit, in the two ways that hardware checkers know.

As safety its bad output can be reached exactly where it is violated; as justice there is a run on
which all that it asks for recurs exactly where it is violated.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.question import Question
from bmc.evidence.verdict import Verdict
from tests.cli.running import bmc
from tests.exports.aiger_reader import Aiger, read_aiger

CLASSICS = Path(__file__).parents[2] / "docs/examples/classics"
ELECTION = f"{CLASSICS / 'leader_election.py'}:ChangRoberts"


@pytest.mark.parametrize(
    ("claim", "violated"), [("Elected", False), ("ElectedWithoutStarting", True)]
)
def test_liveness_is_exported_as_safety(tmp_path: Path, claim: str, violated: bool) -> None:
    file = tmp_path / "lasso.aig"
    answered = bmc("export", "aiger", ELECTION, "-p", "processes=2", "-P", claim, "-o", str(file))
    assert answered.code == 0
    _, bad = read_aiger(file.read_bytes()).reachable()
    assert bad.keys() == ({claim} if violated else set())


def test_two_temporal_claims_are_two_files(tmp_path: Path) -> None:
    both = ("-P", "Elected", "-P", "ElectedWithoutStarting", "-o", str(tmp_path / "x.aig"))
    answered = bmc("export", "aiger", ELECTION, *both)
    assert answered.code == 2
    assert "name one" in answered.err


LOCK = f"{CLASSICS / 'mutual_exclusion.py'}:TestAndSet"
LOOP = '''
from bmc.lang import *
from bmc.lang.temporal import *


class Loop(Protocol):
    """A number that goes round, and may be stopped for ever."""

    Number = Integer("Number", 0, 2)
    at = Variable(Number)
    Going = Specification("Going", (weak("Go"),))
    Home = Specification("Home", (weak("Go"), strong("Return")))
    Unfair = Specification("Unfair", ())
    Staying = Specification("Staying", (weak("Go"), weak("Return")))

    @action()
    def Init(self, s):
        s.at = 0

    @action()
    def Go(self, s):
        s.at = ite(s.at == 0, 1, 0)

    @action()
    def Return(self, s):
        s.require(s.at == 1)
        s.at = 2

    Next = one_of(Go, Return)

    @temporal("it is at home again and again", specification="Going")
    def Again(self, s):
        return always(eventually(s.at == 0))

    @temporal("it is at two at some time", specification="Home")
    def Ends(self, s):
        return eventually(s.at == 2)

    @temporal("it is at two at some time", specification="Staying")
    def EndsIfItStays(self, s):
        return eventually(s.at == 2)

    @temporal("it is at two or at one from some time on: false", specification="Going")
    def Leaves(self, s):
        return eventually(always(s.at != 0))

    @temporal("it is at zero at some time", specification="Unfair")
    def Begins(self, s):
        return eventually(s.at == 0)

    @temporal("again and again it is elsewhere than at one: false", specification="Unfair")
    def LeavesOne(self, s):
        return always(eventually(s.at != 1))

    @temporal("it comes back from one in a step that leads there", specification="Going")
    def GoesHome(self, s, t):
        return happens((s.at == 1) & (t.at == 0))
'''
UNFAIR = ("Begins", "LeavesOne")
LOOPS = ("Again", "Ends", "EndsIfItStays", "Leaves", "GoesHome", *UNFAIR)


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("loop") / "loop.py"
    file.write_text(LOOP, encoding="utf-8")
    return f"{file}:Loop"


def exported(protocol: str, claim: str, folder: Path, *words: str) -> Aiger:
    """The circuit of a claim with its justice, read back."""
    file = folder / f"{claim}.aig"
    asked = ("-P", claim, "--justice", "-o", str(file), *words)
    answered = bmc("export", "aiger", protocol, *asked)
    assert answered.code == 0, answered.err
    return read_aiger(file.read_bytes())


def decided(protocol: str, claims: Sequence[str], **parameters: int) -> dict[str, bool]:
    """Whether each claim is violated, as the exploration says."""
    found = decide(Question(catalogue.find(protocol), parameters, tuple(claims)))
    assert Verdict.UNKNOWN not in {one.verdict for one in found}
    return {one.property: one.verdict is Verdict.VIOLATED for one in found}


def test_justice_and_fairness_say_what_the_exploration_says(loop: str, tmp_path: Path) -> None:
    known = decided(loop, LOOPS)
    assert set(known.values()) == {True, False}
    assert {claim: exported(loop, claim, tmp_path).recurs(0) for claim in LOOPS} == known


@pytest.mark.parametrize("claim", UNFAIR)
def test_without_fairness_a_loop_has_a_step_too(loop: str, claim: str, tmp_path: Path) -> None:
    """A state that was remembered and never left was bad, whatever the claim says of it."""
    file = tmp_path / "lasso.aig"
    assert bmc("export", "aiger", loop, "-P", claim, "-o", str(file)).code == 0
    _, bad = read_aiger(file.read_bytes()).reachable()
    assert {claim: claim in bad} == decided(loop, (claim,))


@pytest.mark.parametrize("claim", ["EntersWeakly", "EntersStrongly"])
def test_fairness_for_each_is_a_constraint_for_each(claim: str, tmp_path: Path) -> None:
    read = exported(LOCK, claim, tmp_path, "--ascii")
    assert [name for key, name in read.symbols.items() if key.startswith("f")] == [
        f"{kind}_vars({name}(p))_{who}"
        for kind, name in ((("SF", "WF")[claim == "EntersWeakly"], "Enter"), ("WF", "Leave"))
        for who in (0, 1)
    ]
    assert read.symbols["j0"].startswith("a_rule_was_taken,_accepting")


@pytest.mark.nightly
@pytest.mark.parametrize("claim", ["EntersWeakly", "EntersStrongly"])
def test_a_lock_that_starves_does_so_in_its_circuit(claim: str, tmp_path: Path) -> None:
    found = exported(LOCK, claim, tmp_path).recurs(0)
    assert {claim: found} == decided(LOCK, (claim,), processes=2)


def test_a_fairness_constraint_that_is_dropped_is_missed(loop: str, tmp_path: Path) -> None:
    read = exported(loop, "Ends", tmp_path)
    assert not read.recurs(0)
    assert [read.symbols["f0"], read.symbols["f1"]] == ["WF_vars(Go)", "SF_vars(Return)"]
    assert replace(read, fairness=read.fairness[:1]).recurs(0)


def test_a_circuit_that_stays_where_it_is_is_no_run(loop: str, tmp_path: Path) -> None:
    """Inputs without a rule leave all latches as they are, the flags of conditions too."""
    read = exported(loop, "Again", tmp_path)
    assert read.symbols["j0"].startswith("a_rule_was_taken")
    assert not read.recurs(0)
    assert replace(read, justice=[read.justice[0][1:]]).recurs(0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-P", "Exclusion"), "--justice is for a temporal claim"),
        ((), "--justice is for a temporal claim"),
        (("-P", "EntersWeakly", "-P", "EntersStrongly"), "name one"),
    ],
)
def test_justice_is_of_one_temporal_claim(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    answered = bmc("export", "aiger", LOCK, "--justice", *words, "-o", str(tmp_path / "x.aig"))
    assert answered.code == 2
    assert said in answered.err
