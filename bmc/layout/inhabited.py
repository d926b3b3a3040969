"""Empty sorts: which sorts have a value at given parameters, and which have none.

A range whose end lies before its start has no value. What is built from it means what it means in
mathematics: an option of nothing is none, a set of nothing is empty, a sequence of nothing is
empty, a map *from* nothing is the one empty map; but a map from something *to* nothing does not
exist, and neither does a record with such a field.
"""

from __future__ import annotations

from collections.abc import Mapping

from bmc.lang.errors import BmcError
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    BoundedSetSort,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)


class EmptySort(BmcError):
    """A variable's sort has no value at these parameters, so the protocol has no state."""


def lacking(sort: Sort, parameters: Mapping[str, int]) -> str | None:
    """Why a sort has no value at these parameters, None when it has one."""
    match sort:
        case BoolSort() | EnumSort() | OptionSort():
            return None
        case IntSort():
            low, high = (bound.at(parameters) for bound in sort.range())
            return None if low <= high else f"{sort.name} is empty: {low}..{high}"
        case Scalarset():
            size = sort.size.at(parameters)
            return None if size > 0 else f"{sort.name} has {size} members"
        case RecordSort():
            parts = (lacking(part, parameters) for _, part in sort.fields)
            return next((why for why in parts if why is not None), None)
        case VariantSort():
            cases = [lacking(part, parameters) for _, part in sort.cases]
            return None if None in cases else cases[0]
        case MapSort():
            return None if lacking(sort.key, parameters) else lacking(sort.value, parameters)
        case SequenceSort() | BoundedSetSort():
            capacity = sort.capacity.at(parameters)
            return None if capacity >= 0 else f"{sort.name} has a capacity of {capacity}"
        case _ if isinstance(sort, AnySet):
            return None
        case _:
            unknown_sort(sort)


def require_states(variables: Mapping[str, Sort], parameters: Mapping[str, int]) -> None:
    """EmptySort unless every variable has a value at these parameters."""
    for name, sort in variables.items():
        why = lacking(sort, parameters)
        if why is not None:
            at = ", ".join(f"{known}={value}" for known, value in parameters.items())
            where = f" at {at}" if at else ""
            raise EmptySort(
                f"variable {name} has no value{where}, so there is no state: {why}. Choose larger "
                "parameters, or make what may be missing an option, a set or a sequence"
            )
