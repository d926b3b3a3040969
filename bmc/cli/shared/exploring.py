"""Where `bmc explore` searches: in memory, on this machine's disk, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bmc.cli.shared.request import Request
    from bmc.engines.explicit import Exploration
    from bmc.engines.spilled import Spill
    from bmc.engines.task import Observer, Task


_MOST_PROCESSES = 8


@dataclass(frozen=True)
class SearchLimits:
    """What the search was asked not to go beyond: so many states, so many steps, a violation."""

    states: int | None
    steps: int | None
    at_violation: bool

    def reached(self, found: Exploration) -> bool:
        """Whether a search that ended early ended where it was asked to."""
        many = self.states is not None and found.distinct_states >= self.states
        return many or (self.steps is not None and len(found.levels) > self.steps)


@dataclass(frozen=True)
class ClusterPlace:
    """A cluster to search on, the folder that its executors share, and one that each has for its
    states on disk."""

    master: str
    shared: str
    spill: str | None

    @staticmethod
    def of(
        master: str | None,
        shared: str | None,
        symmetry: bool,
        limits: SearchLimits,
        spill: Path | None,
    ) -> ClusterPlace | None:
        """Read the options; None for this process. Raises OptionError for what cannot be asked."""
        from bmc.engines.task import OptionError

        if master is None:
            if shared is not None:
                raise OptionError("--shared is of a search on a cluster: give its --master, too")
            return None
        if shared is None:
            raise OptionError("a search on a cluster needs --shared DIR, which all executors see")
        if symmetry:
            raise OptionError("--symmetry is not offered with --master: leave it out")
        for one in (limits.states, limits.steps):
            if one is not None and one < 0:
                raise OptionError(f"a limit must be 0 or more: you gave {one}")
        # Executors have working folders of their own.
        if shared.startswith("file://"):
            from bmc.sweep.places import place

            # What is no folder is told here, and not by an executor, whose error Spark wraps. A
            # store elsewhere may be one that executors alone can reach.
            place(shared)
        seen = shared if "://" in shared else str(Path(shared).absolute())
        return ClusterPlace(master, seen, None if spill is None else str(spill.absolute()))

    def explore(
        self, request: Request, task: Task, limits: SearchLimits, observer: Observer
    ) -> Exploration:
        """Explore there."""
        from bmc.cli.shared.cluster_exploration import explore_at

        bounds = limits.states, limits.steps, limits.at_violation
        asked = request.name, task, bounds, observer
        return explore_at(self.master, self.shared, *asked, self.spill)


def disk_place(spill: Path | None, resume: bool, master: str | None) -> Spill | None:
    """Read the options; None for memory, or where executors search. Raises OptionError for what
    cannot be asked."""
    from bmc.engines.task import OptionError

    if master is not None:
        if resume:
            raise OptionError("--resume is for one machine: with --master --shared is gone on from")
        return None
    if spill is None:
        if resume:
            raise OptionError("--resume is of a search on disk: give its --spill DIR, too")
        return None
    if spill.exists() and not spill.is_dir():
        raise OptionError(f"--spill needs a folder, and {spill} is none")
    from bmc.engines.spilled import Spill

    return Spill(spill, resume)


def engine_for(on_disk: Spill | None) -> Callable[..., Exploration]:
    """Return the search on disk, or the one that goes there when memory ends."""
    if on_disk is None:
        from bmc.cli.shared import processors
        from bmc.engines.parted.search import explore_by_processes

        return partial(explore_by_processes, processes=min(_MOST_PROCESSES, processors.usable()))
    from bmc.engines.spilled import explore_on_disk

    return partial(explore_on_disk, spill=on_disk)
