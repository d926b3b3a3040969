"""Truths and texts that Python has of anything, and what is asked of names and numbers only."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import Integer, Parameter, Step, Variable, action, conj
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, Machine, acting

WORDS: Any = {"kind": type, "text": repr}


class Numbered(Machine):
    n = Parameter("n", 2, 1, 4, "how many")
    y = Variable(Integer("Count", 0, 4))

    @action()
    def Init(self, s: Step) -> None:
        Machine.Init(self, s)
        s.y = 0


class Node:
    def __init__(self, head: Any, tail: Any = None) -> None:
        self.head, self.tail = head, tail


def low(s: Any) -> Any:
    return s.x < 3


def a_method(m: Any, s: Any) -> None:
    if m.small:
        s.x = 1


def a_function(m: Any, s: Any) -> None:
    s.x = 1 if low and not m.small else 2  # type: ignore[truthy-function, redundant-expr]


def the_text_of_a_sum(m: Any, s: Any) -> None:
    s.x = 1 if f"{m.n + 1}" == "3" else 2


def a_special_name(m: Any, s: Any) -> None:
    s.x = 1 if getattr(s.o, "__repr__")() == "None" else 2  # noqa: B009


def a_word_from_a_table(m: Any, s: Any) -> None:
    s.x = 1 if WORDS["kind"](s.x) == WORDS["kind"](1) else 2


def a_view_of_a_table(m: Any, s: Any) -> None:
    def any_none(values: Any) -> bool:
        return any(v is None for v in values)

    s.x = 1 if any_none({"a": s.o}.values()) else 2


def parts_of_an_argument(m: Any, s: Any) -> None:
    def first_none(values: Any) -> bool:
        return next(v is None for v in values)

    s.x = 1 if first_none([s.o]) else 2


def a_part_of_a_pair(m: Any, s: Any) -> None:
    def absent(pair: Any) -> bool:
        name, value = pair
        return bool(name) and value is None

    s.x = 1 if absent(("o", s.o)) else 2


def a_part_of_a_table(m: Any, s: Any) -> None:
    def absent(values: Any) -> list[str]:
        return [name for name, value in values.items() if value is None]

    s.x = len(absent({"o": s.o}))


def parts_of_a_list_that_is_filled(m: Any, s: Any) -> None:
    values: list[Any] = [1]
    values.append(s.o)
    for value in values:
        s.require(s.x < (2 if value is None else 3))


@pytest.mark.parametrize(
    "body",
    [
        *(
            parts_of_a_list_that_is_filled,
            parts_of_an_argument,
            a_part_of_a_pair,
            a_part_of_a_table,
        ),
        *(a_method, a_function, the_text_of_a_sum, a_special_name, a_word_from_a_table),
        a_view_of_a_table,
    ],
)
def test_what_python_says_of_anything_is_refused(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"test_truth_and_text\.py:\d+: `"):
        model_of(acting(body, Numbered))


def numbers_and_names_beside_terms(m: Any, s: Any) -> None:
    for place, term in enumerate([s.x, s.y]):
        s.require(term < int(f"{3 + place}"))
    for name, term in {"x": s.y, "y": s.x}.items():
        setattr(s, f"{name}", term)
    for name, term in zip(("x", "y"), (s.x, s.y), strict=True):
        s.require(getattr(s, f"{name}") == term)


def what_may_be_left_out(m: Any, s: Any) -> None:
    def total(node: Any = None) -> Any:
        return 0 if node is None else node.head + total(node.tail)

    def all_of(guards: Any = None) -> Any:
        return conj(*(() if guards is None else guards))

    def asked(question: Any = None) -> Any:
        return s.x < 4 if question is None else question()

    def below(k: int) -> Any:
        return s.x < k if k else None

    s.require(total(Node(s.x, Node(s.y))) < 3, all_of([s.x < 3]), asked(lambda: s.x < 2), asked())
    s.require(*[guard for guard in (below(k) for k in (0, 1)) if guard is not None])


@pytest.mark.parametrize("body", [numbers_and_names_beside_terms, what_may_be_left_out])
def test_what_holds_no_term_is_pythons_own(body: Body) -> None:
    assert model_of(acting(body, Numbered)).actions
