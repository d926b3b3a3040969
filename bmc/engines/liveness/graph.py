"""The graph of a system: every reachable state, and every step with the rule that takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bmc.engines.pace import Pace
from bmc.engines.packed.blocks import EXPANDED
from bmc.engines.packed.decoded import DecodedStates, some_of
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, Expansion
from bmc.engines.packed.table import StateTable
from bmc.lang.errors import BmcError
from bmc.readings.circuit import Node
from bmc.readings.value import ConcreteState
from bmc.system.transition import TransitionSystem


class LeavesBounds(BmcError):
    """A reachable state has a step out of the model's bounds: what follows it is not known.

    ``state`` is that state.
    """

    def __init__(self, action: str, state: ConcreteState) -> None:
        super().__init__(
            f"a step of {action} leaves the model's bounds: choose larger parameters "
            "(`bmc explore` shows the trace that leads there)"
        )
        self.state = state


@dataclass(frozen=True)
class Graph:
    """States by number (those below ``initial`` are initial) and the steps between them.

    Step ``i`` leads from ``sources[i]`` to ``targets[i]`` by rule ``rules[i]``; steps that change
    nothing are left out, and so are steps out of the state constraint.
    """

    system: TransitionSystem
    packing: Packing
    rows: Rows
    initial: int
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    rules: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)

    def truth(self, nodes: Sequence[Node]) -> NDArray[np.bool_]:
        """Return the truth of formulas in every state: an array of shape (nodes, states)."""
        return Formulas(self.packing, nodes).evaluate(self.rows)

    def truth_of_steps(self, nodes: Sequence[Node]) -> NDArray[np.bool_]:
        """Return the truth of formulas over both states of every step: (nodes, steps)."""
        formulas = Formulas(self.packing, nodes)
        return formulas.evaluate(self.rows[self.sources], self.rows[self.targets])

    def states(self, numbers: Sequence[int]) -> list[ConcreteState]:
        """Return the states of these numbers."""
        return [self.system.decode(self.packing.numbers(self.rows[n])) for n in numbers]

    def some_states(self) -> Sequence[ConcreteState]:
        """Return some of the states, from everywhere between the first and the last."""
        return DecodedStates(self.system, self.packing, self.rows[some_of(len(self))])


def graph_of(system: TransitionSystem, pace: Pace, max_bytes: int | None) -> Graph:
    """Return the graph of all reachable states inside the state constraint.

    Raises LeavesBounds, NoInitialState, and what ``pace`` raises at its limits; TableFull when
    ``max_bytes`` are not enough for the states.
    """
    packing = Packing(system.leaves)
    expansion = Expansion(system, packing)
    table = StateTable(packing.words, max_bytes)
    constraint = Formulas(packing, [system.constraint])
    table.add(initial_rows(system, packing, constraint), None)
    initial = len(table)
    levels = [initial]
    sources, targets, rules = [], [], []
    start = 0
    while start < len(table):
        end = len(table)
        pace.before_level(levels)
        levels.append(0)
        for block in range(start, end, EXPANDED):
            pace.before_block(levels)
            stop = min(block + EXPANDED, end)
            steps = expansion.steps(table.rows(block, stop))
            if isinstance(steps, BeyondBounds):
                row = table.rows(block, stop)[steps.lane]
                raise LeavesBounds(steps.rule.action, system.decode(packing.numbers(row)))
            (inside,) = constraint.evaluate(steps.rows)
            steps = steps.where(inside)
            levels[-1] += table.add(steps.rows, steps.lanes + np.uint32(block))
            found = table.numbers(steps.rows).astype(np.int32)
            origins = (steps.lanes + np.uint32(block)).astype(np.int32)
            moved = found != origins
            sources.append(origins[moved])
            targets.append(found[moved])
            rules.append(steps.rules[moved].astype(np.int32))
        start = end
    return Graph(
        system,
        packing,
        table.rows(0, len(table)),
        initial,
        np.concatenate(sources),
        np.concatenate(targets),
        np.concatenate(rules),
    )
