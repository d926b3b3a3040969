"""The evaluator finds the steps that TLC finds, and names them as TLC does."""

from itertools import pairwise
from pathlib import Path

import pytest

from bmc.frontends.tla.errors import TlaError
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationLimit, Unassigned
from bmc.frontends.tla.oracle.limits import Rounds
from bmc.frontends.tla.oracle.machine import Machine, State, Step
from bmc.frontends.tla.oracle.search import DEADLOCK, Explored, Search
from bmc.frontends.tla.values import show
from bmc.running.child import Lost
from tests.running.cramped import said_without_room_to_begin_a_thread


def machine(folder: Path, text: str, config: str = "INIT Init\nNEXT Next\n") -> Machine:
    (folder / "Spec.tla").write_text(
        f"---- MODULE Spec ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n{text}\n====\n"
    )
    (folder / "Spec.cfg").write_text(config)
    return Machine(load(folder / "Spec.tla", folder / "Spec.cfg"))


def told(step: Step) -> str:
    arguments = ", ".join(show(value) for _, value in step.arguments)
    state = ", ".join(map(show, step.state))
    return f"{step.action}({arguments}) -> {state}"


def steps(folder: Path, text: str) -> list[str]:
    found = machine(folder, text)
    (state,) = found.initial_states()
    return [told(step) for step in found.steps(state)]


