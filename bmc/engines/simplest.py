"""The simplest among the traces of one length, and several that differ.

In this order: as few members of scalarsets as possible take part (by symmetry the first ones),
as few messages as possible are left in sets of records, and then, step by step, the action with
the smallest arguments is taken. Every choice is a question to the solver, so the outcome depends
on the order of the questions and not on what models a solver happens to give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from bmc.engines.isolation import Relay, isolated
from bmc.engines.simplification import MOST_NAMINGS, Simplification, ignore
from bmc.engines.task import Deadline, Observer, OptionError, OutOfTime, Task
from bmc.evidence.replay import replay
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result
from bmc.readings.renaming import Naming, namings, renamed
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem

SECONDS = 20.0
"""How long traces are made simpler; what is not reached by then stays as it is."""

NO_FURTHER = "no further trace of this length differs in more than names"
OUT_OF_TIME = f"not made as simple as can be within {SECONDS:g} s"


@dataclass(frozen=True)
class Taste:
    """How many traces of each property are wanted, and the order in which equals are tried.

    Raises OptionError for less than one trace.
    """

    traces: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.traces < 1:
            raise OptionError(f"--max-traces must be 1 or more, you gave {self.traces}")


def simplest(
    task: Task, results: Sequence[Result], taste: Taste, observer: Observer
) -> tuple[Result, ...]:
    """The results with simpler traces of the same length, and further ones if wanted.

    The traces that the results have are as short as can be, as those of a search by depth are.

    In a process of its own, for at most :data:`SECONDS`; the reason of a result says what could
    not be had. Raises Contradiction when a trace does not replay.
    """
    violated = {r.property: r for r in results if r.trace is not None}
    if not violated:
        return tuple(results)
    asked = replace(task, properties=tuple(violated), timeout=SECONDS)
    found = isolated(lambda t, relay: _all(t, violated, taste, relay), asked, _Phases(observer))
    # A property that the process did not come to is unknown there, and keeps what it had.
    told = (None, NO_FURTHER)
    known = {
        r.property: r if r.reason in told else replace(r, reason=OUT_OF_TIME)
        for r in found
        if r.trace is not None
    }
    return tuple(
        known.get(r.property, replace(r, reason=OUT_OF_TIME) if r.property in violated else r)
        for r in results
    )


class _Phases:
    """Passes on what is being done; the verdicts were told already."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def phase(self, text: str) -> None:
        """Pass it on."""
        self._observer.phase(text)

    def fact(self, text: str) -> None:
        """Pass it on."""
        self._observer.fact(text)

    def decided(self, result: Result) -> None:
        """Ignore it."""


def _all(task: Task, violated: dict[str, Result], taste: Taste, relay: Relay) -> tuple[Result, ...]:
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    deadline = Deadline(task.timeout)
    found = []
    for stated in task.stated(model):
        relay.phase(f"making the trace of {stated.name} simpler")
        one = _Progress(system, violated[stated.name], relay)
        search = Simplification(system, stated, one.first, taste.seed, task.solver, deadline)
        search.improved = one.improve
        reason = None
        try:
            for trace in islice(search.traces(), taste.traces):
                one.add(trace)
                search.improved = ignore
            if len(one.finished) < taste.traces:
                reason = NO_FURTHER
        except OutOfTime:
            reason = OUT_OF_TIME
        found.append(replace(one.result, reason=reason))
        relay.decided(found[-1])
    return tuple(found)


class _Progress:
    """The traces of one property up to now; they are told, in case the process is stopped."""

    def __init__(self, system: TransitionSystem, result: Result, relay: Relay) -> None:
        assert result.trace is not None
        self.first = _well_named(system, result.trace)
        self.finished: list[Trace] = []
        self._relay = relay
        self._known = result
        self.result = result
        self.improve(self.first)

    def improve(self, trace: Trace) -> None:
        """A first trace that is simpler than the last, and perhaps not the simplest."""
        self.result = replace(self._known, trace=trace)
        self._relay.so_far(replace(self.result, reason=OUT_OF_TIME))

    def add(self, trace: Trace) -> None:
        """The simplest of those that are left."""
        self.finished.append(trace)
        first, *others = self.finished
        self.result = replace(self._known, trace=first, more_traces=tuple(others))
        self._relay.so_far(self.result)


def _well_named(system: TransitionSystem, trace: Trace) -> Trace:
    """The same trace with its members named in the order in which they take part."""
    variables = system.model.variables
    ways = list(islice(namings(system.domains, variables.values()), MOST_NAMINGS))
    interpreter = Interpreter(system.model, system.domains)

    def under(naming: Naming) -> list[ConcreteState]:
        return [
            {n: renamed(system.domains, s, step.state[n], naming) for n, s in variables.items()}
            for step in trace.steps
        ]

    sorts = {a.name: {x.name: x.variable.sort for x in a.arguments} for a in system.model.actions}

    def arguments(naming: Naming) -> list[str]:
        return [
            repr(renamed(system.domains, sorts[step.action][name], value, naming))
            for step in trace.steps
            if step.action is not None
            for name, value in step.arguments.items()
        ]

    best = min(ways, key=arguments)
    return replay(interpreter, under(best))
