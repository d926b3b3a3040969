"""The successors found in a level, each once, before it is known which of them are new.

They are kept in memory until there is no more room; then they go to disk as a run, sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows
from bmc.engines.packed.table import StateTable, TableFull
from bmc.engines.spill.files import PARTIAL
from bmc.engines.spill.keys import Keys
from bmc.engines.spill.sorted_states import SortedStates, SortedWriter

_READ = 1 << 16
"""Known states that are read in one go."""


class Candidates:
    """The successors of one level; ``max_bytes`` is what they may take in memory."""

    def __init__(self, folder: Path, keys: Keys, max_bytes: int) -> None:
        self._folder = folder
        self._keys = keys
        self._max_bytes = max_bytes
        self._runs: list[SortedStates] = []
        self._files: list[Path] = []
        self._begin()

    def add(self, keys: Rows, parents: NDArray[np.uint32]) -> None:
        """Enter keys in the present layout, and the places of the states they were reached from."""
        before, layout = self._layout, self._keys.layout
        moved = before is not None and layout is not None and before.bits != layout.bits
        if moved or (len(self._table) and self._table.bytes > self._max_bytes):
            self._flush()
        try:
            self._table.add(keys, parents)
        except TableFull:
            # A block's successors have to have room in any case.
            if len(self._table):
                self._flush()
            self._table.limit(None)
            self._table.add(keys, parents)

    def new(
        self, known: Sequence[SortedStates]
    ) -> Iterator[tuple[Rows, NDArray[np.uint32], NDArray[np.uint64]]]:
        """Yield the keys that no level has, their parents and their hashes, by ascending hash."""
        if self._runs:
            self._flush()
        bits = self._bits()
        for part in range(1 << bits):
            keys, parents, hashes = self._part(part, bits)
            fresh = np.ones(len(keys), np.bool_)
            for level in known if len(keys) else ():
                self._strike(fresh, keys, hashes, level, level.range(part, bits))
            yield keys[fresh], parents[fresh], hashes[fresh]

    def remove(self) -> None:
        """Remove the runs from the disk."""
        for file in self._files:
            file.unlink(missing_ok=True)

    def _begin(self) -> None:
        self._layout = self._keys.layout
        self._table = StateTable(self._keys.key_words, self._max_bytes)

    def _flush(self) -> None:
        """Write what is in memory as a run."""
        count = len(self._table)
        if count:
            keys = self._keys.current(self._table.rows(0, count), self._layout)
            parents = self._table.parents(0, count)
            hashes = self._keys.hashes(keys)
            order = np.argsort(hashes)
            # Its own names, so that nobody takes it for a level.
            names = [self._folder / f"run-{len(self._runs)}.{kind}" for kind in ("s", "p")]
            writer = SortedWriter(names[0], names[1], keys.shape[1], self._keys.layout)
            for start in range(0, count, _READ):
                chosen = order[start : start + _READ]
                writer.append(keys[chosen], parents[chosen], hashes[chosen])
            writer.close()
            self._runs.append(writer.written)
            self._files += [name.with_name(name.name + PARTIAL) for name in names]
        self._begin()

    def _bits(self) -> int:
        """Return by how many bits of the hash the runs are split, so that a part fits."""
        total = sum(run.count * (8 * run.words + 4) for run in self._runs)
        # A part is held several times: as it is read, sorted, and in a table.
        return max(0, min(12, (8 * total // max(1, self._max_bytes)).bit_length()))

    def _part(self, part: int, bits: int) -> tuple[Rows, NDArray[np.uint32], NDArray[np.uint64]]:
        """Return the candidates whose hashes begin with the bits of ``part``, each once, sorted.

        They are keys, the places of their parents, and their hashes.
        """
        if not self._runs:
            count = len(self._table)
            keys = self._keys.current(self._table.rows(0, count), self._layout)
            hashes = self._keys.hashes(keys)
            order = np.argsort(hashes)
            return keys[order], self._table.parents(0, count)[order], hashes[order]
        found, parents, hashed = [], [], []
        for run in self._runs:
            start, stop = run.range(part, bits)
            keys = self._keys.current(run.keys(start, stop), run.layout)
            hashes = self._keys.hashes(keys)
            inside = _begins(hashes, part, bits)
            found.append(keys[inside])
            hashed.append(hashes[inside])
            parents.append(run.parents(start, stop)[inside])
        keys, hashes = np.concatenate(found), np.concatenate(hashed)
        chosen = _once(keys, hashes)
        return keys[chosen], np.concatenate(parents)[chosen], hashes[chosen]

    def _strike(
        self,
        fresh: NDArray[np.bool_],
        keys: Rows,
        hashes: NDArray[np.uint64],
        level: SortedStates,
        where: tuple[int, int],
    ) -> None:
        """Mark as not fresh what lies in a range of a level."""
        for start in range(*where, _READ):
            old = level.keys(start, min(start + _READ, where[1]))
            old = self._keys.current(old, level.layout)
            old_hashes = self._keys.hashes(old)
            # Both are sorted: what is outside the other's range need not be looked at.
            low, high = np.searchsorted(hashes, old_hashes[[0, -1]], "left")
            high += np.searchsorted(hashes[high:], old_hashes[-1], "right")
            if high - low <= len(old):
                asked, _ = _matches(keys[low:high], hashes[low:high], old, old_hashes)
            else:
                _, asked = _matches(old, old_hashes, keys[low:high], hashes[low:high])
            fresh[low + asked] = False


def _once(keys: Rows, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return where each key stands first, by ascending hash."""
    # No table of states: keys of one range of hashes would all be looked for in a few of its slots.
    order = np.argsort(hashes, kind="stable")
    alike = hashes[order[1:]] == hashes[order[:-1]]
    equal = np.zeros(len(order), np.bool_)
    equal[1:] = alike & (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    if (alike & ~equal[1:]).any():
        # Different keys of one hash: equal ones need not be neighbours.
        order = np.lexsort((*keys.T, hashes))
        equal[1:] = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    found: NDArray[np.int64] = order[~equal]
    return found


def _begins(hashes: NDArray[np.uint64], part: int, bits: int) -> NDArray[np.bool_]:
    if not bits:
        return np.ones(len(hashes), np.bool_)
    found: NDArray[np.bool_] = (hashes >> np.uint64(64 - bits)) == np.uint64(part)
    return found


def _matches(
    keys: Rows, hashes: NDArray[np.uint64], others: Rows, other_hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of the keys that are among the others, and where they are there.

    The others are sorted by their hashes; equal hashes are no equal keys.
    """
    pending = np.arange(len(keys))
    at = np.searchsorted(other_hashes, hashes)
    found: list[NDArray[np.int64]] = [pending[:0]]
    places: list[NDArray[np.int64]] = [pending[:0]]
    while True:
        inside = at < len(others)
        pending, at = pending[inside], at[inside]
        alike = other_hashes[at] == hashes[pending]
        pending, at = pending[alike], at[alike]
        if not len(pending):
            return np.concatenate(found), np.concatenate(places)
        equal = (others[at] == keys[pending]).all(axis=1)
        found.append(pending[equal])
        places.append(at[equal])
        pending, at = pending[~equal], at[~equal] + 1
