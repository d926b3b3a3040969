"""States on disk in the order of their hashes, read a range of hashes at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows
from bmc.engines.packed.tuples import TupleLayout
from bmc.engines.spill.files import WordFile, read_array

_MOST_BITS = 12
_A_BUCKET = 1 << 10
"""States for which it is worth to know where their hashes begin."""


class SortedStates:
    """``count`` keys of so many words in a file, with their parents' places in another one.

    ``layout`` is that of the keys, None where states are whole. What lies where is known by the
    first bits of the hashes, told with :meth:`count_hashes` in the order of the file.
    """

    def __init__(self, states: Path, parents: Path, words: int, layout: TupleLayout | None) -> None:
        self._states, self._parents = states, parents
        self.words = words
        self.layout = layout
        self.count = 0
        self._per_bucket = np.zeros(1 << _MOST_BITS, np.int64)
        self._offsets: NDArray[np.int64] | None = None

    def count_hashes(self, hashes: NDArray[np.uint64]) -> None:
        """Take note of the next states, given by their hashes."""
        buckets = (hashes >> np.uint64(64 - _MOST_BITS)).astype(np.int64)
        self._per_bucket += np.bincount(buckets, minlength=1 << _MOST_BITS)
        self.count += len(hashes)

    def keys(self, start: int, stop: int) -> Rows:
        """Return keys ``start .. stop-1``, in the layout of the file."""
        found = read_array(self._states, np.uint64, start * self.words, (stop - start) * self.words)
        return found.reshape(-1, self.words)

    def parents(self, start: int, stop: int) -> NDArray[np.uint32]:
        """Return the places of their parents, in the level before."""
        return read_array(self._parents, np.uint32, start, stop - start)

    def range(self, part: int, bits: int) -> tuple[int, int]:
        """Return which states may have a hash that begins with the ``bits`` bits of ``part``.

        Where few states are known, some others may be among them.
        """
        offsets = self._known_offsets()
        known = (len(offsets) - 1).bit_length() - 1
        if bits >= known:
            first = part >> (bits - known)
            return int(offsets[first]), int(offsets[first + 1])
        first, after = part << (known - bits), (part + 1) << (known - bits)
        return int(offsets[first]), int(offsets[after])

    def renamed(self, states: Path, parents: Path) -> None:
        """Read from other files from now on, which have the same content."""
        self._states, self._parents = states, parents

    def _known_offsets(self) -> NDArray[np.int64]:
        if self._offsets is None:
            bits = min(_MOST_BITS, (self.count // _A_BUCKET).bit_length())
            counts = self._per_bucket.reshape(1 << bits, -1).sum(axis=1)
            self._offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
            # It is a small file's largest part.
            self._per_bucket = np.zeros(0, np.int64)
        return self._offsets


class SortedWriter:
    """Writes states in the order of their hashes; they can be read as soon as they are written."""

    def __init__(self, states: Path, parents: Path, words: int, layout: TupleLayout | None) -> None:
        self.states = WordFile(states)
        self.parents = WordFile(parents)
        self.written = SortedStates(self.states.partial, self.parents.partial, words, layout)

    def append(self, keys: Rows, parents: NDArray[np.uint32], hashes: NDArray[np.uint64]) -> None:
        """Write the next states, whose hashes are no less than those before."""
        self.states.append(keys)
        self.parents.append(parents)
        self.written.count_hashes(hashes)

    def complete(self) -> SortedStates:
        """Give the files their names, once their content is on disk."""
        self.states.complete()
        self.parents.complete()
        self.written.renamed(self.states.path, self.parents.path)
        return self.written

    def close(self) -> None:
        """Write no more; the files keep their partial names."""
        self.states.close()
        self.parents.close()
