"""What a method counts on for itself is no new value of a variable, and is refused where lost."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from bmc.lang import exists, ite, maximum
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, Count, acting


class Box:
    """An object that a method makes for itself."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def raise_by(self, k: int) -> None:
        self.n = self.n + k

    def next_one(self) -> Any:
        found = self.n
        self.n = self.n + 1
        return found


class View:
    """What a method gathers for others."""

    low: Any
    high: Any


def in_an_attribute(m: Any, s: Any) -> None:
    box = Box(s.x)
    box.n = box.n + 1


def in_an_attribute_in_place(m: Any, s: Any) -> None:
    box = Box(s.x)
    box.n += 1


def put_into_an_attribute(m: Any, s: Any) -> None:
    box = Box(None)
    box.n = s.x + 1


def by_a_method(m: Any, s: Any) -> None:
    Box(s.x).raise_by(1)


def in_a_table(m: Any, s: Any) -> None:
    new = {"x": s.x}
    new["x"] = new["x"] + 1


def in_a_table_by_get(m: Any, s: Any) -> None:
    new: dict[str, Any] = {}
    new["x"] = new.get("x", s.x) + 1


def in_a_list(m: Any, s: Any) -> None:
    new = [s.x, s.x]
    new[0] = new[0] + 1


def by_a_word(m: Any, s: Any) -> None:
    x = s.x
    x = maximum(x, 3)


def by_a_choice(m: Any, s: Any) -> None:
    x = s.x
    x = x + 1
    x = ite(s.x < 3, x, s.x)


def several_at_once(m: Any, s: Any) -> None:
    x, y = s.x, s.x
    x, y = x + 1, y


def listed_at_once(m: Any, s: Any) -> None:
    [x, y] = [s.x + 1, s.x]  # noqa: F841


def kept_in_an_object(m: Any, s: Any) -> None:
    box = Box(s.x + 1)  # noqa: F841


def kept_in_a_table(m: Any, s: Any) -> None:
    new = dict(x=s.x + 1)  # noqa: C408, F841


def of_all_in_a_list(m: Any, s: Any) -> None:
    new = [s.x, s.x]
    new = [v + 1 for v in new]


def of_all_in_a_table(m: Any, s: Any) -> None:
    new = {"x": s.x}
    new = {k: v + 1 for k, v in new.items()}


def by_a_lambda(m: Any, s: Any) -> None:
    x = (lambda v: v + 1)(s.x)  # noqa: F841


def by_a_function_inside(m: Any, s: Any) -> None:
    x = s.x

    def raise_it() -> None:
        nonlocal x
        x = x + 1

    raise_it()


def raised(v: Any) -> Any:
    return v + 1


def all_raised(vs: Any) -> Any:
    return [v + 1 for v in vs]


def by_a_helper(m: Any, s: Any) -> None:
    x = s.x
    x = raised(x)


def by_a_helper_of_an_element(m: Any, s: Any) -> None:
    new = [s.x, s.x]
    new = all_raised(new)


def by_a_helper_in_a_table(m: Any, s: Any) -> None:
    new = {"x": s.x}
    new["x"] = raised(new["x"])


def by_a_lambda_with_a_name(m: Any, s: Any) -> None:
    more: Any = lambda v: v + 1  # noqa: E731
    x = s.x
    x = more(x)


LOST = [
    *(by_a_helper, by_a_helper_of_an_element, by_a_helper_in_a_table, by_a_lambda_with_a_name),
    by_a_function_inside,
    *(kept_in_an_object, kept_in_a_table, of_all_in_a_list, of_all_in_a_table),
    by_a_lambda,
    *(in_an_attribute, in_an_attribute_in_place, put_into_an_attribute, by_a_method),
    *(in_a_table, in_a_table_by_get, in_a_list),
    *(by_a_word, by_a_choice, several_at_once, listed_at_once),
]


@pytest.mark.parametrize("body", LOST)
def test_what_is_counted_on_and_not_assigned_is_refused(body: Body) -> None:
    """Read as nothing, the variable that is meant kept its value, and claims were proved."""
    with pytest.raises(DecidedByPython, match=r"test_counted.py:\d+: .* its value goes nowhere"):
        model_of(acting(body))


STRICT = False


def in_the_next_turn(m: Any, s: Any) -> None:
    k = s.x
    for n in (1, 2):
        s.require(k < n)
        k = k + 1


def by_an_object(m: Any, s: Any) -> None:
    box = Box(s.x)
    s.require(box.next_one() < 3, box.next_one() < 5)
    once = Box(s.x)
    s.require(once.next_one() < 3)


def at_other_times(m: Any, s: Any) -> None:
    k = s.x
    k = maximum(k, 1)
    seen = View()
    seen.low = s.x - 1
    if STRICT:
        s.require(k < 2, seen.low < 2)


def for_another(m: Any, s: Any) -> None:
    seen = View()
    seen.low, seen.high = s.x - 1, s.x + 1
    view = {"low": seen.low}
    view["high"] = s.x + 1
    s.require(low_of(seen) < 2)
    told(view, s.x + 1)


def low_of(seen: Any) -> Any:
    return seen.low


def told(view: Any, count: Any) -> None:
    """A hook that does nothing yet."""


def not_wanted(m: Any, s: Any) -> None:
    _ = s.x + 1
    low, _ = s.x, s.x + 1
    s.require(low < 2)


def gathered(m: Any, s: Any) -> None:
    sums = [s.x, s.x]
    for place, n in enumerate((1, 2)):
        sums[place] = sums[place] + n
    s.require(sums[0] < 3, sums[1] < 4)
    whole = list(itertools.accumulate([s.x, s.x, s.x], lambda a, b: a + b))
    s.require(whole[1] < 3)


def acts(s: Any, v: Any) -> Any:
    s.require(v < 3)
    return v + 1


def by_helpers_that_act(m: Any, s: Any) -> None:
    k = s.x
    for _ in (1, 2):
        k = acts(s, k)
    n = raised(s.x)
    s.require(n < 3)


def set_by_a_function_inside(m: Any, s: Any) -> None:
    k = s.x

    def raise_it() -> None:
        nonlocal k
        k = k + 1

    raise_it()
    if STRICT:
        s.require(k < 3)
    s.require(exists(Count, lambda c: (lambda d: c < d)(c + 1)))


@pytest.mark.parametrize(
    "body",
    [
        by_helpers_that_act,
        set_by_a_function_inside,
        in_the_next_turn,
        by_an_object,
        at_other_times,
        for_another,
        not_wanted,
        gathered,
    ],
)
def test_what_may_be_read_stays(body: Body) -> None:
    assert model_of(acting(body)).actions
