"""That a value is one of a sort, as a formula of TLA+.

`x \\in S` says it wherever S is written as it is; what a set or a sequence holds at most, and that
records of a set differ in their key, is said of the parts.
"""

from __future__ import annotations

from bmc.lang.show import quoted
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import (
    BoundedSetSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.reports.exports.tla.names import Names
from bmc.reports.exports.tla.sorts import RANGE, Sorts, bound, is_flat


def conditions(value: str, sort: Sort, sorts: Sorts, names: Names) -> list[str]:
    """Return formulas that together say that ``value``, an expression that holds tightly, fits."""
    if not any(isinstance(p, KeyedSetSort | BoundedSetSort | SequenceSort) for p in inside(sort)):
        return [f"{value} \\in {sorts.of(sort, 6)}"]
    match sort:
        case OptionSort(inner):
            return [f"{value} # None => {_all(conditions(value, inner, sorts, names))}"]
        case RecordSort(_, fields):
            return [c for n, s in fields for c in conditions(f"{value}.{n}", s, sorts, names)]
        case VariantSort():
            return [_case(value, sort, case, sorts, names) for case, _ in sort.cases]
        case MapSort(key, part):
            with names.bound(["k"]) as (k,):
                held = _all(conditions(f"{value}[{k}]", part, sorts, names))
                return [f"\\A {k} \\in {sorts.of(key, 6)} : {held}"]
        case SequenceSort(element, capacity):
            with names.bound(["i"]) as (i,):
                held = _all(conditions(f"{value}[{i}]", element, sorts, names))
                short = f"Len({value}) <= {bound(capacity, RANGE)}"
                return [short, f"\\A {i} \\in 1..Len({value}) : {held}"]
        case SetSort(element) | KeyedSetSort(element, _) | BoundedSetSort(element, _):
            with names.bound(["e"]) as (e,):
                held = _all(conditions(e, element, sorts, names))
                found = [f"\\A {e} \\in {value} : {held}"]
            return [*found, *_limit(value, sort, names)]
        case _:
            return [f"{value} \\in {sorts.of(sort, 6)}"]


def _limit(value: str, sort: Sort, names: Names) -> list[str]:
    match sort:
        case KeyedSetSort():
            with names.bound(["a", "b"]) as (a, b):
                same = f"{a}.{sort.key} = {b}.{sort.key} => {a} = {b}"
                return [f"\\A {a} \\in {value}, {b} \\in {value} : {same}"]
        case BoundedSetSort():
            return [f"Cardinality({value}) <= {bound(sort.capacity, RANGE)}"]
        case _:
            return []


def _case(value: str, sort: VariantSort, case: str, sorts: Sorts, names: Names) -> str:
    payload = sort.case(case)
    whole = value if is_flat(sort, case) else f"{value}.{case}"
    parts = (
        [c for n, s in sorts.parts(sort, case) for c in conditions(f"{value}.{n}", s, sorts, names)]
        if is_flat(sort, case)
        else conditions(whole, payload, sorts, names)
    )
    return f"{value}.{sorts.tag(sort)} = {quoted(case)} => {_all(parts)}"


def _all(parts: list[str]) -> str:
    return (
        parts[0]
        if len(parts) == 1 and parts[0][0] != "\\" and "=>" not in parts[0]
        else ("(" + " /\\ ".join(f"({part})" for part in parts) + ")")
    )
