"""All successors of a block of states, at vector speed.

A rule's guard and the new values of what it changes are columns over the whole block; only the
lanes where the guard holds are written out, as copies of the state with the changed bytes put in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.blocks import LANES, lanes_for
from bmc.engines.packed.packing import Change, Packing, Rows, Unpacker
from bmc.readings.circuit import Node
from bmc.readings.vector import BoundProgram, Column, VectorProgram
from bmc.system.transition import Rule, TransitionSystem


@dataclass(frozen=True)
class Steps:
    """Steps out of a block: successor states, with repetitions, rule after rule.

    ``lanes`` gives by successor its predecessor's place in the block, ``fired`` by rule how many
    of the successors are its own; the arrays are valid until the next block is expanded.
    """

    rows: Rows
    lanes: NDArray[np.uint32]
    fired: NDArray[np.int64]

    def rules(self) -> NDArray[np.int64]:
        """The rule of each successor, by its place in the system."""
        return np.repeat(np.arange(len(self.fired)), self.fired)

    def weighed(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """By rule the steps, each counted as often as its predecessor in the block weighs."""
        rules = len(self.fired)
        counted = np.bincount(self.rules(), weights=weights[self.lanes], minlength=rules)
        # Exact: the counts stay far below 2**53.
        return counted.astype(np.int64)

    def where(self, chosen: NDArray[np.bool_]) -> Steps:
        """The chosen steps alone."""
        if chosen.all():
            return self
        fired = np.bincount(self.rules()[chosen], minlength=len(self.fired))
        return Steps(self.rows[chosen], self.lanes[chosen], fired)


@dataclass(frozen=True)
class BeyondBounds:
    """A state of the block, by its place, from which ``rule`` leaves the model's bounds."""

    lane: int
    rule: Rule


class Expansion:
    """Computes the successors of blocks of at most :data:`LANES` states of one system."""

    def __init__(self, system: TransitionSystem, packing: Packing) -> None:
        self._packing = packing
        self._plans = [_RulePlan.of(rule, packing) for rule in system.rules]
        self._program = VectorProgram([plan.nodes for plan in self._plans])
        self._columns: dict[int, Columns] = {}
        self._rows: Rows = np.empty((LANES, packing.words), np.uint64)
        self._lanes = np.empty(LANES, np.uint32)

    def steps(self, block: Rows) -> Steps | BeyondBounds:
        """All steps out of the states of a block, or a state that leaves the bounds."""
        count = len(block)
        columns = self._columns_for(count)
        columns.fill(block)
        fired = np.zeros(len(self._plans), np.int64)
        filled = 0
        for number, nodes in enumerate(columns.program.run()):
            plan = self._plans[number]
            if plan.overflow is not None and nodes[plan.overflow][:count].any():
                return BeyondBounds(int(nodes[plan.overflow][:count].argmax()), plan.rule)
            chosen = np.flatnonzero(nodes[0][:count])
            if not len(chosen):
                continue
            fired[number] = len(chosen)
            start, filled = filled, filled + len(chosen)
            self._reserve(start, filled)
            self._lanes[start:filled] = chosen
            rows = self._rows[start:filled]
            np.take(block, chosen, axis=0, out=rows, mode="clip")
            for change in plan.changes:
                change.unit.of(rows)[:] = columns.changed(change, nodes)[chosen]
        return Steps(self._rows[:filled], self._lanes[:filled], fired)

    def _columns_for(self, count: int) -> Columns:
        lanes = lanes_for(count)
        if lanes not in self._columns:
            changes = [change for plan in self._plans for change in plan.changes]
            self._columns[lanes] = Columns(self._program.bind(lanes), self._packing, changes)
        return self._columns[lanes]

    def _reserve(self, used: int, count: int) -> None:
        if count > len(self._rows):
            capacity = max(count, 2 * len(self._rows))
            rows, lanes = self._rows, self._lanes
            self._rows = np.empty((capacity, rows.shape[1]), np.uint64)
            self._lanes = np.empty(capacity, np.uint32)
            self._rows[:used], self._lanes[:used] = rows[:used], lanes[:used]


class Columns:
    """The columns of a block: those of the program, and the units of the states' rows."""

    def __init__(self, program: BoundProgram, packing: Packing, changes: Sequence[Change]) -> None:
        lanes = program.lanes
        self.program = program
        self._unpacker = Unpacker(packing, program.inputs)
        self._old = {c.unit: np.zeros(lanes, c.unit.dtype) for c in changes if c.keep}
        self._scratch = {
            dtype: (np.zeros(lanes, dtype), np.zeros(lanes, dtype))
            for dtype in {c.unit.dtype for c in changes}
        }

    def fill(self, block: Rows) -> None:
        """Unpack the states of a block."""
        self._unpacker.fill(block)
        for unit, column in self._old.items():
            column[: len(block)] = unit.of(block)

    def changed(self, change: Change, nodes: Sequence[Column]) -> NDArray[Any]:
        """What a unit becomes, by lane, where ``nodes`` are the columns of the rule's nodes."""
        dtype = change.unit.dtype
        total, part = self._scratch[dtype]
        if change.keep:
            np.bitwise_and(self._old[change.unit], dtype.type(change.keep), total)
            np.add(total, dtype.type(change.constant), total)
        else:
            total.fill(change.constant)
        for place, factor in change.terms:
            column = nodes[place]
            same = column.itemsize == dtype.itemsize
            value = column.view(dtype) if same else column.astype(dtype)
            if factor != 1:
                value = np.multiply(value, dtype.type(factor), part)
            np.add(total, value, total)
        return total


@dataclass(frozen=True)
class _RulePlan:
    """A rule's nodes, its guard first, and how they change the bytes of a state."""

    rule: Rule
    nodes: list[Node]
    overflow: int | None
    changes: list[Change]

    @staticmethod
    def of(rule: Rule, packing: Packing) -> _RulePlan:
        nodes = [rule.guard]
        overflow = None
        if not (rule.overflow.op == "const" and rule.overflow.data == 0):
            overflow = len(nodes)
            nodes.append(rule.overflow)
        places: dict[int, int] = {}
        for node in rule.updates.values():
            if node.op not in ("num", "const") and node.uid not in places:
                places[node.uid] = len(nodes)
                nodes.append(node)
        return _RulePlan(rule, nodes, overflow, packing.changes(rule.updates, places))
