"""A circuit's constructors simplify, and nothing they build means anything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from bmc.readings.circuit import BOOL_OPS, INT_OPS, Circuit, Node, cone, evaluate
from bmc.solving.factory import NAMES, create
from bmc.solving.interface import Answer, Translation
from tests.semantics.outcomes import evaluate_columns
from tests.strategies import effort
from tests.strategies.circuits import ASSIGNMENTS, BOOLS, RANGES, Plan, build, is_number, plans


@effort(300)
@given(plans())
def test_simplified_gates_mean_what_was_asked_for(plan: Plan) -> None:
    nodes = build(Circuit(), plan)
    for row, assignment in enumerate(ASSIGNMENTS):
        assert evaluate(nodes, assignment) == [gate.values[row] for gate in plan]


@effort(200)
@given(plans())
def test_numpy_reads_gates_alike(plan: Plan) -> None:
    nodes = build(Circuit(), plan)
    kinds = [np.bool_] * BOOLS + [np.int64] * len(RANGES)
    columns = {i: np.array([a[i] for a in ASSIGNMENTS], kind) for i, kind in enumerate(kinds)}
    read = evaluate_columns(nodes, columns)
    assert [tuple(int(v) for v in column) for column in read] == [gate.values for gate in plan]


@pytest.mark.parametrize("name", NAMES)
@effort(30)
@given(plans())
def test_solvers_read_gates_alike(name: str, plan: Plan) -> None:
    """Under an assignment each gate has its value, and can have no other."""
    solver = create(name)
    handles = [solver.boolean() for _ in range(BOOLS)]
    handles += [solver.integer(low, high) for low, high in RANGES]
    read = Translation(solver, handles)
    nodes = [read(node) for node in build(Circuit(), plan)]
    for row, assignment in list(enumerate(ASSIGNMENTS))[:: len(ASSIGNMENTS) // 8]:
        here = [
            solver.equal(h, solver.constant(bool(v)), boolean=True)
            if i < BOOLS
            else solver.equal(h, solver.number(v), boolean=False)
            for i, (h, v) in enumerate(zip(handles, assignment, strict=True))
        ]
        assert solver.check(here) is Answer.SAT
        assert [solver.value(n) for n in nodes] == [gate.values[row] for gate in plan]
        right = [
            solver.equal(n, solver.number(gate.values[row]), boolean=False)
            if is_number(gate)
            else solver.equal(n, solver.constant(bool(gate.values[row])), boolean=True)
            for n, gate in zip(nodes, plan, strict=True)
        ]
        wrong = solver.any([solver.negation(r) for r in right])
        assert solver.check([*here, wrong]) is Answer.UNSAT


@effort(150)
@given(plans())
def test_intervals_hold_every_value(plan: Plan) -> None:
    for node, gate in zip(build(Circuit(), plan), plan, strict=True):
        assert node.low <= min(gate.values)
        assert max(gate.values) <= node.high
        assert (node.op in INT_OPS) == is_number(gate)
        assert (node.op in BOOL_OPS) != is_number(gate)


@effort(150)
@given(plans())
def test_equal_construction_gives_the_identical_node(plan: Plan) -> None:
    circuit = Circuit()
    nodes = build(circuit, plan)
    size = len(circuit)
    assert all(one is other for one, other in zip(nodes, build(circuit, plan), strict=True))
    assert len(circuit) == size


@effort(100)
@given(plans())
def test_a_cone_yields_arguments_first_and_each_node_once(plan: Plan) -> None:
    roots = build(Circuit(), plan)
    met: set[int] = set()
    for node in cone(roots):
        assert node.uid not in met
        assert all(a.uid in met for a in node.args)
        met.add(node.uid)
    assert all(root.uid in met for root in roots)


class Counting(Circuit):
    """Counts how often a conditional is taken apart."""

    calls = 0

    def choose(self, condition: Node, then: Node, otherwise: Node) -> Node:
        self.calls += 1
        return super().choose(condition, then, otherwise)


def test_shared_conditionals_are_compared_once() -> None:
    circuit = Counting()
    node = circuit.integer_variable(0, 0, 3)
    depth = 20
    for i in range(depth):
        one, other = circuit.variable(3 * i + 1), circuit.variable(3 * i + 2)
        then = circuit.ite(one, node, circuit.number(0))
        otherwise = circuit.ite(other, node, circuit.number(1))
        node = circuit.ite(circuit.variable(3 * i + 3), then, otherwise)
    circuit.eq(node, circuit.number(2))
    assert circuit.calls <= 3 * depth


@pytest.mark.parametrize("limit", [127, 32767, 2**31 - 1])
def test_numpy_does_not_wrap(limit: int) -> None:
    circuit = Circuit()
    x, y = circuit.integer_variable(0, 0, limit), circuit.integer_variable(1, 0, limit)
    columns = {0: np.array([limit], np.int64), 1: np.array([limit], np.int64)}
    total, difference = evaluate_columns(
        [circuit.add(x, y), circuit.sub(circuit.sub(circuit.number(0), x), y)], columns
    )
    assert int(total[0]) == 2 * limit
    assert int(difference[0]) == -2 * limit
