"""All shortest paths to a violation, as a graph by steps.

The states are explored once more, breadth-first, up to the steps that violate. Then, level by
level backwards, those states are kept that lie on such a path, with the steps between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.blocks import expanded_at_once
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.lang.errors import BmcError
from bmc.lang.properties import Kind, Property
from bmc.system.transition import TransitionSystem

MOST_STATES = 1 << 20
"""States as near as the violation, from which on the graph is not made: some three seconds."""

Places = NDArray[np.int64]


class NoGraph(BmcError):
    """The shortest paths cannot be had as a graph; the message says why."""


@dataclass(frozen=True)
class PathSteps:
    """The steps from one level to the next: by step the places of both states, and the rule."""

    before: Places
    rules: Places
    after: Places


@dataclass(frozen=True)
class ShortestPaths:
    """The states on shortest paths by level, from the initial states on, and the steps between."""

    levels: tuple[Rows, ...]
    steps: tuple[PathSteps, ...]


def shortest_paths(
    system: TransitionSystem,
    packing: Packing,
    stated: Property,
    last: int,
    check: Callable[[], None],
) -> ShortestPaths:
    """Return the paths of ``last`` steps, at least one, that violate; no shorter one does.

    ``check`` is called between blocks of states, and may raise. Raises NoGraph where there are
    more than :data:`MOST_STATES` states, where one of them leaves the model's bounds, and where
    no path of this length violates.
    """
    search = _Search(system, packing, check)
    search.explore(last)
    return search.paths(stated)


class _Search:
    def __init__(
        self, system: TransitionSystem, packing: Packing, check: Callable[[], None]
    ) -> None:
        self._system = system
        self._packing = packing
        self._check = check
        self._expansion = Expansion(system, packing)
        self._constraint = Formulas(packing, [system.constraint])
        self._table = StateStore(packing.words)
        self._starts = [0]
        """By level the number of its first state, and that of the level after the last."""

    def explore(self, levels: int) -> None:
        """Enter the states of so many levels."""
        self._table.add(initial_rows(self._system, self._packing, self._constraint), None)
        self._starts.append(len(self._table))
        for level in range(levels - 1):
            for first, _, steps in self._blocks(level):
                self._table.add(steps.rows, steps.lanes + np.uint32(first), steps.rules)
                if len(self._table) > MOST_STATES:
                    raise NoGraph(f"there are more than {MOST_STATES:,} states within the trace")
            self._starts.append(len(self._table))

    def paths(self, stated: Property) -> ShortestPaths:
        """Return the shortest paths to states, or by steps, that violate."""
        last = len(self._starts) - 2
        holds = self._system.circuit.all(i.holds for i in self._system.instances(stated))
        claim = Formulas(self._packing, [holds])
        across = stated.kind is Kind.STEP_INVARIANT
        origins, rules, ends = [], [], []
        for first, block, steps in self._blocks(last):
            if not len(steps.rows):
                continue
            rows = (block[steps.lanes], steps.rows) if across else (steps.rows,)
            (held,) = claim.evaluate(*rows)
            origins.append(steps.lanes[~held].astype(np.int64) + first)
            rules.append(steps.rules[~held].astype(np.int64))
            ends.append(steps.rows[~held].copy())
        if not sum(map(len, ends)):
            raise NoGraph("no path of this length violates")
        final, after = np.unique(np.concatenate(ends), axis=0, return_inverse=True)
        numbers, before = np.unique(np.concatenate(origins), return_inverse=True)
        levels = [final, self._rows(last, numbers)]
        found = [PathSteps(before, np.concatenate(rules), after.reshape(-1))]
        for level in range(last - 1, -1, -1):
            numbers, steps_of_level = self._steps_into(level, numbers)
            levels.append(self._rows(level, numbers))
            found.append(steps_of_level)
        return ShortestPaths(tuple(reversed(levels)), tuple(reversed(found)))

    def _steps_into(self, level: int, wanted: Places) -> tuple[Places, PathSteps]:
        """The steps from states of a level to these of the next, and the numbers of the former."""
        start, end = self._starts[level + 1 : level + 3]
        places = np.full(end - start, -1, np.int64)
        places[wanted - start] = np.arange(len(wanted))
        origins, rules, ends = [], [], []
        for first, _, steps in self._blocks(level):
            if not len(steps.rows):
                continue
            numbers = self._table.numbers(steps.rows)
            after = np.where(numbers >= start, places[np.maximum(numbers - start, 0)], -1)
            chosen = after >= 0
            origins.append(steps.lanes[chosen].astype(np.int64) + first)
            rules.append(steps.rules[chosen].astype(np.int64))
            ends.append(after[chosen])
        numbers, before = np.unique(np.concatenate(origins), return_inverse=True)
        return numbers, PathSteps(before, np.concatenate(rules), np.concatenate(ends))

    def _blocks(self, level: int) -> Iterator[tuple[int, Rows, BlockSteps]]:
        """The states of a level, block after block, the number of the first and their steps."""
        start, end = self._starts[level : level + 2]
        at_once = expanded_at_once(self._packing.words)
        for first in range(start, end, at_once):
            self._check()
            block = self._table.block(first, min(first + at_once, end))
            steps = self._expansion.steps(block)
            if isinstance(steps, BeyondBounds):
                raise NoGraph("a state within the trace leaves the bounds")
            if self._system.constraint is not self._system.circuit.true:
                (inside,) = self._constraint.evaluate(steps.rows)
                steps = steps.where(inside)
            yield first, block, steps

    def _rows(self, level: int, numbers: Places) -> Rows:
        start, end = self._starts[level : level + 2]
        found: Rows = self._table.rows(start, end)[numbers - start]
        return found