START = "VARIABLES x, y\nInit == x = 1 /\\ y = 2\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Assignment, then reading; the second equation for x' is a test.
        ("Next == x' = y /\\ y' = x' + 1", ["Next() -> 2, 3"]),
        ("Next == x' = y /\\ x' = 2 /\\ y' = x'", ["Next() -> 2, 2"]),
        ("Next == x' = y /\\ x' = 3 /\\ y' = x'", []),
        ("Next == x' \\in {5, 4} /\\ y' \\in {x'} /\\ x' # 4", ["Next() -> 5, 5"]),
        ("Next == x' = 7 /\\ x' \\in {7, 8} /\\ UNCHANGED y", ["Next() -> 7, 2"]),
        ("Next == x' \\in SUBSET {1} /\\ y' = y", ["Next() -> {}, 2", "Next() -> {1}, 2"]),
        ("Next == UNCHANGED <<x, y>>", ["Next() -> 1, 2"]),
        ("vars == <<x, y>>\nNext == UNCHANGED vars", ["Next() -> 1, 2"]),
        ("vars == <<x, <<y>>>>\nNext == x' = 1 /\\ UNCHANGED vars", ["Next() -> 1, 2"]),
        ("Next == x' = 1 /\\ y' = 3 /\\ UNCHANGED (x + y)", []),
        ("Next == IF x = 1 THEN x' = 5 /\\ y' = 5 ELSE FALSE", ["Next() -> 5, 5"]),
        (
            "Next == CASE x = 0 -> FALSE [] x = 1 -> UNCHANGED x /\\ y' = 9",
            ["Next() -> 1, 9"],
        ),
        ("Next == LET z == x + y IN x' = z /\\ y' = z", ["Next() -> 3, 3"]),
        ("Next == LET z == x' + y IN x' = 5 /\\ y' = z", ["Next() -> 5, 7"]),
        ("Next == LET Set(v) == x' = v IN Set(4) /\\ UNCHANGED y", ["Next() -> 4, 2"]),
        # Arguments that contain primes are passed by name.
        ("Both(a, b) == a /\\ b\nNext == Both(x' = 3, y' = x')", ["Both() -> 3, 3"]),
        ("Is(v, e) == v' = e\nNext == Is(x, y) /\\ Is(y, x)", ["Next() -> 2, 1"]),
        ("Sum(a) == a + y'\nNext == y' = 4 /\\ x' = Sum(y' + 1)", ["Next() -> 9, 4"]),
        ("Do(A(_), v) == A(v)\nNext == Do(LAMBDA v : x' = v, 6) /\\ y' = 0", ["Next() -> 6, 0"]),
        ("Double == 2 * x\nNext == x' = 5 /\\ y' = Double'", ["Next() -> 5, 10"]),
        ("Next == /\\ \\A i \\in {1} : x' = i\n        /\\ UNCHANGED y", ["Next() -> 1, 2"]),
        (
            "Next == (\\A i \\in 1..2 : IF i = 1 THEN x' \\in {7, 8} ELSE y' \\in {x', 0})",
            ["Next() -> 7, 0", "Next() -> 7, 7", "Next() -> 8, 0", "Next() -> 8, 8"],
        ),
        # Names of actions.
        (
            "A == x' = 5 /\\ UNCHANGED y\nB(v) == y' = v /\\ UNCHANGED x\n"
            "Next == A \\/ \\E v \\in {3, 4} : B(v)",
            ["A() -> 5, 2", "B(3) -> 1, 3", "B(4) -> 1, 4"],
        ),
        (
            "C(v, w) == x' = v /\\ y' = w\nInner(w) == \\E v \\in {1, 2} : C(v, w)\n"
            "Next == \\E w \\in {8} : Inner(w)",
            ["C(1, 8) -> 1, 8", "C(2, 8) -> 2, 8"],
        ),
        ("D(v) == x' = v /\\ y' = v\nNext == D(x + 4)", ["D() -> 5, 5"]),
        (
            "E(v) == x' = v /\\ y' = v\nNext == \\E v \\in {x, y} : E(v)",
            ["Next() -> 1, 1", "Next() -> 2, 2"],
        ),
        ("A == x' = 5\nNext == A /\\ UNCHANGED y", ["Next() -> 5, 2"]),
        # [A]_v as an action.
        ("Next == [x' = 5 /\\ y' = 5]_<<x, y>>", ["Next() -> 5, 5", "Next() -> 1, 2"]),
        ("Next == <<x' \\in {1, 3} /\\ y' = y>>_x", ["Next() -> 3, 2"]),
        # ENABLED
        ("A == x = 1 /\\ x' = 2 /\\ y' = 0\nNext == ENABLED A /\\ A", ["Next() -> 2, 0"]),
        (
            "A == x = 2 /\\ x' = 2 /\\ y' = 0\nNext == ~ENABLED A /\\ x' = 0 /\\ y' = 0",
            ["Next() -> 0, 0"],
        ),
        ("Next == x' = 3 /\\ (ENABLED (x' = 4 /\\ y' = 4)) /\\ y' = x'", ["Next() -> 3, 3"]),
    ],
)
def test_steps(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert steps(tmp_path, START + text) == expected


@pytest.mark.parametrize(
    ("init", "count"),
    [
        ("x \\in 1..3 /\\ y \\in {x, 0}", 6),
        ("(x = 1 \\/ x = 2) /\\ y = x + 1 /\\ y > 2", 1),
        ("\\E n \\in 1..2 : x = n /\\ y = -n", 2),
        ("LET n == x IN x = 1 /\\ y = n", 1),
        ("Is(x, 1) /\\ y = 0", 1),
        ("<<x, y>> \\in {1} \\X {2}", None),
    ],
)
def test_initial_states(tmp_path: Path, init: str, count: int | None) -> None:
    text = f"VARIABLES x, y\nIs(v, e) == v = e\nInit == {init}\nNext == UNCHANGED <<x, y>>"
    found = machine(tmp_path, text)
    if count is None:
        with pytest.raises(Unassigned, match="x is read before the initial predicate gives it a"):
            found.initial_states()
    else:
        assert len(found.initial_states()) == count


@pytest.mark.parametrize(
    "next_", ["x' = 1", "x' = y' /\\ y' = 1", "x' + 1 = 2 /\\ y' = 2", "x'[1] = 2 /\\ y' = 1"]
)
def test_a_step_must_say_what_every_variable_becomes(tmp_path: Path, next_: str) -> None:
    found = machine(tmp_path, f"{START}Next == {next_}")
    with pytest.raises(Unassigned) as raised:
        found.successors((1, 2))
    assert raised.value.span.line == 5


def test_an_action_that_a_recursive_operator_is_given_has_a_remedy(tmp_path: Path) -> None:
    operator = "RECURSIVE Try(_, _)\nTry(i, A) == i > 0 /\\ (A \\/ Try(i - 1, A))\n"
    found = machine(tmp_path, f"{START}{operator}Next == Try(2, x' = 1 /\\ y' = 2)")
    with pytest.raises(Unassigned) as raised:
        found.successors((1, 2))
    assert "has to stand in the operator's body" in raised.value.hint


def test_an_instance_reads_the_variables_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "Counter.tla").write_text(
        "---- MODULE Counter ----\nEXTENDS Integers\nCONSTANT Most\nVARIABLE n\n"
        "Up == n < Most /\\ n' = n + 1\n====\n"
    )
    text = (
        "VARIABLES x, y\nX == INSTANCE Counter WITH n <- x, Most <- 2\n"
        "Y(m) == INSTANCE Counter WITH n <- y, Most <- m\n"
        "Init == x = 0 /\\ y = 0\n"
        "Next == (X!Up /\\ UNCHANGED y) \\/ (Y(1)!Up /\\ UNCHANGED x)"
    )
    assert Search(machine(tmp_path, text), deadlock=False).run().distinct == 6


