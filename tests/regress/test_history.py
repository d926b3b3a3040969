"""What speaks of history is decided anew like the rest, except by looking at all states."""

from pathlib import Path
from typing import Any

import pytest

from bmc.engines.task import SILENT
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    History,
    Integer,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    after,
    implies,
    invariant,
    minimum,
    one_of,
)
from bmc.regress import deciding
from bmc.regress.deciding import EXPLICIT, Aim, decide
from bmc.regress.parts import portrait
from tests.regress.project import Project


class Turn(Protocol):
    """A number that goes round; five is nowhere near."""

    n = Variable(Integer("N", 0, 5))

    @action()
    def Init(self, s: Step) -> None:
        s.n = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.n != 2, s.n < 5)
        s.n = s.n + 1

    @action()
    def Back(self, s: Step) -> None:
        s.require(s.n == 2)
        s.n = 0

    Next = one_of(Up, Back)


class Visits(History):
    """How many steps there were, up to three."""

    visits = Variable(Integer("Visits", 0, 3))

    def initially(self, s: Step) -> None:
        s.visits = 0

    @after("Up", "Back")
    def count(self, s: Step) -> None:
        s.visits = minimum(s.visits + 1, 3)


@invariant("after one step it is not back")
def NotBack(m: Any, s: Any) -> Any:
    return implies(s.visits == 1, s.n != 0)


@invariant("it is never five")
def NeverFive(m: Any, s: Any) -> Any:
    return s.n != 5


def test_a_claim_of_history_that_no_proof_closes_does_not_end_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deciding, "DEEPER", 1)
    suite = Suite("turn", Turn, "", (NotBack, NeverFive), (), Visits)
    found = decide(suite, {}, ["NotBack", "NeverFive"], SILENT, Aim(1, 4, 60.0))
    assert found.results["NeverFive"].verdict is Verdict.PROVED
    assert found.results["NeverFive"].engine == EXPLICIT
    assert found.results["NotBack"].verdict is Verdict.UNKNOWN
    assert (found.results["NotBack"].depth or 0) >= 4


def test_what_no_locked_induction_closes_gets_a_deeper_one() -> None:
    """Nothing else proves what speaks of history: it stayed unknown, though `prove` has it."""
    suite = Suite("turn", Turn, "", (NotBack,), (), Visits)
    found = decide(suite, {}, ["NotBack"], SILENT, Aim(1, 4, 60.0)).results["NotBack"]
    assert (found.verdict, found.k) == (Verdict.PROVED, 2)


def test_what_changed_of_a_history_is_shown_where_the_history_says_it() -> None:
    """It was shown at the protocol's action, which has not changed."""
    sources = portrait(Suite("turn", Turn, "", (NotBack,), (), Visits), {}).sources
    initially: Any = Visits.initially
    count: Any = vars(Visits)["count"].function
    assert sources["history of Init"].line == initially.__code__.co_firstlineno
    assert sources["history of Up"].line == count.__code__.co_firstlineno
    assert sources["history of Back"] == sources["history of Up"]


LOG = """
from bmc.lang import *


class Log(Protocol):
    N = Integer("N", 0, 2)
    end = Variable(N)
    done = Variable(N)

    @action()
    def Init(self, s):
        s.end, s.done = 0, 0

    @action()
    def Write(self, s):
        s.require(s.end < 2)
        s.end = s.end + 1

    @action()
    def Commit(self, s):
        s.require(s.done < s.end)
        s.done = s.end

    @action()
    def Cut(self, s):
        s.require(s.end > s.done)
        s.end = s.done

    Next = one_of(Write, Commit, Cut)


class Past(History):
    most = Variable(Log.N)

    def initially(self, s):
        s.most = 0

    @after(Log.Commit)
    def follow(self, s):
        s.most = s.end


@invariant("what was committed stays")
def Kept(m, s):
    return s.end >= s.most


KEPT = Suite("kept", Log, "", (Kept,), (), Past)
"""

LEMMA = """@lemma("the greatest is what is committed")
def committed(m, s):
    return s.most == s.done


KEPT = Suite("kept", Log, "", (Kept,), (committed,), Past)
"""


def test_an_unknown_claim_is_decided_again_with_a_new_lemma(tmp_path: Path) -> None:
    found = Project(tmp_path)
    found.model.write_text(LOG, encoding="utf-8")
    assert found.regress("--update", "--protocol", f"{found.model}:KEPT").code == 0
    found.model.write_text(LOG.partition("KEPT")[0] + LEMMA, encoding="utf-8")
    _, told, document = found.judged("--update")
    assert document["update"]["written"]
    assert told["Kept"]["verdict"] == "proved"
