"""A term means something in the method that made it, and is refused everywhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    TRUE,
    Integer,
    Parameter,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    conj,
    exists,
    filtered,
    forall,
    invariant,
    one_of,
    record,
    step_invariant,
)
from bmc.lang.describe import model_of
from bmc.lang.errors import OutOfScope
from bmc.lang.protocol import History, after
from bmc.lang.sorts import RecordSort
from tests.lang.acting import acting

Count = Integer("Count", 0, 4)
Pair = RecordSort("Pair", (("left", Count), ("right", Count)))

ORIGIN = record(Pair, left=0, right=0)
"""Made in no method, and of no state: it means the same everywhere."""

kept: dict[str, Any] = {}
"""What a method of the tests below keeps for another one."""


def once(name: str, made: Callable[[], Any]) -> Any:
    if name not in kept:
        kept[name] = made()
    return kept[name]


def noted(found: list[Any], term: Any) -> Any:
    found.append(term)
    return term


class Machine(Protocol):
    """Two counters."""

    limit = Parameter("limit", 2, 1, 4, "limit")

    x = Variable(Count)
    y = Variable(Count)
    pair = Variable(Pair)
    flag = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.x, s.y, s.pair, s.flag = 0, 0, ORIGIN, False


Body = Callable[[Any, Any, Any], None]


def in_two_actions(first: Body, second: Body) -> type[Protocol]:
    class Two(Machine):
        @action(c=Count)
        def First(self, s: Step, c: Any) -> None:
            first(self, s, c)

        @action(c=Count)
        def Second(self, s: Step, c: Any) -> None:
            second(self, s, c)

        Next = one_of(First, Second)

    return Two


def guard_of_the_state(m: Any, s: Any, c: Any) -> None:
    s.require(once("guard", lambda: s.x < 3))
    s.y = 1


def argument(m: Any, s: Any, c: Any) -> None:
    s.x = once("argument", lambda: c)


def by_a_default(m: Any, s: Any, c: Any, memo: list[Any] = []) -> None:  # noqa: B006
    if not memo:
        memo.append(s.x + 1)
    s.require(memo[0] < 4)
    s.x = 0


def indexed(m: Any, s: Any, c: Any) -> None:
    s.x = once("pair", lambda: s.pair).left


def state(m: Any, s: Any, c: Any) -> None:
    s.x = once("state", lambda: s).y


def step_to_assign(m: Any, s: Any, c: Any) -> None:
    once("step", lambda: s).x = 1


def place_to_assign(m: Any, s: Any, c: Any) -> None:
    once("place", lambda: s.pair).left = 1


def guards_of_another(m: Any, s: Any, c: Any) -> None:
    once("require", lambda: s.require)(s.flag)
    s.x = 1


def cases_of_another(m: Any, s: Any, c: Any) -> None:
    with once("either", lambda: s.either)():
        s.x = 1


@pytest.mark.parametrize(
    "body",
    [
        guard_of_the_state,
        argument,
        by_a_default,
        indexed,
        state,
        step_to_assign,
        place_to_assign,
        guards_of_another,
        cases_of_another,
    ],
)
def test_what_another_action_kept_is_refused(body: Body) -> None:
    kept.clear()
    with pytest.raises(OutOfScope, match=r"test_scopes\.py:\d+: .*First"):
        model_of(in_two_actions(body, body))


def test_what_init_and_the_constraint_kept_is_refused() -> None:
    class Kept(Machine):
        def Constraint(self, s: Any) -> Any:
            return kept["flag"]

        @action()
        def Act(self, s: Any) -> None:
            kept["flag"] = s.flag | (s.x < 3)
            s.require(kept["flag"])
            s.x = 1

        Next = one_of(Act)

    with pytest.raises(OutOfScope, match="made in Act"):
        model_of(Kept)


def test_what_a_property_kept_is_refused_in_another() -> None:
    class Stated(Machine):
        @action()
        def Act(self, s: Any) -> None:
            s.x = 1

        Next = one_of(Act)

        @step_invariant()
        def Later(self, s: Any, t: Any) -> Any:
            kept["after"] = t
            return t.x <= 4

        @invariant(c=Count)
        def Now(self, s: Any, c: Any) -> Any:
            kept["formula"] = c <= s.x + 4
            return kept["after"].x <= 4

        @invariant(c=Count)
        def Returned(self, s: Any, c: Any) -> Any:
            return kept["formula"]

    suite = Suite.of(Stated, "stated")
    model = suite.model(False)
    suite.describe(suite.find("Later"), model)
    with pytest.raises(OutOfScope, match="belongs to Later"):
        suite.describe(suite.find("Now"), model)
    with pytest.raises(OutOfScope, match="made in Now"):
        suite.describe(suite.find("Returned"), model)


def test_what_an_action_kept_is_refused_in_its_history() -> None:
    class Acting(Machine):
        @action()
        def Act(self, s: Any) -> None:
            kept["x"] = s.x
            s.x = 1

        Next = one_of(Act)

    class Past(History):
        last = Variable(Count)

        def initially(self, s: Any) -> None:
            s.last = 0

        @after("Act")
        def follow(self, s: Any) -> None:
            s.last = kept["x"]

    with pytest.raises(OutOfScope, match="made in Act"):
        model_of(Acting, Past)


def test_a_bound_variable_is_not_taken_by_another_binder() -> None:
    def keeps(m: Any, s: Any, c: Any) -> None:
        found: list[Any] = []
        s.require(exists(Count, lambda d: conj(noted(found, d) < 3, d == s.x)))
        s.require(forall(Count, lambda d: conj(d <= 4, found[0] < 3)))
        s.x = 1

    with pytest.raises(OutOfScope, match="made in the binder of d"):
        model_of(in_two_actions(keeps, keeps))


def test_constants_and_what_a_binder_makes_of_the_state_stay() -> None:
    def keeps(m: Any, s: Any, c: Any) -> None:
        found: list[Any] = []
        s.require(exists(Count, lambda d: conj(noted(found, s.x < 3), d == c)))
        s.require(found[0])
        s.x = once("limit", lambda: m.limit + 1 - 1)
        s.pair = once("origin", lambda: record(Pair, left=1, right=m.limit))

    kept.clear()
    model = model_of(in_two_actions(keeps, keeps))
    assert [len(a.branches[0].guards) for a in model.actions] == [2, 2]


def act_in_a_binder(m: Any, s: Any) -> None:
    def reset(k: Any) -> Any:
        s.x = 0
        return TRUE

    s.require(forall(Count, reset))


def require_in_a_binder(m: Any, s: Any) -> None:
    def low(k: Any) -> Any:
        s.require(s.x < 3)
        return s.x < k

    s.some = filtered(Count, low)


def choose_in_a_binder(m: Any, s: Any) -> None:
    def chosen(k: Any) -> Any:
        with s.either():
            s.x = 0
        with s.either():
            s.x = 1
        return k

    s.require(exists(Count, lambda k: s.x == chosen(k)))


@pytest.mark.parametrize("body", [act_in_a_binder, require_in_a_binder, choose_in_a_binder])
def test_nothing_acts_in_the_body_of_a_binder(body: Callable[[Any, Any], None]) -> None:
    with pytest.raises(OutOfScope, match=r"test_scopes.py:\d+: the binder of k is read once, for"):
        model_of(acting(body))
