"""Columns of numpy hold what circuits mean, also where registers are shared and types differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bmc.readings.circuit import Circuit, Node, evaluate
from bmc.readings.vector import (
    TooWide,
    VectorProgram,
    column_type,
    integer_type,
)
from tests.semantics.outcomes import evaluate_columns

Draw = Callable[[st.SearchStrategy[Any]], Any]

RANGES = ((-1, 2), (0, 120), (-100, 127), (0, 30_000), (40_000, 70_000))
BOOLS = 3
LANES = 7


@st.composite
def groups_of_nodes(draw: Draw) -> list[list[Node]]:
    """Random nodes over three Bool and five integer variables, in groups."""
    c = Circuit()
    bools = [c.variable(i) for i in range(BOOLS)]
    integers = [c.integer_variable(BOOLS + i, *r) for i, r in enumerate(RANGES)]
    integers.append(c.number(draw(st.integers(-5, 300))))

    def one(nodes: list[Node]) -> Node:
        return nodes[draw(st.integers(0, len(nodes) - 1))]

    for _ in range(draw(st.integers(1, 40))):
        match draw(st.sampled_from(["not", "and", "or", "iff", "eq", "le", "ite", "add", "sub"])):
            case "not":
                bools.append(c.not_(one(bools)))
            case "and":
                bools.append(c.and_(*(one(bools) for _ in range(draw(st.integers(2, 4))))))
            case "or":
                bools.append(c.or_(*(one(bools) for _ in range(draw(st.integers(2, 4))))))
            case "iff":
                bools.append(c.iff(one(bools), one(bools)))
            case "eq":
                bools.append(c.eq(one(integers), one(integers)))
            case "le":
                bools.append(c.le(one(integers), one(integers)))
            case "ite":
                integers.append(c.ite(one(bools), one(integers), one(integers)))
            case "add":
                integers.append(c.add(one(integers), one(integers)))
            case _:
                integers.append(c.sub(one(integers), one(integers)))
    everything = bools + integers
    return [
        [one(everything) for _ in range(draw(st.integers(0, 4)))]
        for _ in range(draw(st.integers(1, 6)))
    ]


@given(groups_of_nodes(), st.integers(0, 2**32))
def test_every_group_has_the_values_of_its_nodes(groups: list[list[Node]], seed: int) -> None:
    random = np.random.default_rng(seed)
    values = [random.integers(0, 2, LANES) for _ in range(BOOLS)]
    values += [random.integers(low, high + 1, LANES) for low, high in RANGES]
    program = VectorProgram(groups).bind(LANES)
    for variable, column in program.inputs.items():
        column[:] = values[variable]
    for nodes, columns in zip(groups, program.run(), strict=True):
        for lane in range(LANES):
            numbers = [int(v[lane]) for v in values]
            assert [int(column[lane]) for column in columns] == evaluate(nodes, numbers)


def test_a_sum_is_computed_wide_enough() -> None:
    c = Circuit()
    a, b = c.integer_variable(0, 0, 127), c.integer_variable(1, 0, 127)
    column = np.array([127], np.int8)
    (total,) = evaluate_columns([c.add(a, b)], {0: column, 1: column})
    assert total.tolist() == [254]
    (back,) = evaluate_columns([c.sub(c.add(a, b), c.number(200))], {0: column, 1: column})
    assert back.tolist() == [54]


def test_columns_are_as_narrow_as_their_ranges() -> None:
    c = Circuit()
    assert column_type(c.integer_variable(0, -128, 127)) == np.int8
    assert column_type(c.integer_variable(0, 0, 128)) == np.int16
    assert column_type(c.integer_variable(0, 0, 40_000)) == np.int32
    assert column_type(c.integer_variable(0, 0, 2**40)) == np.int64
    assert column_type(c.le(c.integer_variable(0, 0, 9), c.number(4))) == np.bool_


def test_what_no_machine_integer_holds_is_refused_by_name() -> None:
    with pytest.raises(TooWide, match="64 bits"):
        integer_type(0, 2**63)


def test_registers_are_shared() -> None:
    c = Circuit()
    node = c.variable(0)
    groups = []
    for i in range(1, 200):
        node = c.iff(node, c.variable(i % 3))
        groups.append([c.and_(node, c.variable(4))])
    program = VectorProgram(groups)
    assert len(program.register_types) < 20
