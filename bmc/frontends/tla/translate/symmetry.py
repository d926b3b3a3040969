"""Which sets of model values can be scalarsets: those whose members nobody names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.specification import Specification
from bmc.frontends.tla.translate.constants import Constants


def symmetric_sets(
    specification: Specification, constants: Constants
) -> Iterator[tuple[str, frozenset[Any]]]:
    """Yield the constants that are sets of model values which occur in no other constant.

    A text cannot name them otherwise. Whether it tells them apart in another way, by CHOOSE, is
    seen when it is translated.
    """
    found: dict[str, frozenset[Any]] = {}
    used: dict[object, int] = {}
    for name in specification.constants:
        value = constants.constant_named(name)
        for one in atoms(value):
            used[one] = used.get(one, 0) + 1
        if not isinstance(value, frozenset) or not value:
            continue
        if all(isinstance(one, v.ModelValue) for one in value):
            found[name] = value
    for name, members in found.items():
        if all(used[one] == 1 for one in members):
            yield name, members


def atoms(value: Any) -> set[object]:
    """Return the model values that occur in a value."""
    match value:
        case v.ModelValue():
            return {value}
        case frozenset():
            return set().union(*(atoms(one) for one in value))
        case tuple():
            graph = v.graph_of(value)
            return set().union(*(atoms(k) | atoms(one) for k, one in graph.items()))
    return set()


__all__ = ["atoms", "symmetric_sets"]
