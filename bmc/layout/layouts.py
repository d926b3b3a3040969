"""Layouts: how the values of a sort are held in scalars.

Twelve sorts are held in seven ways, and what works on scalars (circuits, atoms, renamings of
them) knows these seven only. A value's scalars form a tree that mirrors its layout:

========  =====================================================================================
Bit       a truth value
Number    an integer in a range: a number, an enumeration's value by its position, a member
Row       a tuple of parts: a record
Cases     ``(tag, a part for each case)``: a variant
Maybe     ``(present, part)``: an option
Table     a tuple of equal parts, one for each value of ``index``: a map; with Bits a set; with
          Maybes a set with a key, whose elements' own key (their ``known`` part) is implied
Slots     ``(length, a part for each place)``: a sequence; kept in ``canonical`` order, a
          bounded set
========  =====================================================================================

What is absent is filled with the sort's default, so equal values have equal trees.

To add a sort: the case of :meth:`Layouts.of` that says which of these holds it, and what a value
becomes in :meth:`Layouts.encode` and :meth:`Layouts.decode`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never, final

from bmc.lang.sort_parts import key_index, symmetric_parts
from bmc.lang.sorts import (
    BitSet,
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.layout.domain import Domains, Value, key_of

Scalars = bool | int | tuple["Scalars", ...]
"""A value as its scalars, in the tree of its layout."""


@dataclass(frozen=True)
class _Held:
    """What every layout says: the scalarsets whose members the values can name."""

    scalarsets: frozenset[Scalarset]


@final
@dataclass(frozen=True)
class Bit(_Held):
    """A truth value."""


@final
@dataclass(frozen=True)
class Number(_Held):
    """An integer in ``low .. high``; ``sort`` says what it stands for."""

    sort: IntSort | EnumSort | Scalarset
    low: int
    high: int


@final
@dataclass(frozen=True)
class Row(_Held):
    """A tuple of parts of different layouts, by name."""

    names: tuple[str, ...]
    parts: tuple[Layout, ...]


@final
@dataclass(frozen=True)
class Cases(_Held):
    """A tag, and a part for each case; all but the tag's own hold their default."""

    tags: tuple[str, ...]
    parts: tuple[Layout, ...]


@final
@dataclass(frozen=True)
class Maybe(_Held):
    """A bit that says whether the part is there; where it is not, the part holds its default."""

    part: Layout


@final
@dataclass(frozen=True)
class Table(_Held):
    """A part for each value of ``index``, in canonical order.

    Where ``known`` is given, parts are Maybes of Rows, and a row's field at that position is the
    row's own index.
    """

    index: Sort
    keys: tuple[Value, ...]
    part: Layout
    known: int | None = None


@final
@dataclass(frozen=True)
class Slots(_Held):
    """A length, and a part for each of ``capacity`` places; places beyond the length are default.

    In ``canonical`` order each slot is less than the next one. A capacity below 0 has no values.
    """

    capacity: int
    part: Layout
    canonical: bool


def row_of(table: Table) -> Row:
    """Return the layout of a row of a table whose rows know their own index."""
    assert isinstance(table.part, Maybe)
    assert isinstance(table.part.part, Row)
    return table.part.part


Layout = Bit | Number | Row | Cases | Maybe | Table | Slots


