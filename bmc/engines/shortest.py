"""The shortest violations within a depth, by a solver and by exploration side by side.

A bounded search keeps one core busy, and what a solver has learnt at one depth is what makes the
next one quick: its questions do not share out. So the other core explores. A model of some million
states is explored to a depth long before a solver has shown it clean; of a larger one the solver
is asked. Either finds violations at their shortest, and the simplest trace of a length is the same
whoever looks for it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from time import monotonic

from bmc.engines.bounded import AT_FIRST, not_deeper, overflow_reason, search_to_bound, violated
from bmc.engines.bounded import ENGINE as SEARCH
from bmc.engines.explicit import ExplicitSearch
from bmc.engines.exploration import ENGINE as EXPLORATION
from bmc.engines.exploration import Exploration
from bmc.engines.explored import MOST_STATES
from bmc.engines.isolation import Relay, Work, first_answer
from bmc.engines.minimisation import choose_simplest
from bmc.engines.pace import ExplorationLimits, Pace, Stopped
from bmc.engines.packed.table import TableFull
from bmc.engines.preference import TracePreference
from bmc.engines.task import SILENT, Deadline, Observer, OptionError, OutOfTime, Task
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.properties import Kind

_NICENESS = 5


def shortest_violations(
    task: Task, observer: Observer, taste: TracePreference, stop_at_violation: bool = False
) -> tuple[Result, ...]:
    """Return what :func:`bmc.engines.bounded.check` does, from whoever knows it first.

    Raises what that raises, and Contradiction where the two cannot both be right.
    """
    search = partial(search_to_bound, taste=taste, stop_at_violation=stop_at_violation)
    works: dict[str, Work] = {SEARCH: search}
    if all(task.suite.find(name).kind is not Kind.WITNESS for name in task.properties):
        works[EXPLORATION] = partial(
            explored_to_depth, taste=taste, stop_at_violation=stop_at_violation
        )
    return first_answer(works, task, observer)


class _ToDepth(ExplicitSearch):
    """An exploration of the levels to a depth, each of which is judged whole.

    It ``answered`` once it has expanded the last of them, to see whether the bounds are left
    there, or at a violation where that is all that is wanted.
    """

    def __init__(self, task: Task, stop_at_violation: bool) -> None:
        pace = Pace(ExplorationLimits(task.timeout, MOST_STATES, None, task.memory), SILENT)
        super().__init__(task, SILENT, pace)
        self._depth = task.depth
        self._stop = stop_at_violation
        self._expanded = 0
        self.answered = False

    def _end_level(self) -> None:
        self._expanded += 1
        if self._expanded > self._depth or (self._stop and self._traces):
            self.answered = True
            raise Stopped("what was asked is answered")


def explored_to_depth(
    task: Task, observer: Relay, taste: TracePreference, stop_at_violation: bool
) -> tuple[Result, ...]:
    """Return a result of each property, or none at all where the exploration has no answer.

    Raises NoInitialState, and Contradiction when a trace does not replay.
    """
    # On a single core the solver has the larger part of it.
    os.nice(_NICENESS)
    started, deadline = monotonic(), Deadline(task.timeout)
    try:
        search = _ToDepth(task, stop_at_violation)
        try:
            search.run()
        except Stopped as stop:
            found = search.result(str(stop))
            if not search.answered and found.overflow is None:
                return ()
        else:
            found = search.result(None)
        left = task.within(deadline)
    except (OptionError, OutOfTime, TableFull, MemoryError):
        return ()
    clean, reason, traces = _judged(found, task.depth, stop_at_violation)
    results = {
        name: Result(
            name,
            Verdict.UNKNOWN,
            EXPLORATION,
            monotonic() - started,
            depth=clean,
            reason=reason,
            overflow=found.overflow,
        )
        for name in task.properties
    }
    results |= {name: violated(name, trace, EXPLORATION, started) for name, trace in traces.items()}
    asked = replace(left, properties=tuple(traces))
    simplest = choose_simplest(asked, observer, results, taste) if traces else ()
    results |= {result.property: result for result in simplest}
    return tuple(results.values())


def _judged(
    found: Exploration, depth: int, stop_at_violation: bool
) -> tuple[int, str, dict[str, Trace]]:
    """Return the last depth that was judged, why no further one was, and traces no longer."""
    steps = {name: len(trace) - 1 for name, trace in found.violations.items()}
    if found.overflow is not None and found.overflow_reason is not None:
        last = len(found.overflow) - 1
        reason = overflow_reason((found.overflow, found.overflow_reason))
    elif stop_at_violation and min(steps.values(), default=depth + 1) <= depth:
        last, reason = min(steps.values()), AT_FIRST
    elif found.complete:
        last, reason = depth, f"no violation in any of the {found.distinct_states:,} states"
    else:
        last, reason = depth, not_deeper(depth)
    return last, reason, {n: trace for n, trace in found.violations.items() if steps[n] <= last}
