"""Executions that cover a protocol: the cases that a test of a system has to go through.

Shortest executions are found breadth first. What is left where that meets a limit is looked for by
random walks. Of all executions a small set is chosen greedily, and each is replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product
from typing import TypeVar, cast

from bmc.analysis.covering.goals import Cover, Goal, goals_of, stated_goal
from bmc.engines.explicit import explore
from bmc.engines.simulate import Walks, simulate
from bmc.engines.stated import stated_over
from bmc.engines.task import SILENT, Deadline, Interrupted, Observer, Task
from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction
from bmc.evidence.wording import count
from bmc.lang.errors import BoundTooSmall
from bmc.lang.properties import Kind
from bmc.layout.domain import Domains, Value
from bmc.readings.compiled import Compiler, Function
from bmc.readings.value import ConcreteState, Interpreter

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Covered:
    """Where an execution covers a goal: the number of the state, from 0.

    Of an action it is the state that the step leads to. Of a guard ``arguments`` are a choice of
    the action's arguments that the guard refuses there.
    """

    goal: Goal
    state: int
    arguments: Mapping[str, Value]


@dataclass(frozen=True)
class CoveringExecution:
    """An execution that the interpreter has replayed, and the goals that it covers."""

    trace: Trace
    covers: tuple[Covered, ...]


@dataclass(frozen=True)
class CoveringSet:
    """Executions that cover all goals that were reached.

    ``unreached`` names the others. If the exploration was ``complete`` no reachable state covers
    them at these parameters; otherwise ``searched`` says what was looked at.
    """

    goals: tuple[Goal, ...]
    executions: tuple[CoveringExecution, ...]
    unreached: tuple[str, ...]
    complete: bool
    searched: str


def covering_set(
    task: Task,
    cover: Cover,
    max_states: int,
    walks: Walks,
    observer: Observer = SILENT,
) -> CoveringSet:
    """Return a small set of executions that covers what can be reached.

    At most ``max_states`` states are explored; then ``walks`` are taken, if something is left. The
    task's properties are not looked at. An interruption ends the search as a limit does, once there
    is something to tell. Raises NothingToCover, OptionError for a witness that speaks of history,
    what exploration and simulation raise, and Contradiction where the interpreter does not take a
    step that was found.
    """
    deadline = Deadline(task.timeout)
    model = task.suite.model(False)
    if cover is Cover.WITNESSES:
        witnesses = tuple(one.name for one in task.suite.declared(Kind.WITNESS))
        stated_over(replace(task, properties=witnesses), model)
    goals = goals_of(task.suite, model, cover)
    exploring = partial(explore, max_states=max_states, stop_when_decided=True)
    found, is_interrupted = _until_interrupted(
        exploring, _asked(task, goals, Kind.WITNESS), observer
    )
    if found is None:
        raise KeyboardInterrupt
    traces = {name: trace for name, trace in found.witnesses.items() if trace is not None}
    searched = f"within {count(found.distinct_states, 'state')}, breadth first"
    if not found.complete and len(traces) < len(goals):
        searched += f" ({found.stopped_because})"
    if not found.complete and len(traces) < len(goals) and not is_interrupted:
        left = [goal for goal in goals if goal.name not in traces]
        walking = partial(simulate, walks=walks)
        walked, _ = _until_interrupted(
            walking, _asked(task.within(deadline), left, Kind.INVARIANT), observer
        )
        if walked is not None:
            traces |= walked.violations
            searched += f", and {count(walked.steps, 'random step')}"
        stopped = "interrupted" if walked is None else walked.stopped_because
        if stopped is not None:
            searched += f" ({stopped})"
    interpreter = Interpreter(model, Domains(task.parameters))
    looked = _Looked(interpreter, goals)
    executions = [
        looked.at(looked.whole(goal, traces[goal.name])) for goal in goals if goal.name in traces
    ]
    chosen = _few(executions)
    reached = {one.goal.name for execution in chosen for one in execution.covers}
    unreached = tuple(goal.name for goal in goals if goal.name not in reached)
    return CoveringSet(goals, tuple(chosen), unreached, found.complete, searched)


def _until_interrupted(
    search: Callable[..., _Found], task: Task, observer: Observer
) -> tuple[_Found | None, bool]:
    """What a search found, None if nothing yet, and whether somebody interrupted it."""
    try:
        return search(task, observer=observer), False
    except Interrupted as error:
        return cast("_Found", error.found), True
    except KeyboardInterrupt:
        return None, True


def _asked(task: Task, goals: Sequence[Goal], kind: Kind) -> Task:
    """The task to look for goals: each is a witness, or violates an invariant."""
    suite = replace(
        task.suite,
        properties=tuple(stated_goal(goal, kind) for goal in goals),
        lemmas=(),
        temporal=(),
        rankings=(),
        refuted={},
        explained={},
        parts={},
        carried=(),
        # A goal is none of the text's claims, even if it has the name of one.
        origin=None,
    )
    return replace(task, suite=suite, properties=tuple(goal.name for goal in goals))


def _few(executions: Sequence[CoveringExecution]) -> list[CoveringExecution]:
    """Return executions that cover what all of them do: always the next that adds most.

    Of those that add as much it is the shortest. At the end whatever the later ones made
    superfluous is left out, the longest first.
    """
    covers = [frozenset(one.goal.name for one in execution.covers) for execution in executions]
    steps = [len(execution.trace) for execution in executions]
    open_goals = frozenset[str]().union(*covers)
    chosen: list[int] = []
    while open_goals:
        best = min(
            range(len(executions)), key=lambda i: (-len(covers[i] & open_goals), steps[i], i)
        )
        chosen.append(best)
        open_goals -= covers[best]
    for number in sorted(chosen, key=lambda i: -steps[i]):
        others = frozenset[str]().union(*(covers[i] for i in chosen if i != number))
        if covers[number] <= others:
            chosen.remove(number)
    return [executions[number] for number in sorted(chosen)]


class _Looked:
    """Says what executions cover, by the interpreter's reading; a state is looked at once."""

    def __init__(self, interpreter: Interpreter, goals: Sequence[Goal]) -> None:
        compiler = Compiler(interpreter.domains, remembers=True)
        self._interpreter = interpreter
        self._goals = goals
        of_states = [goal for goal in goals if goal.action is None or goal.refused]
        for goal in of_states:
            compiler.look([goal.formula], len(goal.arguments))
        self._functions = {
            goal.name: compiler.function(goal.formula, goal.arguments) for goal in of_states
        }
        self._choices = {
            goal.name: [interpreter.domains.values(one.sort) for one in goal.arguments]
            for goal in goals
        }
        self._known: dict[tuple[Value, ...], frozenset[str]] = {}

    def whole(self, goal: Goal, trace: Trace) -> Trace:
        """Return a trace that ends with the action, of one to a state where it can be taken."""
        if goal.action is None or goal.refused:
            return trace
        try:
            step = next(self._interpreter.steps_of(goal.action, trace.steps[-1].state), None)
        except BoundTooSmall:
            step = None
        if step is None:
            # Every step of it leaves the bounds or the state constraint.
            return trace
        return Trace((*trace.steps, TraceStep(step.action, step.arguments, step.state)))

    def at(self, trace: Trace) -> CoveringExecution:
        """Return what a trace covers, once all of it was replayed. Raises Contradiction."""
        self._replay(trace)
        first: dict[str, int] = {}
        for position, step in enumerate(trace.steps):
            for name in self._in_state(step.state):
                first.setdefault(name, position)
        actions = {goal.name for goal in self._goals if goal.action and not goal.refused}
        for position, step in enumerate(trace.steps):
            if step.action in actions:
                first.setdefault(step.action, position)
        return CoveringExecution(
            trace,
            tuple(
                Covered(goal, first[goal.name], self._choice(goal, trace, first[goal.name]))
                for goal in self._goals
                if goal.name in first
            ),
        )

    def _replay(self, trace: Trace) -> None:
        initial = self._interpreter.initial_states()
        if not any(state == trace.steps[0].state for state in initial):
            raise Contradiction("the first state of an execution is not initial on replay")
        for before, step in pairwise(trace.steps):
            taken = self._interpreter.steps_to(before.state, step.state)
            if not any(s.action == step.action and s.arguments == step.arguments for s in taken):
                raise Contradiction(f"a step {step.action} of an execution cannot be replayed")

    def _in_state(self, state: ConcreteState) -> frozenset[str]:
        key = tuple(state.values())
        if key not in self._known:
            self._known[key] = frozenset(
                name
                for name, function in self._functions.items()
                if any(_true(function, state, c) for c in product(*self._choices[name]))
            )
        return self._known[key]

    def _choice(self, goal: Goal, trace: Trace, position: int) -> Mapping[str, Value]:
        """The first choice of arguments that a guard refuses in a state."""
        if goal.action is None or not goal.refused:
            return {}
        state = trace.steps[position].state
        for env in self._interpreter.choices(goal.action, state):
            if all(self._interpreter.evaluator.holds(one, state, env) for one in goal.refused):
                return {a.name: env[a.variable] for a in goal.action.arguments}
        raise Contradiction(f"{goal.name} is covered by no choice of arguments on replay")


def _true(function: Function, state: ConcreteState, arguments: Sequence[Value]) -> bool:
    try:
        return bool(function(state, None, *arguments))
    except BoundTooSmall:
        return False
