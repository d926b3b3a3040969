"""The distinct states found so far: exact deduplication of whole blocks.

An open-addressing hash table over numpy arrays. A slot holds 32 bits of the state's hash and its
number; states whose hash bits agree are compared word by word, so no two states are ever taken
for one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.arrays import grown_with_spare
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Rows
from bmc.lang.errors import BmcError

if TYPE_CHECKING:
    from bmc.engines.native.table import NativePlacing

_NUMBER_BITS = np.uint64(32)
_NUMBER_MASK = np.uint64((1 << 32) - 1)
_MOVED = 1 << 16
"""States that are hashed or written anew in one go."""


class TableFull(BmcError):
    """The states found do not fit the memory that may be used."""


class StateTable:
    """Distinct states, each with its parent, numbered from 0, batch after batch.

    ``words`` is the number of 64-bit words of a state; ``max_bytes`` limits what the table may
    take, growth included.
    """

    def __init__(self, words: int, max_bytes: int | None = None) -> None:
        self._words = words
        self._max_bytes = max_bytes
        self._count = 0
        self._latest: list[NDArray[np.int64]] = []
        self._native: NativePlacing | None = None
        # States that there may be without asking for memory; the arrays can have room for more.
        self._capacity = 1 << 12
        self._rows: Rows = np.empty((self._capacity, words), np.uint64)
        self._parents = np.empty(self._capacity, np.uint32)
        self._slots = np.zeros(1 << 13, np.uint64)

    @staticmethod
    def of(rows: Rows, parents: NDArray[np.uint32] | None = None) -> StateTable:
        """Return a table of these states, all different, numbered in their order.

        ``parents`` gives what :meth:`add` would be given, None for initial states.
        """
        table = StateTable(rows.shape[1])
        table._reserve(len(rows))
        table._rows[: len(rows)] = rows
        if parents is None:
            parents = np.arange(len(rows), dtype=np.uint32)
        table._parents[: len(rows)] = parents
        table._count = len(rows)
        table._rehash()
        return table

    def __len__(self) -> int:
        return self._count

    @property
    def bytes(self) -> int:
        """What the states found, their parents and the slots take."""
        return 8 * len(self._slots) + self._count * (8 * self._words + 4)

    def latest(self) -> NDArray[np.int64]:
        """Return which rows of the last :meth:`add` were new states, in the states' order."""
        return np.concatenate([np.zeros(0, np.int64), *self._latest])

    def close(self) -> None:
        """Give back what only looking states up and adding more of them takes."""
        self._slots = np.zeros(0, np.uint64)

    def clear(self) -> None:
        """Give back all memory; the table is not to be used any more."""
        self.close()
        self._rows, self._parents = self._rows[:0].copy(), self._parents[:0].copy()
        self._count = self._capacity = 0

    def limit(self, max_bytes: int | None) -> None:
        """Change what the table may take from now on."""
        self._max_bytes = max_bytes

    def use_machine_code(self) -> None:
        """Enter states by machine code from now on. Raises NoMachineCode."""
        from bmc.engines.native.table import placing_for

        self._native = placing_for(self._words)

    def rows(self, start: int, stop: int) -> Rows:
        """States ``start .. stop-1``; a view that is valid until the next :meth:`add`."""
        return self._rows[start:stop]

    def parents(self, start: int, stop: int) -> NDArray[np.uint32]:
        """What :meth:`add` was given as the parents of states ``start .. stop-1``; a view."""
        return self._parents[start:stop]

    def path(self, number: int) -> list[int]:
        """The numbers of the states from an initial one to this one, along parents."""
        found = [number]
        while int(self._parents[found[-1]]) != found[-1]:
            found.append(int(self._parents[found[-1]]))
        return found[::-1]

    def add(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        hashes: NDArray[np.uint64] | None = None,
        chosen: NDArray[np.int64] | None = None,
    ) -> int:
        """Enter the states that are new, and return how many are; they are numbered last.

        ``parents`` gives by row the number of the state it was reached from, None for initial
        states. ``hashes`` are those of :func:`hashes_of` where they are known, and ``chosen`` are
        the places of the rows to look at, None for all. Raises TableFull, leaving the table as it
        was, when memory would not suffice.
        """
        before = self._count
        self._place(rows, parents, None, hashes, chosen)
        return self._count - before

    def entered(self, rows: Rows) -> NDArray[np.int64]:
        """Enter the states that are new, as initial ones, and return by row its state's number.

        Raises TableFull as :meth:`add` does.
        """
        found = np.empty(len(rows), np.int64)
        self._place(rows, None, found)
        return found

    def rewritten(self, words: int, rewrite: Callable[[int, int], Rows]) -> StateTable:
        """Return a table of the same numbers and parents in which states look different.

        ``rewrite(start, stop)`` gives states ``start .. stop-1`` as rows of ``words`` words;
        different states have to stay different. This table is not to be used any more: its
        slots are taken over, so that they never exist twice.
        """
        table = StateTable(words, self._max_bytes)
        table._capacity = self._capacity
        table._rows = np.empty((len(self._rows), words), np.uint64)
        for start in range(0, self._count, _MOVED):
            stop = min(start + _MOVED, self._count)
            table._rows[start:stop] = rewrite(start, stop)
        table._count, table._parents, table._slots = self._count, self._parents, self._slots
        if self._native is not None:
            table.use_machine_code()
        table._slots.fill(0)
        table._rehash()
        return table

    def _place(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        placed: NDArray[np.int64] | None,
        hashes: NDArray[np.uint64] | None = None,
        chosen: NDArray[np.int64] | None = None,
    ) -> None:
        """Enter what is new; ``placed`` is filled with the number of each row's state."""
        self._latest.clear()
        pending = np.arange(len(rows)) if chosen is None else chosen
        if not len(pending):
            return
        self._reserve(self._count + len(pending))
        if self._native is not None:
            table = self._slots, self._rows, self._parents, self._count
            new = self._native.place(rows, parents, placed, hashes, chosen, *table)
            self._latest.append(new)
            self._count += len(new)
            return
        if hashes is None:
            hashes = hashes_of(rows)
        tags = hashes << _NUMBER_BITS
        slots = self._home(hashes)
        while pending.size:
            at = slots[pending]
            entries = self._slots[at]
            free = entries == 0
            pending_free, at_free = pending[free], at[free]
            # All claim; who wrote a slot last has it, and the others meet that state next.
            claims = (pending_free + 1).astype(np.uint64)
            self._slots[at_free] = claims
            won = self._slots[at_free] == claims
            new = pending_free[won]
            if placed is not None:
                placed[new] = np.arange(self._count, self._count + len(new))
            self._latest.append(new)
            self._enter(rows, parents, tags, new, at_free[won])
            met = ~free
            others, numbers = pending[met], entries[met]
            alike = (numbers ^ tags[others]) <= _NUMBER_MASK
            candidates = others[alike]
            numbers = (numbers[alike] & _NUMBER_MASK) - np.uint64(1)
            known = self._equal(numbers, rows, candidates)
            if placed is not None:
                placed[candidates[known]] = numbers[known]
            moving = np.concatenate([others[~alike], candidates[~known]])
            slots[moving] = (slots[moving] + 1) & (len(self._slots) - 1)
            pending = np.concatenate([pending_free[~won], moving])

    def numbers(self, rows: Rows) -> NDArray[np.int64]:
        """Return by row the number of its state. Raises KeyError where one was never added."""
        hashes = hashes_of(rows)
        tags = hashes << _NUMBER_BITS
        slots = self._home(hashes)
        found = np.empty(len(rows), np.int64)
        pending = np.arange(len(rows))
        while pending.size:
            entries = self._slots[slots[pending]]
            if not entries.all():
                raise KeyError("a state that is not in the table")
            alike = (entries ^ tags[pending]) <= _NUMBER_MASK
            candidates = pending[alike]
            numbers = (entries[alike] & _NUMBER_MASK) - np.uint64(1)
            known = self._equal(numbers, rows, candidates)
            found[candidates[known]] = numbers[known]
            pending = np.concatenate([pending[~alike], candidates[~known]])
            slots[pending] = (slots[pending] + 1) & (len(self._slots) - 1)
        return found

    def _enter(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        tags: NDArray[np.uint64],
        new: NDArray[np.int64],
        at: NDArray[np.int64],
    ) -> None:
        start, stop = self._count, self._count + len(new)
        numbers = np.arange(start, stop, dtype=np.uint64)
        self._slots[at] = tags[new] | (numbers + np.uint64(1))
        self._rows[start:stop] = rows[new]
        self._parents[start:stop] = numbers if parents is None else parents[new]
        self._count = stop

    def _equal(
        self, numbers: NDArray[np.uint64], rows: Rows, candidates: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        same = self._rows[numbers] == rows[candidates]
        result: NDArray[np.bool_] = same[:, 0]
        for word in range(1, self._words):
            result = result & same[:, word]
        return result

    def _home(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        bits = len(self._slots).bit_length() - 1
        return (hashes >> np.uint64(64 - bits)).astype(np.int64)

    def _reserve(self, count: int) -> None:
        if count > _NUMBER_MASK:
            raise TableFull("more than 2**32 states: choose smaller parameters")
        capacity, slots = self._capacity, len(self._slots)
        while capacity < count:
            capacity *= 2
        # Machine code probes quickly where more of the slots are taken.
        while slots < (2 * count if self._native is None else 3 * count // 2):
            slots *= 2
        if capacity == self._capacity and slots == len(self._slots):
            return
        if self._max_bytes is not None and self._bytes(capacity, slots) > self._max_bytes:
            # Not twice as much, then, but what there is room for.
            capacity = max(count, capacity * 5 // 8)
        self._require_memory(capacity, slots)
        if capacity > len(self._rows):
            self._rows = grown_with_spare(self._rows, capacity, self._count)
        if capacity > len(self._parents):
            self._parents = grown_with_spare(self._parents, capacity, self._count)
        self._capacity = capacity
        if slots > len(self._slots):
            self._slots = np.zeros(slots, np.uint64)
            self._rehash()

    def _require_memory(self, capacity: int, slots: int) -> None:
        needed = self._bytes(capacity, slots)
        if self._max_bytes is not None and needed > self._max_bytes:
            raise TableFull(
                f"room for {capacity:,} states takes {needed / 2**20:,.0f} MB, more than the "
                f"{self._max_bytes / 2**20:,.0f} MB that may be used "
                "(`bmc explore --spill DIR` keeps states on disk)"
            )

    def _bytes(self, capacity: int, slots: int) -> int:
        # While it is copied, what there is already exists twice.
        old = self._count if capacity > len(self._rows) else 0
        old_slots = len(self._slots) if slots > len(self._slots) else 0
        return 8 * (slots + old_slots) + (capacity + old) * (8 * self._words + 4)

    def _rehash(self) -> None:
        if self._native is not None:
            self._native.fill(self._slots, self._rows[: self._count])
            return
        for start in range(0, self._count, _MOVED):
            stop = min(start + _MOVED, self._count)
            numbers = np.arange(start, stop, dtype=np.uint64)
            hashes = hashes_of(self._rows[start:stop])
            entries = (hashes << _NUMBER_BITS) | (numbers + np.uint64(1))
            at = self._home(hashes)
            while at.size:
                free = self._slots[at] == 0
                self._slots[at[free]] = entries[free]
                left = self._slots[at] != entries
                entries, at = entries[left], (at[left] + 1) & (len(self._slots) - 1)
