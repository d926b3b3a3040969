"""What an `either` block leaves for the text behind it, or leaves out of it, is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import pytest

from bmc.lang import Integer, forall, implies
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, Machine, acting


class Ended(Machine):
    ended = True

    @cached_property
    def least(self) -> int:
        return 3


class Cased(Machine):
    def case(self, s: Any) -> Any:
        return s.either()

    @contextmanager
    def below(self, s: Any, n: int) -> Iterator[None]:
        with s.either():
            s.require(s.x < n)
            yield


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v

    def put(self, v: Any) -> None:
        self.v = v


def fill(found: dict[str, Any], v: Any) -> None:
    found["k"] = v


class Quiet:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> bool:
        return True


def one_mode(s: Any, mode: str) -> None:
    with s.either():
        s.mode = mode


def mode_and(s: Any, mode: str, number: int) -> int:
    one_mode(s, mode)
    return number


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


def set_in_a_block_of_another_name(m: Any, s: Any) -> None:
    case = s.either
    with case():
        s.mode, k = "a", 1
    with case():
        s.mode, k = "b", 2
    s.x = k


def set_in_a_block_of_a_helper(m: Any, s: Any) -> None:
    with m.case(s):
        s.mode, k = "a", 1
    with m.below(s, 2):
        s.mode, k = "b", 2
    s.x = k


def read_by_a_function_inside(m: Any, s: Any) -> None:
    with s.either():
        s.mode, k = "a", 1
    with s.either():
        s.mode, k = "b", 2
    s.require(forall(Integer("Count", 0, 3), lambda x: implies(x == k, s.x < x)))


def set_by_a_loop_of_blocks(m: Any, s: Any) -> None:
    for k in (1, 2):
        with s.either():
            s.mode = ("a", "b")[k - 1]
    s.x = k


def set_in_a_turn_of_blocks(m: Any, s: Any) -> None:
    for mode in ("a", "b"):
        k = {"a": 1, "b": 2}[mode]
        one_mode(s, mode)
    s.x = k


def put_by_a_method(m: Any, s: Any) -> None:
    box = Box(0)
    with s.either():
        s.mode = "a"
        box.put(1)
    with s.either():
        s.mode = "b"
        box.put(2)
    s.x = box.v


def put_by_a_helper(m: Any, s: Any) -> None:
    found: dict[str, Any] = {}
    once_more = found
    with s.either():
        s.mode = "a"
        fill(found, 1)
    with s.either():
        s.mode = "b"
        fill(found, 2)
    s.x = once_more["k"]


def put_in_each_turn(m: Any, s: Any) -> None:
    box = Box(0)
    for mode in ("a", "b"):
        box.v = {"a": 1, "b": 2}[mode]
        one_mode(s, mode)
    s.x = box.v


def listed_in_each_turn(m: Any, s: Any) -> None:
    found = []
    for k in (1, 2):
        found.append(k)
        with s.either():
            s.mode = ("a", "b")[k - 1]
    s.x = found[-1]


def given_back_by_each_case(m: Any, s: Any) -> None:
    k = mode_and(s, "a", 1)
    k = mode_and(s, "b", 2)
    s.x = k


def set_beside_each_case(m: Any, s: Any) -> None:
    k = 0

    def case(mode: str, number: int) -> None:
        nonlocal k
        k = number
        one_mode(s, mode)

    case("a", 1)
    case("b", 2)
    s.x = k


def captured_in_each_turn(m: Any, s: Any) -> None:
    for pair in ((1, "a"), (2, "b")):
        match pair:
            case (k, mode):
                one_mode(s, mode)
    s.x = k


def read_by_a_function_before(m: Any, s: Any) -> None:
    def put() -> None:
        s.x = k

    run = put
    for k in (1, 2):
        with s.either():
            s.mode = ("a", "b")[k - 1]
    run()


def read_by_a_list_of_functions_before(m: Any, s: Any) -> None:
    def last() -> int:
        return k

    runs = [last]
    for k in (1, 2):
        with s.either():
            s.mode = ("a", "b")[k - 1]
    s.x = runs[0]()


def read_by_a_loops_else(m: Any, s: Any) -> None:
    for k in (1, 2):
        with s.either():
            s.mode = ("a", "b")[k - 1]
    else:
        s.x = k


def both_modes(s: Any, found: Any) -> int:
    """Write both cases, and put into ``found`` which one it is."""
    with s.either():
        s.mode, found["k"] = "a", 1
    with s.either():
        s.mode, found["k"] = "b", 2
    return 0


def both_modes_into(s: Any, box: Box) -> None:
    with s.either():
        s.mode = "a"
        box.v = 1
    with s.either():
        s.mode = "b"
        box.v = 2


def each_mode_of(s: Any, found: Any) -> None:
    for k in (1, 2):
        found["k"] = k
        with s.either():
            s.mode = ("a", "b")[k - 1]


def put_by_a_helper_that_writes_all(m: Any, s: Any) -> None:
    found = {"k": 0}
    both_modes(s, found)
    s.x = found["k"]


def put_by_a_helper_of_a_helper(m: Any, s: Any) -> None:
    def modes() -> None:
        both_modes(s, found)

    found = {"k": 0}
    modes()
    s.x = found["k"]


def put_by_a_helper_into_an_attribute(m: Any, s: Any) -> None:
    box = Box(0)
    both_modes_into(s, box)
    s.x = box.v


def put_by_a_helper_in_each_turn(m: Any, s: Any) -> None:
    found = {"k": 0}
    each_mode_of(s, found)
    s.x = found["k"]


def put_by_a_helper_of_cases(m: Any, s: Any) -> None:
    def case(k: int) -> None:
        found["k"] = k
        one_mode(s, ("a", "b")[k - 1])

    def modes() -> None:
        case(1)
        case(2)

    found = {"k": 0}
    modes()
    s.x = found["k"]


def read_beside_its_helper(m: Any, s: Any) -> None:
    found = {"k": 0}
    s.x = both_modes(s, found) + found["k"]


def read_where_its_helper_decides(m: Any, s: Any) -> None:
    found = {"k": 0}
    if both_modes(s, found) == 0:
        s.x = found["k"]


def read_by_a_method_of_pythons(m: Any, s: Any) -> None:
    found = {"k": 0}
    value = found.get
    with s.either():
        s.mode, found["k"] = "a", 1
    with s.either():
        s.mode, found["k"] = "b", 2
    s.x = value("k")


@pytest.mark.parametrize(
    "body",
    [
        put_by_a_helper_that_writes_all,
        put_by_a_helper_of_a_helper,
        put_by_a_helper_into_an_attribute,
        put_by_a_helper_in_each_turn,
        put_by_a_helper_of_cases,
        read_beside_its_helper,
        read_where_its_helper_decides,
        read_by_a_method_of_pythons,
        put_into_a_table,
        put_into_an_attribute,
        put_into_a_list,
        put_by_a_function_inside,
        set_in_a_block_of_another_name,
        set_in_a_block_of_a_helper,
        read_by_a_function_inside,
        set_by_a_loop_of_blocks,
        set_in_a_turn_of_blocks,
        put_by_a_method,
        put_by_a_helper,
        put_in_each_turn,
        listed_in_each_turn,
        given_back_by_each_case,
        set_beside_each_case,
        captured_in_each_turn,
        read_by_a_function_before,
        read_by_a_list_of_functions_before,
        read_by_a_loops_else,
    ],
)
def test_what_a_block_has_put_somewhere_is_not_read_behind_it(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"py:\d+: .* was set in an `either` block"):
        model_of(acting(body, Cased))


def ends_its_method(m: Any, s: Any) -> None:
    with s.either():
        s.x = 1
        if m.ended:
            return
    with s.either():
        s.x = 2


def ends_its_loop(m: Any, s: Any) -> None:
    for k in (1, 2, 3):
        with s.either():
            s.x = k
            if k == 2:
                break


def ends_its_turn(m: Any, s: Any) -> None:
    for k in (1, 2):
        with s.either():
            s.x = k
            if m.ended:
                continue
        s.require(s.x != k)


@pytest.mark.parametrize(
    ("body", "word"),
    [(ends_its_method, "return"), (ends_its_loop, "break"), (ends_its_turn, "continue")],
)
def test_a_block_ends_nothing_around_it(body: Body, word: str) -> None:
    with pytest.raises(DecidedByPython, match=rf"`{word}` .* left out by it, in the steps of the"):
        model_of(acting(body, Ended))


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

            for name in names:
                if name == "b":
                    break

            s.require(~(place <= {3}))
            s.x, s.mode = value(), names.pop(0)
    for k in (3, 4):
        s.require(~(place <= {k}))


def read_in_each_block(m: Any, s: Any) -> None:
    box = Box(0)

    def put() -> None:
        s.x = k

    for k in (1, 2):
        box.put(k)
        with s.either():
            s.require(forall(Integer("Count", 0, 3), lambda x: implies(x == box.v, s.x < x)))
            put()
    box.v = 4
    s.require(s.x < m.least)


def filled_around_the_blocks(m: Any, s: Any) -> None:
    def modes() -> None:
        found["a"] = 1
        with s.either():
            s.x = 1
        found["b"] = 2
        with s.either():
            s.x = 2
        found["c"] = 3

    found: dict[str, Any] = {}
    modes()
    s.require(*(s.x < n for n in found.values()))


def filled_by_blocks_of_two_lists(m: Any, s: Any) -> None:
    def modes() -> None:
        with s.either():
            found["a"] = 1
            s.mode = "b"
        s.require(s.some != {1})
        for k in (1, 2):
            with s.either():
                s.x = k

    found = {"a": 0}
    modes()
    s.require(s.x != found["a"])


@pytest.mark.parametrize(
    "body",
    [within_each, read_in_each_block, filled_around_the_blocks, filled_by_blocks_of_two_lists],
)
def test_what_a_block_puts_somewhere_of_its_own_stays(body: Body) -> None:
    (act,) = model_of(acting(body, Ended)).actions
    assert [repr(one.updates["x"]) for one in act.branches] == ["1", "2"]
