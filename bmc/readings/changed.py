"""Wide shapes of which a few parts are new, and where those are.

A rule that sends a message changes one place among as many as there are possible messages, and
there are as many rules again: to copy or to look at all places for each of them is quadratic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import is_not
from typing import Any, overload

from bmc.readings.shapes import Shape

_NARROW = 16
"""What has no more parts is copied."""


class _Changed(Sequence[Any]):
    """The tuple ``whole`` with other ``parts`` at their places, copied once all are asked for."""

    __slots__ = ("_read", "parts", "whole")

    def __init__(self, whole: tuple[Any, ...], parts: dict[int, Any]) -> None:
        self.whole = whole
        self.parts = parts
        self._read: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.whole)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice) or place < 0:
            return self._tuple()[place]
        return self.parts[place] if place in self.parts else self.whole[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tuple())

    def _tuple(self) -> tuple[Any, ...]:
        if self._read is None:
            read = list(self.whole)
            for place, part in self.parts.items():
                read[place] = part
            self._read = tuple(read)
        return self._read


def with_parts(before: Shape, parts: Mapping[int, Shape]) -> Shape:
    """Return a shape of as many parts, with these at their places."""
    if isinstance(before, _Changed):
        return _Changed(before.whole, {**before.parts, **parts})
    if len(before) > _NARROW:
        return _Changed(before, dict(parts))
    return tuple(parts.get(place, part) for place, part in enumerate(before))


def differing(before: Shape, after: Shape) -> Iterable[tuple[Shape, Shape]]:
    """Return the parts of two shapes, side by side, that are not the same."""
    if isinstance(after, _Changed) and after.whole is before:
        pairs = ((before[place], after.parts[place]) for place in sorted(after.parts))
        return (pair for pair in pairs if pair[0] is not pair[1])
    # Most of a wide set stays as it is, which is told without a loop of Python's.
    return compress(zip(before, after, strict=True), map(is_not, before, after))
