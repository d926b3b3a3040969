"""Which elements of a set a binder has to look at.

A quantifier over a set of records mostly begins by saying which records it is about
(``m.type == "vote" & m.ballot == b & …``). An element on which such a first conjunct is constantly
false adds nothing, neither a value nor a place where there is none, so it need not be visited:
the others are found in an index by the values of these parts. That holds of conjuncts that come
first only, and as long as all before them are total, because what is read later may be undefined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from bmc.lang.operator_table import OperatorName
from bmc.lang.sort_parts import case_index, field_index
from bmc.lang.sorts import (
    BOOL,
    AnySet,
    BitSet,
    BoundedSetSort,
    KeyedSetSort,
    Sort,
    unknown_sort,
)
from bmc.lang.terms import Term, make
from bmc.readings.expand.expander import Environment, Expander
from bmc.readings.positions import Place
from bmc.readings.shapes import Shape

_TRUTH_AND_NUMBERS: frozenset[OperatorName] = frozenset(
    {"not", "and", "or", "implies", "eq", "le", "lt", "add", "sub"}
)
_STRUCTURES: frozenset[OperatorName] = frozenset(
    {"some", "is_none", "record", "field", "inject", "is_case", "member", "subset"}
)
_AS_THEIR_PARTS = _TRUTH_AND_NUMBERS | _STRUCTURES
"""Operators that have a value wherever all their arguments have one."""

Required = Mapping[Place, tuple[int, ...]]
"""The scalars that the parts at some places of an element have to be."""


def conjuncts(term: Term) -> Iterator[Term]:
    """Return the parts of nested conjunctions in the order in which they are read."""
    if term.op == "and":
        for part in term.args:
            yield from conjuncts(part)
    else:
        yield term


def premises(op: str, body: Term) -> Iterator[Term]:
    """Return what is read first in a quantifier's body, and where it is false decides it."""
    if op == "exists":
        yield from conjuncts(body)
    elif body.op == "implies":
        yield from conjuncts(body.args[0])
        yield from premises(op, body.args[1])


def required(x: Expander, first: Iterable[Term], variable: Term, env: Environment) -> Required:
    """Return which parts of ``variable`` the first conjuncts make equal to constants."""
    found: dict[Place, tuple[int, ...]] = {}
    for part in _opened(first, {variable, *env}):
        if part.op == "is_case":
            place = _place(part.args[0], variable, found)
            if place is not None:
                found.setdefault((*place, 0), (case_index(part.args[0].sort, part.data),))
            elif not _total(x, part.args[0], env):
                break
        elif part.op == "eq":
            for one, other in (part.args, part.args[::-1]):
                place = _place(one, variable, found)
                numbers = _numbers(x, other, env)
                if place is not None and numbers is not None:
                    found.setdefault(place, numbers)
                    break
            else:
                if not all(_total(x, side, env) for side in part.args):
                    break
        elif not _total(x, part, env):
            break
    return found


def _opened(parts: Iterable[Term], bound: Collection[Term]) -> Iterator[Term]:
    """Return the parts with those of "there is one with ..." in the place of such a one.

    A part in it that is false whatever its variable is makes all of it false.
    """
    for part in parts:
        if part.op == "exists" and len(part.args) == 2 and part.args[0] not in bound:
            yield from _opened(conjuncts(part.args[1]), {part.args[0], *bound})
        else:
            yield part


def shared_premises(term: Term, env: Environment) -> Term | None:
    """Return what a quantifier's body reads first and without some variable that it reads later.

    It is a conjunction of premises; None where the first of them reads all that the body does.
    """
    variable, body = term.args[0], term.args[-1]
    bound = {one for one in body.free if one in env and one is not variable}
    read = {one for part in term.args[1:-1] for one in part.free} & bound
    first: list[Term] = []
    for part in premises(term.op, body):
        read |= part.free & bound
        if read == bound:
            break
        first.append(part)
    if not first:
        return None
    return first[0] if len(first) == 1 else make("and", tuple(first), BOOL)


def places(x: Expander, sort: AnySet, collection: Shape, wanted: Required) -> list[int]:
    """Return at which places of a set (see ``Shapes.members``) an element can be as required."""
    match sort:
        case _ if isinstance(sort, BitSet):
            return _among(x, sort, collection, sort.element, wanted)
        case KeyedSetSort():
            # The key alone is known of a member before it is looked at.
            key = field_index(sort.element, sort.key)
            own = {place[1:]: held for place, held in wanted.items() if place[:1] == (key,)}
            return _among(x, sort, collection, sort.key_sort, own)
        case BoundedSetSort():
            return list(x.shapes.members(sort, collection))
        case _:
            unknown_sort(sort)


def _among(
    x: Expander, sort: AnySet, collection: Shape, listed: Sort, wanted: Required
) -> list[int]:
    members = x.shapes.members(sort, collection)
    if not wanted:
        return list(members)
    return [place for place in x.positions.matching(listed, wanted) if place in members]


def _place(term: Term, variable: Term, found: Required) -> Place | None:
    """Where a part of ``variable`` stands, if the term is one and is defined everywhere."""
    if term is variable:
        return ()
    if term.op not in ("field", "payload"):
        return None
    whole = _place(term.args[0], variable, found)
    if whole is None:
        return None
    if term.op == "field":
        return (*whole, field_index(term.args[0].sort, term.data))
    # The content of a case is defined where that case has been required before.
    case = case_index(term.args[0].sort, term.data)
    return (*whole, 1, case) if found.get((*whole, 0)) == (case,) else None


def _numbers(x: Expander, term: Term, env: Environment) -> tuple[int, ...] | None:
    """The scalars of a term that is constant and defined here."""
    if not all(v in env for v in term.free):
        return None
    made = x.expand(term, env)
    return x.shapes.numbers(made.shape) if made.defined is x.circuit.true else None


def _total(x: Expander, term: Term, env: Environment) -> bool:
    """Whether a term surely has a value for every value of the variables that are not bound yet."""
    if all(v in env for v in term.free):
        return x.expand(term, env).defined is x.circuit.true
    if term.op == "bound_variable":
        return True
    return term.op in _AS_THEIR_PARTS and all(_total(x, part, env) for part in term.args)
