"""The forms of sorts that hold TLA+'s values: tuples, partial functions, what can be listed."""

from __future__ import annotations

from dataclasses import dataclass

from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.amounts import power, product_of
from bmc.lang.bounds import Bound
from bmc.lang.errors import LanguageError
from bmc.lang.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)

TUPLE = "Tuple_"
"""How the names of the records begin that tuples are."""

ITEM = "item"
"""How the names of their fields begin."""

IMAGE = "image"
"""The field of the record that an optional image of a partial function is."""

IMAGE_OF = "_at"
"""How the names of these records end; one of a text's own field is called after that."""


class NoLayout(LanguageError):
    """No sort holds the values of this shape."""


class NoFit(Exception):
    """A value that a sort cannot hold: where it is compared with one, they differ."""


def integer_sort(low: int, high: int) -> IntSort:
    """Return the sort of an interval; all integers of a specification have one identity."""
    if low <= -d.FAR or high >= d.FAR:
        raise NoLayout("an integer here has no bound")
    return IntSort("Int", Bound(low), Bound(high))


def is_tuple(sort: RecordSort) -> bool:
    """Tell whether a record sort holds tuples; records are called after their first field."""
    return sort.name.startswith(TUPLE) and sort.fields[0][0] == f"{ITEM}1"


@dataclass(frozen=True)
class Partial:
    """What the images of a map are that holds functions of varying domain."""

    option: OptionSort
    entry: RecordSort
    image: Sort


def partial(sort: MapSort) -> Partial | None:
    """Return what a map's images are where it holds functions of varying domain, else None."""
    option = sort.value
    if (
        isinstance(option, OptionSort)
        and isinstance(option.inner, RecordSort)
        and is_image(option.inner)
    ):
        return Partial(option, option.inner, option.inner.fields[0][1])
    return None


def is_image(sort: Sort) -> bool:
    """Tell whether values of a sort stand for what a function of varying domain has somewhere."""
    return (
        isinstance(sort, RecordSort)
        and [name for name, _ in sort.fields] == [IMAGE]
        and IMAGE_OF in sort.name
    )


def is_optional_image(sort: Sort) -> bool:
    """Tell whether a sort is of what a function of varying domain may have somewhere."""
    return isinstance(sort, OptionSort) and is_image(sort.inner)


def listable(sort: Sort) -> bool:
    """Tell whether a set can have a bit for each value of the sort."""
    match sort:
        case OptionSort(inner):
            return listable(inner)
        case RecordSort(_, fields):
            return all(listable(part) for _, part in fields)
        case VariantSort(_, cases):
            return all(listable(part) for _, part in cases)
        case SetSort(element):
            return listable(element)
        case MapSort(_, value):
            return listable(value)
        case SequenceSort(element, _):
            return listable(element)
        case BoolSort() | IntSort() | EnumSort() | Scalarset():
            return True
    return False


def count(sort: Sort) -> int:
    """Return how many values a listable sort has."""
    match sort:
        case BoolSort():
            return 2
        case IntSort():
            low, high = sort.range()
            return high.at({}) - low.at({}) + 1
        case EnumSort():
            return len(sort.values)
        case Scalarset():
            return sort.size.at({})
        case OptionSort(inner):
            return count(inner) + 1
        case RecordSort(_, fields):
            return product_of(count(part) for _, part in fields)
        case VariantSort(_, cases):
            return sum(count(part) for _, part in cases)
        case SetSort(element):
            return power(2, count(element))
        case MapSort(key, value):
            return power(count(value), count(key))
        case SequenceSort(element, longest):
            each, most = count(element), longest.at({})
            if each <= 1:
                return min(1 + each * most, d.FAR)
            # Of two elements or more 64 places are far too many, and no end is as many as FAR.
            return min(sum(power(each, n) for n in range(min(most, 64) + 1)), d.FAR)
    return d.FAR
