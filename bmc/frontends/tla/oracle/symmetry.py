"""Renamings of model values: those that a SYMMETRY generates, and values under a renaming."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ..values import Function, ModelValue, function, graph_of, in_order, order_key

Renaming: TypeAlias = Mapping[Any, Any]
MOST_RENAMINGS = 5_040  # those of seven values


class TooManyRenamings(Exception):
    """A SYMMETRY of more than `MOST_RENAMINGS` renamings; leave it out."""


def renamings(generators: Iterable[tuple[Any, ...]]) -> list[Renaming]:
    """Return every renaming that these functions generate, without the one that changes nothing.

    Raises TooManyRenamings.
    """
    graphs = [graph_of(generator) for generator in generators]
    moved = in_order({key for graph in graphs for key in graph})
    unit = tuple(moved)
    found, pending = {unit}, [unit]
    while pending:
        images = pending.pop()
        for graph in graphs:
            image = tuple(graph.get(value, value) for value in images)
            if image not in found:
                found.add(image)
                pending.append(image)
        if len(found) > MOST_RENAMINGS:
            raise TooManyRenamings(f"SYMMETRY has more than {MOST_RENAMINGS:,} renamings")
    found.discard(unit)
    return [dict(zip(moved, images, strict=True)) for images in sorted(found, key=order_key)]


def renamed(value: Any, renaming: Renaming) -> Any:
    """Return `value` with its model values renamed."""
    match value:
        case ModelValue():
            return renaming.get(value, value)
        case frozenset():
            return frozenset(renamed(member, renaming) for member in value)
        case Function():
            if any(_moves(key, renaming) for key in value.domain.keys):
                graph = {
                    renamed(key, renaming): renamed(item, renaming) for key, item in value.items()
                }
                return function(graph)
            return Function((value.domain, *(renamed(item, renaming) for item in value[1:])))
        case tuple():
            return tuple(renamed(item, renaming) for item in value)
    return value


def _moves(key: Any, renaming: Renaming) -> bool:
    return not isinstance(key, int | str) and renamed(key, renaming) != key
