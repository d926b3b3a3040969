"""The steps out of a state, as the interpreter takes them and as the ground rules say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from bmc.lang import (
    BoundTooSmall,
)
from bmc.lang.model import Argument, Model
from bmc.lang.state import Branch
from bmc.readings.circuit import evaluate
from bmc.readings.value import ConcreteState, Environment, Evaluator
from bmc.system.transition import Rule, TransitionSystem
from tests.semantics.outcomes import TOO_SMALL
from tests.strategies.values import Value

Instance = tuple[str, int, tuple[tuple[str, Value], ...]]
"""An action's name, the number of a branch, and the values of those arguments that range over
sorts."""

Steps = dict[Instance, Any]
"""For each instance that can be taken the states it leads to (sorted), or TOO_SMALL."""


def explicit_steps(model: Model, evaluator: Evaluator, state: ConcreteState) -> Steps:
    """What the language says an action means, read by the `value` reading."""
    found: Steps = {}
    for action in model.actions:
        for known, env in _choices(evaluator, action.arguments, state):
            for number, branch in enumerate(action.branches):
                key = action.name, number, known
                try:
                    after = _after(model, evaluator, branch, state, env)
                except BoundTooSmall:
                    found[key] = TOO_SMALL
                else:
                    if after is not None and found.get(key) is not TOO_SMALL:
                        found.setdefault(key, []).append(after)
    return _sorted(found)


def _choices(
    evaluator: Evaluator, arguments: tuple[Argument, ...], state: ConcreteState
) -> Iterator[tuple[tuple[tuple[str, Value], ...], Environment]]:
    def domain(argument: Argument) -> Iterable[Value]:
        if argument.collection is None:
            return evaluator.domains.values(argument.variable.sort)
        found: frozenset[Value] = evaluator.evaluate(argument.collection, state)
        return found

    for values in product(*(domain(a) for a in arguments)):
        chosen = list(zip(arguments, values, strict=True))
        known = tuple((a.name, v) for a, v in chosen if a.collection is None)
        yield known, {a.variable: v for a, v in chosen}


def _after(
    model: Model, evaluator: Evaluator, branch: Branch, state: ConcreteState, env: Environment
) -> ConcreteState | None:
    if not all(evaluator.evaluate(guard, state, env) for guard in branch.guards):
        return None
    changes = {n: evaluator.evaluate(term, state, env) for n, term in branch.updates.items()}
    after = {**state, **changes}
    return after if evaluator.evaluate(model.constraint, after) else None


def symbolic_steps(system: TransitionSystem, state: ConcreteState) -> Steps:
    """What the rules of a transition system say."""
    found: Steps = {}
    numbers = system.encode(state)
    nodes = [n for rule in system.rules for n in (rule.guard, rule.overflow)]
    values = evaluate(nodes, numbers)
    for rule, guard, overflow in zip(system.rules, values[::2], values[1::2], strict=True):
        key = rule.action, rule.branch, tuple(rule.arguments.items())
        if overflow:
            found[key] = TOO_SMALL
        elif guard and found.get(key) is not TOO_SMALL:
            after = _apply(system, rule, numbers)
            if evaluate([system.constraint], after)[0]:
                found.setdefault(key, []).append(system.decode(after))
    return _sorted(found)


def _apply(system: TransitionSystem, rule: Rule, numbers: list[int]) -> list[int]:
    after = list(numbers)
    for index, number in zip(
        rule.updates, evaluate(list(rule.updates.values()), numbers), strict=True
    ):
        after[index] = number
    assert evaluate([system.well_formed], after) == [1]
    assert system.encode(system.decode(after)) == after
    return after


def _sorted(steps: Steps) -> Steps:
    return {
        key: after if after is TOO_SMALL else sorted(after, key=canonical)
        for key, after in steps.items()
    }


def canonical(value: Value) -> Any:
    """A text that equal values have in common: the order inside a frozenset is not one."""
    match value:
        case dict():
            return "{" + ",".join(f"{k}:{canonical(v)}" for k, v in value.items()) + "}"
        case frozenset():
            return "{" + ",".join(sorted(canonical(v) for v in value)) + "}"
        case tuple():
            return "(" + ",".join(canonical(v) for v in value) + ")"
    return repr(value)
