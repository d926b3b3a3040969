"""A step that is copied from a template allows what a step that is translated allows."""

from __future__ import annotations

import pytest
from bmc.encodings.kafka import Kip320
from hypothesis import given
from hypothesis import strategies as st

from bmc.lang.describe import model_of
from bmc.lang.protocol import parameter_values
from bmc.readings.value import ConcreteState
from bmc.solving.interface import Answer
from bmc.solving.sat_solver import SatSolver
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Unrolling
from tests.semantics.test_steps_agree import system_of
from tests.strategies import Drawn, effort, protocols

STEPS = 3


def unrolled(system: TransitionSystem, copied: bool) -> Unrolling:
    """Steps one after the other, each looked at before the next one is there."""
    unrolling = Unrolling(system, SatSolver())
    with pytest.MonkeyPatch.context() as patch:
        if not copied:
            patch.setattr(Unrolling, "_copied", lambda self, here, there: None)
        for k in range(STEPS):
            unrolling.at(system.within_bounds, k)
            unrolling.step(k)
    return unrolling


def allows(unrolling: Unrolling, states: dict[int, ConcreteState]) -> bool:
    """Whether an execution has these states at these places."""
    solver = unrolling.solver
    given = []
    for place, state in states.items():
        for leaf, number in enumerate(unrolling.system.encode(state)):
            handle = unrolling.frame(place).handles[leaf]
            boolean = unrolling.system.leaves[leaf].boolean
            wanted = solver.constant(bool(number)) if boolean else solver.number(number)
            given.append(solver.equal(handle, wanted, boolean))
    return solver.check(given) is Answer.SAT


def selected(unrolling: Unrolling) -> list[int]:
    """The rule of each step in the last model."""
    found = []
    for frame in unrolling.frames[:STEPS]:
        (one,) = [i for i, s in enumerate(frame.selectors) if unrolling.solver.value(s)]
        found.append(one)
    return found


@effort(60)
@given(protocols(), st.data())
def test_random_protocols_step_alike(drawn: Drawn, data: st.DataObject) -> None:
    system = system_of(drawn)
    if system is None or not system.rules:
        return
    copied, translated = unrolled(system, True), unrolled(system, False)
    for state in drawn.states:
        place = data.draw(st.integers(0, STEPS))
        if allows(translated, {place: state}):
            path = dict(enumerate(translated.states(STEPS)))
            assert allows(copied, path)
            assert copied.states(STEPS) == list(path.values())
        assert allows(copied, {place: state}) == allows(translated, {place: state})


def test_a_copy_is_made_and_says_which_rule_was_taken() -> None:
    values = parameter_values(Kip320, {"replicas": 2, "max_leader_epoch": 1}, "kafka")
    system = TransitionSystem(model_of(Kip320), values)
    copied, translated = unrolled(system, True), unrolled(system, False)
    # A copy has gates of its own where a translation finds those that are there.
    assert copied.solver.variables > translated.solver.variables  # type: ignore[attr-defined]
    for unrolling, other in ((copied, translated), (translated, copied)):
        unrolling.start()
        assert unrolling.solver.check() is Answer.SAT
        path, rules = dict(enumerate(unrolling.states(STEPS))), selected(unrolling)
        assert allows(other, path)
        chosen = [f.selectors[r] for f, r in zip(other.frames, rules, strict=False)]
        assert other.solver.check([*chosen]) is Answer.SAT
