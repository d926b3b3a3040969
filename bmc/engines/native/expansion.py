"""All successors of a block of states, by machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from bmc.engines.native.reading import read_rows
from bmc.engines.packed.arrays import grown
from bmc.engines.packed.packing import Packing, Rewrite, Rows, Unit
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion, RulePlan
from bmc.evidence.verdict import Contradiction
from bmc.readings.circuit import Node
from bmc.readings.native.machine import VectorMachine
from bmc.readings.native.program import LANES, Program, Value

_ROOM = 1 << 16
"""Successors that there is room for at first."""


class NativeExpansion:
    """Computes the successors of blocks of states as :class:`Expansion` does, in another order.

    The machine runs an :func:`expansion_program` of so many rules. Where a state leaves the bounds
    it is found by halves, and ``numpy`` is asked of this one alone which rule does: for a block it
    would make the programs of all actions.
    """

    def __init__(self, machine: VectorMachine, rules: int, words: int, numpy: Expansion) -> None:
        self._numpy = numpy
        self._machine = machine
        self._most = LANES * rules
        room = max(_ROOM, self._most)
        self._rows: Rows = np.empty((room, words), np.uint64)
        self._lanes = np.empty(room, np.uint32)
        self._rules = np.empty(room, np.uint32)
        self._fired = np.zeros(rules, np.int64)

    def written(self) -> NDArray[np.bool_]:
        """Return by rule and word of a state whether the rule can change the word."""
        return self._numpy.written()

    def steps(self, block: Rows) -> BlockSteps | BeyondBounds:
        """Return all steps out of the states of a block, or the first that leaves the bounds."""
        count = self._run(block)
        if count is None:
            lane = self._first_beyond(block)
            found = self._numpy.steps(block[lane : lane + 1])
            if not isinstance(found, BeyondBounds):
                raise Contradiction("a state leaves the bounds for machine code, not for numpy")
            return replace(found, lane=lane)
        fired = self._fired.copy()
        return BlockSteps(self._rows[:count], self._lanes[:count], self._rules[:count], fired)

    def _first_beyond(self, block: Rows) -> int:
        """Return the first state that leaves the bounds, in a block where one does."""
        first, end = 0, len(block)
        while end - first > 1:
            middle = (first + end) // 2
            if self._run(block[first:middle]) is None:
                end = middle
            else:
                first = middle
        return first

    def _run(self, block: Rows) -> int | None:
        """Find the steps out of a block, and return how many; None where a state leaves the
        bounds."""
        self._fired.fill(0)
        rows, done, count = np.ascontiguousarray(block), 0, 0
        while done < len(rows):
            room = len(self._lanes)
            if count + self._most > room:
                room *= 2
                self._rows = grown(self._rows, room, count)
                self._lanes = grown(self._lanes, room, count)
                self._rules = grown(self._rules, room, count)
            ran = self._machine.run(
                {
                    "rows": rows,
                    "found": self._rows,
                    "lanes": self._lanes,
                    "rules": self._rules,
                    "fired": self._fired,
                },
                {"states": len(rows), "done": done, "count": count, "room": room}
                | {"most": self._most},
            )
            done, count = ran.reached, ran.count
            if done < 0:
                return None
        return count


def expansion_program(plans: Sequence[RulePlan], packing: Packing) -> Program:
    """Return the program that writes the successors of a batch of states.

    What the rules of an action share is computed once, and the new values of what one rule changes
    only where it is enabled in some lane.
    """
    program = Program()
    roots = [node for plan in plans for node in plan.nodes]
    parts = [c.unit for plan in plans for c in plan.changes if c.keep]
    units = read_rows(program, packing, roots, parts)
    number = 0
    for _, group in groupby(plans, lambda plan: plan.rule.action):
        own = list(group)
        program.evaluate(n for plan in own for n in (plan.rule.guard, plan.rule.overflow))
        program.evaluate_shared([plan.nodes for plan in own])
        beyond = program.value(8)
        program.do("and", beyond, *[program.constant(0, 8)] * 2)
        for plan in own:
            if plan.overflow is not None:
                program.do("or", beyond, beyond, program.of(plan.rule.overflow))
        program.do("beyond", a=beyond)
        for plan in own:
            test = program.do("rule", a=program.of(plan.rule.guard))
            with program.meanwhile():
                program.evaluate(plan.nodes)
                program.emit(number, patches(program, plan.changes, plan.nodes, units))
            program.jump_here(test)
            number += 1
    program.do("end")
    return program


def patches(
    program: Program,
    changes: Sequence[Rewrite],
    values: Sequence[Node],
    units: Mapping[Unit, Value],
) -> list[tuple[int, Value, int]]:
    """Compute the parts of a row that change, from nodes that are known and from the row's parts
    as they were; return where their bytes go."""
    found = []
    for change in changes:
        size = change.unit.dtype.itemsize
        value = _changed(program, change, values, units)
        found += [(change.unit.position * size + byte, value, byte) for byte in range(size)]
    return found


def _changed(
    program: Program, change: Rewrite, values: Sequence[Node], units: Mapping[Unit, Value]
) -> Value:
    """Return what a unit becomes."""
    width = 8 * change.unit.dtype.itemsize
    total = program.constant(change.constant, width)
    if change.keep:
        kept = program.value(width)
        program.do(f"field{width}", kept, units[change.unit], number=change.keep)
        if change.constant:
            program.do(f"add{width}", kept, kept, total)
        total = kept
    for place, factor in change.terms:
        # Cut or extended modulo the unit's size, as the constant is.
        part = program.cast(program.of(values[place]), width)
        before, total = total, program.value(width)
        program.do(f"put{width}", total, before, part, small=factor.bit_length() - 1)
    return total
