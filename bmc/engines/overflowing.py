"""Exploration in memory that goes on on disk when memory ends.

The levels that are complete go to a temporary folder as they are; only the level under way is
begun again.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bmc.engines.explicit import ExplicitSearch
from bmc.engines.exploration import Exploration
from bmc.engines.pace import Pace, Stopped
from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.kept import KeptStates
from bmc.engines.packed.store import StateStore
from bmc.engines.spilled import Spill, SpilledSearch, room_for_successors
from bmc.engines.task import Observer, Task
from bmc.evidence.wording import count
from bmc.running.memory import give_back

if TYPE_CHECKING:
    from bmc.engines.spill.store import SpillStore

_LARGE = Path("/var/tmp")
_LITTLE = 1 << 26
"""Bytes for successors with which states are expanded in the smallest blocks."""


def folder_for_states() -> Path:
    """Return the folder in which temporary ones are made: what TMPDIR says, else /var/tmp.

    The system's own folder for temporary files is often held in memory. Raises OSError where there
    is no folder for such files.
    """
    from tempfile import gettempdir

    if "TMPDIR" not in os.environ and os.access(_LARGE, os.W_OK):
        return _LARGE
    return Path(gettempdir())


class OverflowingSearch(SpilledSearch):
    """One exploration, in memory as long as that has room."""

    def __init__(
        self,
        task: Task,
        observer: Observer,
        pace: Pace,
        stop_at_violation: bool,
        symmetry: bool,
    ) -> None:
        self._task, self._symmetry = task, symmetry
        self._folder = ExitStack()
        self._said: str | None = None
        self._ends: list[int] = []
        self._fired_before = np.zeros(0, np.int64)
        super().__init__(task, Spill(_LARGE), observer, pace, stop_at_violation, symmetry)

    def close(self) -> None:
        """Remove the temporary folder."""
        super().close()
        self._folder.close()

    def result(self, stopped_because: str | None) -> Exploration:
        """Return what has been found up to now, and since when on disk."""
        return replace(super().result(stopped_because), on_disk=self._said)

    def _store(self, task: Task, symmetry: bool) -> KeptStates:
        return ExplicitSearch._store(self, task, symmetry)

    def _begin(self) -> int:
        start = ExplicitSearch._begin(self)
        self._end_level()
        return start

    def _keep_sizes(self, sizes: NDArray[np.int64]) -> None:
        if self._on_disk is None:
            ExplicitSearch._keep_sizes(self, sizes)

    def _end_level(self) -> None:
        if self._on_disk is not None:
            super()._end_level()
            return
        self._ends.append(len(self._found))
        self._fired_before = self._fired.copy()

    def _without_room(self, reason: str) -> int:
        from bmc.engines.spill.files import LEFT, SpillFailed
        from bmc.running.scratch import scratch

        if self._on_disk is not None:
            raise Stopped(reason)
        # What the level has so far is found again.
        self._levels[len(self._ends) :] = []
        self._fired = self._fired_before
        try:
            folder = self._folder.enter_context(scratch(folder_for_states()))
        except OSError as error:
            raise SpillFailed(
                f"{reason}; no folder for states can be made ({error}): "
                "`bmc explore --spill DIR` keeps them in DIR"
            ) from error
        self._spill = Spill(folder)
        levels = count(len(self._ends), "level")
        self._said = f"on disk after {levels}, in {folder}, since memory ended: {reason}"
        self._observer.fact(self._said)
        self._on_disk = store = self._opened(self._task, self._symmetry, self._spill, LEFT)
        self._sizes.clear()
        self._give_up_memory(store)
        self._table = self._found = store
        self._paths.read_from(store)
        give_back()
        room = room_for_successors(self._task.memory)
        store.limit(room)
        if room < _LITTLE:
            # The successors of larger blocks would not fit.
            self._at_once = LANES
        return store.last_level

    def _give_up_memory(self, store: SpillStore) -> None:
        from bmc.engines.spill.handover import StoredLevels

        assert isinstance(self._table, StateStore)
        found = StoredLevels(self._table, self._ends)
        store.take_over(found, self._so_far(self._levels, self._fired))
