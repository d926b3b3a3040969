"""Where a term came from does not matter: Python tells none apart by class, identity or name."""

from __future__ import annotations

import contextvars
import enum
from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from bmc.lang import TRUE, Integer, Parameter, conj, step_invariant
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython, LanguageError, OutOfScope
from bmc.lang.suite import Suite
from tests.lang.acting import Body, Machine, acting


class View:
    """What shows parts of a state under names of its own."""

    def __init__(self, s: Any) -> None:
        self.s = s

    @property
    def found(self) -> Any:
        return self.s.o

    def __getitem__(self, n: int) -> Any:
        return self.s.o

    def __call__(self) -> Any:
        return self.s.o

    def __hidden(self) -> Any:
        return self.s.o

    def hidden_is_none(self) -> bool:
        return self.__hidden() is None

    def is_none(self, __one: Any) -> bool:
        return __one is None

    def is_a_number(self) -> bool:
        return isinstance(self.__hidden(), int)


def of_a_property(m: Any, s: Any) -> None:
    s.x = 1 if View(s).found is None else 2


def of_what_an_object_has(m: Any, s: Any) -> None:
    view = View(s)
    s.x = 1 if view[0] is None else 2


def of_what_an_object_gives(m: Any, s: Any) -> None:
    view = View(s)
    s.x = 1 if view() is not None else 2


def of_a_function_inside(m: Any, s: Any) -> None:
    def found() -> Any:
        return s.o

    absent = found() is None
    s.x = 1 if absent else 2


def of_a_private_method(m: Any, s: Any) -> None:
    s.x = 1 if View(s).hidden_is_none() else 2


def of_a_private_argument(m: Any, s: Any) -> None:
    s.x = 1 if View(s).is_none(s.o) else 2


def of_the_class_of_a_private_methods_value(m: Any, s: Any) -> None:
    s.x = 1 if View(s).is_a_number() else 2


def in_a_match(m: Any, s: Any) -> None:
    match View(s).found:
        case None:
            s.x = 1
        case _:
            s.x = 2


def in_a_loop(m: Any, s: Any) -> None:
    for one in (s.o, s.x):
        if one is None:
            s.x = 1


def in_a_comprehension(m: Any, s: Any) -> None:
    s.x = len([one for one in (s.o, s.x) if one is not None])


def among_many_arguments(m: Any, s: Any) -> None:
    def absent(*given: Any) -> bool:
        return given[0] is None

    s.x = 1 if absent(s.o) else 2


def among_arguments_by_name(m: Any, s: Any) -> None:
    def absent(**given: Any) -> bool:
        return given["one"] is None

    s.x = 1 if absent(one=s.o) else 2


def in_what_is_typed_in_quotes(m: Any, s: Any) -> None:
    s.x = eval("1 if s.o is None else 2", {"s": s})


def as_the_key_of_an_order(m: Any, s: Any) -> None:
    s.x = sorted([s.x, 1], key=id)[0]


def as_the_least_text(m: Any, s: Any) -> None:
    s.x = min([s.x, 1], key=repr)


def through_map(m: Any, s: Any) -> None:
    s.x = len(set(map(type, [s.x, 1])))


def as_the_name_of_a_loop(m: Any, s: Any) -> None:
    for _one in (s.x, s.some):
        _ = m.small(s)


TOLD_APART = [
    *(of_a_property, of_what_an_object_has, of_what_an_object_gives, of_a_function_inside),
    *(of_a_private_method, of_a_private_argument, of_the_class_of_a_private_methods_value),
    *(in_a_match, in_a_loop, in_a_comprehension, among_many_arguments, among_arguments_by_name),
    *(in_what_is_typed_in_quotes, as_the_key_of_an_order, as_the_least_text, through_map),
    as_the_name_of_a_loop,
]


@pytest.mark.parametrize("body", TOLD_APART)
def test_python_tells_no_term_apart(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"(test_told_apart\.py|<string>):\d+: `"):
        model_of(acting(body))


def test_a_state_means_nothing_in_a_context_of_its_own() -> None:
    def elsewhere(m: Any, s: Any) -> None:
        found = contextvars.Context().run(lambda: [s.x < 3])
        s.x = len(found)

    with pytest.raises(OutOfScope, match=r"test_told_apart\.py:\d+: the state belongs to"):
        model_of(acting(elsewhere))


def test_a_class_does_not_look_for_a_parameter_in_a_set() -> None:
    n = Parameter("n", 3, 1, 9, "a number")
    with pytest.raises(LanguageError, match="no value while a protocol is read"):
        Integer("Number", 0, 4 if n in {3, 5} else 1)


@pytest.mark.parametrize(
    "claim",
    [
        lambda m, s, t: TRUE if s == t else s.x < t.x,
        lambda m, s, t: s.x < t.x if s != t else TRUE,
        lambda m, s, t: TRUE if s is t else s.x < t.x,
    ],
)
def test_states_are_not_compared_as_a_whole(claim: Callable[..., Any]) -> None:
    def grows(m: Any, s: Any, t: Any) -> Any:
        return claim(m, s, t)

    declared = step_invariant("x grows where anything changes")(grows)
    suite = Suite("machine", acting(lambda m, s: s.require(TRUE)), "", (declared,))
    with pytest.raises(LanguageError, match="compare"):
        suite.describe(declared, suite.model(ghosts=False))


class Name(enum.StrEnum):
    A = "a"
    B = "b"


class Number(enum.IntEnum):
    ONE = 1


def test_names_and_numbers_of_an_enumeration_are_what_they_are_equal_to() -> None:
    def named(m: Any, s: Any) -> None:
        s.require(s.mode == Name.A)
        s.mode, s.x, s.some = Name.B, Number.ONE, {Number.ONE, 2}

    def written(m: Any, s: Any) -> None:
        s.require(s.mode == "a")
        s.mode, s.x, s.some = "b", 1, {1, 2}

    assert model_of(acting(named)).actions[0].branches == (
        model_of(acting(written)).actions[0].branches
    )


def guards(s: Any) -> Any:
    for n in (4, 3):
        yield s.x < n


def given_by_iterators(m: Any, s: Any) -> None:
    s.require(*map(m.small, [s]))
    s.require(*guards(s))
    s.require(*(s.x > n for n in (0, 1)))


class Least(Machine):
    def small(self, s: Any) -> Any:
        return Machine.small(self, s) & (s.x > 0)


def python_s_own(m: Any, s: Any) -> None:
    def perhaps(n: int) -> Any:
        return s.x < n if n else None

    found = [one for one in map(perhaps, (0, 3)) if one is not None]
    s.require(*found, *(one for one in (None, s.x > 0) if one is not None))
    s.require(reduce(lambda all_, n: all_ & (s.x < n), (3, 4), s.x > 1), Least().small(s))
    s.require(conj(*[s.x < n for n in sorted((4, 3), key=repr)]))


@pytest.mark.parametrize(("body", "guards"), [(given_by_iterators, 5), (python_s_own, 5)])
def test_what_is_all_said_stays(body: Body, guards: int) -> None:
    assert len(model_of(acting(body)).actions[0].branches[0].guards) == guards