CLOCK = "VARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 10 \\/ x' = x\n"


def explore(folder: Path, text: str, config: str) -> Explored:
    return Search(machine(folder, text, "INIT Init\nNEXT Next\n" + config), symmetry=True).run()


def test_breadth_first_counts(tmp_path: Path) -> None:
    found = explore(tmp_path, CLOCK, "")
    assert (found.distinct, found.generated, found.depth) == (10, 21, 10)
    assert found.levels == [1] * 10
    assert found.violation is None


def test_a_shortest_trace_leads_to_the_violation(tmp_path: Path) -> None:
    text = CLOCK.replace("+ 1", "+ d").replace("Next == ", "Next == \\E d \\in 1..3 : ")
    found = explore(tmp_path, text + "Small == x < 7", "INVARIANT Small\n")
    assert found.violation is not None
    assert found.violation.property == "Small"
    assert [step.state for step in found.violation.steps] == [(0,), (1,), (4,), (7,)]


def test_a_state_outside_of_the_constraint_is_checked_but_neither_counted_nor_explored(
    tmp_path: Path,
) -> None:
    text = CLOCK + "Low == x < 4\nInv == x # 4\nWeak == x # 5"
    found = explore(tmp_path, text, "CONSTRAINT Low\nINVARIANT Weak\n")
    assert (found.distinct, found.violation) == (4, None)
    found = explore(tmp_path, text, "CONSTRAINT Low\nINVARIANT Inv\n")
    assert found.violation is not None
    assert found.violation.steps[-1].state == (4,)


def test_an_action_constraint_leaves_steps_out(tmp_path: Path) -> None:
    text = CLOCK + "Down == x' <= 2"
    assert explore(tmp_path, text, "ACTION_CONSTRAINT Down\n").distinct == 3


def test_deadlock_is_a_violation_unless_it_is_switched_off(tmp_path: Path) -> None:
    text = "VARIABLE x\nInit == x = 0\nNext == x < 2 /\\ x' = x + 1"
    found = explore(tmp_path, text, "")
    assert found.violation is not None
    assert (found.violation.property, len(found.violation.steps)) == (DEADLOCK, 3)
    assert explore(tmp_path, text, "CHECK_DEADLOCK FALSE\n").violation is None


def test_states_of_one_view_are_one(tmp_path: Path) -> None:
    assert explore(tmp_path, CLOCK + "Half == x % 5", "VIEW Half\n").distinct == 5


def test_symmetry_counts_orbits_when_asked_for(tmp_path: Path) -> None:
    text = (
        "CONSTANT S\nVARIABLE x\nInit == x = {}\nNext == \\E s \\in S : x' = x \\cup {s}\n"
        "Perms == Permutations(S)"
    )
    config = "CONSTANT S = {a, b, c}\nSYMMETRY Perms\nINIT Init\nNEXT Next\n"
    assert Search(machine(tmp_path, text, config), symmetry=True).run().distinct == 4
    assert Search(machine(tmp_path, text, config)).run().distinct == 8


