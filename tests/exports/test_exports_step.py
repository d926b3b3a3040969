"""A random protocol steps as the interpreter says, also when read back from what is exported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

import z3
from bmc.properties.kafka import KAFKA_TRUNCATE_TO_HW
from hypothesis import assume, given
from hypothesis import strategies as st

from bmc.engines.task import Task
from bmc.lang import BoundTooSmall
from bmc.lang.errors import LanguageError
from bmc.readings.circuit import evaluate
from bmc.readings.value import Interpreter
from bmc.reports.exports.aiger import write_aiger
from bmc.reports.exports.smtlib import write_transition_system
from bmc.system.latches import ENTERED, LatchClaim, Sequential, sequential
from bmc.system.transition import NoInitialState, TransitionSystem
from tests.exports.aiger_reader import Aiger, read_aiger
from tests.semantics.outcomes import TOO_SMALL
from tests.semantics.steps import explicit_steps
from tests.strategies import Drawn, effort, protocols
from tests.strategies.values import Value

State = Mapping[str, Value]
Numbers = tuple[int, ...]

MOST_INPUTS = 7
MOST_STATES = 200
"""No small protocol starts in more states, or goes to more from one: it is a scalar left free."""


@effort(80)
@given(protocols(), st.booleans())
def test_a_circuit_steps_as_the_interpreter(drawn: Drawn, text: bool) -> None:
    system = system_of(drawn)
    claims = [LatchClaim("never so", system.constraint), LatchClaim("within", system.within_bounds)]
    circuit = circuit_of(system, claims)
    assume(len(circuit.inputs) <= MOST_INPUTS)
    read = read_aiger(write_aiger(circuit, ["a comment"], text=text))
    assert [read.symbols[f"l{i}"] for i in range(len(read.latches))] == [
        "_".join(latch.name.split()) for latch in circuit.latches
    ]
    for state in drawn.states:
        numbers = tuple(system.encode(state))
        latches = latches_of(system, numbers, entered=len(read.latches))
        after, outputs = everything_after(read, latches)
        found = {numbers_of(system, one) for one in after}
        expected, decided = successors(system, state)
        # A choice that is not enabled leaves the state as it is.
        assert expected <= found
        assert found <= expected | {numbers} or not decided
        holds = evaluate([claim.holds for claim in claims], numbers)
        assert outputs == {tuple(1 - value for value in holds)}


@effort(60)
@given(protocols())
def test_a_circuit_starts_where_the_protocol_does(drawn: Drawn) -> None:
    system = system_of(drawn)
    read = read_aiger(write_aiger(circuit_of(system, []), []))
    assume(len(read.inputs) <= MOST_INPUTS)
    reset = tuple(first for _, _, first in read.latches)
    expected = initial(system)
    if len(expected) == 1:
        assert {numbers_of(system, reset)} == expected
        assert ENTERED not in read.symbols.values()
    else:
        after, _ = everything_after(read, reset)
        assert {numbers_of(system, one) for one in after if one[-1]} == expected


@effort(50)
@given(protocols())
def test_a_transition_system_in_smtlib_steps_as_the_interpreter(drawn: Drawn) -> None:
    system = system_of(drawn)
    script = Script(
        write_transition_system(system, [LatchClaim("p", system.within_bounds)], [], [])
    )
    assert script.states(0, "|init|") == initial(system)
    for state in drawn.states:
        numbers = tuple(system.encode(state))
        here = script.equations(0, numbers)
        inside, decided = evaluate([system.constraint, system.within_bounds], numbers)
        # A state outside the constraint is in no execution.
        expected, _ = successors(system, state) if inside else (set(), True)
        found = script.states(1, "|trans|", *here)
        assert expected <= found
        assert found <= expected or not decided
        holds = script.states(0, "|valid@0|", "|property p|", *here)
        assert bool(holds) == bool(inside and decided)


def test_numbers_below_zero_are_compared_in_smtlib_as_numbers() -> None:
    """Kafka's epochs begin at -1."""
    given = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    system = TransitionSystem(Task(KAFKA_TRUNCATE_TO_HW, given, ()).model(ghosts=False), given)
    script = Script(write_transition_system(system, [], [], []))
    assert script.states(0, "|init|") == initial(system)
    interpreter = Interpreter(system.model, system.domains)
    level = list(interpreter.initial_states())
    assert min(system.encode(level[0])) < 0
    for _ in range(5):
        # One state of each level: enough to elect, to follow and to write.
        numbers = tuple(system.encode(level[0]))
        expected, decided = successors(system, level[0])
        assert decided
        assert script.states(1, "|trans|", *script.equations(0, numbers)) == expected
        level = [step.state for step in interpreter.successors(level[0])]


