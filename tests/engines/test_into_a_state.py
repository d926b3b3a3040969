"""That steps lead to states is asked rule by rule: what one question of a whole step would say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bmc.properties.kafka import KAFKA_KIP320
from hypothesis import given
from hypothesis import strategies as st

from bmc.evidence.path import SymbolicPath
from bmc.readings.circuit import Node
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle
from bmc.system.transition import TransitionSystem
from tests.semantics.test_steps_agree import system_of
from tests.strategies import Drawn, effort, protocols

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def stays_by_rule(system: TransitionSystem) -> list[bool]:
    """Of each rule whether it leads to states only."""
    path = SymbolicPath(system, create("bitwuzla"))
    return [not _can_fail(path, path.into_a_state(rule)) for rule in system.rules]


def stays_at_all(system: TransitionSystem) -> bool:
    """The same of a whole step, by one question about the state after it."""
    path = SymbolicPath(system, create("bitwuzla"))
    path.advance()
    return not _can_fail(path, path.is_state())


def _can_fail(path: SymbolicPath, formula: Handle) -> bool:
    answer = path.solver.check([path.solver.negation(formula)])
    assert answer is not Answer.UNKNOWN
    return answer is Answer.SAT


def writing(system: TransitionSystem, number: int, index: int, node: Node) -> None:
    """Have a rule write one more scalar, or another value to it."""
    rule = system.rules[number]
    changed = replace(rule, updates={**rule.updates, index: node})
    system.rules = (*system.rules[:number], changed, *system.rules[number + 1 :])


@effort(100)
@given(protocols(), st.data())
def test_rules_one_by_one_say_what_a_whole_step_says(drawn: Drawn, data: st.DataObject) -> None:
    system = system_of(drawn)
    if system is None or not system.rules or not system.leaves:
        return
    assert all(stays_by_rule(system))
    number = data.draw(st.integers(0, len(system.rules) - 1))
    leaf = data.draw(st.sampled_from(system.leaves))
    c, before = system.circuit, system.leaf_node(leaf.index)
    other = c.not_(before) if leaf.boolean else c.add(before, c.number(1))
    writing(system, number, leaf.index, other)
    by_rule = stays_by_rule(system)
    assert all(stays for i, stays in enumerate(by_rule) if i != number)
    assert all(by_rule) == stays_at_all(system)


@pytest.mark.parametrize("beyond", [-1, 1])
def test_a_rule_that_writes_a_number_beyond_its_range_is_found_out(beyond: int) -> None:
    system = TransitionSystem(KAFKA_KIP320.model(ghosts=True), SMALL)
    assert all(stays_by_rule(system))
    leaf = next(leaf for leaf in system.leaves if not leaf.boolean)
    value = leaf.high + 1 if beyond > 0 else leaf.low - 1
    writing(system, 0, leaf.index, system.circuit.number(value))
    assert stays_by_rule(system) == [False, *[True] * (len(system.rules) - 1)]
