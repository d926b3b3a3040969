"""Temporal claims by IC3, on the model beside a monitor of the claim.

The monitor first counts to small numbers how often it sees everything that a fair behaviour shows
which violates the claim. Where that is not bounded by a small number it waits for a state to come
back instead, and IC3 decides the claim. Where the model beside a monitor has few states, all of
them are looked at first: they say which number it is, and IC3 learns from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from time import monotonic
from typing import assert_never

from bmc.engines.ic3.prove import find_invariant
from bmc.engines.liveness.one_by_one import WithoutVerdicts, decide_each
from bmc.engines.liveness.question import Question
from bmc.engines.packed.formulas import Formulas
from bmc.engines.samples import BoundMet, Explored
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.engines.team import Relay
from bmc.evidence.lasso import Lasso, TemporalResult, judged, without_repetitions
from bmc.evidence.statements import as_judged
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.temporal import TemporalProperty
from bmc.layout.domain import Domains, Value
from bmc.layout.inhabited import EmptySort
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.fair_monitor import Closing, NotMonitored, Return, Rounds
from bmc.system.follower import constant, equal, frozen_name, prefix_of
from bmc.system.transition import TransitionSystem
from bmc.system.watched import WatchedSuite, watched

ENGINE = "monitored"

CLOSINGS: tuple[Closing, ...] = (Rounds(1), Rounds(2), Rounds(3), Return())
"""What the monitor is asked, in order; the last one decides."""

MOST_ROUNDS = 12
"""How far the monitor counts where all states are looked at."""

_STATES = 60_000
"""How many states the model beside the monitor may have, to be looked at first."""
_SECONDS = 20.0


def prove_by_monitor(
    question: Question, observer: Relay, *, look_first: bool = True
) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order; a proof comes with its certificate.

    Unless ``look_first``, all states are not looked at, however few.
    Raises NoInitialState, and Contradiction when a lasso or a certificate does not survive its
    re-check.
    """
    return decide_each(question, observer, partial(_decided, look_first))


def _decided(
    look_first: bool, question: Question, name: str, deadline: Deadline, observer: Relay
) -> TemporalResult:
    started = monotonic()
    suite = question.suite
    stated = suite.describe_temporal(name, suite.model(False))
    reason: str | None = None
    reached: tuple[ConcreteState, ...] = ()
    closings, explored = CLOSINGS, None
    counted = _counted(question, name, deadline, observer) if look_first else None
    if counted is not None:
        closings, explored = (counted[0],), counted[1]
    for closing in closings:
        said = f"at most {closing.most - 1} rounds" if isinstance(closing, Rounds) else "no return"
        observer.phase(f"{name}: {said} of all that a violation shows")
        try:
            task = Task(watched(suite, name, closing), question.parameters, (name,)).within(
                deadline
            )
            (found,) = find_invariant(task, WithoutVerdicts(observer), explored)
        except (NotMonitored, EmptySort, OutOfTime) as refused:
            reason = str(refused)
            break
        answer = answered(ENGINE, question, stated, task, found, monotonic() - started)
        if answer is not None:
            return answer
        if found.verdict is Verdict.UNKNOWN:
            reason, reached = found.reason, beyond(found)
            break
    return TemporalResult(
        name,
        Verdict.UNKNOWN,
        stated.specification,
        monotonic() - started,
        engine=ENGINE,
        reason=reason,
        reached=reached,
    )


def beyond(found: Result) -> tuple[ConcreteState, ...]:
    """Return the state out of which a step was found to leave the bounds, if one was."""
    return () if found.overflow is None else (found.overflow.steps[-1].state,)


def answered(
    engine: str,
    question: Question,
    stated: TemporalProperty,
    task: Task,
    found: Result,
    seconds: float,
) -> TemporalResult | None:
    """Return what an answer about a monitor's invariant says of the claim, None if nothing.

    Raises Contradiction when a lasso does not survive the interpreter.
    """
    beside = task.suite
    assert isinstance(beside, WatchedSuite)

    def answer(verdict: Verdict, **more: object) -> TemporalResult:
        return TemporalResult(
            stated.name,
            verdict,
            stated.specification,
            seconds,
            engine=engine,
            **more,  # type: ignore[arg-type]
        )

    match found.verdict:
        case Verdict.PROVED:
            assert found.certificate is not None
            certificate, _ = as_judged(found.certificate, beside)
            return answer(Verdict.PROVED, certificate=certificate, checked_by=found.checked_by)
        case Verdict.VIOLATED if isinstance(beside.closing, Return):
            assert found.trace is not None
            lasso, values = _lasso(question, question.suite, stated, found.trace)
            arguments = stated.instance(values)
            return answer(Verdict.VIOLATED, lasso=lasso, arguments=arguments)
        case Verdict.VIOLATED | Verdict.UNKNOWN:
            return None
        case _:
            assert_never(found.verdict)


def _counted(
    question: Question, name: str, deadline: Deadline, observer: Relay
) -> tuple[Closing, Explored | None] | None:
    """Return what to ask of the monitor, as all states say, and these; None where they are many."""
    suite = question.suite

    def explored(most: int) -> Explored:
        model = watched(suite, name, Rounds(most)).model(False)
        found = Explored(TransitionSystem(model, question.parameters), 0)
        deadline.check()
        left = deadline.remaining()
        found.explore_all(_STATES, _SECONDS if left is None else min(_SECONDS, left / 2), observer)
        return found

    observer.phase(f"{name}: looking at all states beside the monitor, if they are few")
    try:
        states = explored(MOST_ROUNDS)
        if not states.complete:
            return None
        reached = max(_rounds(states, f"{prefix_of(suite.model(True))}_rounds"), default=0)
        if reached == MOST_ROUNDS:
            return Return(), None
        return Rounds(reached + 1), explored(reached + 1)
    except (NotMonitored, EmptySort, OutOfTime, BoundMet):
        # Whoever is asked next says so.
        return None


def _rounds(states: Explored, called: str) -> Iterator[int]:
    """Yield the numbers that the counter of that name has in some state."""
    system = states.system
    counter = state_variable(called, system.model.variables[called])
    numbers = range(MOST_ROUNDS + 1)
    nodes = [
        system.expander.expand(equal(counter, constant(counter, str(number)))).shape
        for number in numbers
    ]
    formulas = Formulas(states.packing, nodes)
    for rows in states.blocks():
        for number, found in zip(numbers, formulas.evaluate(rows), strict=True):
            if found.any():
                yield number


def _lasso(
    question: Question, suite: Suite, stated: TemporalProperty, trace: Trace
) -> tuple[Lasso, Sequence[Value]]:
    """The lasso of a run on which a remembered state came back, judged."""
    model = suite.model(False)
    end = trace.steps[-1].state
    prefix = prefix_of(suite.model(True))
    loop = next(n for n, step in enumerate(trace.steps) if step.state[f"{prefix}_saved"])
    values = [end[frozen_name(prefix, one)] for one in stated.arguments]
    plain = [{name: step.state[name] for name in model.variables} for step in trace.steps]
    if plain[-1] != plain[loop]:
        raise Contradiction("a state that is said to come back is another one")
    states, start = without_repetitions(plain, loop)
    interpreter = Interpreter(model, Domains(question.parameters))
    specification = suite.specification(stated.specification, model)
    return judged(interpreter, states, start, specification, stated, values), values
