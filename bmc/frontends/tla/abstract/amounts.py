"""How many values have a shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bmc.frontends.tla.abstract.domain import FAR, Shape


def finite(shape: Shape) -> bool:
    """Whether no integer and no sequence in the shape is without an end."""
    if shape.integers is not None and not shape.integers.finite:
        return False
    if any(not finite(p) for _, parts in shape.records for p in parts):
        return False
    f, s = shape.functions, shape.sequences
    if f is not None and not (finite(f.keys) and finite(f.values)):
        return False
    if s is not None and not (s.longest < FAR and finite(s.element)):
        return False
    return shape.elements is None or finite(shape.elements)


def depth(shape: Shape) -> int:
    """Return for how many levels values of the shape have values within values."""
    levels, within = 0, set(_parts_of(shape))
    # A level at a time: what several values have within them is one shape, looked at once.
    while within:
        levels, within = levels + 1, {part for one in within for part in _parts_of(one)}
    return levels


def _parts_of(shape: Shape) -> Iterator[Shape]:
    for _, parts in shape.records:
        yield from parts
    if shape.functions is not None:
        yield from (shape.functions.keys, shape.functions.values)
    if shape.elements is not None:
        yield shape.elements
    if shape.sequences is not None:
        s = shape.sequences
        yield from (s.element, *(s.parts or ()), *s.first)


def count(shape: Shape) -> int:
    """Return how many values have the shape, FAR where there is no end to them."""
    total = len(shape.truths) + len(shape.atoms)
    if shape.integers is not None:
        if not shape.integers.finite:
            return FAR
        total += shape.integers.high - shape.integers.low + 1
    for _, parts in shape.records:
        total += product_of(count(p) for p in parts)
    if shape.functions is not None:
        f = shape.functions
        keys = len(f.domain) if f.domain is not None else count(f.keys)
        total += power(count(f.values) + (f.domain is None), keys)
    if shape.elements is not None:
        total += power(2, count(shape.elements))
    if shape.sequences is not None:
        s = shape.sequences
        if s.parts is not None:
            total += product_of(count(p) for p in s.parts)
        else:
            each = count(s.element)
            total += sum(power(each, n) for n in range(s.shortest, min(s.longest, 64) + 1))
    return min(total, FAR)


def product_of(numbers: Iterable[int]) -> int:
    """Return the product, cut off at FAR."""
    found = 1
    for number in numbers:
        found = min(found * number, FAR)
    return found


def power(base: int, exponent: int) -> int:
    """Return the power, cut off at FAR."""
    if base <= 1:
        return base if exponent else 1
    return FAR if exponent > 40 else min(base**exponent, FAR)
