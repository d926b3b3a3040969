"""What sorts are made of: their parts, and the positions of fields and cases in them."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.lang.sorts import (
    AnySet,
    BoolSort,
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


def parts(sort: Sort) -> tuple[Sort, ...]:
    """Return the sorts that a sort is made of directly."""
    match sort:
        case OptionSort(inner):
            return (inner,)
        case RecordSort(_, named) | VariantSort(_, named):
            return tuple(part for _, part in named)
        case MapSort(key, value):
            return key, value
        case _ if isinstance(sort, AnySet | SequenceSort):
            return (sort.element,)
        case BoolSort() | IntSort() | EnumSort() | Scalarset():
            return ()
        case _:
            unknown_sort(sort)


def inside(sort: Sort) -> Iterator[Sort]:
    """Return a sort and all that it is made of, however deep, each before its parts."""
    yield sort
    for part in parts(sort):
        yield from inside(part)


def symmetric_parts(sort: Sort) -> frozenset[Scalarset]:
    """Return the scalarsets that occur in a sort."""
    return frozenset(part for part in inside(sort) if isinstance(part, Scalarset))
