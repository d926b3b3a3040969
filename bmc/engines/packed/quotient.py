"""Packed states up to renaming of scalarset members: one representative for each orbit.

The representative is the least image of a state, word by word. All images are tried, so it is
canonical and the size of an orbit is exact: the renamings, divided by those that change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.packing import Packing, Rewrite, Rows
from bmc.engines.packed.successors import BlockEvaluation
from bmc.engines.task import OptionError
from bmc.readings.circuit import Node
from bmc.system.renaming import Renaming, namings
from bmc.system.transition import TransitionSystem

if TYPE_CHECKING:
    from bmc.engines.native.images import NativeImages

MOST_RENAMINGS = 1000
"""All of them are tried on every state."""


class Quotient:
    """The orbits of one system's states. Raises OptionError where there are too many renamings."""

    def __init__(self, system: TransitionSystem, packing: Packing) -> None:
        group = namings(system)
        self.renamings = len(group)
        if self.renamings > MOST_RENAMINGS:
            raise OptionError(
                f"the members of the scalarsets have {self.renamings:,} renamings, and symmetry "
                f"tries at most {MOST_RENAMINGS:,}: choose smaller parameters, or explore without"
            )
        renaming = Renaming(system)
        self._packing = packing
        self._native: NativeImages | None = None
        # By renaming the nodes of new values, and how these change a row.
        self.nodes: list[list[Node]] = []
        self.changes: list[list[Rewrite]] = []
        for naming in group[1:]:
            image = renaming.image(naming)
            moved = [n for n in image.values() if n.op not in ("num", "const")]
            listed = list({n.uid: n for n in moved}.values())
            places = {n.uid: place for place, n in enumerate(listed)}
            self.nodes.append(listed)
            self.changes.append(packing.changes(image, places))

    def use(self, native: NativeImages) -> None:
        """Find images by machine code from now on."""
        self._native = native

    def representatives(self, rows: Rows) -> Rows:
        """The representative of each state's orbit."""
        found = rows.copy()
        for start in range(0, len(rows), self._at_once):
            least = found[start : start + self._at_once]
            for image in self._images(rows[start : start + self._at_once]):
                less = _less(image, least)
                least[less] = image[less]
        return found

    def orbits(self, rows: Rows) -> NDArray[np.int64]:
        """The number of different images of each state, itself included."""
        fixed = np.ones(len(rows), np.int64)
        for start in range(0, len(rows), self._at_once):
            block = rows[start : start + self._at_once]
            for image in self._images(block):
                fixed[start : start + self._at_once] += (image == block).all(axis=1)
        return self.renamings // fixed

    @property
    def _at_once(self) -> int:
        return LANES if self._native is None else self._native.at_once

    def _images(self, block: Rows) -> Iterator[Rows]:
        """All images but the states themselves; each is valid until the next is taken."""
        if self._native is not None:
            yield from self._native.of(block)
            return
        columns = self._evaluation.of(block)
        image = np.empty_like(block)
        for nodes, changes in zip(columns.run(), self.changes, strict=True):
            image[:] = block
            for change in changes:
                change.unit.of(image)[:] = columns.changed(change, nodes)[: len(block)]
            yield image

    @cached_property
    def _evaluation(self) -> BlockEvaluation:
        changes = [change for of_one in self.changes for change in of_one]
        return BlockEvaluation(self._packing, self.nodes, changes)


def _less(one: Rows, other: Rows) -> NDArray[np.bool_]:
    """Where a row comes before another, compared word by word."""
    result: NDArray[np.bool_] = one[:, -1] < other[:, -1]
    for word in range(one.shape[1] - 2, -1, -1):
        a, b = one[:, word], other[:, word]
        result = (a < b) | ((a == b) & result)
    return result
