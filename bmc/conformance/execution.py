"""An execution of a protocol that a log is of, as the interpreter has replayed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bmc.conformance.search import Node
from bmc.evidence.replay import failing_instance
from bmc.evidence.sources import variables_of
from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BoundTooSmall
from bmc.lang.properties import Kind, Property
from bmc.readings.value import ConcreteState, Interpreter


@dataclass(frozen=True)
class Execution:
    """A trace, and the line of the event that each of its states follows.

    A line is None for the initial state and after a silent step.
    """

    trace: Trace
    lines: tuple[int | None, ...]

    def taken(self) -> Counter[str]:
        """Return how often each action happens in it."""
        return Counter(step.action for step in self.trace.steps if step.action is not None)

    def silent(self) -> int:
        """Return how many of its steps were not logged."""
        return sum(line is None for line in self.lines[1:])


@dataclass(frozen=True)
class Broken:
    """An invariant that is false in a state of an execution: its position there, from 0.

    ``line`` is the last event up to that state, None if it is before all events.
    """

    property: Property
    position: int
    line: int | None


def execution_to(node: Node, interpreter: Interpreter) -> Execution:
    """Return the execution that ends in ``node``, with the ghosts of the interpreter's model.

    The interpreter takes every step of it once more, with nothing left of the search but actions,
    arguments and states. Raises Contradiction where it cannot.
    """
    nodes: list[Node] = []
    last: Node | None = node
    while last is not None:
        nodes.append(last)
        last = last.before
    nodes.reverse()
    first = next((s for s in interpreter.initial_states() if _agrees(s, nodes[0].state)), None)
    if first is None:
        raise Contradiction("the first state of a log's execution is not initial on replay")
    steps = [TraceStep(None, {}, first)]
    for number, one in enumerate(nodes[1:], 1):
        state = _after(interpreter, steps[-1].state, one)
        if state is None:
            raise Contradiction(
                f"step {number} of a log's execution cannot be replayed: {one.action} does not "
                "lead there"
            )
        steps.append(TraceStep(one.action, dict(one.arguments or {}), state))
    return Execution(Trace(tuple(steps)), tuple(one.line for one in nodes))


def _after(interpreter: Interpreter, state: ConcreteState, node: Node) -> ConcreteState | None:
    for action in interpreter.model.actions:
        if action.name != node.action:
            continue
        given = node.arguments or {}
        env = {a.variable: given[a.name] for a in action.arguments}
        for argument in action.arguments:
            if argument.collection is None:
                there = interpreter.domains.contains(argument.variable.sort, env[argument.variable])
            else:
                held = interpreter.evaluator.evaluate(argument.collection, state)
                there = env[argument.variable] in held
            if not there:
                return None
        for branch in action.branches:
            try:
                if not all(interpreter.evaluator.holds(g, state, env) for g in branch.guards):
                    continue
                after = interpreter.updated(branch, env, state)
            except BoundTooSmall:
                continue
            if _agrees(after, node.state) and interpreter.inside(after):
                return after
    return None


def _agrees(state: ConcreteState, logged: ConcreteState) -> bool:
    return all(state[name] == value for name, value in logged.items())


def broken_invariants(
    execution: Execution, interpreter: Interpreter, stated: Sequence[Property]
) -> tuple[Broken, ...]:
    """Return where each invariant is first false in an execution; those that hold are left out."""
    found: list[Broken] = []
    steps = execution.trace.steps
    for one in stated:
        over_steps = one.kind is Kind.STEP_INVARIANT
        read = variables_of((one.body,))
        for position in range(1 if over_steps else 0, len(steps)):
            after = steps[position].state if over_steps else None
            state = steps[position - 1 if over_steps else position].state
            before = steps[position - 1].state if position else {}
            if not over_steps and before and all(before[name] == state[name] for name in read):
                # It held in the state before, which is the same to it.
                continue
            if failing_instance(interpreter, state, after, one) is not None:
                known = [line for line in execution.lines[: position + 1] if line is not None]
                found.append(Broken(one, position, known[-1] if known else None))
                break
    return tuple(found)
