"""Shapes moved by a number, and the one value of a shape that has no other."""

from __future__ import annotations

from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.abstract.domain import FAR, Shape


def added(a: int, b: int) -> int:
    """Return the sum, where the first may be an end that stands for infinity."""
    if abs(a) >= FAR:
        return a
    if abs(b) >= FAR:
        return b
    return a + b


def moved(shape: Shape, offset: int) -> Shape:
    """Return the shape of a number that is `offset` more than one of a shape."""
    i = shape.integers
    if not offset or i is None:
        return shape
    return d.integers(added(i.low, offset), added(i.high, offset))


def only_value(shape: Shape) -> Any:
    """Return the value of a shape that has one only; None for others."""
    i = shape.integers
    kinds = bool(shape.truths) + (i is not None) + bool(shape.atoms)
    kinds += bool(shape.records) + (shape.functions is not None) + (shape.elements is not None)
    kinds += shape.sequences is not None
    if kinds != 1:
        return None
    if i is not None and i.low == i.high:
        return i.low
    if len(shape.atoms) == 1:
        return next(iter(shape.atoms))
    if len(shape.truths) == 1:
        return v.boolean(next(iter(shape.truths)))
    return None


def as_sequences(shape: Shape) -> d.Sequences | None:
    """Return a shape's sequences, those that are functions from 1 .. n among them; None of none."""
    f = shape.functions
    if f is None:
        return shape.sequences
    numbers = f.keys.integers
    longest = 0 if numbers is None or numbers.low > 1 else max(0, numbers.high)
    if f.domain is not None:
        longest = len(f.domain)
        if f.domain != frozenset(range(1, longest + 1)):
            return shape.sequences
    found = d.sequence_of(f.values, 0 if f.domain is None else longest, longest)
    return d.join(Shape(sequences=shape.sequences), found).sequences


def tuple_parts(shape: Shape, length: int) -> tuple[Shape, ...] | None:
    """Return the parts of a shape's tuples of a length; None where there are none."""
    s = as_sequences(shape)
    if s is None or not s.shortest <= length <= s.longest:
        return None
    return tuple(s.at(number) for number in range(1, length + 1))
