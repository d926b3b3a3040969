"""Reachable states that become more: where a clause denies one, it is looked what is beyond."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bmc.engines.ic3.frames import Cube
from bmc.engines.ic3.sample import MOST, Sample, in_cube
from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.table import TableFull
from bmc.engines.samples import BoundMet, Explored
from bmc.engines.task import Deadline, Observer
from bmc.system.atoms import Atoms
from bmc.system.symmetry import Symmetry

_TRUTH = 1 << 30
"""Truth values of explored states, and of what renaming makes of them, to begin with at most."""

_STATES = 200_000
"""States that are explored breadth first, and as many by walks, before clauses are learned."""

_EXPLORING = 0.3
"""The share of the time in which they are found."""

_EXPLORING_SECONDS = 60.0
"""No longer than that in any case."""

_RENAMINGS = 120
"""Of more renamings than these only some are made."""

_LOOKED_BEYOND = 256
"""States of a cube, at most, from which it is explored on."""


def reached(
    atoms: Atoms,
    symmetry: Symmetry,
    explored: Explored | None,
    deadline: Deadline,
    observer: Observer,
    inside: Cube = frozenset(),
) -> KnownStates | Sample | None:
    """Explore further, and return what is reached then of states ``inside``.

    It is a Sample where there is no other state, and None where that cannot be known or kept. A
    constraint is there for states to be few, so they are all looked for where there is one.
    """
    if explored is None or not len(explored):
        return None
    most = min(_STATES, _TRUTH // (2 * max(1, len(atoms))))
    left = deadline.remaining()
    seconds = _EXPLORING_SECONDS if left is None else min(_EXPLORING_SECONDS, left * _EXPLORING)
    try:
        if inside:
            explored.explore_all(MOST // max(1, len(atoms)), seconds, observer)
            if not explored.complete and len(explored) > 2 * most:
                explored = explored.some(2 * most, seed=0)
        elif len(explored) < most:
            explored.explore(most, seconds, observer)
    except BoundMet:
        return None
    found = Sample.of_all(explored, inside)
    if found is None and len(atoms) * len(explored) <= _TRUTH:
        return KnownStates(atoms, symmetry, explored, inside)
    return found


class NothingBeyond(Exception):
    """No further state is found, though a step leads to one: a bound or the memory is met."""


class KnownStates:
    """The truth of atoms in explored states and in what renaming makes of these, in ``sample``.

    Only states ``inside`` a cube are known.
    """

    def __init__(
        self, atoms: Atoms, symmetry: Symmetry, explored: Explored, inside: Cube = frozenset()
    ) -> None:
        self._explored, self._inside = explored, inside
        self._formulas = Formulas(explored.packing, [atom.node for atom in atoms.all])
        room = _TRUTH // max(1, len(atoms) * len(explored))
        most = max(1, min(_RENAMINGS, room))
        self._renamings = [np.argsort(image) for image in symmetry.everywhere(most)]
        self._blocks: list[tuple[int, NDArray[np.intp]]] = []
        self.sample = Sample(np.zeros((len(atoms), 0), np.bool_))
        self._enter(0, explored.rows(0))

    @property
    def complete(self) -> bool:
        """Whether no other state is reachable."""
        return self._explored.complete

    @property
    def count(self) -> int:
        """How many states were explored."""
        return len(self._explored)

    def beyond(self, cube: Cube) -> Sample:
        """Explore on from states of the sample in a cube, and return what is new there.

        Raises NothingBeyond.
        """
        states = self.sample.inside(cube, _LOOKED_BEYOND)
        before = len(self._explored)
        try:
            self._explored.beyond(sorted({self._number(state) for state in states}))
        except (BoundMet, TableFull) as limit:
            raise NothingBeyond from limit
        if len(self._explored) == before:
            raise NothingBeyond
        return self._enter(before, self._explored.rows(before))

    def _enter(self, first: int, rows: Rows) -> Sample:
        """Enter rows, the explored states from a number on; return their sample."""
        blocks = [
            self._formulas.evaluate(rows[start : start + LANES])
            for start in range(0, len(rows), LANES)
        ]
        truth = np.concatenate(blocks, axis=1)
        entered = in_cube(truth, self._inside)
        truth = truth[:, entered]
        renamed = np.concatenate([truth[image] for image in self._renamings], axis=1)
        if truth.shape[1]:
            self._blocks.append((self.sample.count, first + entered.nonzero()[0]))
            self.sample.add(renamed)
        return Sample(renamed)

    def _number(self, state: int) -> int:
        """Return the explored state of which a state of the sample is what a renaming made."""
        start, numbers = next(b for b in reversed(self._blocks) if b[0] <= state)
        return int(numbers[(state - start) % len(numbers)])
