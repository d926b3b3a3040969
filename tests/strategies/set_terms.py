"""How terms of the three kinds of sets are written."""

from __future__ import annotations

from bmc.lang import (
    Expr,
    Sort,
)
from bmc.lang.build import (
    empty,
    everything,
    filtered,
    insert,
    ite,
    one,
    remove,
    union_of,
)
from bmc.lang.sorts import BoundedSetSort, KeyedSetSort, SetSort
from bmc.lang.terms import coerce
from tests.strategies.scalar_terms import listable
from tests.strategies.structure_terms import operand
from tests.strategies.writer import Writer, production


@production(SetSort, KeyedSetSort, BoundedSetSort, weight=2)
def _changed(w: Writer, sort: Sort) -> Expr:
    element = sort.element  # type: ignore[attr-defined]
    change = w.draw.one_of((insert, remove))
    # A variable has the best chance to be in the set.
    return change(w.term(sort), w.leaf(element) if w.chance() else operand(w, element))


@production(KeyedSetSort, BoundedSetSort)
def _filled(w: Writer, sort: Sort) -> Expr:
    """A small set, so that a bounded one has room."""
    return insert(empty(sort), operand(w, sort.element))  # type: ignore[attr-defined]


@production(SetSort, KeyedSetSort, BoundedSetSort)
def _listed(w: Writer, sort: Sort) -> Expr:
    element = sort.element  # type: ignore[attr-defined]
    return coerce(frozenset([w.term(element) for _ in range(w.draw.number(0, 2))]), sort)


@production(SetSort, weight=4)
def _algebra(w: Writer, sort: Sort) -> Expr:
    left, right = w.term(sort), w.term(sort)
    match w.draw.one_of(("|", "&", "-")):
        case "|":
            return left | right
        case "&":
            return left & right
    return left - right


@production(KeyedSetSort, BoundedSetSort)
def _union(w: Writer, sort: Sort) -> Expr:
    return w.term(sort) | w.term(sort)


@production(SetSort, KeyedSetSort, BoundedSetSort)
def _union_of(w: Writer, sort: Sort) -> Expr:
    with w.shallow():
        return union_of(listable(w), lambda x: w.under(x, lambda: w.term(sort)), sort)


@production(SetSort, KeyedSetSort, BoundedSetSort)
def _union_over(w: Writer, sort: Sort) -> Expr:
    """The elements of a set of this sort that pass a test, or what becomes of them."""
    with w.shallow():
        collection = w.term(sort)

        def body(x: Expr) -> Expr:
            element = x if w.chance() else operand(w, sort.element)  # type: ignore[attr-defined]
            return ite(w.truth(), insert(empty(sort), element), empty(sort))

        return union_of(collection, lambda x: w.under(x, lambda: body(x)), sort)


@production(SetSort, weight=3)
def _whole_or_single(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, SetSort)
    return everything(sort.element) if w.chance() else one(w.term(sort.element))


@production(SetSort, weight=2)
def _filtered(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, SetSort)
    with w.shallow():
        return filtered(sort.element, lambda x: w.under(x, w.truth))
