"""What a search asks of the place where it keeps its states."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows


class FoundStates(Protocol):
    """Distinct states, each with its parent and a number."""

    def __len__(self) -> int:
        """Return how many are known."""

    def rows(self, start: int, stop: int) -> Rows:
        """Return states ``start .. stop-1`` of one level; valid until states are added."""

    def path(self, number: int) -> list[int]:
        """Return the numbers of the states from an initial one to this one, along parents."""


class KeptStates(FoundStates, Protocol):
    """States that are numbered from 0, level after level, and to which one adds."""

    def block(self, start: int, stop: int) -> Rows:
        """Return the same, of states whose successors are added next."""

    def add(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        rules: NDArray[np.uint32] | None = None,
    ) -> Rows:
        """Take successors in, and return those that are known to be new; they are numbered last.

        ``parents`` gives by row the number of the state it was reached from, None for initial
        states, and ``rules`` the rule, None where the step was followed by a renaming. Raises
        TableFull, leaving the states as they were, when there is no room.
        """
