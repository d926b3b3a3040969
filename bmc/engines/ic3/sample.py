"""Some reachable states, as the truth of atoms: what no clause of an invariant may deny.

A clause that denies a reachable state may hold in a frame, but in no invariant; a search that
does not learn it has less to learn. Nothing is believed because of a sample: it need not even
consist of reachable states, only then it does not help.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bmc.engines.ic3.frames import Cube
from bmc.engines.packed.formulas import Formulas
from bmc.engines.samples import Explored
from bmc.engines.task import Deadline, Observer, OptionError
from bmc.readings.vector import TooWide
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem

_STATES = 20_000
"""How many states are found breadth first; as many more come from random walks."""

_TABLE = 1 << 23
"""How many truth values are kept at most."""

_SECONDS = 20.0
_SEED = 0
_BITS = 64


class Sample:
    """States, of which only is known which literals hold in them.

    ``truth`` has shape (atoms, states).
    """

    def __init__(self, truth: NDArray[np.bool_]) -> None:
        atoms, self.count = truth.shape
        # Row i is for literal i, so that negative literals count from the end; row 0 is unused.
        self.truth = np.zeros((2 * atoms + 1, self.count), np.bool_)
        self.truth[1 : atoms + 1] = truth
        self.truth[atoms + 1 :] = ~truth[::-1]
        padding = -self.count % _BITS
        padded = np.pad(self.truth, ((0, 0), (0, padding)))
        self._words: NDArray[np.uint64] = np.packbits(padded, axis=1).view(np.uint64)

    def meets(self, cube: Cube) -> bool:
        """Whether one of the states is in a cube (which is not empty)."""
        return bool(self._inside(cube).any())

    def apart(self, part: Cube, whole: Cube) -> Cube:
        """``part`` with as much of ``whole`` as keeps the states out; ``part`` if that fails."""
        left = self._inside(part)
        if not left.any():
            return part
        rest = sorted(whole - part)
        chosen = set(part)
        while left.any():
            if not rest:
                return part
            remaining = self._words[rest] & left
            best = int(np.bitwise_count(remaining).sum(axis=1).argmin())
            left = remaining[best]
            chosen.add(rest.pop(best))
        return frozenset(chosen)

    def _inside(self, cube: Cube) -> NDArray[np.uint64]:
        found: NDArray[np.uint64] = np.bitwise_and.reduce(self._words[list(cube)], axis=0)
        return found


def sampled(
    system: TransitionSystem, atoms: Atoms, deadline: Deadline, observer: Observer
) -> Sample:
    """Reachable states of a system; none where no fast reading of it exists.

    Which they are depends on time only where so many cannot be found in a few seconds.
    """
    try:
        explored = Explored(system, _SEED)
    except TooWide:
        return Sample(np.zeros((len(atoms), 0), np.bool_))
    left = deadline.remaining()
    seconds = _SECONDS if left is None else min(_SECONDS, left / 4)
    try:
        explored.explore(_STATES, seconds, observer)
    except OptionError:
        # A bound is too small. That is for the search to show, and what was found is reachable.
        observer.phase("sampling states met a bound")
    rows = explored.sample(_TABLE // max(1, len(atoms)))
    return Sample(Formulas(explored.packing, [a.node for a in atoms.all]).evaluate(rows))