class Layouts:
    """The layouts of sorts at one choice of parameter values, and values through them."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains
        self._known: dict[Sort, Layout] = {}
        self._blank: dict[Sort, Scalars] = {}

    def of(self, sort: Sort) -> Layout:
        """Return the layout of a sort."""
        found = self._known.get(sort)
        if found is None:
            found = self._known[sort] = self._of(sort)
        return found

    def _of(self, sort: Sort) -> Layout:
        symmetric = symmetric_parts(sort)
        match sort:
            case BoolSort():
                return Bit(symmetric)
            case IntSort() | EnumSort() | Scalarset():
                return Number(symmetric, sort, *self.domains.range(sort))
            case OptionSort(inner):
                return Maybe(symmetric, self.of(inner))
            case RecordSort(_, fields):
                return Row(symmetric, *self._named(fields))
            case VariantSort(_, cases):
                return Cases(symmetric, *self._named(cases))
            case MapSort(key, value):
                return Table(symmetric, key, self.domains.values(key), self.of(value))
            case _ if isinstance(sort, BitSet):
                listed = self.domains.values(sort.element)
                return Table(symmetric, sort.element, listed, self.of(BoolSort()))
            case KeyedSetSort(element, _):
                part, keys = self.of(OptionSort(element)), self.domains.values(sort.key_sort)
                return Table(symmetric, sort.key_sort, keys, part, key_index(sort))
            case SequenceSort(element, capacity) | BoundedSetSort(element, capacity):
                room = capacity.at(self.domains.parameters)
                return Slots(symmetric, room, self.of(element), isinstance(sort, BoundedSetSort))
            case _:
                unknown_sort(sort)

    def _named(
        self, parts: tuple[tuple[str, Sort], ...]
    ) -> tuple[tuple[str, ...], tuple[Layout, ...]]:
        return tuple(name for name, _ in parts), tuple(self.of(part) for _, part in parts)

    def blank(self, sort: Sort) -> Scalars:
        """Return the scalars of the sort's default, which fill what is absent."""
        found = self._blank.get(sort)
        if found is None:
            found = self._blank[sort] = blank(self.of(sort))
        return found

    def encode(self, sort: Sort, value: Value) -> Scalars:
        """Return a value as its scalars."""
        match sort:
            case BoolSort():
                return bool(value)
            case IntSort() | Scalarset():
                return int(value)
            case EnumSort():
                return sort.values.index(value)
            case OptionSort(inner):
                return value is not None, self._optional(inner, value)
            case RecordSort(_, fields):
                pairs = zip(fields, value, strict=True)
                return tuple(self.encode(part, v) for (_, part), v in pairs)
            case VariantSort(_, cases):
                tag, content = value
                return (
                    [t for t, _ in cases].index(tag),
                    tuple(
                        self.encode(part, content) if t == tag else self.blank(part)
                        for t, part in cases
                    ),
                )
            case MapSort(_, part):
                return tuple(self.encode(part, v) for v in value)
            case _ if isinstance(sort, BitSet):
                return tuple(v in value for v in self.domains.values(sort.element))
            case KeyedSetSort(element, _):
                held = {key_of(sort, v): v for v in value}
                keys = self.domains.values(sort.key_sort)
                return tuple((k in held, self._optional(element, held.get(k))) for k in keys)
            case SequenceSort(element, capacity) | BoundedSetSort(element, capacity):
                filled = [self.encode(element, v) for v in value]
                if isinstance(sort, BoundedSetSort):
                    filled.sort(key=lambda scalars: tuple(flat(scalars)))
                free = capacity.at(self.domains.parameters) - len(filled)
                return len(filled), (*filled, *[self.blank(element)] * free)
            case _:
                unknown_sort(sort)

    def _optional(self, sort: Sort, value: Value) -> Scalars:
        return self.blank(sort) if value is None else self.encode(sort, value)

    def decode(self, sort: Sort, numbers: Iterator[int]) -> Value:
        """Return the value whose scalars, one after the other, are ``numbers``."""
        match sort:
            case BoolSort():
                return bool(next(numbers))
            case IntSort() | Scalarset():
                return int(next(numbers))
            case EnumSort():
                return sort.values[next(numbers)]
            case OptionSort(inner):
                present, held = bool(next(numbers)), self.decode(inner, numbers)
                return held if present else None
            case RecordSort(_, fields):
                return tuple(self.decode(part, numbers) for _, part in fields)
            case VariantSort(_, cases):
                tag = next(numbers)
                contents = [self.decode(part, numbers) for _, part in cases]
                return cases[tag][0], contents[tag]
            case MapSort(key, part):
                return tuple(self.decode(part, numbers) for _ in self.domains.values(key))
            case _ if isinstance(sort, BitSet):
                return frozenset([v for v in self.domains.values(sort.element) if next(numbers)])
            case KeyedSetSort(element, _):
                slots = [
                    (next(numbers), self.decode(element, numbers))
                    for _ in self.domains.values(sort.key_sort)
                ]
                return frozenset(element for present, element in slots if present)
            case SequenceSort(element, capacity) | BoundedSetSort(element, capacity):
                length, room = next(numbers), capacity.at(self.domains.parameters)
                held = [self.decode(element, numbers) for _ in range(room)][:length]
                return tuple(held) if isinstance(sort, SequenceSort) else frozenset(held)
            case _:
                unknown_sort(sort)


def blank(layout: Layout) -> Scalars:
    """Return the scalars of the default value, which fill what is absent."""
    match layout:
        case Bit():
            return False
        case Number():
            return layout.low
        case Row():
            return tuple(blank(part) for part in layout.parts)
        case Cases():
            return 0, tuple(blank(part) for part in layout.parts)
        case Maybe():
            return False, blank(layout.part)
        case Table():
            return (blank(layout.part),) * len(layout.keys)
        case Slots():
            return 0, (blank(layout.part),) * layout.capacity
        case _:
            assert_never(layout)


def keeps_order(layout: Layout) -> bool:
    """Whether a renaming of members reorders slots that are kept in canonical order."""
    match layout:
        case Bit() | Number():
            return False
        case Row() | Cases():
            return any(keeps_order(part) for part in layout.parts)
        case Maybe() | Table():
            return keeps_order(layout.part)
        case Slots():
            return (layout.canonical and bool(layout.scalarsets)) or keeps_order(layout.part)
        case _:
            assert_never(layout)


def flat(scalars: Scalars) -> Iterator[int]:
    """Return the scalars one after the other, truth values as 0 and 1."""
    found: list[int] = []
    _flatten(scalars, found)
    return iter(found)


def _flatten(scalars: Scalars, found: list[int]) -> None:
    if isinstance(scalars, tuple):
        for part in scalars:
            _flatten(part, found)
    else:
        found.append(int(scalars))
