"""Bounds are integer expressions over parameters; parameters are checked and explained."""

from typing import Any

import numpy as np
import pytest

from bmc.lang import (
    BOOL,
    Amount,
    Bound,
    Expr,
    Parameter,
    ParameterError,
    Protocol,
    Scalarset,
    Variable,
)
from bmc.lang.bounds import BoundLike
from bmc.lang.protocol import parameter_values, parameters_of
from tests.lang.zoo import NODES, SIZE, state

VALUES = {"size": 5, "nodes": 3}


@pytest.mark.parametrize(
    ("bound", "value", "text"),
    [
        (Bound.of(7), 7, "7"),
        (SIZE.bound, 5, "size"),
        (SIZE - 1, 4, "size - 1"),
        (3 - SIZE, -2, "-size + 3"),
        (2 * SIZE + NODES - 4, 9, "nodes + 2*size - 4"),
        (SIZE * 3 - 2 * SIZE - SIZE, 0, "0"),
        (0 * SIZE, 0, "0"),
        (NODES - SIZE, -2, "nodes - size"),
    ],
)
def test_a_bound_is_a_number_at_parameters(bound: BoundLike, value: int, text: str) -> None:
    assert Bound.of(bound).at(VALUES) == value
    assert repr(Amount(Bound.of(bound))) == text


def test_equal_expressions_are_equal_bounds() -> None:
    assert Scalarset("A", SIZE - 1 + 1) == Scalarset("A", SIZE)
    assert hash(Scalarset("A", SIZE + NODES)) == hash(Scalarset("A", NODES + SIZE))
    assert Scalarset("A", SIZE - 1) != Scalarset("A", SIZE + 0)


@pytest.mark.parametrize(
    "term",
    [
        SIZE + state.offset,
        SIZE - state.offset,
        (SIZE + 1) - state.offset,
        state.offset + SIZE,
        SIZE == state.offset,
        SIZE <= state.offset,
        (SIZE - 1) > state.offset,
    ],
    ids=repr,
)
def test_parameters_and_terms_mix(term: object) -> None:
    assert isinstance(term, Expr)


class Queue(Protocol):
    """Declares parameters."""

    size = SIZE
    nodes = NODES


class Longer(Queue):
    """Declares one more, and another default."""

    size = Parameter("size", 4, 1, 9, "offsets of a log")
    clients = Parameter("clients", 1, 1, 2, "number of clients")


def test_parameters_are_inherited_in_order() -> None:
    assert [p.name for p in parameters_of(Longer)] == ["size", "nodes", "clients"]
    assert parameter_values(Longer, {"nodes": 2}) == {"size": 4, "nodes": 2, "clients": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nods": 2}, "Queue has no parameter 'nods': did you mean nodes?"),
        ({"zzz": 2}, "known: nodes, size"),
        ({"size": 0}, "size must be between 1 and 9, you gave 0"),
        ({"size": 10}, "size must be between 1 and 9, you gave 10"),
        ({"size": "3"}, "size must be an integer, you gave '3'"),
        ({"size": True}, "size must be an integer, you gave True"),
        ({"size": 2.0}, "size must be an integer"),
    ],
)
def test_a_wrong_parameter_is_explained(given: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("?", r"\?")):
        parameter_values(Queue, given)


def test_the_ends_of_a_range_are_allowed() -> None:
    assert parameter_values(Queue, {"size": 1, "nodes": 9}) == {"size": 1, "nodes": 9}


@pytest.mark.parametrize("given", [True, 2.0, "2"])
def test_a_parameters_numbers_are_integers(given: object) -> None:
    # One of numpy's was refused without file and line, and a text was Python's own error.
    with pytest.raises(ParameterError, match="size: default must be an integer, you gave"):
        Parameter("size", default=given, low=1, high=9, about="")  # type: ignore[arg-type]
    of_numpy: Any = np.int64(2)
    assert type(Parameter("size", default=of_numpy, low=1, high=9, about="").default) is int


def test_a_default_outside_the_range_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"size: the default 12 is outside 1\.\.9"):
        Parameter("size", 12, 1, 9, "offsets of a log")


def test_a_variable_takes_its_name_from_the_class() -> None:
    variable = Variable(BOOL)
    assert type("Named", (), {"light": variable}).light.name == "light"  # type: ignore[attr-defined]