def test_step_properties_are_checked_and_temporal_ones_are_said_to_be_left(tmp_path: Path) -> None:
    text = CLOCK + "Up == [][x' >= x]_x\nOften == []<>(x = 0)\nNever == [](x < 20)"
    config = "INIT Init\nNEXT Next\nPROPERTIES Up Often Never\n"
    search = Search(machine(tmp_path, text, config))
    assert [named.name for named in search.obligations.temporal] == ["Often"]
    violation = search.run().violation
    assert violation is not None
    assert (violation.property, violation.steps[-1].state) == ("Up", (0,))
    assert len(violation.steps) == 11


def test_a_refined_specification_is_its_init_and_its_steps(tmp_path: Path) -> None:
    (tmp_path / "Clock.tla").write_text(
        "---- MODULE Clock ----\nEXTENDS Integers\nVARIABLE n\nInit == n = 0\n"
        "Next == n' = n + 1\nSpec == Init /\\ [][Next]_n\n====\n"
    )
    text = CLOCK + "C == INSTANCE Clock WITH n <- x \\div 5\nRefines == C!Spec"
    assert explore(tmp_path, text.replace("% 10", "% 5"), "PROPERTY Refines\n").violation is None
    found = explore(tmp_path, text, "PROPERTY Refines\n")
    assert found.violation is not None
    assert [step.state for step in found.violation.steps[-2:]] == [(9,), (0,)]


def test_a_walk_follows_steps_and_its_seed(tmp_path: Path) -> None:
    search = Search(machine(tmp_path, CLOCK))
    walk = list(search.walk(seed=3, length=12))
    assert walk == list(search.walk(seed=3, length=12))
    assert all(b in search.machine.successors(a) for a, b in pairwise(walk))
    assert len({tuple(search.walk(seed, 12)) for seed in range(5)}) > 1


def test_time_is_limited(tmp_path: Path) -> None:
    endless = machine(
        tmp_path,
        "VARIABLE x\nInit == x = {}\nNext == x' = {y \\in SUBSET (x \\cup 1..40) : y = {0}}",
    )
    (state,) = endless.initial_states()
    with endless.limited(0.2), pytest.raises(EvaluationLimit, match=r"no answer after 0\.2 s"):
        endless.successors(state)


def test_a_thread_that_gets_no_memory_to_begin_in_is_not_waited_for(tmp_path: Path) -> None:
    """Python waits for ever for the beginning of a thread whose first call gets no memory."""
    still = machine(tmp_path, "VARIABLE x\nInit == x = 0\nNext == x' = x")

    def work() -> list[State]:
        with still.limited(60):
            return still.initial_states()

    end = said_without_room_to_begin_a_thread(work)
    assert isinstance(end, Lost)
    assert end.out_of_memory


def test_work_is_limited_at_the_same_place_however_fast_the_machine_is(tmp_path: Path) -> None:
    text = "VARIABLE x\nInit == x \\in 1..9\nNext == \\E y \\in 1..9 : x' = y"
    specification = machine(tmp_path, text).specification

    def walked(limit: int) -> list[State]:
        rounds = Rounds()
        found: list[State] = []
        limited = Machine(specification, rounds)
        walk = Search(limited).walk(seed=1, length=1_000_000)
        with rounds.limited(limit), pytest.raises(EvaluationLimit, match="limit of work"):
            found.extend(walk)
        return found

    assert 5 < len(walked(1_000)) < 1_000
    assert walked(1_000) == walked(1_000) == walked(2_000)[: len(walked(1_000))]


def test_what_is_compiled_is_limited(tmp_path: Path) -> None:
    doubling = "\n".join(f"F{n}(v) == F{n - 1}(v) + F{n - 1}(v)" for n in range(1, 40))
    text = f"VARIABLE x\nF0(v) == v\n{doubling}\nInit == x = 0\nNext == x' = F39(x)"
    with pytest.raises(TlaError, match="too large"):
        machine(tmp_path, text)
