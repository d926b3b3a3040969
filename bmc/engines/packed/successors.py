"""All successors of a block of states, at vector speed.

Where an action is enabled is a column over the whole block. Its rules' guards, and the new values
of what they change, are columns over those states alone, for most actions are enabled in few.
The lanes where a guard holds are written out, as copies of the state with the changed bytes put in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.arrays import grown
from bmc.engines.packed.blocks import LANES, lanes_for
from bmc.engines.packed.packing import Packing, Rewrite, Rows, Unpacker
from bmc.readings.circuit import Node
from bmc.readings.vector import BoundProgram, Column, VectorProgram
from bmc.system.transition import Rule, TransitionSystem


@dataclass(frozen=True)
class BlockSteps:
    """Steps out of a block: successor states, with repetitions, action after action.

    ``lanes`` gives by successor its predecessor's place in the block, ``rules`` the place of its
    rule in the system, ``fired`` by rule how many of the successors are its own; the arrays are
    valid until the next block is expanded.
    """

    rows: Rows
    lanes: NDArray[np.uint32]
    rules: NDArray[np.uint32]
    fired: NDArray[np.int64]

    def weighed(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """By rule the steps, each counted as often as its predecessor in the block weighs."""
        rules = len(self.fired)
        counted = np.bincount(self.rules, weights=weights[self.lanes], minlength=rules)
        # Exact: the counts stay far below 2**53.
        return counted.astype(np.int64)

    def where(self, chosen: NDArray[np.bool_]) -> BlockSteps:
        """The chosen steps alone."""
        if chosen.all():
            return self
        rules = self.rules[chosen]
        fired = np.bincount(rules, minlength=len(self.fired))
        return BlockSteps(self.rows[chosen], self.lanes[chosen], rules, fired)


@dataclass(frozen=True)
class BeyondBounds:
    """The first state of a block, by its place, that leaves the model's bounds, and the first of
    its rules that does."""

    lane: int
    rule: Rule


class Expansion:
    """Computes the successors of blocks of states of one system.

    The more states a block has, the more of them each action has to work on at once.
    """

    def __init__(self, system: TransitionSystem, packing: Packing) -> None:
        self.plans = [RulePlan.of(n, rule, packing) for n, rule in enumerate(system.rules)]
        by_action = [list(own) for _, own in groupby(self.plans, lambda plan: plan.rule.action)]
        self._actions = [_Action(own, packing) for own in by_action]
        self._circuit, self._packing = system.circuit, packing
        self._words = packing.words
        self._found = _Found(packing.words)

    @cached_property
    def _enabled(self) -> BlockEvaluation:
        """Where each action is enabled; machine code never asks."""
        c, actions = self._circuit, [action.plans for action in self._actions]
        found = [c.any(c.or_(p.rule.guard, p.rule.unguarded) for p in own) for own in actions]
        return BlockEvaluation(self._packing, [[node] for node in found])

    def written(self) -> NDArray[np.bool_]:
        """Return by rule and word of a state whether the rule can change the word."""
        found = np.zeros((len(self.plans), self._words), np.bool_)
        for plan in self.plans:
            for change in plan.changes:
                found[plan.number, change.unit.position * change.unit.dtype.itemsize // 8] = True
        return found

    def steps(self, block: Rows) -> BlockSteps | BeyondBounds:
        """All steps out of the states of a block, or the first that leaves the bounds."""
        self._found.clear()
        first: BeyondBounds | None = None
        for action, lanes in zip(self._actions, self._enabled_lanes(block), strict=True):
            if first is not None:
                lanes = lanes[lanes < first.lane]
            for start in range(0, len(lanes), LANES):
                beyond = self._take(action, block, lanes[start : start + LANES])
                if beyond is not None:
                    first = beyond
                    break
        return self._found.steps(len(self.plans)) if first is None else first

    def _enabled_lanes(self, block: Rows) -> list[NDArray[np.int64]]:
        """Where in a block each action is enabled."""
        parts: list[list[NDArray[np.int64]]] = [[] for _ in self._actions]
        for start in range(0, max(1, len(block)), LANES):
            states = block[start : start + LANES]
            for part, (enabled,) in zip(parts, self._enabled.of(states).run(), strict=True):
                part.append(np.flatnonzero(enabled[: len(states)]) + start)
        return [np.concatenate(part) for part in parts]

    def _take(self, action: _Action, block: Rows, lanes: NDArray[np.int64]) -> BeyondBounds | None:
        """Find the steps of an action out of some states of the block, or the first of them that
        leaves the bounds."""
        states = block[lanes]
        columns = action.evaluation.of(states)
        first: BeyondBounds | None = None
        for plan, nodes in zip(action.plans, columns.run(), strict=True):
            if plan.overflow is not None and nodes[plan.overflow][: len(states)].any():
                lane = int(lanes[nodes[plan.overflow][: len(states)].argmax()])
                if first is None or lane < first.lane:
                    first = BeyondBounds(lane, plan.rule)
            if first is not None:
                continue
            chosen = np.flatnonzero(nodes[0][: len(states)])
            if not len(chosen):
                continue
            rows = self._found.add(plan.number, lanes[chosen])
            np.take(states, chosen, axis=0, out=rows, mode="clip")
            for change in plan.changes:
                change.unit.of(rows)[:] = columns.changed(change, nodes)[chosen]
        return first


class _Found:
    """The steps out of one block, as they are found; the room is used for the next block's."""

    def __init__(self, words: int) -> None:
        self._count = 0
        self._rows: Rows = np.empty((LANES, words), np.uint64)
        self._lanes = np.empty(LANES, np.uint32)
        self._rules = np.empty(LANES, np.uint32)

    def clear(self) -> None:
        """Forget the steps out of the block before."""
        self._count = 0

    def add(self, rule: int, lanes: NDArray[np.int64]) -> Rows:
        """Room for the successors that a rule has in these lanes."""
        start = self._count
        self._count += len(lanes)
        if self._count > len(self._rows):
            capacity = max(self._count, 2 * len(self._rows))
            self._rows = grown(self._rows, capacity, start)
            self._lanes = grown(self._lanes, capacity, start)
            self._rules = grown(self._rules, capacity, start)
        self._lanes[start : self._count] = lanes
        self._rules[start : self._count] = rule
        return self._rows[start : self._count]

    def steps(self, rules: int) -> BlockSteps:
        """All of them; ``rules`` is how many rules there are."""
        numbers = self._rules[: self._count]
        fired = np.bincount(numbers, minlength=rules)
        return BlockSteps(self._rows[: self._count], self._lanes[: self._count], numbers, fired)


