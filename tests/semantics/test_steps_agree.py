"""A protocol's steps, run by the interpreter and read off the ground rules, are the same."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given

from bmc.lang import BoundTooSmall
from bmc.readings.circuit import evaluate
from bmc.readings.value import ConcreteState, Interpreter
from bmc.solving.factory import create
from bmc.solving.interface import Answer, Handle, Solver
from bmc.system.transition import Leaf, TransitionSystem
from bmc.system.unrolling import Unrolling
from tests.semantics.outcomes import TOO_SMALL
from tests.semantics.steps import Steps, canonical, explicit_steps, symbolic_steps
from tests.strategies import Drawn, effort, protocols


def system_of(drawn: Drawn) -> TransitionSystem | None:
    """The transition system, or None where the parameters are too small for Init."""
    try:
        return TransitionSystem(drawn.model, drawn.world.parameters)
    except BoundTooSmall:
        return None


def require_same(found: Steps, steps: Steps) -> None:
    """Fail unless the same steps are taken, and guards have no value in the same branches.

    Rules that are never taken are told apart by where they have no value alone: of several choices
    of arguments that have none in the same states, one rule says so.
    """
    assert {key: after for key, after in found.items() if after is not TOO_SMALL} == {
        key: after for key, after in steps.items() if after is not TOO_SMALL
    }
    unvalued = {key for key, after in found.items() if after is TOO_SMALL}
    expected = {key for key, after in steps.items() if after is TOO_SMALL}
    assert unvalued <= expected
    assert {key[:2] for key in unvalued} == {key[:2] for key in expected}


def require_agreement(system: TransitionSystem, state: ConcreteState) -> None:
    """Fail unless all ways of stepping out of ``state`` agree."""
    interpreter = Interpreter(system.model, system.domains)
    steps = explicit_steps(system.model, interpreter.evaluator, state)
    require_same(symbolic_steps(system, state), steps)
    assert evaluate([system.within_bounds], system.encode(state)) == [
        TOO_SMALL not in steps.values()
    ]
    try:
        taken = [s.state for s in interpreter.successors(state)]
    except BoundTooSmall:
        assert TOO_SMALL in steps.values()
    else:
        expected = [after for states in steps.values() for after in states]
        assert sorted(taken, key=canonical) == sorted(expected, key=canonical)


@effort(150)
@given(protocols())
def test_steps_of_random_protocols_agree(drawn: Drawn) -> None:
    system = system_of(drawn)
    for state in drawn.states if system is not None else ():
        require_agreement(system, state)


@effort(60)
@given(protocols())
def test_an_unrolled_step_leads_to_the_same_states(drawn: Drawn) -> None:
    system = system_of(drawn)
    for state in drawn.states if system is not None else ():
        evaluator = Interpreter(drawn.model, drawn.world.domains).evaluator
        # A state outside the constraint is in no execution.
        inside = evaluate([system.constraint], system.encode(state)) == [1]
        steps = explicit_steps(drawn.model, evaluator, state) if inside else {}
        expected = [s for after in steps.values() if after is not TOO_SMALL for s in after]
        found = list(unrolled_steps(system, state))
        assert all(state in expected for state in found)
        assert all(state in found for state in expected)


def unrolled_steps(system: TransitionSystem, state: ConcreteState) -> Iterator[ConcreteState]:
    """Every state that a solver can find one step after ``state``, once."""
    solver = create("cadical")
    unrolling = Unrolling(system, solver)
    unrolling.step(0)
    first, second = unrolling.frame(0).handles, unrolling.frame(1).handles
    for leaf, handle, number in zip(system.leaves, first, system.encode(state), strict=True):
        solver.add(_is(solver, leaf, handle, number))
    while solver.check() is Answer.SAT:
        found = unrolling.state(1)
        yield found
        numbers = zip(system.leaves, second, system.encode(found), strict=True)
        solver.clause(*(solver.negation(_is(solver, *one)) for one in numbers))


def _is(solver: Solver, leaf: Leaf, handle: Handle, number: int) -> Handle:
    value = solver.constant(bool(number)) if leaf.boolean else solver.number(number)
    return solver.equal(handle, value, leaf.boolean)


@effort(100)
@given(protocols())
def test_initial_states_of_random_protocols_agree(drawn: Drawn) -> None:
    interpreter = Interpreter(drawn.model, drawn.world.domains)
    try:
        explicit = list(interpreter.initial_states())
    except BoundTooSmall:
        assert system_of(drawn) is None
        return
    system = system_of(drawn)
    assert system is not None
    for state in (*explicit, *drawn.states):
        assert evaluate([system.initial], system.encode(state)) == [state in explicit]
