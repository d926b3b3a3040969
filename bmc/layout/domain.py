"""The values of a sort at given parameters, and their canonical order.

A value is plain Python: bool, int (integers; scalarset members count from 0), str (enumeration
values), None or the value itself (options), tuple (records by field, maps by the key's
position, sequences), ``(tag, payload)`` (variants), frozenset (sets of every kind).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress, product
from math import prod
from typing import Any

from bmc.lang.errors import SortError
from bmc.lang.sort_parts import key_index
from bmc.lang.sorts import (
    AnySet,
    BitSet,
    BoolSort,
    BoundedSetSort,
    Collection,
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
from bmc.layout.affordable import MOST_LISTED, TooLarge

Value = Any

_HUGE = 10**30
_REMEMBERED = 100_000
"""Elements of sets, of one sort, that are known to be values of it."""


class Domains:
    """Sorts read at one choice of parameter values."""

    def __init__(self, parameters: Mapping[str, int]) -> None:
        self.parameters = dict(parameters)
        self._values: dict[Sort, tuple[Value, ...]] = {}
        self._positions: dict[Sort, dict[Value, int]] = {}
        self._ranges: dict[Sort, tuple[int, int]] = {}
        self._elements: dict[Sort, set[Value]] = {}

    def range(self, sort: Sort) -> tuple[int, int]:
        """The least and greatest number that stands for a scalar of this sort, inclusive."""
        found = self._ranges.get(sort)
        if found is None:
            found = self._ranges[sort] = self._range(sort)
        return found

    def _range(self, sort: Sort) -> tuple[int, int]:
        match sort:
            case BoolSort():
                return 0, 1
            case IntSort():
                low, high = sort.range()
                return low.at(self.parameters), high.at(self.parameters)
            case EnumSort():
                return 0, len(sort.values) - 1
            case Scalarset():
                return 0, sort.size.at(self.parameters) - 1
            case _ if isinstance(sort, OptionSort | RecordSort | VariantSort | Collection):
                raise SortError(f"{sort} is not a scalar")
            case _:
                unknown_sort(sort)

    def values(self, sort: Sort) -> tuple[Value, ...]:
        """Return all values of a listable sort, in canonical order; TooLarge where nobody could."""
        found = self._values.get(sort)
        if found is None:
            if self.number(sort) > MOST_LISTED:
                raise TooLarge(
                    f"{sort} has more than {MOST_LISTED:,} values at these parameters, and they "
                    f"would have to be listed: choose smaller parameters or a smaller sort"
                )
            found = self._values[sort] = tuple(self._list(sort))
        return found

    def number(self, sort: Sort) -> int:
        """Return how many values a listable sort has, or 10^30 where they are more than that."""
        match sort:
            case BoolSort() | EnumSort() | IntSort() | Scalarset():
                low, high = self.range(sort)
                return max(0, high - low + 1)
            case OptionSort():
                return 1 + self.number(sort.inner)
            case RecordSort():
                return min(_HUGE, prod(self.number(part) for _, part in sort.fields))
            case VariantSort():
                return sum(self.number(part) for _, part in sort.cases)
            case _ if isinstance(sort, BitSet):
                return _power(2, self.number(sort.element))
            case MapSort():
                return _power(self.number(sort.value), self.number(sort.key))
            case SequenceSort():
                held, longest = self.number(sort.element), sort.capacity.at(self.parameters)
                if longest < 0 or held < 2:
                    return held * longest + 1 if longest >= 0 else 0
                return min(_HUGE, sum(_power(held, n) for n in range(min(longest, 100) + 1)))
            case _ if isinstance(sort, Collection):
                raise SortError(f"the values of {sort} are too many to list")
            case _:
                unknown_sort(sort)

    def position(self, sort: Sort, value: Value) -> int | None:
        """Where a value stands in :meth:`values`, or None when it is outside the sort."""
        if isinstance(sort, IntSort | Scalarset) and type(value) is int:
            low, high = self.range(sort)
            return value - low if low <= value <= high else None
        return self.positions(sort).get(value)

    def positions(self, sort: Sort) -> Mapping[Value, int]:
        """Where each value of a listable sort stands in :meth:`values`."""
        table = self._positions.get(sort)
        if table is None:
            table = {v: i for i, v in enumerate(self.values(sort))}
            self._positions[sort] = table
        return table

    def _list(self, sort: Sort) -> list[Value]:
        match sort:
            case BoolSort():
                return [False, True]
            case EnumSort():
                return list(sort.values)
            case IntSort() | Scalarset():
                low, high = self.range(sort)
                return list(range(low, high + 1))
            case OptionSort():
                return [None, *self.values(sort.inner)]
            case RecordSort():
                return list(product(*(self.values(part) for _, part in sort.fields)))
            case VariantSort():
                return [(tag, v) for tag, part in sort.cases for v in self.values(part)]
            case _ if isinstance(sort, BitSet):
                elements = self.values(sort.element)
                chosen = product([False, True], repeat=len(elements))
                return [frozenset(compress(elements, bits)) for bits in chosen]
            case MapSort():
                images = self.values(sort.value)
                return list(product(images, repeat=len(self.values(sort.key))))
            case SequenceSort():
                held = self.values(sort.element)
                longest = sort.capacity.at(self.parameters)
                return [s for n in range(longest + 1) for s in product(held, repeat=n)]
            case _ if isinstance(sort, VariantSort | Collection):
                raise SortError(f"the values of {sort} are too many to list")
            case _:
                unknown_sort(sort)

    def default(self, sort: Sort) -> Value:
        """The value that fills what is absent, so that equal states have equal encodings."""
        match sort:
            case BoolSort():
                return False
            case EnumSort():
                return sort.values[0]
            case IntSort() | Scalarset():
                return self.range(sort)[0]
            case OptionSort():
                return None
            case RecordSort():
                return tuple(self.default(part) for _, part in sort.fields)
            case VariantSort():
                tag, part = sort.cases[0]
                return tag, self.default(part)
            case MapSort():
                return tuple(self.default(sort.value) for _ in self.values(sort.key))
            case _ if isinstance(sort, AnySet):
                return frozenset()
            case SequenceSort():
                return ()
            case _:
                unknown_sort(sort)

    def _all_elements(self, sort: Sort, elements: frozenset[Value]) -> bool:
        """Whether all are values of a sort; what was is not looked at again.

        Of a set that grows by one element at a time, most elements are known.
        """
        known = self._elements.setdefault(sort, set())
        new = elements - known
        if not all(self.contains(sort, element) for element in new):
            return False
        if len(known) > _REMEMBERED:
            known.clear()
        known.update(new)
        return True

    def contains(self, sort: Sort, value: Value) -> bool:
        """Whether a Python value is a value of the sort."""
        match sort:
            case BoolSort():
                return isinstance(value, bool)
            case EnumSort():
                return value in sort.values
            case IntSort() | Scalarset():
                low, high = self.range(sort)
                return type(value) is int and low <= value <= high
            case OptionSort():
                return value is None or self.contains(sort.inner, value)
            case RecordSort():
                return (
                    isinstance(value, tuple)
                    and len(value) == len(sort.fields)
                    and all(
                        self.contains(part, v)
                        for (_, part), v in zip(sort.fields, value, strict=True)
                    )
                )
            case VariantSort():
                return (
                    isinstance(value, tuple)
                    and len(value) == 2
                    and any(tag == value[0] and self.contains(p, value[1]) for tag, p in sort.cases)
                )
            case MapSort():
                return (
                    isinstance(value, tuple)
                    and len(value) == len(self.values(sort.key))
                    and all(self.contains(sort.value, v) for v in value)
                )
            case _ if isinstance(sort, BitSet):
                return isinstance(value, frozenset) and all(
                    self.contains(sort.element, v) for v in value
                )
            case KeyedSetSort():
                keys = [v[key_index(sort)] for v in value] if isinstance(value, frozenset) else []
                return (
                    isinstance(value, frozenset)
                    and all(self.contains(sort.element, v) for v in value)
                    and len(set(keys)) == len(keys)
                )
            case SequenceSort():
                return (
                    isinstance(value, tuple)
                    and len(value) <= sort.capacity.at(self.parameters)
                    and all(self.contains(sort.element, v) for v in value)
                )
            case BoundedSetSort():
                return (
                    isinstance(value, frozenset)
                    and len(value) <= sort.capacity.at(self.parameters)
                    and self._all_elements(sort.element, value)
                )
            case _:
                unknown_sort(sort)


def outside(term: object, value: Value, sort: Sort) -> str:
    """What is said of a value that its sort has no room for: of a sequence how long it is."""
    said = f"a sequence of {len(value)}" if isinstance(sort, SequenceSort) else repr(value)
    return f"{term!r} is {said}, which is outside {sort}"


def key_of(sort: KeyedSetSort, element: Value) -> Value:
    """The identifying field of a keyed set's element."""
    return element[key_index(sort)]


def _power(base: int, exponent: int) -> int:
    power: int = base ** min(exponent, 100)
    return min(_HUGE, power)
