"""What is left out of a proof does not depend on how a process hashes names."""

from collections.abc import Mapping

from bmc.analysis.inference.minimise import needed
from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.inference.search import LemmaSearch
from bmc.analysis.inference.state import candidate
from bmc.analysis.inference.subject import Subject
from bmc.analysis.mining.consecution import Consecution
from bmc.analysis.mining.houdini import Ask, asked_here
from bmc.engines.conjuncts import Conjunct
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Deadline, Task
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Protocol,
    State,
    Step,
    Variable,
    action,
    invariant,
    mapping,
    minimum,
    one_of,
)
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.terms import coerce, select, term_of

LAST = 7


class Digits(Protocol):
    """Digits that move one place on; the last one stays."""

    Place = Integer("Place", 0, LAST)
    Digit = Integer("Digit", 0, 1)
    digit = Variable(MapSort(Place, Digit))

    @action()
    def Init(self, s: Step) -> None:
        s.digit = mapping(self.Place, lambda place: 0, self.Digit)

    @action()
    def Move(self, s: Step) -> None:
        s.digit = mapping(self.Place, lambda place: s.digit[minimum(place + 1, LAST)], self.Digit)

    Next = one_of(Move)

    @invariant("the first digit is 0")
    def First(self, s: State) -> Expr:
        return s.digit[0] == 0


def test_lemmas_are_tried_in_the_order_in_which_they_were_found() -> None:
    subject = Subject.of(Task(Suite.of(Digits, "Digits"), {}, ("First",)))
    explored = Explored(subject.system, 0)
    explored.explore_all(10, 60.0, SILENT)
    orders: list[list[str]] = []

    def asker(consecution: Consecution, named: Mapping[str, Conjunct]) -> Ask:
        orders.append([name for name in named if name.startswith("lemma_")])
        return asked_here(consecution, named)

    prospect = Prospect(subject.words(), [explored], 1)
    search = LemmaSearch(subject.system, subject.targets, prospect, Deadline(60.0), SILENT, asker)
    digit = state_variable("digit", MapSort(Digits.Place, Digits.Digit))
    zero = [term_of(select(digit, coerce(n, Digits.Place)) == 0) for n in range(1, LAST + 1)]
    search.offer([candidate((), one) for one in zero])
    search.together()
    assert search.closed
    orders.clear()
    found = needed(search, [one.name for one in search.targets], SILENT)
    assert len(found.lemmas) == LAST
    assert found.minimal
    assert len(orders) > LAST
    assert all(order == sorted(order) for order in orders)