class BlockEvaluation:
    """Groups of nodes over blocks of states, and how the groups change rows."""

    def __init__(
        self,
        packing: Packing,
        groups: Sequence[Sequence[Node]],
        changes: Sequence[Rewrite] = (),
    ) -> None:
        self._packing = packing
        self._program = VectorProgram(groups)
        self._changes = changes
        self._columns: dict[int, Columns] = {}

    def of(self, block: Rows) -> Columns:
        """The columns of at most :data:`LANES` states; valid until the next are asked for."""
        lanes = lanes_for(len(block))
        if lanes not in self._columns:
            program = self._program.bind(lanes)
            self._columns[lanes] = Columns(program, self._packing, self._changes)
        columns = self._columns[lanes]
        columns.fill(block)
        return columns


class Columns:
    """The columns of a block: those of the program, and the units of the states' rows."""

    def __init__(self, program: BoundProgram, packing: Packing, changes: Sequence[Rewrite]) -> None:
        lanes = program.lanes
        self._program = program
        self._unpacker = Unpacker(packing, program.inputs)
        self._old = {c.unit: np.zeros(lanes, c.unit.dtype) for c in changes if c.keep}
        self._scratch = {
            dtype: (np.zeros(lanes, dtype), np.zeros(lanes, dtype))
            for dtype in {c.unit.dtype for c in changes}
        }

    def run(self) -> Iterator[list[Column]]:
        """The columns of each group's nodes, one group after the other."""
        return self._program.run()

    def fill(self, block: Rows) -> None:
        """Unpack the states of a block."""
        self._unpacker.fill(block)
        for unit, column in self._old.items():
            column[: len(block)] = unit.of(block)

    def changed(self, change: Rewrite, nodes: Sequence[Column]) -> NDArray[Any]:
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
class RulePlan:
    """A rule's nodes, its guard first, and how they change the bytes of a state."""

    number: int
    rule: Rule
    nodes: list[Node]
    overflow: int | None
    changes: list[Rewrite]

    @staticmethod
    def of(number: int, rule: Rule, packing: Packing) -> RulePlan:
        """Return that of the rule with this number."""
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
        return RulePlan(number, rule, nodes, overflow, packing.changes(rule.updates, places))


class _Action:
    """The rules of an action, evaluated together because they share much."""

    def __init__(self, plans: Sequence[RulePlan], packing: Packing) -> None:
        self.plans = plans
        self._packing = packing

    @cached_property
    def evaluation(self) -> BlockEvaluation:
        """The rules' programs, made when the action is enabled first: many never are."""
        changes = [change for plan in self.plans for change in plan.changes]
        return BlockEvaluation(self._packing, [plan.nodes for plan in self.plans], changes)
