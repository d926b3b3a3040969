"""The simplest among the traces of one length, and several that differ.

In this order: as few members of scalarsets as possible take part (by symmetry the first ones),
as few messages as possible are left in sets of records, and then, step by step, the action with
the smallest arguments is taken. Every choice is a question to the solver, so the outcome depends
on the order of the questions and not on what models a solver happens to give.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from bmc.engines.isolation import Relay, isolated
from bmc.engines.minimisation_search import Simplification, ignore
from bmc.engines.preference import TracePreference
from bmc.engines.task import Deadline, Observer, OutOfTime, Task
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import NOT_SHORTEST, Result
from bmc.lang.properties import Kind, Property
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle
from bmc.system.precedence import Precedence
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling

SECONDS = 20.0
"""Processor seconds in which traces are made simpler; what is not reached stays as it is."""

_SHARE_OF_A_GRAPH = 0.3
"""The part of those seconds for the graph of all shortest paths."""

_CONFLICTS_TO_FIND = 100_000
"""How many conflicts it may cost to find a violation again whose trace has other names."""

_AT_MOST = 200.0
"""Seconds of the clock after which that ends where others take nearly all of the processor."""

NO_FURTHER = "no further trace of this length differs in more than names"
CUT_OFF = "the trace was not made as simple as can be in the time there was"
TOO_MANY_IMAGES = (
    "further traces were not looked for: those shown have too many renamings to exclude"
)
TOO_HARD = "perhaps there is a simpler trace of this length: that was too hard to decide"


def simplified(
    unrolling: Unrolling,
    stated: Property,
    broken: Handle,
    known: Result,
    taste: TracePreference,
    observer: Relay,
    limit: float | None,
) -> Result:
    """A result with a simpler trace of the same length, and further ones if wanted.

    The solver has just found ``known``, whose trace is as long as the unrolling and shortest;
    ``broken`` says that the last frame violates the property. It takes :data:`SECONDS` of the
    processor at most, or ``limit`` of the clock; the reason of the result says what could not be
    had. Raises Contradiction when a trace does not replay.
    """
    observer.phase(f"making the trace of {stated.name} simpler")
    deadline = Deadline(limit, SECONDS)
    search = Simplification(unrolling, stated, broken, taste.seed, deadline)
    best = replace(known, reason=CUT_OFF)

    def improved(trace: Trace) -> None:
        nonlocal best
        best = replace(best, trace=trace)
        observer.so_far(best)

    observer.so_far(best)
    search.improved = improved
    found: list[Trace] = []
    try:
        # A range may be longer than any list, which is what islice may not.
        for _, trace in zip(range(taste.traces), search.traces(), strict=False):
            search.improved = ignore
            found.append(trace)
            best = replace(best, trace=found[0], more_traces=tuple(found[1:]))
            observer.so_far(best)
    except OutOfTime:
        return best
    if search.given_up:
        return replace(best, reason=TOO_HARD)
    if len(found) == taste.traces:
        return replace(best, reason=None)
    return replace(best, reason=TOO_MANY_IMAGES if search.too_many_images else NO_FURTHER)


def simplest(
    task: Task,
    results: Sequence[Result],
    taste: TracePreference,
    observer: Observer,
    deadline: Deadline,
) -> tuple[Result, ...]:
    """The results of an engine that has no unrolling, with traces made as simple as can be.

    The traces that the results have are as short as can be, unless a result says otherwise, and
    goes on to say so. They are chosen on the graph of all shortest paths, or asked of a solver
    where that is too large. In a process of its own, for :data:`SECONDS` of the processor at most,
    and until ``deadline``.
    """
    violated = {r.property: r for r in results if r.trace is not None}
    if not violated:
        return tuple(results)
    left = deadline.remaining()
    work = partial(choose_simplest, violated=violated, taste=taste)
    found: tuple[Result, ...] = ()
    if left is None or left > 0:
        limit = _AT_MOST if left is None else min(left, _AT_MOST)
        asked = replace(task, properties=tuple(violated), timeout=limit)
        found = isolated(work, asked, _Phases(observer))
    known = {
        r.property: r if r.why is None else replace(r, reason=CUT_OFF, why=None, exit=None)
        for r in found
        if r.trace is not None
    }
    return tuple(
        _as_long_as(r, known.get(r.property, replace(r, reason=CUT_OFF)))
        if r.property in violated
        else r
        for r in results
    )


def _as_long_as(before: Result, simpler: Result) -> Result:
    """The simpler result, whose trace need not be the shortest if that was said before."""
    if before.reason != NOT_SHORTEST:
        return simpler
    said = [NOT_SHORTEST, *([simpler.reason] if simpler.reason else [])]
    return replace(simpler, reason="; ".join(said))


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


def choose_simplest(
    task: Task, observer: Relay, violated: Mapping[str, Result], taste: TracePreference
) -> tuple[Result, ...]:
    """What :func:`simplest` does, in this process, of a task's properties, all violated."""
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    deadline = Deadline(task.timeout, SECONDS)
    results = []
    for stated in task.stated(model):
        result = replace(violated[stated.name], reason=CUT_OFF)
        observer.phase(f"unrolling the trace of {stated.name}")
        observer.so_far(result)
        assert result.trace is not None
        known = simplest_on_graph(system, stated, result, taste, deadline.remaining())
        if known is not None:
            results.append(known)
            observer.decided(known)
            continue
        unrolling, broken = _violation(system, stated, len(result.trace) - 1, task.solver)
        if _found_again(unrolling, broken, result.trace, deadline.remaining()):
            limit = deadline.remaining()
            result = simplified(unrolling, stated, broken, result, taste, observer, limit)
        results.append(result)
        observer.decided(result)
    return tuple(results)


