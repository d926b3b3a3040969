"""Gates, AIGER and SMT-LIB say what the interpreter and the explicit search say."""

from __future__ import annotations

from collections.abc import Mapping

import cvc5
import pytest
import z3
from bmc.properties.id_sequence import ID_SEQUENCE
from bmc.properties.kafka import KAFKA_TRUNCATE_TO_HW
from hypothesis import given

from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang import (
    BOOL,
    FALSE,
    TRUE,
    EnumSort,
    Parameter,
    Protocol,
    Sequence,
    SetSort,
    State,
    Step,
    Term,
    Variable,
    action,
    empty,
    insert,
    invariant,
    member,
    one_of,
)
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.readings.circuit import Circuit
from bmc.readings.gates import Gates, simulate
from bmc.readings.order import Unary
from bmc.reports.exports.aiger import write_aiger
from bmc.reports.exports.smtlib import write_transition_system, write_unrolling
from bmc.system.latches import LatchClaim, sequential
from bmc.system.transition import TransitionSystem
from tests.engines import machines
from tests.exports.aiger_reader import read_aiger
from tests.strategies import effort
from tests.strategies.circuits import ASSIGNMENTS, BOOLS, RANGES, Plan, build, plans

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def exported(
    suite: Suite, parameters: Mapping[str, int], name: str
) -> tuple[TransitionSystem, list[LatchClaim]]:
    """A system and the claim of one property."""
    task = Task(suite, parameters, (name,))
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    (stated,) = task.stated(model)
    holds = system.circuit.all(i.holds for i in system.instances(stated))
    return system, [LatchClaim(name, holds, stated.kind is Kind.STEP_INVARIANT)]


@effort(200)
@given(plans())
def test_gates_mean_what_was_asked_for(plan: Plan) -> None:
    gates = Gates()
    inputs: list[int | Unary] = [gates.input() for _ in range(BOOLS)]
    inputs += [gates.integer(low, high) for low, high in RANGES]
    read = gates.read(build(Circuit(), plan), inputs)
    for row, assignment in enumerate(ASSIGNMENTS):
        bits: list[bool] = [bool(v) for v in assignment[:BOOLS]]
        for (low, high), value in zip(RANGES, assignment[BOOLS:], strict=True):
            bits += [value >= bound for bound in range(low + 1, high + 1)]
        for literal, gate in zip(read, plan, strict=True):
            wanted = gate.values[row]
            if isinstance(literal, Unary):
                assert literal.low + sum(simulate(gates, literal.bits, bits)) == wanted
            else:
                assert simulate(gates, [literal], bits) == [bool(wanted)]


class Still(Protocol):
    """The length of a sequence that has no room is a scalar, though it has one value only."""

    room = Parameter("room", 0, 0, 9, "how many can wait")
    waiting = Variable(Sequence(BOOL, room))
    flag = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.waiting = empty(Sequence(BOOL, self.room))
        s.flag = False

    @action()
    def Flip(self, s: Step) -> None:
        s.flag = ~s.flag

    Next = one_of(Flip)

    @invariant("the flag is down")
    def Down(self, s: State) -> Term:
        return ~s.flag


@pytest.mark.parametrize("text", [False, True], ids=["binary", "ascii"])
@pytest.mark.parametrize(
    ("suite", "parameters", "name"),
    [
        (ID_SEQUENCE, {}, "TypeOk"),
        pytest.param(
            KAFKA_TRUNCATE_TO_HW, SMALL, "LeaderInIsr", marks=pytest.mark.nightly, id="kafka"
        ),
        (machines.suite(machines.DeadEnd), {}, "NeverAtTheEnd"),
        (machines.suite(machines.DeadEnd), {}, "NoLastStep"),
        (machines.suite(Still), {}, "Down"),
    ],
    ids=["id-sequence", None, "dead-end", "steps", "one-value"],
)
def test_another_reader_reaches_the_same_states(
    suite: Suite, parameters: Mapping[str, int], name: str, text: bool
) -> None:
    system, claims = exported(suite, parameters, name)
    circuit = read_aiger(write_aiger(sequential(system, claims), [], text=text))
    states, bad = circuit.reachable()
    steps = claims[0].of_steps
    found = explore(Task(suite, parameters, () if steps else (name,)))
    assert len(states) == found.distinct_states
    if steps:
        assert bad == {name: 1}
    else:
        wanted = {n: len(trace) - 1 for n, trace in found.violations.items()}
        assert bad == wanted


def test_a_script_asks_at_every_depth_and_outlives_dead_ends() -> None:
    system, claims = exported(machines.suite(machines.DeadEnd), {}, "NeverAtTheEnd")
    script = write_unrolling(system, claims, [], ["a dead end"], 3)
    assert _answers(script) == ["unsat", "unsat", "sat", "unsat"]


NAMES = EnumSort("Name", ("a|b", "a_b", "a\\\\b", "x\\n(assert false)\\n(exit)\\n;"))


class Names(Protocol):
    """Names that the script has for itself, and some that no symbol of SMT-LIB can hold."""

    valid = Variable(BOOL)
    step = Variable(BOOL)
    initial = Variable(SetSort(NAMES))
    n3 = Variable(SetSort(NAMES))

    @action()
    def Init(self, s: Step) -> None:
        s.valid = s.step = FALSE
        s.initial = s.n3 = empty(SetSort(NAMES))

    @action(name=NAMES)
    def Add(self, s: Step, name: Term) -> None:
        s.require(~member(name, s.initial))
        s.initial = insert(s.initial, name)

    @action(name=NAMES)
    def Move(self, s: Step, name: Term) -> None:
        s.require(member(name, s.initial), ~s.valid)
        s.n3 = insert(s.n3, name)
        s.step = TRUE

    Next = one_of(Add, Move)

    @invariant("one of two names that only a line or a letter tells apart is not there")
    def Apart(self, s: State) -> Term:
        return ~(member("a|b", s.n3) & member("a_b", s.initial) & s.step)


def test_a_script_has_a_symbol_for_each_name_whatever_it_is_called() -> None:
    suite = machines.suite(Names)
    system, claims = exported(suite, {}, "Apart")
    assert len(explore(Task(suite, {}, ("Apart",))).violations["Apart"]) == 4
    script = write_unrolling(system, claims, [], ["of a\n(exit)"], 3)
    assert _answers(script) == ["unsat", "unsat", "unsat", "sat"]
    text = write_transition_system(system, claims, [], ["of a\n(exit)"])
    ask = "(push 1) (assert init) (assert trans) (check-sat) (pop 1)\n"
    asked = f"(set-logic QF_BV)\n{text}\n{ask}(assert (not |property Apart@0|)) (check-sat)"
    assert _answers(asked) == ["sat", "sat"]


def test_a_transition_system_reads_and_steps() -> None:
    """From an initial state a step leads to one state only, and never past the end."""
    system, claims = exported(machines.suite(machines.DeadEnd), {}, "NeverAtTheEnd")
    text = write_transition_system(system, claims, [], [])
    bad = "(assert trans) (assert (not |property NeverAtTheEnd@0|)) (check-sat)"
    ask = f"(set-logic QF_BV)\n{text}\n(push 1) (assert init) (assert trans) (check-sat) (pop 1)\n"
    assert _answers(ask + bad) == ["sat", "unsat"]


def _answers(script: str) -> list[str]:
    """What cvc5 answers to a script; z3 must be able to read it as well."""
    z3.parse_smt2_string(script)
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("incremental", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    symbols = parser.getSymbolManager()
    found = []
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, symbols).strip()
        if answer:
            found.append(answer)
    return found
