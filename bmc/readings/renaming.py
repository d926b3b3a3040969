"""Values with the members of scalarsets renamed: what symmetry makes of a concrete state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product

from bmc.lang.sorts import (
    BoundedSetSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    symmetric_parts,
)
from bmc.readings.domain import Domains, Value

Naming = Mapping[Scalarset, tuple[int, ...]]
"""The new name of each member, by its old one, of every scalarset."""


def namings(domains: Domains, sorts: Iterable[Sort]) -> Iterator[Naming]:
    """Every renaming of the scalarsets that occur in these sorts, the identity first."""
    found = {part for sort in sorts for part in symmetric_parts(sort)}
    chosen = sorted(found, key=lambda one: one.name)
    for orders in product(*(permutations(domains.values(one)) for one in chosen)):
        yield dict(zip(chosen, orders, strict=True))


def renamed(domains: Domains, sort: Sort, value: Value, naming: Naming) -> Value:
    """A value under a renaming."""

    def of(part: Sort, v: Value) -> Value:
        return renamed(domains, part, v, naming)

    match sort:
        case Scalarset():
            return naming[sort][value]
        case OptionSort(inner):
            return None if value is None else of(inner, value)
        case RecordSort():
            return tuple(of(part, v) for (_, part), v in zip(sort.fields, value, strict=True))
        case VariantSort():
            return value[0], of(sort.case(value[0]), value[1])
        case MapSort(key, part):
            pairs = zip(domains.values(key), value, strict=True)
            moved = {of(key, k): of(part, v) for k, v in pairs}
            return tuple(moved[k] for k in domains.values(key))
        case SetSort(element) | KeyedSetSort(element, _) | BoundedSetSort(element, _):
            return frozenset(of(element, v) for v in value)
        case SequenceSort(element, _):
            return tuple(of(element, v) for v in value)
    return value
