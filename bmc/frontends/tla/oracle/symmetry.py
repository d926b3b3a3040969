"""Renamings of model values: those that a SYMMETRY generates, and values under a renaming."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..values import Boolean, Function, function, graph_of, in_order, order_key, show

MOST_RENAMINGS = 5_040  # those of seven values
_REMEMBERED = 10_000  # images of values, for each renaming


class NoRenamings(Exception):
    """A SYMMETRY that is no set of permutations, or makes more than `MOST_RENAMINGS`."""


class Renaming:
    """A renaming of model values; the images of values are remembered."""

    __slots__ = ("_graph", "_images")

    def __init__(self, graph: dict[Any, Any]) -> None:
        self._graph = graph
        self._images: dict[Any, Any] = dict(graph)

    def image(self, value: Any) -> Any:
        """Return `value` with its model values renamed."""
        kind = type(value)
        if kind is int or kind is str or kind is Boolean:
            return value
        images = self._images
        known = images.get(value)
        if known is None:
            if len(images) > _REMEMBERED:
                self._images = images = dict(self._graph)
            known = images[value] = self._image(value)
        return known

    def _image(self, value: Any) -> Any:
        match value:
            case frozenset():
                return frozenset([self.image(member) for member in value])
            case Function():
                keys = value.domain.keys
                if all(self.image(key) is key for key in keys if not isinstance(key, str)):
                    return Function([value[0], *[self.image(item) for item in value[1:]]])
                return function({self.image(key): self.image(item) for key, item in value.items()})
            case tuple():
                return tuple([self.image(item) for item in value])
        return value


def renamings(generators: Iterable[Any]) -> list[Renaming]:
    """Return every renaming that these functions generate, without the one that changes nothing.

    Raises NoRenamings.
    """
    graphs = [_permutation(generator) for generator in generators]
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
            raise NoRenamings(f"SYMMETRY has more than {MOST_RENAMINGS:,} renamings")
    found.discard(unit)
    return [
        Renaming(dict(zip(moved, images, strict=True))) for images in sorted(found, key=order_key)
    ]


def _permutation(value: Any) -> dict[Any, Any]:
    """Return what a value renames. Raises NoRenamings, also where it makes one name of two."""
    graph = graph_of(value) if isinstance(value, tuple) else {}
    if not isinstance(value, tuple) or graph.keys() != set(graph.values()):
        raise NoRenamings(f"SYMMETRY has {show(value)}, which is no permutation")
    return graph


def representative(state: tuple[Any, ...], group: list[Renaming]) -> tuple[Any, ...]:
    """Return the one of a state's images, itself among them, with the least hash."""
    images = [tuple([renaming.image(value) for value in state]) for renaming in group]
    return min(state, *images, key=hash)
