"""Random values of a sort; how many there are; and how they look under another naming."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, prod
from typing import Any

from hypothesis import strategies as st

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
from bmc.readings.domain import Domains
from tests.strategies.world import Draw

Value = Any
Naming = Mapping[Scalarset, tuple[int, ...]]
"""For each scalarset, the new name of each member."""


def draw_value(draw: Draw, domains: Domains, sort: Sort) -> Value:
    """A value of the sort, small ones first."""
    match sort:
        case BoolSort():
            return draw(st.booleans())
        case EnumSort():
            return draw(st.sampled_from(sort.values))
        case IntSort() | Scalarset():
            return draw(st.integers(*domains.range(sort)))
        case OptionSort(inner):
            return draw_value(draw, domains, inner) if draw(st.booleans()) else None
        case RecordSort(_, fields):
            return tuple(draw_value(draw, domains, part) for _, part in fields)
        case VariantSort(_, cases):
            tag, part = draw(st.sampled_from(cases))
            return tag, draw_value(draw, domains, part)
        case MapSort(key, value):
            return tuple(draw_value(draw, domains, value) for _ in domains.values(key))
        case SetSort(element):
            return frozenset(v for v in domains.values(element) if draw(st.booleans()))
        case KeyedSetSort(element, key):
            taken = [k for k in domains.values(sort.key_sort) if draw(st.booleans())]
            return frozenset(_keyed(draw, domains, element, key, k) for k in taken)
        case SequenceSort(element, capacity):
            length = draw(st.integers(0, capacity.at(domains.parameters)))
            return tuple(draw_value(draw, domains, element) for _ in range(length))
        case BoundedSetSort(element, capacity):
            most = draw(st.integers(0, capacity.at(domains.parameters)))
            return frozenset(draw_value(draw, domains, element) for _ in range(most))
    raise AssertionError(f"no values of {sort}")


def _keyed(draw: Draw, domains: Domains, element: RecordSort, key: str, known: Value) -> Value:
    return tuple(
        known if name == key else draw_value(draw, domains, part) for name, part in element.fields
    )


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


def namings(draw: Draw, domains: Domains, scalarsets: tuple[Scalarset, ...]) -> Naming:
    """A permutation of the members of each scalarset."""
    found = {}
    for one in scalarsets:
        members = range(domains.range(one)[1] + 1)
        found[one] = tuple(draw(st.permutations(members))) if len(members) > 1 else (0,)
    return found


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
