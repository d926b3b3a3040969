"""A fair behaviour that is found by being scheduled: what has waited longest is taken next.

From an initial state the step of that fairness condition is taken which is enabled and was taken
least lately, until none is enabled (who stays there is fair) or a state comes back with the order
of the conditions that it had. A condition that the loop never takes is ahead of all that it takes,
so it is enabled nowhere on it. The interpreter judges the lasso all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.engines.liveness.conditions import FairFormulas, FairRules, fair_conditions
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.task import Deadline
from bmc.evidence.lasso import Lasso, judged
from bmc.lang.temporal import Specification, TemporalProperty
from bmc.readings.value import Interpreter
from bmc.system.transition import TransitionSystem


def scheduled(
    system: TransitionSystem,
    wrong: TemporalProperty,
    specification: Specification,
    deadline: Deadline,
) -> Lasso | None:
    """Return a fair lasso, None where what is enabled cannot be taken, or leaves the bounds.

    ``wrong`` is a claim that no behaviour satisfies. Raises NoInitialState, OutOfTime, and
    Contradiction where the interpreter takes another view of the lasso.
    """
    schedule = _Schedule(system, specification)
    order = tuple(range(len(schedule.conditions)))
    rows = [schedule.start]
    seen: dict[tuple[bytes, tuple[int, ...]], int] = {}
    loop = None
    while loop is None:
        deadline.check()
        key = rows[-1].tobytes(), order
        if key in seen:
            loop = seen[key]
            rows.pop()
            break
        seen[key] = len(rows) - 1
        chosen = schedule.next(rows[-1], order)
        if chosen is None:
            return None
        number, after = chosen
        if number is None:
            loop = len(rows) - 1
        else:
            order = (*(one for one in order if one != number), number)
            rows.append(after)
    states = [system.decode(schedule.packing.numbers(row)) for row in rows]
    interpreter = Interpreter(system.model, system.domains)
    return judged(interpreter, states, loop, specification, wrong, ())


class _Schedule:
    """The fairness conditions of a specification, looked at in one state at a time."""

    def __init__(self, system: TransitionSystem, specification: Specification) -> None:
        self.packing = Packing(system.leaves)
        self.conditions = tuple(fair_conditions(system, specification))
        self._constraint = Formulas(self.packing, [system.constraint])
        self._expansion = Expansion(system, self.packing)
        both = system.circuit.and_
        formulas = [one for one in self.conditions if isinstance(one, FairFormulas)]
        self._enabled, self._steps = (
            Formulas(self.packing, [both(one.defined, one.shape) for one in found])
            for found in ([f.enabled for f in formulas], [f.step for f in formulas])
        )
        self.start = initial_rows(system, self.packing, self._constraint)[0].copy()

    def next(self, row: Rows, order: Sequence[int]) -> tuple[int | None, Rows] | None:
        """Return which condition is taken in a state, and the state after it.

        No condition and the state itself where none is enabled; nothing where one cannot be taken.
        """
        here = row[np.newaxis]
        steps = self._expansion.steps(here)
        if isinstance(steps, BeyondBounds):
            return None
        (inside,) = self._constraint.evaluate(steps.rows)
        steps = steps.where(inside & (steps.rows != here).any(axis=1))
        enabled, taken = self._of(here, steps)
        for number in order:
            if enabled[number]:
                ways = np.flatnonzero(taken[number])
                return (number, steps.rows[ways[0]].copy()) if len(ways) else None
        return None, row

    def _of(self, here: Rows, steps: BlockSteps) -> tuple[list[bool], list[NDArray[np.bool_]]]:
        """By condition, whether it is enabled, and which of the steps take it."""
        possible = iter(self._enabled.evaluate(here))
        before = np.repeat(here, len(steps.rows), axis=0)
        takes = iter(self._steps.evaluate(before, steps.rows))
        enabled, taken = [], []
        for one in self.conditions:
            if isinstance(one, FairRules):
                found = np.isin(steps.rules, one.rules)
                enabled.append(bool(found.any()))
            else:
                found = next(takes)
                enabled.append(bool(next(possible)[0]))
            taken.append(found)
        return enabled, taken
