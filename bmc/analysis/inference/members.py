"""Members: words of lemmas that something holds of all members of a set that the state holds.

"Nobody in the set has moved on" is said of the members that the set has by then, however many they
are. Its negation is that the set has a member of which it does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bmc.analysis.inference.harvest import OUTERMOST
from bmc.analysis.mining.literals import Literal
from bmc.analysis.mining.vocabulary import Reading, Variables, readings
from bmc.lang.build import bound_variable, conj
from bmc.lang.model import Model
from bmc.lang.sorts import BOOL, AnySet, MapSort, RecordSort, Scalarset, SetSort
from bmc.lang.substitution import substituted
from bmc.lang.terms import Term, make

_MEMBER = OUTERMOST + 200
"""The nesting level of a member: nothing that is said of one binds a variable there."""
_DEEPEST = 3
"""How deep in the state a set is of whose members there are words."""
_WEIGHT = 3
"""What a word about all members weighs more than what it says of each."""
_WHOLE = (RecordSort, MapSort, AnySet)


# Terms have no equality that Python could use.
@dataclass(frozen=True, eq=False)
class Collection:
    """A set in the state whose members are those of a scalarset."""

    part: Reading
    element: Scalarset

    def of_all(self, told: Literal, member: Term) -> Literal:
        """Return that ``told`` holds of each ``member`` of the set."""
        inner = bound_variable("n", _MEMBER, self.element)
        said = substituted(conj(*told.guards, told.formula), {member: inner})
        every = make("forall", (inner, self.part.term, said), BOOL)
        return Literal(every, self.part.guards, _WEIGHT + self.part.weight + told.weight)


def collections(model: Model, bound: Variables) -> Iterator[Collection]:
    """Yield the sets of a scalarset's members that can be read with these bound variables."""
    for part in readings(model, bound, _DEEPEST):
        match part.sort:
            case SetSort(Scalarset() as element):
                yield Collection(part, element)


def compares(formula: Term, member: Term, beside: Term) -> bool:
    """Return whether a formula holds a part of a member against a bound variable beside it, or
    against the same part of whom the variable names.

    What else can be said of members is mostly an accident, and there is much of it.
    """
    if formula.op not in ("eq", "le", "lt"):
        return False
    for part, other in (formula.args, formula.args[::-1]):
        if part.free != {member} or part is member or isinstance(part.sort, _WHOLE):
            continue
        if other is beside or substituted(part, {member: beside}) is other:
            return True
    return False
