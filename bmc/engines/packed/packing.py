"""States as rows of 64-bit words: what is stored, compared and hashed.

A scalar takes as many bits as its range needs. Scalars of up to 8 bits share bytes, and none
lies across two bytes, so that unpacking a column is byte arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.readings.circuit import Node
from bmc.readings.vector import Column, TooWide
from bmc.system.transition import Leaf

Rows = NDArray[np.uint64]
"""States, one a row: an array of shape (states, words)."""


@dataclass(frozen=True)
class Unit:
    """A part of a row that is read and written at once: column ``position`` of the rows seen as
    an array of ``dtype``."""

    dtype: np.dtype[Any]
    position: int

    def of(self, rows: Rows) -> NDArray[Any]:
        """This part of every row; a view."""
        part: NDArray[Any] = rows.view(self.dtype)[:, self.position]
        return part


@dataclass(frozen=True)
class PackedField:
    """Where a scalar lies: ``width`` bits of a unit from bit ``shift`` on, holding the number
    minus ``low``."""

    unit: Unit
    shift: int
    width: int
    low: int

    @property
    def mask(self) -> int:
        """The bits of the unit that the scalar takes."""
        return ((1 << self.width) - 1) << self.shift


@dataclass(frozen=True)
class Rewrite:
    """How one unit of a row changes: ``(old & keep) + constant + sum of column * factor``.

    All modulo the unit's size; it is exact because every number is in its scalar's range.
    ``terms`` gives for each scalar that is no constant its place among the rule's nodes.
    """

    unit: Unit
    keep: int
    constant: int
    terms: tuple[tuple[int, int], ...]


class Packing:
    """The layout of a system's states. Raises TooWide for a scalar of more than 64 bits."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self.fields: dict[int, PackedField] = {}
        widths = {leaf: max(1, (leaf.high - leaf.low).bit_length()) for leaf in leaves}
        for leaf, width in widths.items():
            if width > 64:
                raise TooWide(
                    f"a scalar of {leaf.variable} has {width} bits: choose smaller parameters"
                )
        used = 0
        # The widest first, so that every unit is aligned to its size.
        for size in (8, 4, 2):
            unit_type = np.dtype(f"u{size}")
            for leaf, width in widths.items():
                if 4 * size < width <= 8 * size:
                    unit = Unit(unit_type, used // size)
                    self.fields[leaf.index] = PackedField(unit, 0, width, leaf.low)
                    used += size
        room: list[int] = []
        for leaf, width in widths.items():
            if width <= 8:
                byte = next((i for i, left in enumerate(room) if left >= width), len(room))
                if byte == len(room):
                    room.append(8)
                unit = Unit(np.dtype(np.uint8), used + byte)
                self.fields[leaf.index] = PackedField(unit, 8 - room[byte], width, leaf.low)
                room[byte] -= width
        self.words = max(1, -(-(used + len(room)) // 8))
        self._taken: dict[Unit, int] = {}
        for field in self.fields.values():
            self._taken[field.unit] = self._taken.get(field.unit, 0) | field.mask

    def pack(self, states: Sequence[Sequence[int]]) -> Rows:
        """States given as the numbers of their leaves, as rows."""
        rows = np.zeros((len(states), self.words), np.uint64)
        for index, field in self.fields.items():
            numbers = [(state[index] - field.low) << field.shift for state in states]
            part = field.unit.of(rows)
            part |= np.array(numbers, field.unit.dtype)
        return rows

    def packed(self, columns: Mapping[int, Column], count: int) -> Rows:
        """So many states as rows, given by a column of numbers for each leaf."""
        rows = np.zeros((count, self.words), np.uint64)
        for index, column in columns.items():
            field = self.fields[index]
            part = field.unit.of(rows)
            part |= (column.astype(np.int64) - field.low).astype(field.unit.dtype) << field.shift
        return rows

    def numbers(self, row: Rows) -> list[int]:
        """The numbers of the leaves of one state, a row of shape (words,)."""
        whole = row.reshape(1, self.words)
        found = [0] * len(self.fields)
        for index, field in self.fields.items():
            found[index] = ((int(field.unit.of(whole)[0]) & field.mask) >> field.shift) + field.low
        return found

    def units(self, indices: Iterable[int]) -> dict[Unit, list[int]]:
        """The units that the given leaves lie in, each with its leaves among them."""
        found: dict[Unit, list[int]] = {}
        for index in indices:
            found.setdefault(self.fields[index].unit, []).append(index)
        return found

    def changes(self, updates: Mapping[int, Node], places: Mapping[int, int]) -> list[Rewrite]:
        """How rows change when leaves take new values.

        ``updates`` gives the node of each leaf that changes, ``places`` where a node (by uid)
        that is no constant stands among the nodes of the rule.
        """
        found = []
        for unit, indices in self.units(sorted(updates)).items():
            size = unit.dtype.itemsize * 8
            keep, constant, terms = (1 << size) - 1, 0, []
            for index in indices:
                field, node = self.fields[index], updates[index]
                keep &= ~field.mask
                constant -= field.low << field.shift
                if node.op in ("num", "const"):
                    constant += node.data << field.shift
                else:
                    terms.append((places[node.uid], 1 << field.shift))
            if not keep & self._taken[unit]:
                keep = 0
            found.append(Rewrite(unit, keep, constant % (1 << size), tuple(terms)))
        return found


class Unpacker:
    """Fills the input columns of a bound program from rows.

    ``columns`` maps leaves (by index) to columns of one length; those are the ones it fills.
    """

    def __init__(self, packing: Packing, columns: Mapping[int, Column]) -> None:
        self._plan: list[tuple[Unit, list[tuple[PackedField, Column]]]] = []
        for unit, indices in packing.units(sorted(columns)).items():
            self._plan.append((unit, [(packing.fields[i], columns[i]) for i in indices]))
        lanes = max((len(column) for column in columns.values()), default=0)
        self._whole = {unit: np.zeros(lanes, unit.dtype) for unit, _ in self._plan}

    def fill(self, rows: Rows) -> None:
        """Unpack at most as many rows as there are lanes; the lanes beyond keep what they had."""
        count = len(rows)
        for unit, targets in self._plan:
            whole = self._whole[unit][:count]
            whole[:] = unit.of(rows)
            for field, column in targets:
                _extract(whole, field, column[:count])


def _extract(whole: NDArray[Any], field: PackedField, column: Column) -> None:
    mask = whole.dtype.type(field.mask)
    if column.dtype == np.bool_:
        np.not_equal(whole & mask, 0, column)
        return
    direct = column.dtype.itemsize == whole.dtype.itemsize
    part = column.view(whole.dtype) if direct else np.empty_like(whole)
    np.bitwise_and(whole, mask, part)
    if field.shift:
        np.right_shift(part, whole.dtype.type(field.shift), part)
    if not direct:
        column[:] = part
    if field.low:
        np.add(column, column.dtype.type(field.low), column)