class Script:
    """What z3 reads from a text: the declared constants of each frame, in the order of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        declared = re.findall(r"^\(declare-fun \|(.*@([01]))\| \(\) (.*)\)$", text, re.MULTILINE)
        self.frames = [
            [_constant(name, sort) for name, at, sort in declared if at == frame]
            for frame in ("0", "1")
        ]

    def equations(self, frame: int, numbers: Numbers) -> list[str]:
        """That the state of a frame is this one."""
        pairs = zip(self.frames[frame], numbers, strict=True)
        return [(one == _value(one, number)).sexpr() for one, number in pairs]

    def states(self, frame: int, *wanted: str) -> set[Numbers]:
        """All states of a frame with which these formulas can be true together."""
        solver = z3.Solver()
        asserted = "\n".join(f"(assert {one})" for one in wanted)
        solver.add(z3.parse_smt2_string(f"{self.text}\n{asserted}"))
        constants, found = self.frames[frame], set()
        while solver.check() == z3.sat:
            model = solver.model()
            values = [model.eval(one, model_completion=True) for one in constants]
            found.add(tuple(_number(value) for value in values))
            assert len(found) <= MOST_STATES
            solver.add(z3.Or([one != value for one, value in zip(constants, values, strict=True)]))
        return found


def _constant(name: str, sort: str) -> z3.ExprRef:
    width = re.fullmatch(r"\(_ BitVec (\d+)\)", sort)
    return z3.BitVec(name, int(width[1])) if width else z3.Bool(name)


def _value(constant: z3.ExprRef, number: int) -> z3.ExprRef:
    return (
        z3.BoolVal(bool(number)) if z3.is_bool(constant) else z3.BitVecVal(number, constant.size())
    )


def _number(value: z3.ExprRef) -> int:
    return int(z3.is_true(value)) if z3.is_bool(value) else value.as_signed_long()


def system_of(drawn: Drawn) -> TransitionSystem:
    try:
        return TransitionSystem(drawn.model, drawn.world.parameters)
    except BoundTooSmall:
        assume(False)
        raise


def circuit_of(system: TransitionSystem, claims: list[LatchClaim]) -> Sequential:
    try:
        return sequential(system, claims)
    except (NoInitialState, LanguageError):
        assume(False)
        raise


def initial(system: TransitionSystem) -> set[Numbers]:
    """The initial states inside the constraint, by the interpreter."""
    interpreter = Interpreter(system.model, system.domains)
    try:
        return {tuple(system.encode(one)) for one in interpreter.initial_states()}
    except BoundTooSmall:
        assume(False)
        raise


def successors(system: TransitionSystem, state: State) -> tuple[set[Numbers], bool]:
    """The interpreter's; and whether no bound was too small, so that these are all of them."""
    evaluator = Interpreter(system.model, system.domains).evaluator
    steps = explicit_steps(system.model, evaluator, dict(state)).values()
    known = [after for after in steps if after is not TOO_SMALL]
    found = {tuple(system.encode(one)) for after in known for one in after}
    return found, len(known) == len(steps)


def everything_after(read: Aiger, latches: Numbers) -> tuple[set[Numbers], set[Numbers]]:
    """The latches' next values, and the outputs, over all inputs."""
    runs = [read.run(latches, choice) for choice in product((0, 1), repeat=len(read.inputs))]
    return {after for after, _ in runs}, {tuple(outputs) for _, outputs in runs}


def latches_of(system: TransitionSystem, numbers: Numbers, entered: int) -> Numbers:
    """A latch a bound of an integer; ``entered`` is how many there are, should one be left."""
    bits: list[int] = []
    for leaf, number in zip(system.leaves, numbers, strict=True):
        bounds = range(1, 2) if leaf.boolean else range(leaf.low + 1, leaf.high + 1)
        bits += [int(number >= bound) for bound in bounds]
    return (*bits, *[1] * (entered - len(bits)))


def numbers_of(system: TransitionSystem, latches: Numbers) -> Numbers:
    """The other way; which must be an order encoding: no bit after one that is false."""
    left, numbers = list(latches), []
    for leaf in system.leaves:
        width = 1 if leaf.boolean else leaf.high - leaf.low
        bits, left = left[:width], left[width:]
        assert bits == sorted(bits, reverse=True)
        numbers.append(sum(bits) + (0 if leaf.boolean else leaf.low))
    return tuple(numbers)
