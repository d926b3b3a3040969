"""Shared memory in which processes give each other successors, with their parents."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows

ROOM = 1 << 25
"""Bytes that one process can send another in a turn; the rest waits for the next one."""


class Exchange:
    """A buffer from each of the processes to each other one, twice: one is read while the other
    is written.

    Make it before the processes are forked. Memory is only taken where something was written.
    """

    def __init__(self, processes: int, words: int, room: int | None = None) -> None:
        self._capacity = max(1, (room or ROOM) // (8 * words + 4))
        self._buffers: dict[tuple[int, int, int], tuple[Rows, NDArray[np.uint32]]] = {}
        for sender in range(processes):
            for receiver in range(processes):
                for turn in (0, 1) if sender != receiver else ():
                    self._buffers[sender, receiver, turn] = self._buffer(words)

    def _buffer(self, words: int) -> tuple[Rows, NDArray[np.uint32]]:
        count = self._capacity * words
        whole = mmap.mmap(-1, 8 * count + 4 * self._capacity)
        rows = np.frombuffer(whole, np.uint64, count).reshape(-1, words)
        return rows, np.frombuffer(whole, np.uint32, self._capacity, 8 * count)

    def room(self, sender: int, receiver: int, turn: int) -> tuple[Rows, NDArray[np.uint32]]:
        """Return where to write rows and parents in a turn."""
        return self._buffers[sender, receiver, turn % 2]

    def received(
        self, sender: int, receiver: int, turn: int, count: int
    ) -> tuple[Rows, NDArray[np.uint32]]:
        """Return what was sent in a turn; valid until the turn after the next one."""
        rows, parents = self._buffers[sender, receiver, turn % 2]
        return rows[:count], parents[:count]
