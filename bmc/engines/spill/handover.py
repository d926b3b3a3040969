"""States that were found in memory, written as the levels of a search that goes on on disk.

A level is written a range of hashes at a time, so that beside the states only their hashes and
their places have to fit in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.collapse import Collapse
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.store import StateStore
from bmc.engines.spill.keys import Keys
from bmc.engines.spill.sorted_states import SortedWriter

_READ = 1 << 16
_AT_ONCE = 1 << 20
"""States of a level that are sorted and written in one go, more or less."""


class LevelsInMemory(Protocol):
    """The complete levels of a search, as tuples of ``collapse``, or whole states if it is None."""

    @property
    def collapse(self) -> Collapse | None:
        """Return how the states are kept as tuples."""

    @property
    def levels(self) -> int:
        """Return how many levels there are."""

    def size(self, level: int) -> int:
        """Return how many states a level has."""

    def keys(self, level: int, chosen: NDArray[np.int64]) -> Rows:
        """Return the keys of states of a level, given by their places in it."""

    def parents(self, level: int, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where in the level before the states' parents are."""


class StoredLevels:
    """The levels of a store, which is closed; ``ends`` says where in it each of them ends."""

    def __init__(self, store: StateStore, ends: Sequence[int]) -> None:
        self._collapse = store.collapse
        self._table = store.close()
        self._bounds = [0, *ends]

    @property
    def collapse(self) -> Collapse | None:
        """Return how the states are kept as tuples; None where they are whole."""
        return self._collapse

    @property
    def levels(self) -> int:
        """Return how many levels there are."""
        return len(self._bounds) - 1

    def size(self, level: int) -> int:
        """Return how many states a level has."""
        return self._bounds[level + 1] - self._bounds[level]

    def keys(self, level: int, chosen: NDArray[np.int64]) -> Rows:
        """Return the keys of states of a level, given by their places in it."""
        found: Rows = self._table.rows(self._bounds[level], self._bounds[level + 1])[chosen]
        return found

    def parents(self, level: int, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where in the level before the states' parents are."""
        parents = self._table.parents(self._bounds[level], self._bounds[level + 1])[chosen]
        return parents.astype(np.int64) - self._bounds[max(0, level - 1)]


class Handover:
    """Writes levels one after the other, each sorted by its hashes."""

    def __init__(self, source: LevelsInMemory, keys: Keys) -> None:
        self._source = source
        self._keys = keys
        self._moved = np.zeros(0, np.uint32)
        """Where the states of the level before are now, by where they were."""

    def write(self, level: int, writer: SortedWriter) -> None:
        """Write a level; those before it have been written."""
        source, size = self._source, self._source.size(level)
        hashes = np.empty(size, np.uint64)
        for start in range(0, size, _READ):
            some = np.arange(start, min(start + _READ, size))
            hashes[some] = self._keys.hashes(source.keys(level, some))
        moved = np.empty(size, np.uint32)
        written = 0
        for chosen in _ranges(hashes):
            for start in range(0, len(chosen), _READ):
                some = chosen[start : start + _READ]
                parents = np.zeros(len(some), np.uint32)
                if level:
                    parents = self._moved[source.parents(level, some)]
                writer.append(source.keys(level, some), parents, hashes[some])
            moved[chosen] = np.arange(written, written + len(chosen), dtype=np.uint32)
            written += len(chosen)
        self._moved = moved


def _ranges(hashes: NDArray[np.uint64]) -> Iterator[NDArray[np.int64]]:
    """Yield the places of the hashes in ascending order, a range of hashes at a time."""
    bits = max(0, (len(hashes) // _AT_ONCE).bit_length())
    for part in range(1 << bits):
        chosen = np.arange(len(hashes))
        if bits:
            chosen = np.flatnonzero(hashes >> np.uint64(64 - bits) == np.uint64(part))
        yield chosen[np.argsort(hashes[chosen], kind="stable")]
