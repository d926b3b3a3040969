"""Explored states: breadth first, then at random where that does not find all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from bmc.engines.conjuncts import Conjunct
from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps
from bmc.engines.packed.table import StateTable, TableFull
from bmc.engines.successors import Successors
from bmc.engines.task import Deadline, Observer, OptionError
from bmc.readings.circuit import Node, evaluate
from bmc.readings.value import ConcreteState
from bmc.system.transition import TransitionSystem

_WALKERS = 2048
_FEW_WALKERS, _FURTHER = 512, 12
"""How many walk on, and how far, from states that are asked what is beyond them."""
_BREADTH_FIRST = 0.8
"""The share of the time in which it is explored breadth first where others are at work on the
machine: half of the time that this process works is meant."""
_PATIENCE = 100
"""Walks in a row that find no new state before it is believed that few are left."""
_BYTES = 1 << 31


def _unheard(_: str) -> None:
    """Numpy alone finds the same, later."""


class BoundMet(OptionError):
    """The model leaves its bounds while it is explored; `bmc explore` shows the path.

    ``explored`` is what was found until then, in which a claim may be false.
    """

    def __init__(self, action: str, explored: Explored) -> None:
        sources = (one.source for one in explored.system.model.actions if one.name == action)
        place = "".join(f" ({Path(one.file).name}:{one.line})" for one in sources)
        super().__init__(
            f"{action}{place} leaves the model's bounds at these parameters: choose larger ones, "
            "or see `bmc explore`"
        )
        self.explored = explored


class Explored:
    """Reachable states of a system.

    ``complete`` says that there are no others. Otherwise some were found breadth-first, the rest
    by random walks, which reach deeper. ``seed`` decides the walks and every sample.
    """

    def __init__(self, system: TransitionSystem, seed: int) -> None:
        self.system = system
        self.packing = Packing(system.leaves)
        self.complete = False
        self._random = np.random.default_rng(seed)
        self._table = StateTable(self.packing.words, _BYTES)
        self._successors = Successors(system, self.packing)
        self._constraint = Formulas(self.packing, [system.constraint])

    def __len__(self) -> int:
        """How many there are."""
        return len(self._table)

    def explore(self, most: int, seconds: float, observer: Observer) -> None:
        """Find up to about ``most`` states breadth first, and as many by walks.

        It takes about ``seconds`` at most; what is found does not depend on time otherwise.

        Raises BoundMet where the model leaves its bounds: nothing can be mined there.
        """
        if most < 1:
            raise OptionError(f"the number of states to explore must be 1 or more, not {most}")
        end = monotonic() + seconds
        try:
            limit = Deadline(seconds * _BREADTH_FIRST, processor=seconds / 2)
            self._breadth_first(most, limit, observer)
            idle = 0
            while not self.complete and len(self) < 2 * most and monotonic() < end:
                before = len(self)
                self._walk(2 * most, end, observer)
                idle = idle + 1 if len(self) == before else 0
                if idle == _PATIENCE:
                    return
        except TableFull:
            return

    def explore_all(self, most: int, seconds: float, observer: Observer) -> None:
        """Find all states breadth first, or give up after so many or so long.

        Raises BoundMet where the model leaves its bounds.
        """
        try:
            self._breadth_first(most, Deadline(seconds), observer)
        except TableFull:
            return

    def _breadth_first(self, most: int, limit: Deadline, observer: Observer) -> None:
        leaves = range(len(self.system.leaves))
        starts = [evaluate([v[i] for i in leaves], []) for _, v in self.system.starts]
        self._table.add(self._inside(self.packing.pack(starts)), None)
        start = 0
        while start < len(self._table):
            if len(self._table) >= most or limit.has_passed():
                return
            stop = min(start + LANES, len(self._table))
            observer.phase(f"exploring: {len(self._table):,} states")
            rows, lanes = self._after(self._table.rows(start, stop))
            self._table.add(rows, lanes + np.uint32(start))
            start = stop
        self.complete = True

    def _walk(self, most: int, end: float, observer: Observer) -> None:
        rows = self.sample(_WALKERS)
        while len(rows) and len(self) < most and monotonic() < end:
            observer.phase(f"walking at random: {len(self):,} states")
            rows = self._onward(rows)
            if not self._table.add(rows, None):
                return

    def beyond(self, numbers: Sequence[int]) -> None:
        """Enter all that a step leads to from states, given by their numbers, and walk on there.

        Raises BoundMet as :meth:`explore` does, and TableFull.
        """
        rows = self._after(self._table.rows(0, len(self))[list(numbers)])[0].copy()
        self._table.add(rows, None)
        for _ in range(_FURTHER):
            if len(rows) > _FEW_WALKERS:
                chosen = self._random.choice(len(rows), _FEW_WALKERS, replace=False)
                rows = rows[np.sort(chosen)]
            rows = self._onward(rows)
            self._table.add(rows, None)

    def _onward(self, rows: Rows) -> Rows:
        """Return for each state that has successors one of them at random."""
        after, lanes = self._after(rows)
        by_lane = np.argsort(lanes.astype(np.min_scalar_type(len(rows))), kind="stable")
        counts = np.bincount(lanes)
        first = np.cumsum(counts) - counts
        which = (self._random.random(len(counts)) * counts).astype(np.intp)
        chosen: Rows = after[by_lane[(first + which)[counts > 0]]]
        return chosen

    def _after(self, rows: Rows) -> tuple[Rows, NDArray[np.uint32]]:
        steps = self.stepped(rows)
        return steps.rows, steps.lanes

    def stepped(self, rows: Rows) -> BlockSteps:
        """Return all steps out of states. Raises BoundMet as :meth:`explore` does."""
        self._successors.consider_machine_code(len(rows), [self._constraint], self._table, _unheard)
        steps = self._successors.expansion.steps(rows)
        if isinstance(steps, BeyondBounds):
            raise BoundMet(steps.rule.action, self)
        if self.system.constraint is not self.system.circuit.true:
            (inside,) = self._constraint.evaluate(steps.rows)
            steps = steps.where(inside)
        return steps

    def _inside(self, rows: Rows) -> Rows:
        (inside,) = self._constraint.evaluate(rows)
        kept: Rows = rows[inside]
        return kept

    def blocks(self) -> Iterator[Rows]:
        """Yield all states, in blocks of which each but the last has so many as lanes are."""
        for start in range(0, len(self), LANES):
            yield self._table.rows(start, min(start + LANES, len(self)))

    def rows(self, start: int) -> Rows:
        """Return all states from a number on: a view, until there are more."""
        return self._table.rows(start, len(self))

    def sample(self, count: int) -> Rows:
        """At most ``count`` states, chosen at random."""
        rows = self._table.rows(0, len(self))
        if len(rows) > count:
            rows = rows[np.sort(self._random.choice(len(rows), count, replace=False))]
        chosen: Rows = rows.copy()
        return chosen

    def some(self, count: int, seed: int) -> Explored:
        """Return at most ``count`` of the states, chosen at random, as explored on their own."""
        found = Explored(self.system, seed)
        found._table.add(self.sample(count), None)
        return found

    def pack(self, states: Sequence[ConcreteState]) -> Rows:
        """Concrete states as rows."""
        packed: Rows = self.packing.pack([self.system.encode(state) for state in states])
        return packed

    def __contains__(self, state: ConcreteState) -> bool:
        """Whether a state was reached."""
        return self.has(self.pack([state])[0])

    def has(self, row: Rows) -> bool:
        """Whether a state was reached, given as a row."""
        return bool((self._table.rows(0, len(self)) == row).all(axis=1).any())

    def failing(self, formulas: Sequence[Node]) -> list[Rows]:
        """For each formula some states in which it is false, in the order of the formulas."""
        found: list[Rows] = [self._table.rows(0, 0)] * len(formulas)
        read: list[int] = []
        open_ = list(range(len(formulas)))
        for rows in self.blocks():
            if not open_:
                break
            # Reading formulas anew takes longer than a block of states takes.
            if not read or 2 * len(open_) <= len(read):
                read = open_
                program = Formulas(self.packing, [formulas[i] for i in read])
            for number, truth in zip(read, program.evaluate(rows), strict=True):
                if not len(found[number]) and not truth.all():
                    found[number] = rows[~truth][:8].copy()
            open_ = [i for i in open_ if not len(found[i])]
        return found

    def violated(self, targets: Iterable[Conjunct]) -> str | None:
        """Return the name of a target that is false in one of these states, if one is."""
        of_states = [target for target in targets if not target.of_steps]
        circuit = self.system.circuit
        holds = [circuit.all(i.holds for i in target.goals) for target in of_states]
        for target, rows in zip(of_states, self.failing(holds), strict=True):
            if len(rows):
                return target.name
        return None