def simplest_on_graph(
    system: TransitionSystem,
    stated: Property,
    known: Result,
    taste: TracePreference,
    limit: float | None,
) -> Result | None:
    """Return a violation with the simplest trace of its length, where few states are as near.

    None where several traces are wanted, and where the states are too many for the time that a
    graph may take, or for ``limit`` seconds: then a solver has to be asked.
    """
    assert known.trace is not None
    steps = len(known.trace) - 1
    if not steps or taste.traces > 1:
        return None
    # It takes numpy, which takes longer to load than all that a proof needs here.
    from bmc.engines.minimisation_graph import NoGraph, simplest_of_all

    check = Deadline(limit, _SHARE_OF_A_GRAPH * SECONDS).check
    try:
        trace = simplest_of_all(system, stated, steps, taste.seed, check)
    except (NoGraph, OutOfTime):
        return None
    return replace(known, trace=trace, reason=None)


def _found_again(unrolling: Unrolling, broken: Handle, trace: Trace, limit: float | None) -> bool:
    """Whether the solver has a model of a violation: the trace that is known, or one it looks for.

    That is another one where the paths asked for have the trace by other names of members only.
    """
    solver = unrolling.solver
    there = [
        part for k, step in enumerate(trace.steps) for part in unrolling.parts_of(k, step.state)
    ]
    if solver.check([broken, *there], limit) is Answer.SAT:
        return True
    return solver.check([broken], limit, _CONFLICTS_TO_FIND) is Answer.SAT


def _violation(
    system: TransitionSystem, stated: Property, last: int, solver: str
) -> tuple[Unrolling, Handle]:
    """The paths of so many steps, shortest to a violation, and what says that there is one."""
    unrolling = Unrolling(system, create(solver))
    precedence = Precedence(unrolling)
    unrolling.start()
    unrolling.frame(last)
    node = system.circuit.all(i.holds for i in system.instances(stated))
    across = stated.kind is Kind.STEP_INVARIANT
    for k in range(last):
        unrolling.step(k)
        precedence.step(k)
        unrolling.solver.add(unrolling.at(system.within_bounds, k))
        if not across:
            unrolling.solver.add(unrolling.at(node, k))
        elif k:
            unrolling.solver.add(unrolling.across(node, k - 1))
    held = unrolling.across(node, last - 1) if across else unrolling.at(node, last)
    return unrolling, unrolling.solver.negation(held)
