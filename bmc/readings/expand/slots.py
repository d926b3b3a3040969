"""Bounded sets: a length, and that many slots in the elements' order."""

from __future__ import annotations

from collections.abc import Sequence

from bmc.lang.sorts import BoundedSetSort
from bmc.readings.circuit import Node
from bmc.readings.expand.expander import Expanded, Expander
from bmc.readings.shapes import Shape


def slot_insert(x: Expander, sort: BoundedSetSort, collection: Shape, element: Shape) -> Expanded:
    c = x.circuit
    length, slots = collection
    used = [c.lt(c.number(i), length) for i in range(len(slots))]
    known = c.any(c.and_(u, x.shapes.equal(s, element)) for u, s in zip(used, slots, strict=True))
    below = [c.and_(u, x.shapes.less(s, element)) for u, s in zip(used, slots, strict=True)]
    placed: list[Shape] = []
    for i, slot in enumerate(slots):
        # The slots are ordered: those below the element stay, the rest move up by one.
        moved = element if i == 0 else x.shapes.ite(below[i - 1], element, slots[i - 1])
        shifted = x.shapes.ite(c.lt(length, c.number(i)), slot, moved)
        placed.append(x.shapes.ite(c.or_(known, below[i]), slot, shifted))
    grown = c.ite(known, length, c.add(length, c.number(1)))
    return Expanded((grown, tuple(placed)), c.or_(known, c.lt(length, c.number(len(slots)))))


def slot_remove(x: Expander, sort: BoundedSetSort, collection: Shape, element: Shape) -> Expanded:
    c = x.circuit
    length, slots = collection
    blank = x.shapes.default(sort.element)
    gone = c.false
    kept: list[Shape] = []
    for i, slot in enumerate(slots):
        here = c.and_(c.lt(c.number(i), length), x.shapes.equal(slot, element))
        gone = c.or_(gone, here)
        following = slots[i + 1] if i + 1 < len(slots) else blank
        kept.append(x.shapes.ite(gone, following, slot))
    shrunk = c.ite(gone, c.sub(length, c.number(1)), length)
    return Expanded((shrunk, tuple(kept)), c.true)


def slots_joined(x: Expander, sort: BoundedSetSort, left: Shape, right: Shape) -> Expanded:
    whole, fits = left, []
    for present, element in x.members(sort, right):
        if present is not x.circuit.false:
            added = slot_insert(x, sort, whole, element)
            fits.append(x.circuit.implies(present, added.defined))
            whole = x.shapes.ite(present, added.shape, whole)
    return Expanded(whole, x.circuit.all(fits))


def slots_kept(
    x: Expander, sort: BoundedSetSort, slots: Sequence[Shape], kept: Sequence[Node]
) -> Shape:
    """The elements at some of the slots, in the order that they have, at the front."""
    c = x.circuit
    count, placed = c.number(0), [x.shapes.default(sort.element)] * len(slots)
    for i, (slot, keep) in enumerate(zip(slots, kept, strict=True)):
        for j in range(i + 1):
            placed[j] = x.shapes.ite(c.and_(keep, c.eq(count, c.number(j))), slot, placed[j])
        count = c.add(count, c.ite(keep, c.number(1), c.number(0)))
    return count, tuple(placed)
