"""Wide states cut into components whose distinct values stand once in tables of their own.

This is the collapse compression of Spin (Holzmann, *State Compression in SPIN*, 1997): parts of a
state take few values each, also where their combinations are many, so a state is kept as the tuple
of its parts' numbers. Nothing is hashed away: equal tuples are equal states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows
from bmc.engines.packed.table import StateTable

_SHARE = 32
"""A component may have one distinct value for so many states of the sample."""


@dataclass(frozen=True)
class StateComponent:
    """The words ``start .. stop-1`` of a state, and the values that they have had."""

    start: int
    stop: int
    values: StateTable

    @staticmethod
    def of(start: int, stop: int) -> StateComponent:
        """Return a component without values."""
        return StateComponent(start, stop, StateTable(stop - start))

    def numbers(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of each state's value; values that are new are entered."""
        return self.values.entered(rows[:, self.start : self.stop])

    def numbers_at(self, rows: Rows, chosen: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the same for some of the states, given by place."""
        return self.values.entered(rows[chosen, self.start : self.stop])

    def write(self, rows: Rows, numbers: NDArray[np.int64]) -> None:
        """Write the values of these numbers to where they lie in states."""
        values = self.values.rows(0, len(self.values))
        # What has one value needs no look-up; most words of a wide state never change.
        rows[:, self.start : self.stop] = values[0] if len(values) == 1 else values[numbers]


def cut(sample: Rows) -> list[tuple[int, int]]:
    """Return where to cut states that look like these: the words from and up to each cut.

    Neighbouring words share a component as long as that has few distinct values in the sample.
    """
    most = max(1, len(sample) // _SHARE)
    cuts = [0]
    seen = np.zeros(len(sample), np.uint64)
    for word in range(sample.shape[1]):
        column = sample[:, word]
        if (column == column[0]).all():
            continue
        own = np.unique(column, return_inverse=True)[1].astype(np.uint64)
        both = seen * np.uint64(len(sample)) + own
        values, joined = np.unique(both, return_inverse=True)
        if len(values) > most and word > cuts[-1]:
            cuts.append(word)
            seen = own
        else:
            seen = joined.astype(np.uint64)
    return list(zip(cuts, [*cuts[1:], sample.shape[1]], strict=True))
