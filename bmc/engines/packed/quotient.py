"""Packed states up to renaming of scalarset members: one representative for each orbit.

The representative is the least image of a state, word by word. All images are tried, so it is
canonical and the size of an orbit is exact: the renamings, divided by those that change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.packing import Packing, Rewrite, Rows
from bmc.engines.packed.successors import BlockEvaluation
from bmc.engines.task import OptionError
from bmc.readings.circuit import Node
from bmc.system.renaming import Renaming, namings
from bmc.system.transition import TransitionSystem

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
        self._changes: list[list[Rewrite]] = []
        nodes: list[list[Node]] = []
        for naming in group[1:]:
            image = renaming.image(naming)
            moved = [n for n in image.values() if n.op not in ("num", "const")]
            listed = list({n.uid: n for n in moved}.values())
            places = {n.uid: place for place, n in enumerate(listed)}
            nodes.append(listed)
            self._changes.append(packing.changes(image, places))
        changes = [change for of_one in self._changes for change in of_one]
        self._evaluation = BlockEvaluation(packing, nodes, changes)

    def representatives(self, rows: Rows) -> Rows:
        """The representative of each state's orbit."""
        found = rows.copy()
        for start in range(0, len(rows), LANES):
            least = found[start : start + LANES]
            for image in self._images(rows[start : start + LANES]):
                less = _less(image, least)
                least[less] = image[less]
        return found

    def orbits(self, rows: Rows) -> NDArray[np.int64]:
        """The number of different images of each state, itself included."""
        fixed = np.ones(len(rows), np.int64)
        for start in range(0, len(rows), LANES):
            block = rows[start : start + LANES]
            for image in self._images(block):
                fixed[start : start + LANES] += (image == block).all(axis=1)
        return self.renamings // fixed

    def _images(self, block: Rows) -> Iterator[Rows]:
        """All images but the states themselves; each is valid until the next is taken."""
        columns = self._evaluation.of(block)
        image = np.empty_like(block)
        for nodes, changes in zip(columns.run(), self._changes, strict=True):
            image[:] = block
            for change in changes:
                change.unit.of(image)[:] = columns.changed(change, nodes)[: len(block)]
            yield image


def _less(one: Rows, other: Rows) -> NDArray[np.bool_]:
    """Where a row comes before another, compared word by word."""
    result: NDArray[np.bool_] = one[:, -1] < other[:, -1]
    for word in range(one.shape[1] - 2, -1, -1):
        a, b = one[:, word], other[:, word]
        result = (a < b) | ((a == b) & result)
    return result
