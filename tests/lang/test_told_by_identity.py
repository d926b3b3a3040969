"""Objects that hold terms are not told apart by identity, wherever Python would compare them."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import Any

import pytest

from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, acting


class Holds:
    def __init__(self, v: Any) -> None:
        self.v = v

    def same(self, other: Any) -> bool:
        return bool(self == other)


class More(Holds):
    pass


class Bag:
    v: Any


@dataclass(eq=False)
class Data:
    v: Any


KINDS: dict[str, Any] = {"holds": Holds, "several": [Holds]}


def same(one: Any, other: Any) -> bool:
    return bool(one == other)


def among(one: Any, others: Any) -> bool:
    return one in others


def made(kind: Any, v: Any) -> Any:
    return kind(v)


def in_a_bag(v: Any) -> Bag:
    found = Bag()
    found.v = v
    return found


COMPARED: list[Any] = [
    lambda s: same(Holds(s.x), Holds(s.x)),
    lambda s: not Holds(s.x) != Holds(s.x),  # noqa: SIM202
    lambda s: same(Holds(s.x), Holds(3)),
    lambda s: same(More(s.x), Holds(s.x)),
    lambda s: same(Data(s.x), Data(s.x)),
    lambda s: same(in_a_bag(s.x), in_a_bag(s.x)),
    lambda s: same(made(Holds, s.x), made(Holds, s.x)),
    lambda s: same(KINDS["holds"](s.x), KINDS["holds"](s.x)),
    lambda s: same((1, Holds(s.x)), (1, Holds(s.x))),
    lambda s: same([Holds(s.x)], [Holds(s.x)]),
    lambda s: same({"a": Holds(s.x)}, {"a": Holds(s.x)}),
    lambda s: same(Holds(s), Holds(s)),
    lambda s: operator.eq(Holds(s.x), Holds(s.x)),
    lambda s: among(Holds(s.x), [Holds(s.x)]),
    lambda s: among(KINDS["several"][0](s.x), (Holds(s.x),)),
    lambda s: [Holds(3)].index(Holds(s.x)),
    lambda s: [Holds(s.x), Holds(3)].count(Holds(3)),
    lambda s: {Holds(s.x): True}.get(Holds(s.x)),
    lambda s: len({Holds(s.x), Holds(s.x)}) == 1,
    lambda s: same(functools.partial(operator.add, s.x), functools.partial(operator.add, s.x)),
    lambda s: same(Holds(s.x).same, Holds(s.x).same),
    lambda s: functools.partial(operator.add, s.x) in [functools.partial(operator.add, s.x)],
]


@pytest.mark.parametrize("asked", COMPARED)
def test_objects_that_hold_terms_are_not_compared(asked: Any) -> None:
    def body(m: Any, s: Any) -> None:
        s.x = 1 if asked(s) else 2

    with pytest.raises(DecidedByPython, match=r"test_told_by_identity\.py:\d+: `"):
        model_of(acting(body))
    assert Holds.__eq__ is object.__eq__
    assert Holds.__hash__ is object.__hash__


def views_are_read(m: Any, s: Any) -> None:
    view = Holds(s)
    s.require(view.v.x < 3)
    s.x = Data(view.v.x).v


def names_are_compared(m: Any, s: Any) -> None:
    key = Holds("a")
    s.x = {key: 1}.get(key, 2) if same(key, key) and not same(Holds(3), Holds(3)) else 2


@pytest.mark.parametrize("body", [views_are_read, names_are_compared])
def test_what_compares_no_terms_stays(body: Body) -> None:
    assert model_of(acting(body)).actions
