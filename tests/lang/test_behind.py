"""What stands behind a loop under its name, and copies that change no variable, are refused."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import TRUE
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, acting


def a_line_that_lost_its_indentation(m: Any, s: Any) -> None:
    for k in (1, 2):
        s.require(s.x != k)
    s.x = k


def an_argument_under_the_name_of_a_loop(m: Any, s: Any) -> None:
    _limited(s, 3)


def _limited(s: Any, x: Any) -> None:
    for x in (1, 2):
        s.require(s.x != x)
    s.x = x


def behind_an_inner_loop(m: Any, s: Any) -> None:
    for k in (1, 2):
        for j in (3, 4):
            s.require(s.x != j)
        s.require(s.x != j + k)


def in_a_lambda_behind_a_loop(m: Any, s: Any) -> None:
    for k in (1, 2):
        s.require(s.x != k)
    s.require(*(s.x != k + j for j in (0, 1)))


@pytest.mark.parametrize(
    "body",
    [
        a_line_that_lost_its_indentation,
        an_argument_under_the_name_of_a_loop,
        behind_an_inner_loop,
        in_a_lambda_behind_a_loop,
    ],
)
def test_a_name_of_a_loop_is_not_read_behind_it(body: Body) -> None:
    with pytest.raises(DecidedByPython, match="is read behind the loop that sets it"):
        model_of(acting(body))


def two_copies_exchanged(m: Any, s: Any) -> None:
    x, y = s.x, s.x + 1
    x, y = y, x


def three_copies_turned(m: Any, s: Any) -> None:
    x, y, z = s.x, s.x + 1, s.x + 2
    x, y, z = y, z, x


def a_sum_of_copies(m: Any, s: Any) -> None:
    x = sum((s.x, 1))  # noqa: F841


def a_copy_counted_on_by_sum(m: Any, s: Any) -> None:
    x = s.x
    x = sum([x, 1])


@pytest.mark.parametrize(
    "body",
    [two_copies_exchanged, three_copies_turned, a_sum_of_copies, a_copy_counted_on_by_sum],
)
def test_copies_that_change_no_variable_are_refused(body: Body) -> None:
    with pytest.raises(DecidedByPython, match="its value goes nowhere"):
        model_of(acting(body))


def the_name_is_set_before_the_loop(m: Any, s: Any) -> None:
    found = 0
    for found in (1, 2):
        s.require(s.x != found)
    s.require(s.x != found)


def a_loop_that_ends_where_it_has_found(m: Any, s: Any) -> None:
    for k in (1, 2, 3):
        if k > 1:
            break
    s.require(s.x != k)


def the_name_is_set_once_more(m: Any, s: Any) -> None:
    for k in (1, 2):
        s.require(s.x != k)
    for k in (3, 4):
        s.require(s.x != k)
    k = 5
    s.require(s.x != k)
    s.require(*(s.x != k for k in (6, 7)))


def all_of_a_loop(m: Any, s: Any) -> None:
    holds = TRUE
    for k in (1, 2):
        holds = holds & (s.x != k)
    s.require(holds)


def an_exchange_that_is_read(m: Any, s: Any) -> None:
    x, y = s.x, 3
    x, y = y, x
    s.require(s.x != x, y != 2)


def turn_by_turn(m: Any, s: Any) -> None:
    x, y = 0, 1
    for _ in range(3):
        s.require(s.x != x)
        x, y = y, x


def a_sum_that_is_read(m: Any, s: Any) -> None:
    total = sum((s.x, 1))
    s.require(total < 3)


@pytest.mark.parametrize(
    "body",
    [
        the_name_is_set_before_the_loop,
        a_loop_that_ends_where_it_has_found,
        the_name_is_set_once_more,
        all_of_a_loop,
        an_exchange_that_is_read,
        turn_by_turn,
        a_sum_that_is_read,
    ],
)
def test_what_loses_nothing_is_read(body: Body) -> None:
    assert model_of(acting(body)).actions[0].branches
