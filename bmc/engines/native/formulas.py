"""The truth of formulas in states or steps, by machine code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.engines.native.reading import read_rows
from bmc.engines.packed.packing import Packing, Rows
from bmc.readings.circuit import Node
from bmc.readings.native.machine import VectorMachine
from bmc.readings.native.program import Program


class NativeFormulas:
    """Evaluates Bool nodes as :class:`bmc.engines.packed.formulas.Formulas` does."""

    def __init__(self, machine: VectorMachine, count: int) -> None:
        self._machine, self._count = machine, count

    def evaluate(self, rows: Rows, after: Rows | None = None) -> NDArray[np.bool_]:
        """Return the truth of each formula in each row: an array of shape (formulas, rows)."""
        found = np.empty((self._count, len(rows)), np.bool_)
        if len(rows):
            before = np.ascontiguousarray(rows)
            arrays = {"rows": before, "truths": found}
            if after is not None:
                arrays["after"] = np.ascontiguousarray(after)
            self._machine.run(arrays, {"states": len(rows)})
        return found


def formulas_program(nodes: Sequence[Node], packing: Packing) -> Program:
    """Return the program that finds out the truth of formulas in a batch of states."""
    program = Program()
    read_rows(program, packing, nodes)
    program.evaluate(nodes)
    for place, node in enumerate(nodes):
        program.do("truth", a=program.of(node), small=place)
    program.do("end")
    return program
