"""All reachable states, on a cluster: the tasks of :mod:`bmc.sweep.frontier`, and what they found.

The tasks are a barrier stage: they run at once, and an executor that dies ends all of them. Whoever
asks again goes on from the last level that is complete in the shared folder. Numbers are those of
one machine; a search that ends early ends with a level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
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
from bmc.sweep.found_levels import FoundLevel, read_states, require_same
from bmc.sweep.frontier import NUMBER_BITS, SharedSearch, TaskShare, search_of
from bmc.sweep.meeting import meeting
from bmc.sweep.places import place
from bmc.system.transition import TransitionSystem


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
    return _found(search, levels, monotonic() - began)


def _take_part(search: SharedSearch, numbers: Iterator[int]) -> Iterator[Mapping[str, Any]]:
    from pyspark import BarrierTaskContext

    context = BarrierTaskContext.get()
    hosts = [one.address.rpartition(":")[0] for one in context.getTaskInfos()]
    for me in numbers:
        share = TaskShare(search, me)
        with meeting(me, hosts, context.allGather) as gather:
            for level in share.run(gather):
                if me == 0:
                    yield level


def _found(search: SharedSearch, levels: Sequence[FoundLevel], seconds: float) -> Exploration:
    task = search.task()
    model = task.suite.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    packing = Packing(system.leaves)
    mine = search_of(task, system, packing)
    for level in levels:
        require_same(mine, level.search)
    traces = _Traces(search, system, packing, levels)
    stated = {p.name: p for p in stated_over(task, model)}
    decided: dict[str, Trace] = {}
    fired = {action.name: 0 for action in model.actions}
    overflow: tuple[Trace, str] | None = None
    for level in levels:
        for action, times in level.fired.items():
            fired[action] += times
        for name, state in level.decided.items():
            if name not in decided:
                through = level.through.get(name)
                decided[name] = traces.to(state, through)
                if stated[name].kind is not Kind.WITNESS:
                    require_violation(traces.interpreter, decided[name], stated[name])
        if level.beyond is not None and overflow is None:
            trace = traces.to(level.beyond, None)
            overflow = trace, traces.why_beyond(trace)
    counts = tuple(level.counted for level in levels if level.counted)
    claims = [p.name for p in stated.values() if p.kind is not Kind.WITNESS]
    witnesses = [p.name for p in stated.values() if p.kind is Kind.WITNESS]
    stopped = _stopped(search, levels, overflow, [n for n in claims if n in decided])
    return Exploration(
        distinct_states=sum(counts),
        generated_states=sum(fired.values()),
        levels=counts,
        complete=stopped is None,
        stopped_because=stopped,
        violations={n: decided[n] for n in claims if n in decided},
        holds=tuple(n for n in claims if n not in decided),
        overflow=None if overflow is None else overflow[0],
        overflow_reason=None if overflow is None else overflow[1],
        witnesses={n: decided.get(n) for n in witnesses},
        fired=fired,
        seconds=seconds,
        peak_memory_mb=peak_megabytes(),
        # Whatever ends such a search, it does so between two levels.
        level_ended=overflow is None,
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
    if violated and search.stop_at_violation:
        return f"{violated[0]} is violated"
    if search.max_states is not None and sum(level.states for level in levels) > search.max_states:
        return f"the limit of {count(search.max_states, 'state')} is passed"
    return f"the limit of {count(search.max_depth or 0, 'step')} is reached"


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
        self._place = place(search.where)
        self.interpreter = Interpreter(system.model, system.domains)
        self._read: dict[int, tuple[bytes, Any]] = {}

    def to(self, state: int, through: str | None) -> Trace:
        """A shortest trace to a state, and on to the one that ``through`` has packed."""
        rows: list[Rows] = []
        if through is not None:
            rows.append(np.frombuffer(bytes.fromhex(through), np.uint64))
        end = np.iinfo(np.uint64).max
        while state != end:
            data, parents = self._states(state >> NUMBER_BITS)
            number, width = state & ((1 << NUMBER_BITS) - 1), 8 * self._packing.words
            rows.append(np.frombuffer(data[number * width : (number + 1) * width], np.uint64))
            state = int(parents[number])
        states = [self._system.decode(self._packing.numbers(row.copy())) for row in reversed(rows)]
        return replay(self.interpreter, states)

    def why_beyond(self, trace: Trace) -> str:
        """What leaves the model's bounds in a step out of a trace's last state."""
        reason = overflowing_action(self.interpreter, trace.steps[-1].state)
        if reason is None:
            raise Contradiction("a state that leaves the model's bounds does not on replay")
        return reason

    def _states(self, task: int) -> tuple[bytes, Any]:
        """All states that belong to a task, in the order of their numbers."""
        if task not in self._read:
            parts = [
                read_states(
                    self._place, f"levels/{number}/{task}.parquet", level.files.get(str(task))
                )
                for number, level in enumerate(self._levels)
            ]
            data = b"".join(data for data, _ in parts)
            self._read[task] = data, np.concatenate([parents for _, parents in parts])
        return self._read[task]
