"""Inside a sort: all that it is made of, and the positions of fields and cases."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.lang.bounds import Bound
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    parts,
)


def field_index(sort: Sort, name: object) -> int:
    """Return the position of a record's field, which it has."""
    assert isinstance(sort, RecordSort)
    return [known for known, _ in sort.fields].index(str(name))


def case_index(sort: Sort, tag: object) -> int:
    """Return the position of a variant's case, which it has."""
    assert isinstance(sort, VariantSort)
    return [known for known, _ in sort.cases].index(str(tag))


def key_index(sort: KeyedSetSort) -> int:
    """Return the position of the identifying field among a keyed set's element's fields."""
    return field_index(sort.element, sort.key)


def inside(sort: Sort) -> Iterator[Sort]:
    """Return a sort and all that it is made of, however deep, each before its parts."""
    yield sort
    for part in parts(sort):
        yield from inside(part)


def symmetric_parts(sort: Sort) -> frozenset[Scalarset]:
    """Return the scalarsets that occur in a sort."""
    return frozenset(part for part in inside(sort) if isinstance(part, Scalarset))


def bounds(sort: Sort) -> Iterator[Bound]:
    """Return the sizes and ends of a sort and of all that it is made of."""
    for part in inside(sort):
        match part:
            case IntSort() if part.bounded:
                yield from part.range()
            case Scalarset():
                yield part.size
            case SequenceSort() | BoundedSetSort():
                yield part.capacity
            case _:
                pass
