"""Wide shapes of which a few parts are new, and where those are.

A rule that sends a message changes one place among as many as there are possible messages, and
there are as many rules again: to look at all places for each of them is quadratic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from operator import is_not
from typing import Any

from bmc.readings.shapes import Shape


class _Changed(tuple[Any, ...]):
    """The tuple ``whole`` with other parts at ``places``."""

    whole: tuple[Any, ...]
    places: frozenset[int]


def with_parts(before: Shape, parts: Mapping[int, Shape]) -> Shape:
    """Return a tuple of shapes with these parts at their positions."""
    new = list(before)
    for place, part in parts.items():
        new[place] = part
    found = _Changed(new)
    found.whole, found.places = before, frozenset(parts)
    if isinstance(before, _Changed):
        found.whole, found.places = before.whole, before.places | found.places
    return found


def differing(before: Shape, after: Shape) -> Iterable[tuple[Shape, Shape]]:
    """Return the parts of two tuples of shapes, side by side, that are not the same."""
    if isinstance(after, _Changed) and after.whole is before:
        pairs = ((before[place], after[place]) for place in sorted(after.places))
        return (pair for pair in pairs if pair[0] is not pair[1])
    # Most of a wide set stays as it is, which is told without a loop of Python's.
    return compress(zip(before, after, strict=True), map(is_not, before, after))
