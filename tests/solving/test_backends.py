"""Every backend keeps the contract of the interface, at its edges too."""

import gc
import weakref
from random import Random
from time import process_time

import pytest

from bmc.lang.errors import UnknownName
from bmc.layout.affordable import TooLarge
from bmc.readings.circuit import Circuit
from bmc.solving.core_solver import CoreSolver
from bmc.solving.factory import NAMES, create
from bmc.solving.interface import Answer, SolverError, Translation
from bmc.solving.sat_solver import SatSolver


@pytest.mark.parametrize("name", ["z3", "bitwuzla", "glucose"])
@pytest.mark.parametrize("number", [2**15, -(2**15) - 1, 10**9])
def test_numbers_that_do_not_fit_are_refused_and_never_wrap(name: str, number: int) -> None:
    solver = create(name)
    with pytest.raises(TooLarge, match="do not fit into the 16 bits"):
        solver.number(number)
    with pytest.raises(TooLarge, match="do not fit into the 16 bits"):
        solver.integer(min(0, number), max(0, number))
    c = Circuit()
    half = c.integer_variable(0, -(2**14), 2**14)
    total = c.add(c.add(half, half), half)
    read = Translation(solver, [solver.integer(-(2**14), 2**14)])
    with pytest.raises(TooLarge, match="do not fit into the 16 bits"):
        read(total)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("low", "high"), [(0, 0), (0, 1), (-3, 4), (2, 7), (-9, -5), (0, 8)])
def test_an_integer_takes_exactly_the_values_of_its_range(name: str, low: int, high: int) -> None:
    solver = create(name)
    number = solver.integer(low, high)
    found = set()
    while solver.check() is Answer.SAT:
        value = solver.value(number)
        found.add(value)
        solver.add(solver.negation(solver.equal(number, solver.number(value), boolean=False)))
    assert found == set(range(low, high + 1))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_at_most_one_is_one_or_none(name: str, count: int) -> None:
    solver = create(name)
    bits = [solver.boolean() for _ in range(count)]
    solver.at_most_one(bits)
    for i, one in enumerate(bits):
        assert solver.check([one]) is Answer.SAT
        assert [solver.value(bit) for bit in bits] == [int(j == i) for j in range(count)]
        for other in bits[:i]:
            assert solver.check([one, other]) is Answer.UNSAT
    assert solver.check([solver.negation(bit) for bit in bits]) is Answer.SAT


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("excuses", [0, 1, 2, 70])
def test_what_is_equal_unless_excused_is_that_and_nothing_more(name: str, excuses: int) -> None:
    """All values of two numbers whose ranges differ, meet in one value, or in none; and of bits."""
    for lows, highs in [((0, 0), (2, 2)), ((-1, 0), (1, 3)), ((0, 2), (2, 3)), ((0, 3), (1, 4))]:
        solver = create(name)
        left, right = (solver.integer(low, high) for low, high in zip(lows, highs, strict=True))
        unless = [solver.boolean() for _ in range(excuses)]
        solver.add_equal(left, right, False, unless)
        for excused in [None, *unless[:1], *unless[-1:]]:
            off = [solver.negation(one) for one in unless if one is not excused]
            given = off if excused is None else [*off, excused]
            for a in range(lows[0], highs[0] + 1):
                for b in range(lows[1], highs[1] + 1):
                    pair = [(left, a), (right, b)]
                    values = [solver.equal(one, solver.number(n), False) for one, n in pair]
                    found = solver.check([*given, *values]) is Answer.SAT
                    assert found == (excused is not None or a == b), (lows, highs, a, b)
    for constant in [False, True]:
        solver = create(name)
        bit, unless = solver.boolean(), [solver.boolean() for _ in range(excuses)]
        solver.add_equal(bit, solver.constant(constant), True, unless)
        off = [solver.negation(one) for one in unless]
        for value in [False, True]:
            wanted = bit if value else solver.negation(bit)
            assert (solver.check([*off, wanted]) is Answer.SAT) == (value == constant)
            assert all(solver.check([one, wanted]) is Answer.SAT for one in unless)


@pytest.mark.parametrize("name", NAMES)
def test_assumptions_are_forgotten_and_assertions_are_not(name: str) -> None:
    solver = create(name)
    bit = solver.boolean()
    assert solver.check([bit]) is Answer.SAT
    assert solver.check([solver.negation(bit)]) is Answer.SAT
    solver.clause(bit)
    assert solver.check([solver.negation(bit)]) is Answer.UNSAT
    assert solver.check() is Answer.SAT
    solver.add(solver.constant(False))
    assert solver.check() is Answer.UNSAT


@pytest.mark.parametrize("name", ["cadical", "z3", "glucose"])
def test_a_question_that_costs_too_many_conflicts_is_not_answered(name: str) -> None:
    """Seven pigeons in six holes; afterwards the limit is forgotten."""
    solver = create(name)
    at = [[solver.boolean() for _ in range(6)] for _ in range(7)]
    for pigeon in at:
        solver.clause(*pigeon)
    for hole in range(6):
        solver.at_most_one([pigeon[hole] for pigeon in at])
    assert solver.check(conflicts=1) is Answer.UNKNOWN
    assert solver.check() is Answer.UNSAT


@pytest.mark.parametrize("name", NAMES)
def test_a_time_limit_is_kept_or_not_promised(name: str) -> None:
    """Twelve pigeons in eleven holes, which no backend refutes in time."""
    solver = create(name)
    at = [[solver.boolean() for _ in range(11)] for _ in range(12)]
    for pigeon in at:
        solver.clause(*pigeon)
    for hole in range(11):
        solver.at_most_one([pigeon[hole] for pigeon in at])
    before = process_time()
    assert solver.check(timeout=0.1 if solver.interruptible else 0.0) is Answer.UNKNOWN
    assert process_time() - before < 5


def _satisfiable_and_not_at_once() -> list[list[int]]:
    """Clauses of three literals, near the ratio where they are hardest; there is a model."""
    draw = Random(1)
    return [[draw.choice((1, -1)) * v for v in draw.sample(range(1, 201), 3)] for _ in range(820)]


def test_a_limit_that_was_left_behind_is_never_a_refutation() -> None:
    """python-sat's plain solve() says that there is no model here, which is wrong."""
    solver, cores = SatSolver(), CoreSolver(_satisfiable_and_not_at_once(), 200)
    literals = [0, *(solver.boolean() for _ in range(200))]
    for clause in _satisfiable_and_not_at_once():
        solver.clause(*(literals[v] if v > 0 else -literals[-v] for v in clause))
    for one in (solver, cores):
        one._solver.conf_budget(1)
    assert solver.check() is Answer.UNKNOWN
    with pytest.raises(SolverError, match="met a limit"):
        cores.solve([])
    assert solver.check() is Answer.SAT
    assert cores.solve([])


def test_an_unknown_solver_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean bitwuzla"):
        create("bitwuzzla")


@pytest.mark.parametrize("name", NAMES)
def test_a_solver_that_nobody_holds_is_gone(name: str) -> None:
    """Bitwuzla's stayed for ever: a process that judged many proofs grew with each of them."""
    solver = create(name)
    solver.add(solver.boolean())
    assert solver.check(timeout=10.0) is Answer.SAT
    held = weakref.ref(solver)
    del solver
    gc.collect()
    assert held() is None
