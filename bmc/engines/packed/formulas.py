"""Formulas over states or steps, evaluated on packed rows; and the properties made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.blocks import lanes_for
from bmc.engines.packed.packing import Packing, Rows, Unpacker
from bmc.lang.properties import Kind, Property
from bmc.readings.circuit import Node
from bmc.readings.vector import BoundProgram, VectorProgram
from bmc.system.transition import TransitionSystem

if TYPE_CHECKING:
    from bmc.engines.native.formulas import NativeFormulas


class Formulas:
    """Bool nodes of one system, over the state's leaves and those after a step."""

    def __init__(self, packing: Packing, nodes: Sequence[Node]) -> None:
        self.nodes = tuple(nodes)
        self._packing = packing
        self._columns: dict[int, _Columns] = {}
        self._native: NativeFormulas | None = None
        self._chosen: list[int] | None = None

    def use(self, native: NativeFormulas) -> None:
        """Evaluate by machine code from now on, which is that of all these nodes."""
        self._native, self._chosen = native, None

    def chosen(self, places: Sequence[int]) -> Formulas:
        """Return the formulas at these places."""
        found = Formulas(self._packing, [self.nodes[place] for place in places])
        before = range(len(self.nodes)) if self._chosen is None else self._chosen
        found._native, found._chosen = self._native, [before[place] for place in places]
        return found

    def evaluate(self, rows: Rows, after: Rows | None = None) -> NDArray[np.bool_]:
        """The truth of each formula in each row: an array of shape (formulas, rows).

        ``after`` gives the states after the steps, row by row, to formulas that read them.
        """
        if self._native is not None:
            truths = self._native.evaluate(rows, after)
            return truths if self._chosen is None else truths[self._chosen]
        found = np.empty((len(self.nodes), len(rows)), np.bool_)
        lanes = lanes_for(len(rows))
        if lanes not in self._columns:
            self._columns[lanes] = _Columns(self._program.bind(lanes), self._packing)
        columns = self._columns[lanes]
        for start in range(0, len(rows), lanes):
            stop = min(start + lanes, len(rows))
            columns.before.fill(rows[start:stop])
            if after is not None:
                columns.after.fill(after[start:stop])
            for number, column in enumerate(next(columns.program.run())):
                found[number, start:stop] = column[: stop - start]
        return found

    @cached_property
    def _program(self) -> VectorProgram:
        return VectorProgram([self.nodes])


class _Columns:
    def __init__(self, program: BoundProgram, packing: Packing) -> None:
        leaves = len(packing.fields)
        inputs = program.inputs.items()
        self.program = program
        self.before = Unpacker(packing, {i: c for i, c in inputs if i < leaves})
        self.after = Unpacker(packing, {i - leaves: c for i, c in inputs if i >= leaves})


class OpenClaims:
    """Watches properties that all read states, or all read steps, until each is decided.

    An invariant is decided by the first row in which an instance of it fails, a witness by the
    first in which one holds. Each is reported once.
    """

    def __init__(
        self, system: TransitionSystem, packing: Packing, stated: Sequence[Property]
    ) -> None:
        self._open = list(stated)
        self.formulas = Formulas(packing, [_undecided(system, p) for p in stated])

    def __bool__(self) -> bool:
        return bool(self._open)

    def decided(self, rows: Rows, after: Rows | None = None) -> list[tuple[Property, int]]:
        """The properties that these rows (or steps, to ``after``) decide, each with its row."""
        if not self._open or not len(rows):
            return []
        verdicts = self.formulas.evaluate(rows, after)
        found = [(p, int(v.argmin())) for p, v in zip(self._open, verdicts, strict=True)]
        found = [(p, row) for (p, row), v in zip(found, verdicts, strict=True) if not v[row]]
        if found:
            self.forget({p.name for p, _ in found})
        return found

    def forget(self, names: Collection[str]) -> None:
        """Watch these properties no longer."""
        left = [place for place, p in enumerate(self._open) if p.name not in names]
        self._open = [self._open[place] for place in left]
        self.formulas = self.formulas.chosen(left)


def _undecided(system: TransitionSystem, stated: Property) -> Node:
    """Where a state or step leaves the property undecided."""
    c = system.circuit
    instances = [instance.holds for instance in system.instances(stated)]
    if stated.kind is Kind.WITNESS:
        return c.not_(c.any(instances))
    return c.all(instances)
