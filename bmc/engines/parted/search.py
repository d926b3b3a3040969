"""Exploration by several processes, from the size on at which that pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bmc.engines.explicit import room_for_states, run_to_end
from bmc.engines.exploration import Exploration
from bmc.engines.overflowing import OverflowingSearch
from bmc.engines.pace import ExplorationLimits, Pace
from bmc.engines.packed.blocks import states_of_a_block
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.table import TableFull
from bmc.engines.task import SILENT, Observer, Task
from bmc.running.interruption import interrupted
from bmc.running.memory import MEGABYTE, resident_bytes

if TYPE_CHECKING:
    from bmc.engines.parted.part import PartReport
    from bmc.engines.parted.processes import PartedProcesses
    from bmc.engines.spill.store import SpillStore

FROM = 1 << 20
"""States from which on a search is parted, when a level ends that has :data:`LEVEL` of them."""
LEVEL = 1 << 14


def explore_by_processes(
    task: Task,
    observer: Observer = SILENT,
    *,
    processes: int,
    max_states: int | None = None,
    max_depth: int | None = None,
    stop_at_violation: bool = False,
    symmetry: bool = False,
) -> Exploration:
    """Explore as :func:`~bmc.engines.explicit.explore`, on disk from where memory ends.

    The states are then in a temporary folder of
    :func:`bmc.engines.overflowing.folder_for_states`, of which the observer is told, and which is
    removed at the end. A small search stays in this process; so does one of wide states, whose
    components are shared. Counts, levels and verdicts are those of a search in one process and in
    memory, and traces are as short. Each run gives the same ones; another number of ``processes``
    may give other traces of that length. Raises what that raises.
    """
    pace = Pace(ExplorationLimits(task.timeout, max_states, max_depth, task.memory), observer)
    with interrupted(f"what {task.suite.name} reaches", task.timeout, task.memory):
        search = PartedSearch(task, observer, pace, stop_at_violation, symmetry, processes)
    try:
        return run_to_end(search)
    finally:
        search.close()


class PartedSearch(OverflowingSearch):
    """One exploration by up to so many processes, in memory as long as that has room."""

    def __init__(
        self,
        task: Task,
        observer: Observer,
        pace: Pace,
        stop_at_violation: bool,
        symmetry: bool,
        processes: int,
    ) -> None:
        self._processes = processes
        self._crew: PartedProcesses | None = None
        super().__init__(task, observer, pace, stop_at_violation, symmetry)

    def close(self) -> None:
        """End the other processes, and remove the temporary folder."""
        self._dismiss()
        super().close()

    def _consider_machine_code(self, states: int) -> None:
        # The processes go on with what there was when they were forked.
        if self._crew is None:
            super()._consider_machine_code(states)

    def _expand_level(self, start: int, end: int) -> None:
        if self._crew is None:
            super()._expand_level(start, end)
            return
        self._levels.append(0)
        self._crew.level(lambda: self._pace.before_block(self._levels), self._take_in)

    def _take_in(self, reports: Sequence[PartReport]) -> None:
        """Note what the processes did in a turn, and see what it decides."""
        crew = self._crew
        assert crew is not None
        for report in reports:
            self._levels[-1] += report.counted
            self._fired += report.fired
        stated = {one.name: one for one in self._stated if one.name not in self._traces}
        decided = []
        # The first process that decides a property does: its trace is as short as the others'.
        for report in reports:
            for name, number, row in report.steps:
                if one := stated.pop(name, None):
                    decided.append((one, self._paths.through(number, row, one)))
            for name, number in report.states:
                if one := stated.pop(name, None):
                    decided.append((one, self._paths.to(number)))
        crew.decide([one.name for one, _ in decided])
        self._decide(decided)
        for report in reports:
            if report.beyond is not None:
                self._leave_bounds(report.beyond)
        for report in reports:
            if report.full is not None:
                raise TableFull(report.full)

    def _end_level(self) -> None:
        super()._end_level()
        if self._crew is None and self._on_disk is None and self._pays():
            self._part()

    def _pays(self) -> bool:
        """Whether the states are enough, narrow, and would not be too many for the memory there is
        while they are parted."""
        kept = self._table
        if self._processes < 2 or len(kept) < FROM or not isinstance(kept, StateStore):
            return False
        if kept.wide or len(kept) - sum(self._ends[-2:-1]) < LEVEL:
            return False
        memory = self._task.memory
        held = self._processes * resident_bytes() + kept.bytes
        return room_for_states(None) > 2 * kept.bytes and (
            memory is None or held < memory * MEGABYTE
        )

    def _part(self) -> None:
        """Share the states out to processes, or go on alone where the system refuses them."""
        from bmc.engines.parted.part import Means, Whole
        from bmc.engines.parted.processes import NotParted, PartedProcesses, PartedStates

        assert isinstance(self._table, StateStore)
        constrained = self._system.constraint is not self._system.circuit.true
        means = Means(
            self._successors.expansion,
            states_of_a_block(self._at_once, self._by_state),
            len(self._system.rules),
            self._constraint if constrained else None,
            self._counted,
            self._quotient,
            self._of_states,
            self._of_steps,
        )
        whole = Whole(self._table.table, self._ends)
        room = (room_for_states(self._task.memory) + self._table.bytes) // self._processes
        try:
            self._crew = PartedProcesses(means, whole, self._processes, self._packing.words, room)
        except NotParted as reason:
            self._processes = 1
            self._observer.fact(f"explored by one process, since no more can start: {reason}")
            return
        self._sizes.clear()
        self._found = PartedStates(self._crew)
        self._paths.read_from(self._found)
        self._pace.held_elsewhere = self._crew.resident

    def _dismiss(self) -> None:
        if self._crew is not None:
            self._crew.close()
            self._crew = None
            self._pace.held_elsewhere = lambda: 0

    def _give_up_memory(self, store: SpillStore) -> None:
        if self._crew is None:
            super()._give_up_memory(store)
            return
        from bmc.engines.parted.processes import PartedStates

        assert isinstance(self._found, PartedStates)
        store.take_over(self._found, self._so_far(self._levels, self._fired))
        self._dismiss()
