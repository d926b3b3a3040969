"""What a table has seen, by literal: which few literals were never seen together.

A row of a table is all of one sight. Here the same bits stand by column, so that a set of columns
is held against every sight in a few steps, and it is known which two were never seen together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.inference.table import Bits, LiteralRows

Columns = tuple[int, ...]

_WORD = 64
_NEAR = 256
"""Words of sights that a set is looked for in, before it is held against all."""
_MORE = 32
"""Words that are looked at besides, where sights in them have a set that was found."""
_PASSES = 12
_ATTEMPTS = 2
_COUNTED = 8192
_ROOM = 4
"""What part of the sights there is room for besides."""


class Sightings:
    """The sights of one table, and those of states that lemmas should deny."""

    def __init__(self, table: LiteralRows, seed: int) -> None:
        self.table = table
        self._random = np.random.default_rng(seed)
        self._width = table.rows.shape[1]
        self._seen: set[bytes] = set()
        columns = 2 * len(table.literals)
        self._never = np.ones((columns, columns), np.float32)
        self._by_column = np.zeros((columns, 0), np.uint64)
        self._count = 0
        self._undesired: Bits = np.zeros((0, self._width), np.uint64)
        self._of = np.zeros(0, np.intp)
        self.enter(table.rows)

    def packed(self, truth: NDArray[np.bool_]) -> Bits:
        """Return sights, of shape (sights, columns), as rows of the table."""
        bits = np.zeros((len(truth), self._width * _WORD), np.bool_)
        bits[:, : truth.shape[1]] = truth
        found: Bits = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        return found

    def unseen(self, rows: Bits) -> list[int]:
        """Return the places of those rows that were never seen as a whole."""
        return [place for place, row in enumerate(rows) if row.tobytes() not in self._seen]

    def enter(self, rows: Bits) -> None:
        """Enter sights; those that were seen before are passed over."""
        fresh = []
        for row in rows:
            key = row.tobytes()
            if key not in self._seen:
                self._seen.add(key)
                fresh.append(row)
        if not fresh:
            return
        new = np.array(fresh)
        truth = np.unpackbits(new.view(np.uint8), axis=1, bitorder="little")
        truth = truth[:, : len(self._never)]
        for start in range(0, len(truth), _COUNTED):
            some = truth[start : start + _COUNTED].astype(np.float32)
            self._never[some.T @ some > 0] = 0
        self._put(truth)

    def _put(self, truth: NDArray[np.uint8]) -> None:
        """Put sights behind those that there are."""
        whole, rest = divmod(self._count, _WORD)
        self._count += len(truth)
        words = -(-self._count // _WORD)
        if words > self._by_column.shape[1]:
            room = np.zeros((len(self._never), words + words // _ROOM), np.uint64)
            room[:, : self._by_column.shape[1]] = self._by_column
            self._by_column = room
        bits = np.zeros((len(self._never), (words - whole) * _WORD), np.uint8)
        if rest:
            last = np.ascontiguousarray(self._by_column[:, whole : whole + 1]).view(np.uint8)
            bits[:, :_WORD] = np.unpackbits(last, axis=1, bitorder="little")
        bits[:, rest : rest + len(truth)] = truth.T
        packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
        self._by_column[:, whole:words] = packed

    def deny(self, rows: Bits, state: int) -> None:
        """Remember the sights of a state, by its number, that is to be denied."""
        self._undesired = np.concatenate([self._undesired, rows])
        self._of = np.concatenate([self._of, np.full(len(rows), state, np.intp)])

    def denied(self, columns: Columns) -> int:
        """Return how many of these states have a sight with all the columns."""
        met = np.ones(len(self._undesired), np.bool_)
        for column in columns:
            word, bit = divmod(column, _WORD)
            met &= (self._undesired[:, word] >> np.uint64(bit)) & np.uint64(1) == 1
        return len(np.unique(self._of[met]))

    def pairs(self, truth: NDArray[np.bool_]) -> Iterator[Columns]:
        """Yield which columns of sights were never seen, and which two of one never together."""
        # A product of matrices tells which columns have such a partner, so few are looked at.
        partners = truth.astype(np.float32) @ self._never
        for having in truth & (partners > 0):
            (facts,) = having.nonzero()
            one, other = np.nonzero(np.triu(self._never[np.ix_(facts, facts)]))
            for a, b in zip(facts[one].tolist(), facts[other].tolist(), strict=True):
                yield (a,) if a == b else (a, b)

    def apart(self, facts: NDArray[np.intp], most: int) -> list[Columns]:
        """Return sets of up to ``most`` of the columns that were never seen together, none of
        which can be left out, taken greedily. They may be none though there are some."""
        found: dict[Columns, None] = {}
        for attempt in range(_ATTEMPTS):
            noise = self._random.uniform(0.5, 1.5, len(facts)) if attempt else 1.0
            chosen = self._greedily(facts, self.table.prices[facts] * noise, most)
            if chosen is not None:
                found[chosen] = None
        return list(found)

    def _greedily(
        self, facts: NDArray[np.intp], price: NDArray[np.float64], most: int
    ) -> Columns | None:
        words = -(-self._count // _WORD)
        size = min(words, _NEAR)
        near = np.sort(self._random.choice(words, size, replace=False))
        for _ in range(_PASSES):
            chosen = _cover(self._by_column[np.ix_(facts, near)], price, most)
            if chosen is None:
                return None
            columns = tuple(sorted(int(facts[i]) for i in chosen))
            together = np.bitwise_and.reduce(self._by_column[list(columns), :words], axis=0)
            (met,) = together.nonzero()
            if not len(met):
                return columns
            near = np.union1d(near, met[:_MORE])
        return None


def _cover(words: Bits, price: NDArray[np.float64], most: int) -> Sequence[int] | None:
    """Return up to ``most`` rows of bits that have none in common; None where greed finds none."""
    left = np.full(words.shape[1], ~np.uint64(0))
    chosen: list[int] = []
    while left.any():
        if len(chosen) > most:
            return None
        shared = words & left
        score = (np.bitwise_count(shared).sum(axis=1) + 0.2) * price
        score[chosen] = np.inf
        chosen.append(int(score.argmin()))
        left = shared[chosen[-1]]
    for one in sorted(chosen, key=lambda i: -price[i]):
        rest = [other for other in chosen if other != one]
        if rest and not np.bitwise_and.reduce(words[rest], axis=0).any():
            chosen = rest
    return chosen if len(chosen) <= most else None
