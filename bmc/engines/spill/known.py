"""The states that one task of a shared search knows, on its disk, and what it finds in a level.

They are there for as long as the task is: what lasts, and says which state was reached from which,
is written elsewhere. So a level is one sorted file, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.collapse import Collapse
from bmc.engines.packed.components import cut
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.store import SAMPLE, WIDE
from bmc.engines.spill.candidates import Candidates
from bmc.engines.spill.keys import Keys
from bmc.engines.spill.sorted_states import SortedStates, SortedWriter

_BLOCK = 1 << 14
_MOST = 1 << 32
_NO_PARENTS = np.zeros(0, np.uint32)


def keys_for(sample: Rows) -> Keys:
    """Return how states are written that look like these: wide ones as tuples of components."""
    words = sample.shape[1]
    if words < WIDE or len(sample) < SAMPLE:
        return Keys(words, None)
    return Keys(words, Collapse(words, cut(sample), None))


class KnownOnDisk:
    """States in a folder; ``max_bytes`` is what the successors of a level may take in memory.

    A state has a number in its level, by the order in which :meth:`end_level` yields them.
    """

    def __init__(self, folder: Path, keys: Keys, max_bytes: int) -> None:
        self._folder, self._keys, self._max_bytes = folder, keys, max_bytes
        self._levels: list[SortedStates] = []
        self._candidates = Candidates(folder, keys, max_bytes)

    def add(self, rows: Rows, parents: NDArray[np.uint32]) -> None:
        """Take successors in, each with what is to be told of the state it was reached from."""
        for start in range(0, len(rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            self._candidates.add(self._keys.of(rows[block]), parents[block])

    def end_level(self) -> Iterator[tuple[Rows, NDArray[np.uint32]]]:
        """Find out what is new, and yield it with what was told of the parents.

        Raises TableFull where a level has too many states to be numbered.
        """
        name = str(len(self._levels))
        paths = self._folder / f"{name}.states", self._folder / f"{name}.parents"
        writer = SortedWriter(*paths, self._keys.key_words, self._keys.layout)
        for keys, parents, hashes in self._candidates.new(self._levels):
            for start in range(0, len(keys), _BLOCK):
                block = slice(start, start + _BLOCK)
                writer.append(keys[block], _NO_PARENTS, hashes[block])
                yield self._keys.states(keys[block]), parents[block]
        writer.close()
        self._candidates.remove()
        self._levels.append(writer.written)
        self._candidates = Candidates(self._folder, self._keys, self._max_bytes)

    def last_level(self, at_once: int) -> Iterator[Rows]:
        """Yield the states that the last level added, in the order of their numbers."""
        level = self._levels[-1]
        for start in range(0, level.count, at_once):
            keys = level.keys(start, min(start + at_once, level.count))
            yield self._keys.states(self._keys.current(keys, level.layout))
