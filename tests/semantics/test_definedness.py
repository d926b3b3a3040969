"""Whether a term has a value follows from what is read, and all readings read the same.

Connectives and conditionals read from left to right and stop; binders read every instance of
their body; the elements that a set does not hold are not read. The second half is about sorts
that are empty at some parameters.
"""

from collections.abc import Callable

import pytest

from bmc.lang import (
    BOOL,
    BoundedSet,
    Expr,
    Integer,
    KeyedSetSort,
    MapSort,
    OptionSort,
    Parameter,
    Record,
    Sequence,
    SetSort,
    Sort,
    Term,
)
from bmc.lang.build import (
    FALSE,
    TRUE,
    at,
    choose,
    conj,
    disj,
    empty,
    everything,
    exists,
    filtered,
    first,
    forall,
    implies,
    insert,
    ite,
    last,
    lookup,
    mapping,
    member,
    record,
    remove,
    size,
    the,
    union_of,
)
from bmc.lang.state import state_variable
from bmc.lang.terms import field, lift
from tests.semantics.outcomes import TOO_SMALL, by_constants, by_value, by_variables, python
from tests.strategies import Case, World

LIMIT = Parameter("limit", 1, 0, 2, "the greatest place")
Place = Integer("Place", 0, 2)
Slot = Integer("Slot", 0, LIMIT - 1)
Pair = Record("Pair", key=Place, held=OptionSort(Place))

SORTS: dict[str, Sort] = {
    "nobody": OptionSort(Place),
    "place": Place,
    "yes": BOOL,
    "few": SetSort(Place),
    "pairs": KeyedSetSort(Pair, "key"),
    "queue": Sequence(Place, 2),
    "bag": BoundedSet(OptionSort(Place), 2),
    "slots": MapSort(Slot, BOOL),
}
STATE = {
    "nobody": None,
    "place": 2,
    "yes": True,
    "few": frozenset({0, 1}),
    "pairs": frozenset({(0, 1), (2, 0)}),
    "queue": (0,),
    "bag": frozenset({0, 1}),
    "slots": (),
}
V = {name: state_variable(name, sort) for name, sort in SORTS.items()}

HOLE: Term = the(V["nobody"]) == 0
"""A truth that has no value."""


COUNTED = mapping(Place, lambda x: x, Place)
"""A map that has no value beyond the last place."""


def verdicts(term: Expr) -> list[object]:
    """What each reading says."""
    case = Case(World({"limit": 0}), lift(term), SORTS, STATE, STATE, {})
    return [by_value(case), by_constants(case), *by_variables(case, python)]


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (lambda: conj(~V["yes"], HOLE), False),
        (lambda: disj(V["yes"], HOLE), True),
        (lambda: implies(~V["yes"], HOLE), True),
        (lambda: ite(V["yes"], 1, the(V["nobody"])) == 1, True),
        (lambda: ite(~V["yes"], the(V["nobody"]), 1) == 1, True),
        (lambda: disj(~V["yes"], V["yes"], HOLE), True),
        (lambda: last(Place, lambda x: x <= V["place"], the(V["nobody"])) == 2, True),
        (lambda: first(Place, lambda x: x >= V["place"], the(V["nobody"])) == 2, True),
        (lambda: forall(V["few"], lambda x: COUNTED[x + 1] <= 2), True),
        (lambda: exists(V["pairs"], lambda x: the(field(x, "held")) == 1), True),
        (lambda: forall(V["bag"], lambda x: the(x) <= 1), True),
        (lambda: forall(remove(V["few"], 0), lambda x: at(V["queue"], x - 1) == 0), True),
        (lambda: lookup(V["pairs"], 1) == None, True),  # noqa: E711
    ],
)
def test_what_is_not_read_needs_no_value(write: Callable[[], Expr], value: bool) -> None:
    assert verdicts(write()) == [value] * 3


@pytest.mark.parametrize(
    "write",
    [
        lambda: HOLE,
        lambda: ~HOLE,
        lambda: conj(V["yes"], HOLE),
        lambda: conj(HOLE, ~V["yes"]),
        lambda: disj(~V["yes"], HOLE),
        lambda: disj(HOLE, V["yes"]),
        lambda: implies(HOLE, V["yes"]),
        lambda: implies(V["yes"], HOLE),
        lambda: ite(HOLE, V["yes"], V["yes"]),
        lambda: ite(V["yes"], HOLE, V["yes"]),
        lambda: last(Place, lambda x: x > V["place"], the(V["nobody"])) == 2,
        lambda: first(Place, lambda x: disj(x == 0, HOLE), 0) == 0,
        lambda: last(Place, lambda x: disj(x == 2, HOLE), 0) == 2,
        lambda: exists(Place, lambda x: disj(x == 0, HOLE)),
        lambda: forall(Place, lambda x: conj(x == 2, HOLE)),
        lambda: choose(Place, lambda x: disj(x == 0, HOLE)) == 0,
        lambda: size(filtered(Place, lambda x: disj(x == 0, HOLE))) == 0,
        lambda: mapping(Place, lambda x: disj(x == 0, HOLE), BOOL)[0] == V["yes"],
        lambda: exists(V["few"], lambda x: disj(x == 0, HOLE)),
        lambda: forall(ite(HOLE, V["few"], V["few"]), lambda x: TRUE),
        lambda: union_of(Place, lambda x: frozenset([x + 1]), SetSort(Place)) == V["few"],
        lambda: member(V["place"] + 1, V["few"]),
        lambda: remove(V["few"], V["place"] + 1) == V["few"],
        lambda: insert(V["bag"], 2) == V["bag"],
        lambda: insert(V["pairs"], pair(0, 2)) == V["pairs"],
        lambda: lookup(V["pairs"], V["place"] + 1) == None,  # noqa: E711
    ],
)
def test_what_is_read_needs_a_value(write: Callable[[], Expr]) -> None:
    assert verdicts(write()) == [TOO_SMALL] * 3


def pair(key: int, held: int) -> Term:
    """A pair."""
    return record(Pair, key=key, held=held)


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (lambda: forall(Slot, lambda x: FALSE), True),
        (lambda: exists(Slot, lambda x: TRUE), False),
        (lambda: size(everything(Slot)) == 0, True),
        (lambda: last(Slot, lambda x: TRUE, 2) == 2, True),
        (lambda: choose(Slot, lambda x: TRUE) == 0, TOO_SMALL),
        (lambda: V["slots"][0] == V["yes"], TOO_SMALL),
        (lambda: V["slots"] == mapping(Slot, lambda x: True, BOOL), True),
        (lambda: filtered(Slot, lambda x: TRUE) == empty(SetSort(Slot)), True),
        (lambda: insert(empty(SetSort(Slot)), 0) == empty(SetSort(Slot)), TOO_SMALL),
        (lambda: member(0, everything(Slot)), TOO_SMALL),
        (lambda: exists(OptionSort(Slot), lambda x: x == None), True),  # noqa: E711
    ],
)
def test_a_sort_can_be_empty(write: Callable[[], Expr], value: object) -> None:
    assert verdicts(write()) == [value] * 3
