"""Sets of facts that no row of a table has together: the smallest, and larger ones greedily."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ATTEMPTS = 4
_WIDEST = 6
"""Facts of a set that is taken greedily."""


class Smallest:
    """Minimal sets of facts that no row has together, those of fewest facts first.

    Each row lacks a fact of such a set, so one is found by branching on a row that lacks few.
    """

    def __init__(self, truth: NDArray[np.bool_], most: int, enough: int, budget: int) -> None:
        self._every = (1 << len(truth)) - 1
        columns = np.packbits(truth.T, axis=1, bitorder="little")
        self._has = [int.from_bytes(column.tobytes(), "little") for column in columns]
        self._truth = truth
        self._lacks: dict[int, list[int]] = {}
        self._most = most
        self._enough = enough
        self._budget = budget
        self._left = 0
        self.found: dict[tuple[int, ...], None] = {}

    def run(self) -> list[tuple[int, ...]]:
        """Return what was found within the budget."""
        for size in range(1, self._most + 1):
            self._left = self._budget
            self._extend((), self._every, size)
            if len(self.found) >= self._enough:
                break
        return list(self.found)

    def _extend(self, chosen: tuple[int, ...], alive: int, size: int) -> None:
        if not alive:
            if self._is_minimal(chosen):
                self.found[tuple(sorted(chosen))] = None
            return
        if len(chosen) == size:
            return
        row = (alive & -alive).bit_length() - 1
        if row not in self._lacks:
            self._lacks[row] = np.flatnonzero(~self._truth[row]).tolist()
        for fact in self._lacks[row]:
            self._left -= 1
            if self._left < 0 or len(self.found) >= self._enough:
                return
            self._extend((*chosen, fact), alive & self._has[fact], size)

    def _is_minimal(self, chosen: tuple[int, ...]) -> bool:
        for left_out in chosen:
            alive = self._every
            for fact in chosen:
                if fact != left_out:
                    alive &= self._has[fact]
            if not alive:
                return False
        return True


def greedily(truth: NDArray[np.bool_], price: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Return a few larger sets of facts that no row has together.

    That fact is taken next which leaves fewest rows for its price, which differs from one attempt
    to the next; then what is not needed goes.
    """
    random = np.random.default_rng(len(price))
    found = []
    for attempt in range(_ATTEMPTS):
        noise = random.uniform(0.4, 1.6, len(price)) if attempt else np.ones(len(price))
        alive, chosen = truth, list[int]()
        while len(alive) and len(chosen) <= _WIDEST:
            rest = alive.sum(axis=0)
            score = np.where(rest < len(alive), (rest + 0.2) * price * noise, np.inf)
            best = int(score.argmin())
            chosen.append(best)
            alive = alive[alive[:, best]]
        for fact in sorted(chosen, key=lambda one: -price[one]):
            rest_of = [one for one in chosen if one != fact]
            if rest_of and not truth[:, rest_of].all(axis=1).any():
                chosen = rest_of
        if len(chosen) <= _WIDEST:
            found.append(tuple(sorted(chosen)))
    return found
