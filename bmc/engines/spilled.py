"""Exploration on disk: the same search, with its states in files, which goes on after a kill.

It differs from the search in memory in three things: what a level adds is known when the level
ends, so limits on states and violations are looked at then; a complete level is durable; and the
successors found last are all that has to fit in memory, beside the values of components.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bmc.engines.explicit import ExplicitSearch, run_to_end
from bmc.engines.exploration import Exploration
from bmc.engines.pace import ExplorationLimits, Pace
from bmc.engines.packed.kept import KeptStates
from bmc.engines.packed.packing import Rows
from bmc.engines.task import SILENT, Observer, Task
from bmc.evidence.trace import Trace
from bmc.evidence.wording import count
from bmc.running.interruption import interrupted
from bmc.running.memory import MEGABYTE, available_bytes, resident_bytes

# What writes files is imported when a search goes to disk: most never do.
if TYPE_CHECKING:
    from bmc.engines.spill.levels import SearchedSoFar
    from bmc.engines.spill.store import SpillStore

_SHARE_OF_MEMORY = 0.25
"""Of what may be taken, for successors: what is read beside them takes as much again."""
_LEAST_BYTES = 1 << 20


@dataclass(frozen=True)
class Spill:
    """A folder for the states of explorations; ``resume`` goes on with the one that is there."""

    folder: Path
    resume: bool = False


def explore_on_disk(
    task: Task,
    observer: Observer = SILENT,
    *,
    spill: Spill,
    max_states: int | None = None,
    max_depth: int | None = None,
    stop_at_violation: bool = False,
    symmetry: bool = False,
) -> Exploration:
    """Explore as :func:`bmc.engines.explicit.explore` does, with the states in a folder.

    Counts, levels, verdicts and the lengths of traces are those of the search in memory. Raises
    what it raises, and OptionError where the folder has this search and it is not to be resumed,
    FolderInUse, DamagedSpill, and SpillFailed where the folder cannot be used from the start.
    """
    pace = Pace(ExplorationLimits(task.timeout, max_states, max_depth, task.memory), observer)
    with interrupted(f"what {task.suite.name} reaches", task.timeout, task.memory):
        search = SpilledSearch(task, spill, observer, pace, stop_at_violation, symmetry)
    try:
        return run_to_end(search)
    finally:
        search.close()


class SpilledSearch(ExplicitSearch):
    """One exploration on disk."""

    _on_disk: SpillStore | None = None

    def __init__(
        self,
        task: Task,
        spill: Spill,
        observer: Observer,
        pace: Pace,
        stop_at_violation: bool,
        symmetry: bool,
    ) -> None:
        self._spill = spill
        super().__init__(task, observer, pace, stop_at_violation, symmetry)

    def close(self) -> None:
        """Let other searches use the folder."""
        if self._on_disk is not None:
            self._on_disk.close()

    def _store(self, task: Task, symmetry: bool) -> KeptStates:
        self._on_disk = self._opened(task, symmetry, self._spill)
        return self._on_disk

    def _opened(
        self, task: Task, symmetry: bool, spill: Spill, left: int | None = None
    ) -> SpillStore:
        """Return the place of this search's states in a folder."""
        from bmc.engines.identity import identity, layout_of, question_of
        from bmc.engines.spill.levels import FORMAT
        from bmc.engines.spill.store import SpillStore

        asked = question_of(task, self._system.model, self._stated)
        name = identity([str(FORMAT), str(symmetry), *asked, *layout_of(self._packing)])
        words, written = self._packing.words, self._successors.expansion.written()
        room = room_for_successors(task.memory)
        return SpillStore(spill.folder, spill.resume, name, words, written, room, left)

    def _begin(self) -> int:
        assert self._on_disk is not None
        known = self._on_disk.searched
        if known is None:
            start = super()._begin()
            self._end_level()
            return start
        if len(known.fired) != len(self._fired):
            from bmc.engines.spill.files import REMEDY, DamagedSpill

            raise DamagedSpill(
                f"the search in {self._spill.folder} ended while it went there from memory: "
                f"{REMEDY}"
            )
        self._levels, self._fired = list(known.levels), np.array(known.fired, np.int64)
        explored = count(len(known.levels), "level")
        self._observer.fact(f"{explored} with {sum(known.levels):,} states are taken from disk")
        for monitor in (self._of_states, self._of_steps):
            monitor.forget(known.decided)
        stated = {one.name: one for one in self._stated}
        self._decide(
            [
                (stated[name], self._paths.of(self._read(rows)))
                for name, rows in known.decided.items()
            ]
        )
        return self._on_disk.last_level

    def _keep_sizes(self, sizes: NDArray[np.int64]) -> None:
        """Keep none: they are counted again, for a level may be too large."""

    def _end_level(self) -> None:
        assert self._on_disk is not None
        for entered in self._on_disk.end_level():
            self._pace.before_block(self._levels)
            self._count(entered)
        self._on_disk.keep_level(self._so_far(self._levels, self._fired))

    def _so_far(self, levels: list[int], fired: NDArray[np.int64]) -> SearchedSoFar:
        from bmc.engines.spill.levels import SearchedSoFar

        decided = {name: self._written(trace) for name, trace in self._traces.items()}
        return SearchedSoFar(list(levels), fired.tolist(), decided)

    def _written(self, trace: Trace) -> list[str]:
        states = [self._system.encode(step.state) for step in trace.steps]
        return [row.tobytes().hex() for row in self._packing.pack(states)]

    def _read(self, rows: list[str]) -> Rows:
        words = np.frombuffer(bytes.fromhex("".join(rows)), np.uint64)
        return words.reshape(len(rows), self._packing.words)


def room_for_successors(memory: int | None) -> int:
    """Return the bytes for successors, in a process that may hold so many megabytes."""
    free = available_bytes()
    if memory is not None:
        free = min(free, memory * MEGABYTE - resident_bytes())
    return max(_LEAST_BYTES, int(_SHARE_OF_MEMORY * free))
