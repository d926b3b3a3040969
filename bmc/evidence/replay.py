"""Replay: the `value` reading judges every trace before anybody sees it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BoundTooSmall
from bmc.lang.properties import Kind, Property
from bmc.readings.value import ConcreteState, Environment, Interpreter


def replay(
    interpreter: Interpreter,
    states: Sequence[ConcreteState],
    from_initial: bool = True,
    taken: Sequence[str] | None = None,
) -> Trace:
    """The trace through ``states``, each step an action the interpreter takes.

    ``from_initial`` demands that the first state is initial, and ``taken`` which action each step
    is; without it a step that several actions take is the first one's. Raises Contradiction when
    the interpreter cannot take a step or does not know the first state as initial.
    """
    if from_initial and not any(_same(states[0], s) for s in interpreter.initial_states()):
        raise Contradiction("the first state of a counterexample is not initial on replay")
    steps = [TraceStep(None, {}, states[0])]
    for before, after in pairwise(states):
        found = next(
            (
                step
                for step in interpreter.steps_to(before, after)
                if taken is None or step.action == taken[len(steps) - 1]
            ),
            None,
        )
        if found is None:
            raise Contradiction(
                f"step {len(steps)} of a counterexample cannot be replayed: no action leads there"
            )
        steps.append(TraceStep(found.action, found.arguments, after))
    return Trace(tuple(steps))


def _same(one: ConcreteState, other: ConcreteState) -> bool:
    return all(one[name] == other[name] for name in one)


def require_violation(interpreter: Interpreter, trace: Trace, stated: Property) -> None:
    """Contradiction unless the trace's last state (or step) violates the property."""
    if holds_at_end(interpreter, trace, stated):
        raise Contradiction(
            f"a counterexample to {stated.name} does not violate it when it is replayed"
        )


def holds_at_end(interpreter: Interpreter, trace: Trace, stated: Property) -> bool:
    """Whether every instance of a property holds at the last state (or step) of a trace."""
    final = trace.steps[-1].state
    if stated.kind is Kind.STEP_INVARIANT:
        if len(trace) < 2:
            return True
        return _holds(interpreter, stated, trace.steps[-2].state, final)
    return _holds(interpreter, stated, final, None)


def reached_at_end(interpreter: Interpreter, trace: Trace, stated: Property) -> bool:
    """Whether an instance of a witness has a value at the last state of a trace, and holds."""
    return is_reached(interpreter, trace.steps[-1].state, stated)


def is_reached(interpreter: Interpreter, state: ConcreteState, stated: Property) -> bool:
    """Whether an instance of a witness has a value in a state, and holds."""
    for env in _choices(interpreter, stated):
        try:
            if interpreter.evaluator.holds(stated.body, state, env):
                return True
        except BoundTooSmall:
            continue
    return False


def failing_instance(
    interpreter: Interpreter, state: ConcreteState, after: ConcreteState | None, stated: Property
) -> Environment | None:
    """The first choice of a property's arguments for which it fails (or has no value)."""
    for env in _choices(interpreter, stated):
        try:
            held = interpreter.evaluator.evaluate(stated.body, state, env, after)
        except BoundTooSmall:
            held = False
        if not held:
            return env
    return None


def _choices(interpreter: Interpreter, stated: Property) -> list[Environment]:
    environments: list[Environment] = [{}]
    for argument in stated.arguments:
        values = interpreter.domains.values(argument.sort)
        environments = [{**env, argument: v} for env in environments for v in values]
    return environments


def _holds(
    interpreter: Interpreter,
    stated: Property,
    state: ConcreteState,
    after: ConcreteState | None,
) -> bool:
    return failing_instance(interpreter, state, after, stated) is None


def overflowing_action(interpreter: Interpreter, state: ConcreteState) -> str | None:
    """What the interpreter says when a step out of ``state`` leaves the model's bounds."""
    try:
        for _ in interpreter.successors(state):
            pass
    except BoundTooSmall as event:
        return f"{event.title}: {event}"
    return None
