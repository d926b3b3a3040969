"""How terms are written that build, take apart and change structured values."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from bmc.lang import (
    Expr,
    MapSort,
    Operand,
    OptionSort,
    Sequence,
    Sort,
    Step,
    Term,
)
from bmc.lang.build import (
    append,
    at,
    empty,
    inject,
    is_case,
    is_some,
    ite,
    lookup,
    mapping,
    payload,
    record,
    size,
    some,
    tail,
    take,
    the,
)
from bmc.lang.errors import AssignedTwice, asked
from bmc.lang.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    VariantSort,
)
from bmc.lang.state import branches
from bmc.lang.terms import field
from tests.strategies.scalar_terms import keyed_over, number
from tests.strategies.world import (
    EPOCH,
    EPOCHS,
    MOST_LEAVES,
    OFFSET,
    SPACE,
    new_record,
    new_variant,
)
from tests.strategies.writer import ANY, Refused, Writer, production


@production(*ANY, weight=2)
def _part(w: Writer, sort: Sort) -> Expr:
    """A part of a structured value; partial ones are sometimes guarded, sometimes not."""
    whole = _container(w, sort)
    match whole.sort:
        case RecordSort(_, fields):
            return field(whole, w.draw.one_of([n for n, s in fields if s == sort]))
        case MapSort(key):
            return whole[w.term(key)]
        case OptionSort():
            return _guarded(w, sort, is_some(whole), the(whole))
        case VariantSort(_, cases):
            tag = w.draw.one_of([t for t, s in cases if s == sort])
            return _guarded(w, sort, is_case(whole, tag), payload(whole, tag))
        case SequenceSort():
            index = number(w, w.draw.one_of((OFFSET, EPOCH)).name)
            inside = (0 <= index) & (index < size(whole))
            return _guarded(w, sort, inside, at(whole, index))
    raise Refused


def _guarded(w: Writer, sort: Sort, condition: Term, partial: Term) -> Term:
    return partial if w.chance() else ite(condition, partial, w.term(sort))


def _container(w: Writer, sort: Sort) -> Term:
    """A term of a sort that has ``sort`` as a part: a variable that is there, or any."""
    known = w.in_scope(lambda s: sort in _parts(s))
    near = [t for t in known if any(t is b for b in w.bound)]
    if near and w.chance():
        return near[0]
    if known and not w.chance(4):
        return w.draw.one_of(known)
    if w.world.leaves(sort) * 3 > MOST_LEAVES:
        raise Refused
    other = w.world.scalar(w.draw)
    options: list[Sort] = [
        new_record("Box", other=other, held=sort),
        MapSort(w.world.listable(w.draw, 3), sort),
        Sequence(sort, w.draw.one_of((SPACE, 2))),
        new_variant("Parcel", full=sort, void=other),
    ]
    if not isinstance(sort, OptionSort):
        options.append(OptionSort(sort))
    return w.term(w.draw.one_of(options))


def _parts(sort: Sort) -> list[Sort]:
    match sort:
        case RecordSort(_, parts) | VariantSort(_, parts):
            return [part for _, part in parts]
        case MapSort(_, part) | OptionSort(part) | SequenceSort(part):
            return [part]
    return []


@production(OptionSort)
def _some(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, OptionSort)
    return some(w.term(sort.inner))


@production(OptionSort, weight=2)
def _lookup(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, OptionSort)
    collection = keyed_over(w, sort.inner)
    if collection is None:
        raise Refused
    return lookup(w.term(collection), w.term(collection.key_sort))


@production(RecordSort)
def _record(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, RecordSort)
    return record(sort, **{name: operand(w, part) for name, part in sort.fields})


@production(VariantSort, weight=2)
def _inject(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, VariantSort)
    tag, part = w.draw.one_of(sort.cases)
    return inject(sort, tag, operand(w, part))


@production(MapSort, weight=2)
def _mapping(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, MapSort)
    with w.shallow():
        return mapping(sort.key, lambda x: w.under(x, lambda: operand(w, sort.value)), sort.value)


@production(RecordSort, MapSort, weight=2)
def _assigned(w: Writer, sort: Sort) -> Expr:
    """What a step assigns to a variable in one or two pieces, after assigning all of it."""
    if w.bound:
        # Nothing is assigned in a binder's body.
        return w.leaf(sort)
    step = Step({"x": sort}, frozenset({"x"}))
    step.x = w.term(sort)
    for _ in range(w.draw.number(1, 2)):
        # Of one part twice, the second time is refused and changes nothing.
        with suppress(AssignedTwice), asked():
            assign_part(w, step.x, sort)
    return branches(step)[0].updates["x"]


def assign_part(w: Writer, place: Expr, sort: Sort) -> None:
    """Assign a field, an entry, or a part of one."""
    assign: Callable[[Operand], None]
    match sort:
        case RecordSort(_, fields):
            name, part = w.draw.one_of(fields)
            inner: Expr = getattr(place, name)
            assign = lambda value: setattr(place, name, value)  # noqa: E731
        case MapSort(key, part):
            where = operand(w, key)
            inner = place[where]
            assign = lambda value: place.__setitem__(where, value)  # noqa: E731
        case _:
            raise Refused
    if isinstance(part, RecordSort | MapSort) and w.chance():
        assign_part(w, inner, part)
    else:
        assign(operand(w, part))


def operand(w: Writer, sort: Sort) -> Operand:
    """A term, or a plain Python value that the language reads as one."""
    if w.chance():
        return w.term(sort)
    match sort:
        case BoolSort():
            return w.draw.truth()
        case IntSort():
            return w.draw.one_of((0, EPOCHS, SPACE - 1, -1, 2))
        case EnumSort(_, values):
            return w.draw.one_of(values)
        case OptionSort(inner):
            return None if w.chance() else operand(w, inner)
        case SetSort(element) if not isinstance(element, Scalarset):
            return frozenset([w.term(element) for _ in range(w.draw.number(0, 2))])
    return w.term(sort)


@production(SequenceSort, weight=3)
def _sequence(w: Writer, sort: Sort) -> Expr:
    assert isinstance(sort, SequenceSort)
    match w.draw.one_of(("append", "tail", "take", "append to the empty")):
        case "append":
            return append(w.term(sort), operand(w, sort.element))
        case "tail":
            return tail(w.term(sort))
        case "take":
            return take(w.term(sort), number(w, OFFSET.name))
    return append(empty(sort), operand(w, sort.element))
