"""Exploration as a prover: what no reachable state violates is proved, once all were seen.

Of small protocols it is the quickest proof there is, and it needs no lemma. Its evidence is of
another kind than a certificate: the interpreter, which shares no code with the exploration, takes
all steps out of reachable states anew and finds each property true there. It looks at every state
where there is time for that, and otherwise at a random part, which the verdict says.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import process_time

from bmc.engines.explicit import ExplicitSearch
from bmc.engines.isolation import Relay, isolated
from bmc.engines.pace import ExplorationLimits, Pace, Stopped
from bmc.engines.packed.table import TableFull
from bmc.engines.task import SILENT, Observer, OptionError, OutOfTime, Task
from bmc.evidence.replay import failing_instance
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.properties import Kind, Property
from bmc.readings.value import ConcreteState, Interpreter

ENGINE = "explicit"

MOST_STATES = 1_000_000
"""Where the exploration gives up: what is larger is for engines that do not hold every state."""
_SECONDS = 2.0
"""Processor seconds that the interpreter may take to look at states again."""


def prove(task: Task, observer: Observer = SILENT) -> tuple[Result, ...]:
    """Explore in a process of its own; see :func:`explore_all`."""
    return isolated(explore_all, task, observer)


def explore_all(task: Task, observer: Relay) -> tuple[Result, ...]:
    """Return proved for what no reachable state or step violates, violated with shortest traces.

    More than :data:`MOST_STATES` states, a limit, a step out of the bounds, or a property that
    reads ghosts make what is open unknown. Raises NoInitialState, and Contradiction when the
    interpreter takes another view of a state.
    """
    pace = Pace(ExplorationLimits(task.timeout, MOST_STATES, None, task.memory), observer)
    try:
        search = ExplicitSearch(task, observer, pace)
    except OptionError as refused:
        return tuple(
            Result(name, Verdict.UNKNOWN, ENGINE, 0.0, reason=str(refused))
            for name in task.properties
        )
    try:
        search.run()
    except (Stopped, OutOfTime, TableFull) as reason:
        found = search.result(str(reason))
    except MemoryError:
        found = search.result("there is no more memory")
    else:
        found = search.result(None)
        observer.phase("looking at states again with the interpreter")
    results = {r.property: replace(r, overflow=found.overflow) for r in found.verdicts()}
    if found.complete and found.holds:
        checked = _rechecked(search, task, found.holds)
        results |= {name: replace(results[name], checked_by=checked) for name in found.holds}
    return tuple(results[name] for name in task.properties)


def _rechecked(search: ExplicitSearch, task: Task, claims: tuple[str, ...]) -> str:
    """Take the steps out of reachable states anew, and say how many states were looked at."""
    system = search.system
    interpreter = Interpreter(system.model, system.domains)
    stated = tuple(one for one in task.stated(system.model) if one.name in claims)
    for start in interpreter.initial_states():
        search.require_found([start])
    numbers = list(range(search.found))
    Random(0).shuffle(numbers)
    began, looked = process_time(), 0
    for number in numbers:
        _look(search, interpreter, stated, search.state(number))
        looked += 1
        if process_time() - began > _SECONDS:
            break
    if looked == search.found:
        return f"the interpreter at all {looked:,} states"
    return f"the interpreter at {looked:,} of {search.found:,} states"


def _look(
    search: ExplicitSearch,
    interpreter: Interpreter,
    stated: tuple[Property, ...],
    state: ConcreteState,
) -> None:
    following = [step.state for step in interpreter.successors(state)]
    search.require_found(following)
    for one in stated:
        steps = following if one.kind is Kind.STEP_INVARIANT else [None]
        for after in steps:
            if failing_instance(interpreter, state, after, one) is not None:
                raise Contradiction(
                    f"an exploration proves {one.name}, and the interpreter finds it false in a "
                    "state that it explored"
                )
