"""Which `either` blocks are one list of cases, which are two, and which are none."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import TRUE
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython, LanguageError
from tests.lang.acting import Body, acting
from tests.lang.test_either_blocks import one_mode


def some_mode(s: Any) -> None:
    one_mode(s, "a")
    one_mode(s, "b")


def some_number(s: Any) -> None:
    for k in (1, 2):
        with s.either():
            s.x = k


def list_beside_list(m: Any, s: Any) -> None:
    some_mode(s)
    some_number(s)


def block_behind_a_list(m: Any, s: Any) -> None:
    some_number(s)
    with s.either():
        s.x = 3


def list_behind_a_block(m: Any, s: Any) -> None:
    one_mode(s, "b")
    some_number(s)


@pytest.mark.parametrize("body", [list_beside_list, block_behind_a_list, list_behind_a_block])
def test_a_list_of_blocks_that_a_helper_writes_is_not_made_longer(body: Body) -> None:
    with pytest.raises(LanguageError, match=r"^some_\w+ writes several"):
        model_of(acting(body))


def loops_beside_each_other(m: Any, s: Any) -> None:
    for mode in ("a", "b"):
        one_mode(s, mode)
    for k in (1, 2):
        with s.either():
            s.x = k


def loops_around_a_block(m: Any, s: Any) -> None:
    for mode in ("a", "b"):
        one_mode(s, mode)
    with s.either():
        s.x = 3
    k = 0
    while k < 2:
        with s.either():
            s.x = k
        k += 1


@pytest.mark.parametrize("body", [loops_beside_each_other, loops_around_a_block])
def test_two_loops_of_blocks_are_not_made_one_list(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"a loop of `either` blocks stands beside another"):
        model_of(acting(body))


def one_of_each(m: Any, s: Any) -> None:
    some_mode(s)
    s.require(TRUE)
    some_number(s)


def one_of_each_loop(m: Any, s: Any) -> None:
    last = 0
    for mode in ("a", "b"):
        last += 1
        one_mode(s, mode)
    s.require(s.x < last)
    for k in (1, 2):
        with s.either():
            s.x = k


def one_of_all(m: Any, s: Any) -> None:
    for mode in ("a", "b"):
        one_mode(s, mode)
    with s.either():
        s.x = 1


@pytest.mark.parametrize(
    ("body", "disjuncts"), [(one_of_each, 4), (one_of_each_loop, 4), (one_of_all, 3)]
)
def test_cases_of_helpers_are_one_list_and_lists_apart_are_two(body: Body, disjuncts: int) -> None:
    (act,) = model_of(acting(body)).actions
    assert len(act.branches) == disjuncts


NONE: tuple[int, ...] = ()


def a_loop_over_nothing(m: Any, s: Any) -> None:
    for k in NONE:
        with s.either():
            s.x = k


def a_loop_over_an_empty_range(m: Any, s: Any) -> None:
    s.require(s.x < 3)
    for k in range(len(NONE)):
        with s.either():
            s.require(s.x != k)
    s.x = 1


def a_loop_over_nothing_apart_from_others(m: Any, s: Any) -> None:
    with s.either():
        s.require(s.x < 3)
    with s.either():
        s.require(s.x > 3)
    s.require(s.o == 1)
    for k in NONE:
        with s.either():
            s.x = k


def a_case(s: Any, k: int) -> None:
    with s.either():
        s.x = k


def a_case_and_more(s: Any, k: int) -> None:
    s.require(s.o != k)
    a_case(s, k)


def a_loop_over_nothing_of_a_helper(m: Any, s: Any) -> None:
    s.o = 1
    for k in NONE:
        a_case(s, k)


def a_loop_over_nothing_of_a_helpers_helper(m: Any, s: Any) -> None:
    for k in NONE:
        a_case_and_more(s, k)


@pytest.mark.parametrize(
    "body",
    [
        a_loop_over_nothing,
        a_loop_over_an_empty_range,
        a_loop_over_nothing_apart_from_others,
        a_loop_over_nothing_of_a_helper,
        a_loop_over_nothing_of_a_helpers_helper,
    ],
)
def test_a_list_of_no_cases_is_refused(body: Body) -> None:
    """In TLA+ it is FALSE, and here the step was taken with what stood around the loop."""
    with pytest.raises(DecidedByPython, match=r"runs over nothing.*: write s\.require\(FALSE\)"):
        model_of(acting(body))


def a_loop_over_nothing_beside_a_case(m: Any, s: Any) -> None:
    with s.either():
        s.x = 1
    for k in NONE:
        with s.either():
            s.x = k


def a_loop_of_a_helper_beside_a_case(m: Any, s: Any) -> None:
    with s.either():
        s.x = 1
    for k in NONE:
        a_case(s, k)


def a_loop_over_nothing_of_what_may_be_a_case(m: Any, s: Any) -> None:
    s.x = 1
    for k in NONE:
        one_or_none(s, k)


def one_or_none(s: Any, k: int) -> None:
    if k > 1:
        with s.either():
            s.x = k


def a_loop_that_python_leaves_out(m: Any, s: Any) -> None:
    if NONE:
        for k in NONE:
            with s.either():
                s.x = k
    else:
        s.x = 1


def a_loop_of_cases_that_python_leaves_out(m: Any, s: Any) -> None:
    for k in (1, 2):
        if k > 2:
            with s.either():
                s.x = k
    s.x = 1


@pytest.mark.parametrize(
    "body",
    [
        a_loop_over_nothing_beside_a_case,
        a_loop_of_a_helper_beside_a_case,
        a_loop_over_nothing_of_what_may_be_a_case,
        a_loop_that_python_leaves_out,
        a_loop_of_cases_that_python_leaves_out,
    ],
)
def test_no_case_more_than_there_is_stays(body: Body) -> None:
    assert model_of(acting(body)).actions
