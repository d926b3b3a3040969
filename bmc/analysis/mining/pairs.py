"""Candidates of one or two literals: what never holds together in the sampled states.

Of two literals that exclude each other, those are taken that hold most often: the others follow.
A candidate that turns out not to be inductive is taken away, and what only followed from it
comes up (:meth:`Pairs.candidates` is asked again).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.mining.candidates import Candidate, never
from bmc.analysis.mining.literals import Literal
from bmc.analysis.mining.table import LiteralTable, Truth

_ROWS = 12_000
_HALF = np.float32(0.5)


class Pairs:
    """The literals of a vocabulary and which of them were seen together.

    ``known`` is the vocabulary's truth in reachable states.
    """

    def __init__(self, vocabulary: LiteralTable, known: Truth, random: np.random.Generator) -> None:
        self._vocabulary = vocabulary
        # Of variables about which nothing can be said there are no literals.
        _, literals, bindings, states = known.shape
        seen = known.reshape(2 * literals, bindings * states)
        if seen.shape[1] > _ROWS:
            seen = seen[:, random.choice(seen.shape[1], _ROWS, replace=False)]
        counted = seen.astype(np.float32)
        self._together = counted @ counted.T
        self._often = np.diag(self._together).copy()
        self._apart = (self._together == 0) & (self._often > 0) & (self._often[:, None] > 0)
        self._tried: dict[int, list[tuple[int, int]]] = {}

    def candidates(self) -> list[Candidate]:
        """The strongest candidates that were not taken away."""
        chosen = [*self._single(), *self._links(), *self._strongest()]
        found = []
        for one, other in chosen:
            literals = [self._literal(one)] if one == other else self._both(one, other)
            candidate = never(literals, self._vocabulary.bound)
            self._tried.setdefault(candidate.body.uid, []).append((one, other))
            found.append(candidate)
        return found

    def drop(self, candidate: Candidate) -> None:
        """Take a candidate away."""
        for one, other in self._tried.get(candidate.body.uid, ()):
            self._apart[one, other] = self._apart[other, one] = False
            if one == other:
                self._often[one] = _HALF

    def _literal(self, place: int) -> Literal:
        count = len(self._vocabulary.literals)
        return self._vocabulary.literal(place % count, place >= count)

    def _both(self, one: int, other: int) -> list[Literal]:
        return [self._literal(one), self._literal(other)]

    def _single(self) -> Iterator[tuple[int, int]]:
        """Literals that never hold."""
        for place in np.flatnonzero(self._often == 0):
            yield int(place), int(place)

    def _inside(self) -> NDArray[np.bool_]:
        """Where the first of two literals holds only where the second does."""
        inside: NDArray[np.bool_] = self._together >= self._often[:, None] - _HALF
        inside &= self._often[:, None] > 0
        np.fill_diagonal(inside, False)
        return inside

    def _links(self) -> Iterator[tuple[int, int]]:
        """Literals that hold in the same places, each with the first of them."""
        count = len(self._vocabulary.literals)
        inside = self._inside()
        same = inside & inside.T
        for place in range(2 * count):
            alike = np.flatnonzero(same[place, :place])
            if len(alike):
                first, opposite = int(alike[0]), (place + count) % (2 * count)
                for pair in ((opposite, first), (place, (first + count) % (2 * count))):
                    if self._apart[pair]:
                        yield pair

    def _strongest(self) -> Iterator[tuple[int, int]]:
        inside = self._inside()
        weaker = inside & ~inside.T
        apart = self._apart
        # A pair follows from one with a literal in it that holds wherever its own does.
        follows = (weaker.astype(np.float32) @ apart.astype(np.float32)) > 0
        alike: NDArray[np.bool_] = np.tril(inside & inside.T)
        first: NDArray[np.bool_] = ~np.any(alike, axis=1, keepdims=True)
        kept = apart & ~follows & ~follows.T & first & first.T
        for one, other in zip(*np.nonzero(np.triu(kept, 1)), strict=True):
            yield int(one), int(other)
