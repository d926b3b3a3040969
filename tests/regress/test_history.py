"""What speaks of history is decided anew like the rest, except by looking at all states."""

from typing import Any

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
from bmc.regress.deciding import EXPLICIT, Aim, decide
from bmc.regress.parts import portrait


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


def test_a_claim_of_history_that_no_proof_closes_does_not_end_the_others() -> None:
    suite = Suite("turn", Turn, "", (NotBack, NeverFive), (), Visits)
    found = decide(suite, {}, ["NotBack", "NeverFive"], SILENT, Aim(1, 4, 60.0))
    assert found.results["NeverFive"].verdict is Verdict.PROVED
    assert found.results["NeverFive"].engine == EXPLICIT
    assert found.results["NotBack"].verdict is Verdict.UNKNOWN
    assert (found.results["NotBack"].depth or 0) >= 4


def test_what_changed_of_a_history_is_shown_where_the_history_says_it() -> None:
    """It was shown at the protocol's action, which has not changed."""
    sources = portrait(Suite("turn", Turn, "", (NotBack,), (), Visits), {}).sources
    initially: Any = Visits.initially
    count: Any = vars(Visits)["count"].function
    assert sources["history of Init"].line == initially.__code__.co_firstlineno
    assert sources["history of Up"].line == count.__code__.co_firstlineno
    assert sources["history of Back"] == sources["history of Up"]
