"""Bounded model checking: the shortest violation, if there is one within a depth.

One solver serves all depths (Biere, Cimatti, Clarke and Zhu, *Symbolic model checking without
BDDs*, 1999). A depth is examined before anything demands that it has a successor, and once it
is clean the property is asserted there. Of all renamings of a path one is searched
(:mod:`bmc.system.precedence`). A search that takes longer than :data:`PATIENCE` looks for lemmas
that hold, and asserts those it has proven in every frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic, process_time

from bmc.engines.conjuncts import Conjunct, within
from bmc.engines.goals import assume
from bmc.engines.isolation import Relay, isolated
from bmc.engines.lemmas import proven_lemmas
from bmc.engines.minimisation import CUT_OFF, simplest_on_graph, simplified
from bmc.engines.preference import TracePreference
from bmc.engines.task import SILENT, Deadline, Observer, OutOfTime, Task
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.evidence.replay import overflowing_action, replay, require_violation
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result, Verdict
from bmc.evidence.wording import WAYS_TO_HOLD_ALL, count
from bmc.lang.properties import Kind, Property
from bmc.readings.value import Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle
from bmc.system.cone import ConeOfInfluence
from bmc.system.no_model import no_initial_state
from bmc.system.precedence import Precedence
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling

ENGINE = "bounded"

PATIENCE = 3.0
"""Processor seconds of searching after which lemmas are looked for; short ones need none."""

AT_FIRST = "the search ended at the first violation; --continue goes on"

LEMMA_SECONDS = 10.0
"""The most seconds that are spent on lemmas."""


class BoundedSearch:
    """Searches depth by depth for violations of several properties at once.

    ``found`` maps a violated property to its shortest trace, replayed; ``overflow`` is the
    trace to a state where the model's bounds are too small, with what goes wrong there, after
    which nothing deeper is searched; ``clean`` is the last depth (in steps) found free of other
    violations, -1 before the first. ``on_violation`` is called with each property that is found
    violated, its trace and what says so in the solver, whose last model the trace is: at once,
    since time may end before the depth does. It searches on the cone of influence of the
    properties, unless ``whole`` says that the solver's models are asked for more.
    """

    def __init__(
        self,
        system: TransitionSystem,
        properties: tuple[Property, ...],
        solver: str,
        whole: bool = False,
    ) -> None:
        self.system = system
        self.interpreter = Interpreter(system.model, system.domains)
        self.solver = create(solver)
        asked = [i.holds for stated in properties for i in system.instances(stated)]
        cone = None if whole else ConeOfInfluence(system).of(asked)
        self.unrolling = Unrolling(system, self.solver, cone)
        self._precedence = Precedence(self.unrolling)
        self._known: list[Conjunct] = []
        self.open = {p.name: p for p in properties}
        self.found: dict[str, Trace] = {}
        self.overflow: tuple[Trace, str] | None = None
        self.clean = -1
        self.exhausted = False
        self.on_violation: Callable[[Property, Trace, Handle], None] = _ignore

    def know(self, proven: Sequence[Conjunct]) -> None:
        """Assert what is proven of every reachable state, in all frames, inside the cone."""
        proven = [within(one, self.unrolling.cone) for one in proven]
        self._known += proven
        for depth in range(len(self.unrolling.frames)):
            assume(self.unrolling, proven, depth)

    def deepen(self, deadline: Deadline) -> None:
        """Examine the next depth.

        Raises NoInitialState when there is nothing to search, OutOfTime when the solver gives
        up, and Contradiction when a trace does not replay.
        """
        depth = self.clean + 1
        if not depth:
            self.unrolling.start()
            if self._ask(self.solver.constant(True), deadline) is not Answer.SAT:
                raise no_initial_state(self.system.model, self.system.parameters)
        else:
            self.unrolling.step(depth - 1)
            self._precedence.step(depth - 1)
            assume(self.unrolling, self._known, depth)
            if self._ask(self.solver.constant(True), deadline) is not Answer.SAT:
                self.exhausted = True
                self.clean = depth
                return
        for stated in list(self.open.values()):
            self._examine(stated, depth, deadline)
        bounds = self.unrolling.at(self.system.within_bounds, depth)
        if self._ask(self.solver.negation(bounds), deadline) is Answer.SAT:
            trace = replay(self.interpreter, self.unrolling.states(depth))
            said = overflowing_action(self.interpreter, trace.steps[-1].state)
            self.overflow = (trace, said or "an action has no value")
        self.solver.add(bounds)
        self.clean = depth

    def _examine(self, stated: Property, depth: int, deadline: Deadline) -> None:
        holds = self._formula(stated, depth)
        if holds is None:
            return
        if self._ask(self.solver.negation(holds), deadline) is Answer.SAT:
            trace = replay(self.interpreter, self.unrolling.states(depth))
            require_violation(self.interpreter, trace, stated)
            self.found[stated.name] = trace
            del self.open[stated.name]
            self.on_violation(stated, trace, self.solver.negation(holds))
        else:
            self.solver.add(holds)

    def _formula(self, stated: Property, depth: int) -> Handle | None:
        node = self.system.circuit.all(i.holds for i in self.system.instances(stated))
        if stated.kind is not Kind.STEP_INVARIANT:
            return self.unrolling.at(node, depth)
        return self.unrolling.across(node, depth - 1) if depth else None

    def _ask(self, formula: Handle, deadline: Deadline) -> Answer:
        deadline.check()
        answer = self.solver.check([formula], deadline.remaining())
        if answer is Answer.UNKNOWN:
            raise OutOfTime("the solver gave up within the time limit")
        return answer


def _ignore(stated: Property, trace: Trace, broken: Handle) -> None:
    """Nobody wants to know."""


def prove(task: Task, observer: Observer = SILENT) -> tuple[Result, ...]:
    """Search as :func:`check` does, for traces as they are found: a search proves nothing."""
    return check(task, observer)


def check(
    task: Task,
    observer: Observer = SILENT,
    taste: TracePreference | None = None,
    stop_at_violation: bool = False,
) -> tuple[Result, ...]:
    """Search for violations up to ``task.depth`` steps, in a process of its own.

    A property without one is unknown, with the depth that is clean. Traces are as simple as
    their length allows where there is a ``taste``, and otherwise as they were found. With
    ``stop_at_violation`` no depth is searched beyond that of the first violation.
    """
    work = partial(search_to_bound, taste=taste, stop_at_violation=stop_at_violation)
    return isolated(work, task, observer)


def search_to_bound(
    task: Task,
    observer: Relay,
    taste: TracePreference | None = None,
    stop_at_violation: bool = False,
) -> tuple[Result, ...]:
    """What :func:`check` does, in this process."""
    started, busy = monotonic(), process_time()
    deadline = Deadline(task.timeout)
    model = task.model(ghosts=False)
    search = BoundedSearch(
        TransitionSystem(model, task.parameters),
        task.stated(model),
        task.solver,
        whole=taste is not None,
    )
    results: dict[str, Result] = {}

    def report(name: str, result: Result) -> None:
        results[name] = result
        observer.decided(result)

    def found(stated: Property, trace: Trace, broken: Handle) -> None:
        result = violated(stated.name, trace, ENGINE, started)
        if taste is not None:
            result = simplest(stated, result, broken, taste)
        report(stated.name, result)

    def simplest(stated: Property, known: Result, broken: Handle, taste: TracePreference) -> Result:
        observer.so_far(replace(known, reason=CUT_OFF))
        limit = deadline.remaining()
        chosen = simplest_on_graph(search.system, stated, known, taste, limit)
        if chosen is not None:
            return chosen
        limit = deadline.remaining()
        return simplified(search.unrolling, stated, broken, known, taste, observer, limit)

    search.on_violation = found

    def undecided(name: str, reason: str) -> Result:
        seconds = monotonic() - started
        beyond = search.overflow[0] if search.overflow is not None else None
        depth = search.clean if search.clean >= 0 else None
        if search.exhausted:
            depth = task.depth
        return Result(
            name, Verdict.UNKNOWN, ENGINE, seconds, depth=depth, reason=reason, overflow=beyond
        )

    reason = not_deeper(task.depth)
    strengthened = not task.lemmas
    try:
        while search.open and search.clean < task.depth and not search.exhausted:
            if not strengthened and process_time() - busy > PATIENCE:
                strengthened = True
                search.know(_lemmas(task, search.system, observer, deadline))
            observer.phase(f"searching depth {search.clean + 1}")
            search.deepen(deadline)
            for name in search.open:
                observer.so_far(undecided(name, "the search was stopped"))
            if search.overflow is not None:
                reason = overflow_reason(search.overflow)
                break
            if stop_at_violation and search.found:
                reason = AT_FIRST
                break
    except OutOfTime as stop:
        reason = str(stop)
    if search.exhausted:
        reason = f"no violation: no execution is longer than {count(search.clean - 1, 'step')}"
    for name in search.open:
        report(name, undecided(name, reason))
    return tuple(results[name] for name in task.properties)


def _lemmas(
    task: Task, system: TransitionSystem, observer: Observer, deadline: Deadline
) -> tuple[Conjunct, ...]:
    left = deadline.remaining()
    limit = Deadline(LEMMA_SECONDS if left is None else min(left, LEMMA_SECONDS))
    try:
        return proven_lemmas(task, system, observer, limit)
    except OutOfTime:
        return ()


def violated(name: str, trace: Trace, engine: str, started: float) -> Result:
    """The result for a property with a replayed trace."""
    seconds = monotonic() - started
    return Result(name, Verdict.VIOLATED, engine, seconds, depth=len(trace) - 1, trace=trace)


def not_deeper(depth: int) -> str:
    """Why nothing is said beyond a depth that is free of violations."""
    return f"no violation within {count(depth, 'step')}; deeper is not searched"


def overflow_reason(overflow: tuple[Trace, str]) -> str:
    """Why nothing is said where a step has no value in the model's bounds."""
    trace, said = overflow
    steps = count(len(trace) - 1, "step")
    return f"{said} ({WITHIN_BOUNDS} fails after {steps}); {WAYS_TO_HOLD_ALL}"
