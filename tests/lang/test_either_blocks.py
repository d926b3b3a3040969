"""What an `either` block leaves for the text behind it, or leaves out of it, is refused."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import TRUE
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython, LanguageError
from tests.lang.acting import Body, Machine, acting


class Ended(Machine):
    ended = True


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v


class Quiet:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> bool:
        return True


def put_into_a_table(m: Any, s: Any) -> None:
    found = {}
    with s.either():
        s.mode, found["k"] = "a", 1
    with s.either():
        s.mode, found["k"] = "b", 2
    s.x = found["k"]


def put_into_an_attribute(m: Any, s: Any) -> None:
    box = Box(0)
    with s.either():
        s.mode, box.v = "a", 1
    with s.either():
        s.mode, box.v = "b", 2
    s.x = box.v


def put_into_a_list(m: Any, s: Any) -> None:
    guards = []
    with s.either():
        guards.append(s.x < 1)
        s.mode = "a"
    with s.either():
        guards.append(s.x > 1)
        s.mode = "b"
    s.require(*guards)


def put_by_a_function_inside(m: Any, s: Any) -> None:
    k = 0

    def put(v: int) -> None:
        nonlocal k
        k = v

    with s.either():
        s.mode = "a"
        put(1)
    with s.either():
        s.mode = "b"
        put(2)
    s.x = k


@pytest.mark.parametrize(
    "body",
    [put_into_a_table, put_into_an_attribute, put_into_a_list, put_by_a_function_inside],
)
def test_what_a_block_has_put_somewhere_is_not_read_behind_it(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"py:\d+: .* was set in an `either` block"):
        model_of(acting(body))


def test_a_block_does_not_end_its_method() -> None:
    def ends(m: Any, s: Any) -> None:
        with s.either():
            s.x = 1
            if m.ended:
                return
        with s.either():
            s.x = 2

    with pytest.raises(DecidedByPython, match=r"`return` .* left out by it, in the steps of the"):
        model_of(acting(ends, Ended))


def test_an_error_in_a_block_is_not_passed_over() -> None:
    def passes(m: Any, s: Any) -> None:
        with Quiet():
            s.require(s.x < {"a": 3}["b"])
        s.x = 1

    with pytest.raises(DecidedByPython, match=r"`return True` .* would be passed over"):
        model_of(acting(passes))


def within_each(m: Any, s: Any) -> None:
    place, names = s.some, ["a", "b"]
    for k in (1, 2):
        with s.either():
            found = {}
            found["k"] = k

            def value(found: Any = found) -> Any:
                return found["k"]

            s.require(~(place <= {3}))
            s.x, s.mode = value(), names.pop(0)
    s.require(~(place <= {4}))


def test_what_a_block_puts_somewhere_of_its_own_stays() -> None:
    (act,) = model_of(acting(within_each)).actions
    assert [repr(one.updates["x"]) for one in act.branches] == ["1", "2"]


def one_mode(s: Any, mode: str) -> None:
    with s.either():
        s.mode = mode


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


def one_of_each(m: Any, s: Any) -> None:
    some_mode(s)
    s.require(TRUE)
    some_number(s)


def one_of_all(m: Any, s: Any) -> None:
    for mode in ("a", "b"):
        one_mode(s, mode)
    with s.either():
        s.x = 1


@pytest.mark.parametrize(("body", "disjuncts"), [(one_of_each, 4), (one_of_all, 3)])
def test_cases_of_helpers_are_one_list_and_lists_apart_are_two(body: Body, disjuncts: int) -> None:
    (act,) = model_of(acting(body)).actions
    assert len(act.branches) == disjuncts
