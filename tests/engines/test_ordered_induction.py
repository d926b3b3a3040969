"""Steps that name members in order, an instance an orbit: an induction keeps the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bmc.properties.kafka import KAFKA_KIP101, KAFKA_KIP320
from hypothesis import given
from hypothesis import strategies as st

from bmc.engines import goals
from bmc.engines.conjuncts import Conjunct, conjuncts
from bmc.engines.induction import Induction
from bmc.engines.task import SILENT, Deadline
from bmc.lang import Suite
from bmc.lang.properties import Kind
from bmc.solving.interface import Handle
from bmc.system.transition import Instance, TransitionSystem
from tests.strategies import effort

TINY = {"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


class _Unordered:
    """What the engine has for a goal when nobody orders the steps."""

    def __init__(self, unrolling: object, steps: int) -> None:
        self.steps = steps

    def after(self, one: Conjunct, goal: Instance) -> list[Handle]:
        return []


def survivors(system: TransitionSystem, chosen: list[Conjunct], k: int) -> set[str]:
    induction = Induction(system, "cadical", SILENT, Deadline(None))
    return {one.name for one in induction.strengthen(chosen, (), k).survivors}


def both(suite: Suite, names: set[str], k: int) -> tuple[set[str], set[str]]:
    """What is kept with order and representatives, and what is kept with neither."""
    model = suite.model(ghosts=True)
    system = TransitionSystem(model, TINY)
    chosen = conjuncts(system, [suite.describe(suite.find(n), model) for n in sorted(names)])
    ordered = survivors(system, chosen, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(goals, "_Ordered", _Unordered)
        everything = [replace(one, goals=one.instances) for one in chosen]
        return ordered, survivors(system, everything, k)


def statements(suite: Suite) -> list[str]:
    return [d.name for d in suite.declared(Kind.LEMMA, Kind.INVARIANT)]


@effort(25)
@given(st.data())
def test_any_part_of_kafkas_statements(data: st.DataObject) -> None:
    suite = data.draw(st.sampled_from([KAFKA_KIP320, KAFKA_KIP101]))
    names = data.draw(st.sets(st.sampled_from(statements(suite)), min_size=1))
    k = data.draw(st.integers(1, 2))
    ordered, plain = both(suite, names, k)
    assert ordered == plain


@pytest.mark.parametrize("left_out", statements(KAFKA_KIP320)[:24:4])
def test_all_of_kafkas_statements_but_one(left_out: str) -> None:
    ordered, plain = both(KAFKA_KIP320, {*statements(KAFKA_KIP320)} - {left_out}, 1)
    assert ordered == plain
    assert ordered
