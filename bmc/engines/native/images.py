"""The images of states under the renamings of scalarset members, by machine code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.engines.native.expansion import patches
from bmc.engines.native.reading import read_rows
from bmc.engines.packed.packing import Packing, Rewrite, Rows
from bmc.readings.circuit import Node
from bmc.readings.native.machine import VectorMachine
from bmc.readings.native.program import LANES, Program


class NativeImages:
    """Finds images as :class:`bmc.engines.packed.quotient.Quotient` does with numpy.

    The machine runs an :func:`images_program` of so many renamings, on at most ``at_once`` states.
    """

    def __init__(self, machine: VectorMachine, renamings: int, words: int, at_once: int) -> None:
        self._machine, self._renamings = machine, renamings
        self.at_once = at_once
        room = renamings * at_once
        self._rows: Rows = np.empty((room, words), np.uint64)
        self._unread: dict[str, NDArray[Any]] = {
            "lanes": np.empty(room, np.uint32),
            "rules": np.empty(room, np.uint32),
            "fired": np.zeros(renamings, np.int64),
        }

    def of(self, block: Rows) -> Iterator[Rows]:
        """Return the images of a block, one renaming after the other."""
        assert len(block) <= self.at_once
        rows = np.ascontiguousarray(block)
        self._machine.run(
            {"rows": rows, "found": self._rows, **self._unread},
            {"states": len(rows), "room": len(self._rows)},
        )
        words = self._rows.shape[1]
        # The machine takes a batch of states through all renamings, then the next one.
        whole = len(rows) // LANES * LANES * self._renamings
        batches = self._rows[:whole].reshape(-1, self._renamings, LANES, words)
        rest = self._rows[whole : len(rows) * self._renamings].reshape(self._renamings, -1, words)
        for number in range(self._renamings):
            yield np.concatenate([batches[:, number].reshape(-1, words), rest[number]])


def images_program(
    packing: Packing, nodes: Sequence[Sequence[Node]], changes: Sequence[Sequence[Rewrite]]
) -> Program:
    """Return the program that writes the images of a batch of states: by renaming the nodes of its
    new values, and how these change a row."""
    program = Program()
    parts = [change.unit for own in changes for change in own if change.keep]
    units = read_rows(program, packing, [node for own in nodes for node in own], parts)
    # Every state has an image: the lanes of a batch are those where this holds.
    program.jump_here(program.do("rule", a=program.constant(1, 8)))
    program.evaluate_shared(nodes)
    for number, (own, rewrites) in enumerate(zip(nodes, changes, strict=True)):
        with program.meanwhile():
            program.evaluate(own)
            program.emit(number, patches(program, rewrites, own, units))
    program.do("end")
    return program
