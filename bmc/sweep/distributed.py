"""All reachable states, on a cluster: the tasks of :mod:`bmc.sweep.frontier`, and what they found.

The tasks are a barrier stage: they run at once, and an executor that dies ends all of them. Whoever
asks again goes on from the last level that is complete in the shared folder. Numbers are those of
one machine; a search that ends early ends with a level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from time import monotonic
from typing import Any

import numpy as np

from bmc.engines.exploration import Exploration
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.stated import stated_over
from bmc.engines.task import Observer
from bmc.evidence.replay import overflowing_action, replay, require_violation
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction
from bmc.evidence.wording import WAYS_TO_HOLD_ALL, count
from bmc.lang.properties import Kind
from bmc.readings.value import Interpreter
from bmc.running.memory import peak_megabytes
from bmc.sweep.found_levels import (
    FoundLevel,
    complete_levels,
    damaged,
    read_piece,
    require_same,
)
from bmc.sweep.frontier import SharedSearch, TaskShare, search_of
from bmc.sweep.meeting import meeting
from bmc.sweep.places import place
from bmc.system.transition import TransitionSystem

_PIECES = 32
"""Files of states that are kept in memory while traces are read."""


def explore_on(context: Any, search: SharedSearch, observer: Observer) -> Exploration:
    """Explore on a Spark context whose executors have ``search.tasks`` cores or more.

    Raises NoInitialState, DamagedSpill, OtherModel when executors have another text, and
    Contradiction when a trace cannot be replayed.
    """
    began = monotonic()
    observer.phase(f"{count(search.tasks, 'task')} search level by level")
    tasks = context.parallelize(range(search.tasks), search.tasks)
    said = tasks.barrier().mapPartitions(partial(_take_part, search)).collect()
    levels = [FoundLevel(**level) for level in said]
    found = _found(search, levels, monotonic() - began)
    if found.on_disk is not None:
        observer.fact(found.on_disk)
    return found


def found_before(search: SharedSearch, seconds: float) -> Exploration | None:
    """Return what the complete levels of an interrupted search have shown, None without any.

    Raises DamagedSpill, OtherModel, StoreError, and Contradiction when a trace cannot be replayed.
    """
    shared = place(search.where)
    levels = complete_levels(shared)
    return _found(search, levels, seconds, "interrupted") if levels else None


def _take_part(search: SharedSearch, numbers: Iterator[int]) -> Iterator[Mapping[str, Any]]:
    from pyspark import BarrierTaskContext

    context = BarrierTaskContext.get()
    hosts = [one.address.rpartition(":")[0] for one in context.getTaskInfos()]
    for me in numbers:
        share = TaskShare(search, me, hosts.count(hosts[me]))
        with meeting(me, hosts, context.allGather) as gather:
            for level in share.run(gather):
                if me == 0:
                    yield level


def _found(
    search: SharedSearch, told: Sequence[FoundLevel], seconds: float, cut: str | None = None
) -> Exploration:
    # Of a level that some task could not complete nothing is known.
    levels, ended_by = told, told[-1].stopped
    if ended_by is not None:
        levels = told[:-1]
    elif told[-1].states:
        ended_by = cut
    task = search.task()
    model = task.suite.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    packing = Packing(system.leaves)
    mine = search_of(task, system, packing, search.tasks)
    for level in told:
        require_same(mine, level.search)
    traces = _Traces(search, system, packing, levels)
    stated = {p.name: p for p in stated_over(task, model)}
    decided: dict[str, Trace] = {}
    fired = {action.name: 0 for action in model.actions}
    overflow: tuple[Trace, str] | None = None
    for number, level in enumerate(levels):
        for action, times in level.fired.items():
            fired[action] += times
        for name, state in level.decided.items():
            if name not in decided:
                through = level.through.get(name)
                decided[name] = traces.to(number, state, through)
                if stated[name].kind is not Kind.WITNESS:
                    require_violation(traces.interpreter, decided[name], stated[name])
        if level.beyond is not None and overflow is None:
            trace = traces.to(number - 1, level.beyond, None)
            overflow = trace, traces.why_beyond(trace)
    counts = tuple(level.counted for level in levels if level.counted)
    claims = [p.name for p in stated.values() if p.kind is not Kind.WITNESS]
    witnesses = [p.name for p in stated.values() if p.kind is Kind.WITNESS]
    violated = [n for n in claims if n in decided]
    stopped = ended_by or _stopped(search, levels, overflow, violated)
    ended_early = ended_by is not None or overflow is not None
    stopped_at = None if ended_early else _stopped_at(search, levels, violated)
    return Exploration(
        distinct_states=sum(counts),
        generated_states=sum(fired.values()),
        levels=counts,
        complete=stopped is None,
        stopped_because=stopped,
        violations={n: decided[n] for n in violated},
        holds=tuple(n for n in claims if n not in decided),
        overflow=None if overflow is None else overflow[0],
        overflow_reason=None if overflow is None else overflow[1],
        witnesses={n: decided.get(n) for n in witnesses},
        fired=fired,
        seconds=seconds,
        peak_memory_mb=peak_megabytes(),
        on_disk=_on_disk(search, levels),
        # Whatever ends such a search, it does so between two levels.
        level_ended=overflow is None and bool(levels),
        stopped_at=stopped_at,
    )


def _stopped(
    search: SharedSearch,
    levels: Sequence[FoundLevel],
    overflow: tuple[Trace, str] | None,
    violated: Sequence[str],
) -> str | None:
    """Why the search ended before everything was explored, if it did."""
    if overflow is not None:
        return f"{overflow[1]}; {WAYS_TO_HOLD_ALL}"
    if not levels[-1].states:
        return None
    if (claim := _stopped_at(search, levels, violated)) is not None:
        return f"{claim} is violated"
    if search.max_states is not None and sum(level.states for level in levels) > search.max_states:
        return f"the limit of {count(search.max_states, 'state')} is passed"
    return f"the limit of {count(search.max_depth or 0, 'step')} is reached"


def _stopped_at(
    search: SharedSearch, levels: Sequence[FoundLevel], violated: Sequence[str]
) -> str | None:
    """The claim whose violation ended a search that neither was cut short nor left its bounds."""
    if not (violated and search.stop_at_violation and levels[-1].states):
        return None
    return violated[0]


def _on_disk(search: SharedSearch, levels: Sequence[FoundLevel]) -> str | None:
    """Say since when states were on disk, if they were, and in how many tasks."""
    since = next((number for number, level in enumerate(levels) if level.on_disk), None)
    if since is None:
        return None
    tasks = f"{levels[-1].on_disk} of {count(search.tasks, 'task')}"
    return f"on the executors' disks after {count(since, 'level')}, in {tasks}"


class _Traces:
    """Traces, read back from the files of the levels and replayed."""

    def __init__(
        self,
        search: SharedSearch,
        system: TransitionSystem,
        packing: Packing,
        levels: Sequence[FoundLevel],
    ) -> None:
        self._system = system
        self._packing = packing
        self._levels = levels
        self._tasks = search.tasks
        self._place = place(search.where)
        self.interpreter = Interpreter(system.model, system.domains)
        self._read = lru_cache(maxsize=_PIECES)(partial(read_piece, self._place))

    def to(self, level: int, number: int, through: str | None) -> Trace:
        """A shortest trace to a state of a level, by its number there.

        With ``through``, which is a state of that level, packed, the number is that of the state
        before it.
        """
        rows: list[Rows] = []
        if through is not None:
            rows.append(np.frombuffer(bytes.fromhex(through), np.uint64))
            level -= 1
        for before in range(level, -1, -1):
            row, number = self._state(before, number)
            rows.append(row)
        states = [self._system.decode(self._packing.numbers(row.copy())) for row in reversed(rows)]
        return replay(self.interpreter, states)

    def why_beyond(self, trace: Trace) -> str:
        """What leaves the model's bounds in a step out of a trace's last state."""
        reason = overflowing_action(self.interpreter, trace.steps[-1].state)
        if reason is None:
            raise Contradiction("a state that leaves the model's bounds does not on replay")
        return reason

    def _state(self, level: int, number: int) -> tuple[Rows, int]:
        """A state of a level, and the number of its parent in the level before."""
        at, task = divmod(number, self._tasks)
        name = f"levels/{level}/{task}"
        for piece, (states, checksum) in enumerate(self._levels[level].files.get(str(task), [])):
            if at < states:
                rows, parents = self._read(name, piece, checksum, self._packing.words)
                return rows[at], int(parents[at])
            at -= states
        raise damaged(self._place, name)
