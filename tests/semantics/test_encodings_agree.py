"""On the protocols of this project, too, the readings agree: on steps, and on what is stated."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from itertools import product
from pkgutil import iter_modules

import bmc.properties
import pytest
from hypothesis import given

from bmc.lang import (
    BoundTooSmall,
    Suite,
)
from bmc.lang.properties import Kind, Property
from bmc.lang.protocol import parameters_of
from bmc.readings.circuit import evaluate
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem
from tests.semantics.outcomes import TOO_SMALL
from tests.semantics.steps import canonical, explicit_steps
from tests.semantics.test_steps_agree import require_agreement
from tests.strategies import Draw, draws, effort

SUITES: dict[str, Suite] = {
    suite.name: suite
    for module in iter_modules(bmc.properties.__path__)
    for suite in vars(import_module(f"bmc.properties.{module.name}")).values()
    if isinstance(suite, Suite)
}
STEPS = 12


@lru_cache
def system_of(name: str, ghosts: bool) -> TransitionSystem:
    """The transition system of a suite at parameters one above the least."""
    suite = SUITES[name]
    parameters = {p.name: min(p.low + 1, p.high) for p in parameters_of(suite.protocol)}
    return TransitionSystem(suite.model(ghosts), parameters)


@lru_cache
def stated_of(name: str) -> tuple[Property, ...]:
    """All that a suite states, over its model with ghosts."""
    suite = SUITES[name]
    model = system_of(name, True).model
    return tuple(suite.describe(d, model) for d in (*suite.properties, *suite.lemmas))


def walk(draw: Draw, system: TransitionSystem) -> list[ConcreteState]:
    """States along a random execution."""
    interpreter = Interpreter(system.model, system.domains)
    path = [draw.one_of(list(interpreter.initial_states()))]
    for _ in range(STEPS):
        try:
            following = [s.state for s in interpreter.successors(path[-1])]
        except BoundTooSmall:
            break
        moves = [state for state in following if state != path[-1]]
        if not moves:
            break
        path.append(draw.one_of(moves))
    return path


@pytest.mark.parametrize("ghosts", [False, True], ids=["as published", "with ghosts"])
@pytest.mark.parametrize("name", SUITES)
@effort(4)
@given(draw=draws())
def test_steps_agree(name: str, ghosts: bool, draw: Draw) -> None:
    if ghosts and SUITES[name].history is None:
        return
    system = system_of(name, ghosts)
    for state in walk(draw, system):
        require_agreement(system, state)


@pytest.mark.parametrize("name", [n for n, s in SUITES.items() if s.history is not None])
@effort(4)
@given(draw=draws())
def test_ghosts_change_nothing(name: str, draw: Draw) -> None:
    followed, plain = system_of(name, True), system_of(name, False)
    evaluator = Interpreter(followed.model, followed.domains).evaluator
    for state in walk(draw, followed):
        seen = explicit_steps(followed.model, evaluator, state)
        projected = {
            instance: after if after is TOO_SMALL else _projected(followed, after)
            for instance, after in seen.items()
        }
        bare = _without_ghosts(followed, state)
        assert projected == explicit_steps(plain.model, evaluator, bare)


def _projected(system: TransitionSystem, states: list[ConcreteState]) -> list[ConcreteState]:
    return sorted((_without_ghosts(system, state) for state in states), key=canonical)


def _without_ghosts(system: TransitionSystem, state: ConcreteState) -> ConcreteState:
    return {name: value for name, value in state.items() if name not in system.model.ghosts}


@pytest.mark.parametrize("name", SUITES)
@effort(4)
@given(draw=draws())
def test_statements_agree(name: str, draw: Draw) -> None:
    system = system_of(name, True)
    path = walk(draw, system)
    for before, after in zip(path, path[1:] + path[-1:], strict=True):
        numbers = [*system.encode(before), *system.encode(after)]
        for stated in stated_of(name):
            instances = system.instances(stated)
            read = evaluate([i.holds for i in instances], numbers)
            assert list(map(bool, read)) == by_value(system, stated, before, after)


def by_value(
    system: TransitionSystem, stated: Property, before: ConcreteState, after: ConcreteState
) -> list[bool]:
    """Whether each instance of a statement holds; one that has no value does not."""
    evaluator = Interpreter(system.model, system.domains).evaluator
    found = []
    for values in product(*(system.domains.values(a.sort) for a in stated.arguments)):
        env = dict(zip(stated.arguments, values, strict=True))
        step = after if stated.kind is Kind.STEP_INVARIANT else None
        try:
            found.append(bool(evaluator.evaluate(stated.body, before, env, step)))
        except BoundTooSmall:
            found.append(False)
    return found
