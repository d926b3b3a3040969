"""The lemmas behind the proof for all parameters: they hold where one can look, and bind nothing.

A lemma that is false somewhere, or lemmas that no state with an enabled action satisfies, would
be found here first.
"""

from __future__ import annotations

import dataclasses
from itertools import islice, product

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.conjuncts import conjunct
from bmc.engines.explicit import explore
from bmc.engines.goals import ask, assume
from bmc.engines.task import Deadline, Task
from bmc.lang.model import Model
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Answer
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling

Sizes = dict[str, int]


def sizes(replicas: int, log_size: int, max_records: int, max_leader_epoch: int) -> Sizes:
    return {
        "replicas": replicas,
        "log_size": log_size,
        "max_records": max_records,
        "max_leader_epoch": max_leader_epoch,
    }


MODEL = KAFKA_KIP320.model(ghosts=True)
LEMMAS = [KAFKA_KIP320.describe(d, MODEL) for d in KAFKA_KIP320.declared(Kind.LEMMA)]


def reached(interpreter: Interpreter, most: int) -> list[ConcreteState]:
    """The first states of a breadth-first search."""
    found = list(islice(interpreter.initial_states(), most))
    seen = {repr(sorted(state.items(), key=str)) for state in found}
    for state in found:
        for step in interpreter.successors(state):
            key = repr(sorted(step.state.items(), key=str))
            if key not in seen and len(found) < most:
                seen.add(key)
                found.append(step.state)
    return found


@pytest.mark.parametrize(
    ("parameters", "most"),
    [(sizes(1, 1, 1, 0), 60), (sizes(1, 2, 2, 1), 100), (sizes(2, 1, 1, 1), 150)],
)
def test_the_interpreter_agrees_on_the_first_states(parameters: Sizes, most: int) -> None:
    interpreter = Interpreter(MODEL, Domains(parameters))
    for state in reached(interpreter, most):
        for lemma in LEMMAS:
            domains = [interpreter.domains.values(a.sort) for a in lemma.arguments]
            for values in product(*domains):
                env = dict(zip(lemma.arguments, values, strict=True))
                assert interpreter.evaluator.holds(lemma.body, state, env), lemma.name


class WithGhosts(Suite):
    """Kafka's suite with its history explored like any other variable."""

    def model(self, ghosts: bool) -> Model:
        return super().model(True)


@pytest.mark.parametrize(
    "parameters", [sizes(2, 2, 2, 2), sizes(3, 1, 1, 1), sizes(2, 3, 2, 1), sizes(1, 3, 3, 3)]
)
def test_lemmas_hold_in_every_reachable_state(parameters: Sizes) -> None:
    parts = {f.name: getattr(KAFKA_KIP320, f.name) for f in dataclasses.fields(KAFKA_KIP320)}
    names = tuple(lemma.name for lemma in LEMMAS)
    found = explore(Task(WithGhosts(**parts), parameters, names))
    assert found.complete
    assert found.distinct_states > 50
    assert found.violations == {}


def test_every_action_can_happen_where_the_lemmas_hold() -> None:
    system = TransitionSystem(MODEL, sizes(2, 2, 2, 2))
    unrolling = Unrolling(system, create("cadical"))
    assume(unrolling, [conjunct(system, lemma) for lemma in LEMMAS], 0)
    wanted = {(a.name, i) for a in MODEL.actions for i in range(len(a.branches))}
    for rule in system.rules:
        if (rule.action, rule.branch) in wanted:
            never = unrolling.at(system.circuit.not_(rule.guard), 0)
            if ask(unrolling.solver, never, Deadline(60)) is Answer.SAT:
                wanted.discard((rule.action, rule.branch))
    assert not wanted
