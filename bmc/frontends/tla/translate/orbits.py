"""Constant sets that no renaming of symmetric members changes, by what their members have alike.

`{<<t, n1, n2>> \\in Node \\X Node \\X Node : n1 = n2}` names nobody: its members are those whose
second and third part are the same. A set that can be said so leaves Node symmetric.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import perm
from typing import Any

from bmc.frontends.tla.layout import Layout
from bmc.frontends.tla.translate.kinds import fields_of, names_of
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import RecordSort, Scalarset

Pattern = tuple[object, ...]
"""For each field of a record its value, or, where that is a member of a scalarset, the position of
the first field that has the same."""

_MOST = 16
"""The most patterns that a set is written with."""


def patterns_of(members: Iterable[Any], sort: RecordSort, layout: Layout) -> list[Pattern] | None:
    """Return the patterns whose records, all of them, are the members.

    None where a renaming changes the set, or where a field holds symmetric members deeper inside.
    """
    kinds = [part for _, part in sort.fields]
    if any(symmetric_parts(k) and not isinstance(k, Scalarset) for k in kinds):
        return None
    names = names_of(sort)
    met: Counter[Pattern] = Counter()
    for member in members:
        parts = fields_of(member)
        if parts is None or set(parts) != set(names):
            return None
        values = [parts[name] for name in names]
        for kind, value in zip(kinds, values, strict=True):
            if isinstance(kind, Scalarset) and layout.owner(value) != kind:
                return None
        met[_pattern(values, kinds)] += 1
    whole = len(met) <= _MOST and all(
        count == _images(pattern, kinds, layout) for pattern, count in met.items()
    )
    return list(met) if whole else None


def _pattern(values: list[Any], kinds: list[Any]) -> Pattern:
    return tuple(
        values.index(value) if isinstance(kind, Scalarset) else value
        for kind, value in zip(kinds, values, strict=True)
    )


def _images(pattern: Pattern, kinds: list[Any], layout: Layout) -> int:
    """Count the records of a pattern."""
    total = 1
    for kind in {k for k in kinds if isinstance(k, Scalarset)}:
        differ = {place for place, k in zip(pattern, kinds, strict=True) if k == kind}
        total *= perm(len(layout.scalarsets[kind]), len(differ))
    return total
