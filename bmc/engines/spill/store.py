"""The states of an exploration that goes on on disk, as the search sees them.

States are numbered level by level, in each level by their hashes. Successors are only gathered;
which of them are new is known when the level ends. Wide states stay in memory until there are
enough of them to see where to cut them into components; from then on tuples are written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed import store as in_memory
from bmc.engines.packed.collapse import collapse_of
from bmc.engines.packed.components import cut
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.table import TableFull
from bmc.engines.spill.candidates import Candidates
from bmc.engines.spill.files import NOT_BEGUN, claim, settle, working_in
from bmc.engines.spill.handover import Handover, LevelsInMemory, StoredLevels
from bmc.engines.spill.keys import Keys
from bmc.engines.spill.levels import Levels, SearchedSoFar
from bmc.engines.spill.sorted_states import SortedStates, SortedWriter
from bmc.engines.task import OptionError
from bmc.running.files import make_folder

_BLOCK = 1 << 14
_MOST = (1 << 32) - 1
_SAMPLE = 1 << 16


class SpillStore:
    """The states of one search, in a folder of their own below ``place``.

    ``identity`` is equal for equal searches, and ``resume`` goes on with the one that is there;
    ``max_bytes`` is what successors may take in memory. ``left`` says that ``place`` is a temporary
    folder, whose disk has to have so many bytes left. Raises OptionError where such a search is
    in the folder and is not to be resumed, FolderInUse, DamagedSpill, SpillFailed.
    """

    def __init__(
        self,
        place: Path,
        resume: bool,
        identity: str,
        words: int,
        written: NDArray[np.bool_],
        max_bytes: int,
        left: int | None = None,
    ) -> None:
        self._folder = folder = place / identity
        self._left = left
        self._words, self._written, self._max_bytes = words, written, max_bytes
        with working_in(place, left, NOT_BEGUN if left is None else None):
            make_folder(folder)
            settle(place)
        with working_in(place, left):
            self._lock = claim(folder)
            try:
                self._levels, self._keys = self._opened(place, resume)
            except BaseException:
                os.close(self._lock)
                raise
        self._ends = [0]
        for level in self._levels.states:
            self._ends.append(self._ends[-1] + level.count)
        self._memory: StateStore | None = None
        self._in_memory: list[SearchedSoFar] = []
        if words >= in_memory.WIDE and not self._levels.states:
            self._memory = StateStore(words, None, written)
        self._block = 0, np.zeros((0, words), np.uint64), self._keys.layout
        self._writer: SortedWriter | None = None
        self._candidates = Candidates(folder, self._keys, max_bytes)

    def __len__(self) -> int:
        if self._memory is not None:
            return len(self._memory)
        return self._ends[-1] + (0 if self._writer is None else self._writer.written.count)

    @property
    def searched(self) -> SearchedSoFar | None:
        """What the search knew at the end of the last complete level, None if there is none."""
        return self._levels.searched

    @property
    def last_level(self) -> int:
        """The number of the first state of the last complete level."""
        return self._ends[-2]

    def _opened(self, place: Path, resume: bool) -> tuple[Levels, Keys]:
        """Return the levels of the folder, and how their states are written."""
        levels = Levels(self._folder, self._folder.name, self._words)
        if not resume and any(self._folder.glob("*.json")):
            raise OptionError(
                f"{place} holds this search: --resume goes on with it; to begin anew, "
                f"remove {self._folder}"
            )
        levels.read()
        keys = Keys(self._words, levels.collapse(self._written))
        levels.index(keys)
        return levels, keys

    def limit(self, max_bytes: int) -> None:
        """Change what the successors of the next level may take in memory."""
        self._max_bytes = max_bytes
        self._candidates = Candidates(self._folder, self._keys, max_bytes)

    def _working(self) -> AbstractContextManager[None]:
        return working_in(self._folder, self._left)

    def close(self) -> None:
        """Let other searches use the folder."""
        if self._writer is not None:
            self._writer.close()
        os.close(self._lock)

    def rows(self, start: int, stop: int) -> Rows:
        """Return states ``start .. stop-1``, which are of one level."""
        if self._memory is not None:
            return self._memory.rows(start, stop)
        with self._working():
            return self._keys.states(self._read(start, stop))

    def block(self, start: int, stop: int) -> Rows:
        """Return the same, of states whose successors are added next."""
        if self._memory is not None:
            return self._memory.rows(start, stop)
        with self._working():
            keys = self._read(start, stop)
        self._block = start, keys, self._keys.layout
        return self._keys.states(keys)

    def path(self, number: int) -> list[int]:
        """Return the numbers of the states from an initial one to this one, along parents."""
        if self._memory is not None:
            return self._memory.path(number)
        found = [number]
        level = self._level(number)
        with self._working():
            while level:
                place = found[-1] - self._ends[level]
                parent = int(self._states(level).parents(place, place + 1)[0])
                level -= 1
                found.append(self._ends[level] + parent)
        return found[::-1]

    def add(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        rules: NDArray[np.uint32] | None = None,
    ) -> Rows:
        """Take successors in, and return those that are known to be new already.

        ``parents`` gives by row the number of the state it was reached from, which is of the last
        block, and ``rules`` the rule, None where the step was followed by a renaming.
        """
        if self._memory is not None:
            return self._memory.add(rows, parents, rules)
        with self._working():
            start = self._ends[-2] if len(self._ends) > 1 else 0
            places = np.zeros(len(rows), np.uint32)
            if parents is not None:
                places = parents - np.uint32(start)
            self._candidates.add(self._keys_of(rows, parents, rules), places)
        return rows[:0]

    def end_level(self) -> Iterator[Rows]:
        """Find out what is new, and yield it; the states are numbered as they are yielded."""
        if self._memory is not None:
            return
        with self._working():
            writer = self._writer = self._levels.writer(self._keys)
            for keys, parents, hashes in self._candidates.new(self._levels.states):
                for start in range(0, len(keys), _BLOCK):
                    chosen = slice(start, start + _BLOCK)
                    if len(self) + len(keys) > _MOST:
                        raise TableFull("more than 2**32 states: choose smaller parameters")
                    writer.append(keys[chosen], parents[chosen], hashes[chosen])
                    yield self._keys.states(keys[chosen])

    def keep_level(self, searched: SearchedSoFar) -> None:
        """Make the level durable, and what the search knows at its end."""
        if self._memory is not None:
            ended = self._ends[-1] == len(self._memory)
            self._ends.append(len(self._memory))
            self._in_memory.append(searched)
            if ended or len(self._memory) >= in_memory.SAMPLE:
                with self._working():
                    self._leave_memory(self._memory)
            return
        assert self._writer is not None
        with self._working():
            self._candidates.remove()
            level = self._levels.keep(self._writer, self._keys, searched)
        self._writer = None
        self._ends.append(self._ends[-1] + level.count)
        self._candidates = Candidates(self._folder, self._keys, self._max_bytes)

    def _leave_memory(self, memory: StateStore) -> None:
        """Write the levels up to now, with their states collapsed."""

        def blocks(step: int = 1) -> Iterator[Rows]:
            for start in range(0, len(memory), _BLOCK * step):
                yield memory.rows(start, min(start + _BLOCK * step, len(memory)))[::step]

        cuts = cut(np.concatenate(list(blocks(max(1, len(memory) // _SAMPLE)))))
        memory.collapse_by(collapse_of(self._words, cuts, self._written, blocks))
        self._take_over(StoredLevels(memory, self._ends[1:]), self._in_memory)
        self._memory = None

    def take_over(self, found: LevelsInMemory, searched: SearchedSoFar) -> None:
        """Begin with the levels that a search in memory has completed."""
        self._ends = [0]
        for level in range(found.levels):
            self._ends.append(self._ends[-1] + found.size(level))
        # What was known at the end of each level is only known of the last.
        unknown = [SearchedSoFar()] * (found.levels - 1)
        with self._working():
            self._take_over(found, [*unknown, searched])
        self._memory = None

    def _take_over(self, found: LevelsInMemory, searched: Sequence[SearchedSoFar]) -> None:
        self._keys = Keys(self._words, found.collapse)
        handover = Handover(found, self._keys)
        for level, known in enumerate(searched):
            writer = self._levels.writer(self._keys)
            handover.write(level, writer)
            self._levels.keep(writer, self._keys, known)
        self._candidates = Candidates(self._folder, self._keys, self._max_bytes)

    def _keys_of(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        rules: NDArray[np.uint32] | None,
    ) -> Rows:
        collapse = self._keys.collapse
        if collapse is None or rules is None or parents is None:
            return self._keys.of(rows)
        found = collapse.found(rows, rules)
        collapse.lay_out()
        start, block, layout = self._block
        keys: Rows = self._keys.current(block, layout)[parents - np.uint32(start)]
        collapse.put(keys, found)
        return keys

    def _read(self, start: int, stop: int) -> Rows:
        """Return keys of one level in the present layout."""
        level = self._level(start)
        states, first = self._states(level), self._ends[level]
        return self._keys.current(states.keys(start - first, stop - first), states.layout)

    def _level(self, number: int) -> int:
        return int(np.searchsorted(self._ends, number, "right")) - 1

    def _states(self, level: int) -> SortedStates:
        if level < len(self._levels.states):
            return self._levels.states[level]
        assert self._writer is not None
        return self._writer.written
