"""The states that belong to one task of a shared search: in memory while they fit, then on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows
from bmc.engines.packed.store import SAMPLE
from bmc.engines.packed.table import StateTable, TableFull
from bmc.engines.spill.files import LEFT, working_in
from bmc.engines.spill.known import KnownOnDisk, keys_for
from bmc.running.memory import MEGABYTE, available_bytes, give_back, resident_bytes

_LEAST = 1 << 20
_BLOCK = 1 << 16
_KEPT = (
    "The levels that are complete are in the shared folder: make room there, or name another disk "
    "with --spill DIR, and give the same command again"
)


@dataclass(frozen=True)
class Room:
    """The bytes that a task's ``states``, the ``successors`` of a level on disk, and what it has to
    ``send`` may take in memory."""

    states: int
    successors: int
    send: int

    @staticmethod
    def of(memory: int | None, tasks: int, words: int, on_disk: bool) -> Room:
        """Return the room of one of so many tasks on a machine, which may hold so many megabytes.

        ``on_disk`` leaves room for no more states than show how those of so many words are written.
        """
        free = available_bytes() // tasks
        if memory is not None:
            free = min(free, memory * MEGABYTE - resident_bytes())
        free = max(free, _LEAST)
        few = 4 * SAMPLE * (8 * words + 20)
        return Room(min(free // 2, few) if on_disk else free // 2, free // 5, free // 10)


class OwnStates:
    """States of ``words`` words, level by level; ``folder`` makes the one that is used on disk.

    Raises SpillFailed where that folder cannot be used.
    """

    def __init__(self, words: int, room: Room, folder: Callable[[], Path]) -> None:
        self._room, self._make_folder = room, folder
        self._table = StateTable(words, room.states)
        self._begin = self._end = 0
        self._disk: KnownOnDisk | None = None
        self._folder = Path()
        self._expanding = False
        self._expanded: Rows | None = None

    @property
    def on_disk(self) -> bool:
        """Whether the states are on disk."""
        return self._disk is not None

    def use_machine_code(self) -> None:
        """Enter states in memory by machine code from now on. Raises NoMachineCode."""
        if self._disk is None:
            self._table.use_machine_code()

    def add(self, rows: Rows, parents: NDArray[np.uint32]) -> None:
        """Take in successors of the last level, with what is to be told of their parents.

        Several levels may be added as one that are known already.
        """
        if self._disk is None:
            try:
                self._table.add(rows, parents)
                return
            except TableFull:
                self._disk = self._leave_memory(rows)
        with self._working():
            self._disk.add(rows, parents)

    def end_level(self) -> Iterator[tuple[Rows, NDArray[np.uint32]]]:
        """Yield what the level has added, in the order of the states' numbers."""
        self._expanding, self._expanded = False, None
        if self._disk is not None:
            with self._working():
                yield from self._disk.end_level()
            return
        self._begin, self._end = self._end, len(self._table)
        for start in range(self._begin, self._end, _BLOCK):
            stop = min(start + _BLOCK, self._end)
            yield self._table.rows(start, stop), self._table.parents(start, stop)

    def last_level(self, at_once: int) -> Iterator[Rows]:
        """Yield the states of the last level in their order; successors may be added meanwhile."""
        if self._disk is not None:
            with self._working():
                yield from self._disk.last_level(at_once)
            return
        self._expanding = True
        for start in range(self._begin, self._end, at_once):
            stop = min(start + at_once, self._end)
            if self._expanded is None:
                yield self._table.rows(start, stop)
            else:
                yield self._expanded[start - self._begin : stop - self._begin]

    def _leave_memory(self, more: Rows) -> KnownOnDisk:
        table, count = self._table, len(self._table)
        self._folder = self._make_folder()
        with self._working():
            sample = table.rows(0, count)[:: max(1, count // (2 * SAMPLE))]
            keys = keys_for(np.concatenate([sample, more[:SAMPLE]]))
            disk = KnownOnDisk(self._folder, keys, self._room.successors)
            disk.add(table.rows(0, self._end), table.parents(0, self._end))
            for _ in disk.end_level():
                continue
            disk.add(table.rows(self._end, count), table.parents(self._end, count))
        if self._expanding:
            # On disk the states of a level have another order.
            self._expanded = table.rows(self._begin, self._end).copy()
        table.clear()
        give_back()
        return disk

    def _working(self) -> AbstractContextManager[None]:
        return working_in(self._folder, LEFT, what_is_kept())


def what_is_kept() -> str:
    """Return what to say where a task's disk fails."""
    return f"{_KEPT} (this was on {gethostname()})"
