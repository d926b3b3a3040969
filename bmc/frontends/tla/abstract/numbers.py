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
    """Return the sequences that a shape's functions from 1 are; None where there are none."""
    f = shape.functions
    if f is None or f.keys.integers is None or f.keys.integers.low != 1:
        return None
    longest = f.keys.integers.high
    shortest = longest if f.domain is not None else 0
    return d.Sequences(f.values, shortest, longest, None)
