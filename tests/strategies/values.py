"""Random values of a sort; how many there are; and how they look under another naming."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, prod
from typing import Any

from bmc.lang.sorts import (
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
    SetSort,
    Sort,
    VariantSort,
)
from bmc.layout.domain import Domains, key_of
from tests.strategies.draw import Draw

Value = Any
Naming = Mapping[Scalarset, tuple[int, ...]]
"""For each scalarset, the new name of each member."""


class Values:
    """Draws values, and often one that it has drawn before.

    Only so is a random element in a random set, a record already there, a message sent twice.
    """

    def __init__(self, draw: Draw, domains: Domains) -> None:
        self.draw = draw
        self.domains = domains
        self._drawn: dict[Sort, list[Value]] = {}

    def of(self, sort: Sort) -> Value:
        """A value of the sort."""
        before = self._drawn.setdefault(sort, [])
        if before and self.draw.truth():
            return self.draw.one_of(before)
        value = self._new(sort)
        before.append(value)
        return value

    def _new(self, sort: Sort) -> Value:
        draw, domains = self.draw, self.domains
        match sort:
            case BoolSort():
                return draw.truth()
            case EnumSort():
                return draw.one_of(sort.values)
            case IntSort() | Scalarset():
                return draw.number(*domains.range(sort))
            case OptionSort(inner):
                return None if draw.one_of((True, False, False)) else self.of(inner)
            case RecordSort(_, fields):
                return tuple(self.of(part) for _, part in fields)
            case VariantSort(_, cases):
                tag, part = draw.one_of(cases)
                return tag, self.of(part)
            case MapSort(key, value):
                return tuple(self.of(value) for _ in domains.values(key))
            case SetSort(element):
                return frozenset(v for v in domains.values(element) if draw.truth())
            case KeyedSetSort(element, key):
                drawn = [self.of(element) for _ in range(draw.number(0, 3))]
                return frozenset({key_of(sort, one): one for one in drawn}.values())
            case SequenceSort(element, capacity):
                most = capacity.at(domains.parameters)
                length = draw.one_of((most, *range(most + 1)))
                return tuple(self.of(element) for _ in range(length))
            case BoundedSetSort(element, capacity):
                most = capacity.at(domains.parameters)
                filled = draw.one_of((most, *range(most + 1)))
                return frozenset(self.of(element) for _ in range(filled))
        raise AssertionError(f"no values of {sort}")


def draw_value(draw: Draw, domains: Domains, sort: Sort) -> Value:
    """A value of the sort."""
    return Values(draw, domains).of(sort)


def count(domains: Domains, sort: Sort) -> int:
    """How many values the sort has, counted without listing them."""
    match sort:
        case BoolSort():
            return 2
        case EnumSort(_, values):
            return len(values)
        case IntSort() | Scalarset():
            low, high = domains.range(sort)
            return high - low + 1
        case OptionSort(inner):
            return 1 + count(domains, inner)
        case RecordSort(_, fields):
            return prod(count(domains, part) for _, part in fields)
        case VariantSort(_, cases):
            return sum(count(domains, part) for _, part in cases)
        case MapSort(key, value):
            return int(count(domains, value) ** count(domains, key))
        case SetSort(element):
            return int(2 ** count(domains, element))
        case KeyedSetSort(element, key):
            others = prod(count(domains, part) for name, part in element.fields if name != key)
            return int((1 + others) ** count(domains, sort.key_sort))
        case SequenceSort(element, capacity):
            lengths = range(capacity.at(domains.parameters) + 1)
            return sum(count(domains, element) ** length for length in lengths)
        case BoundedSetSort(element, capacity):
            sizes = range(capacity.at(domains.parameters) + 1)
            return sum(comb(count(domains, element), size) for size in sizes)
    raise AssertionError(f"no values of {sort}")


def rename(domains: Domains, sort: Sort, value: Value, names: Naming) -> Value:
    """The value with every scalarset member replaced by its new name."""
    match sort:
        case BoolSort() | EnumSort() | IntSort():
            return value
        case Scalarset():
            return names[sort][value] if sort in names else value
        case OptionSort(inner):
            return None if value is None else rename(domains, inner, value, names)
        case RecordSort(_, fields):
            pairs = zip(fields, value, strict=True)
            return tuple(rename(domains, part, v, names) for (_, part), v in pairs)
        case VariantSort():
            tag, content = value
            return tag, rename(domains, sort.case(tag), content, names)
        case MapSort(key, part):
            pairs = zip(domains.values(key), value, strict=True)
            moved = {rename(domains, key, k, names): v for k, v in pairs}
            return tuple(rename(domains, part, moved[k], names) for k in domains.values(key))
        case SequenceSort(element, _):
            return tuple(rename(domains, element, v, names) for v in value)
        case SetSort(element) | KeyedSetSort(element, _) | BoundedSetSort(element, _):
            return frozenset(rename(domains, element, v, names) for v in value)
    raise AssertionError(f"no values of {sort}")
