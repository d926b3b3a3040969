"""What Python would decide before a state is asked is found in the text, with its line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from bmc.lang import (
    BOOL,
    EnumSort,
    Integer,
    LanguageError,
    OptionSort,
    Parameter,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    conj,
    disj,
    everything,
    exists,
    invariant,
    is_none,
    ite,
    member,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython

Mode = EnumSort("Mode", ("a", "b", "c"))
Count = Integer("Count", 0, 4)


class Machine(Protocol):
    """A machine with a mode."""

    n = Parameter("n", 2, 1, 9, "n")
    m = Parameter("m", 2, 1, 9, "m")

    mode = Variable(Mode)
    x = Variable(Count)
    o = Variable(OptionSort(Count))
    equal = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.mode, s.x, s.o, s.equal = "a", 0, None, False

    @action()
    def Act(self, s: Step) -> None:
        s.x = 1

    Next = one_of(Act)


def acting(body: Callable[[Any, Step], None]) -> type[Protocol]:
    class Acting(Machine):
        @action()
        def Act(self, s: Step) -> None:
            body(self, s)

        Next = one_of(Act)

    return Acting


def in_a_set(m: Any, s: Any) -> None:
    s.equal = s.mode in {"a", "b"}


def not_in_a_set(m: Any, s: Any) -> None:
    mode = s.mode
    if mode not in {"a", "b"}:
        s.x = 1


def in_keys(m: Any, s: Any) -> None:
    s.equal = s.mode in {"a": 1}


def is_nothing(m: Any, s: Any) -> None:
    s.equal = s.o is None


def is_not_nothing(m: Any, s: Any) -> None:
    s.x = 1 if s.o is not None else 2


def through_a_helper(m: Any, s: Any) -> None:
    s.equal = helper(s.mode)


def helper(mode: Any) -> Any:
    return mode in ("a", "b") if isinstance(mode, str) else mode in {"a", "b"}


def in_a_lambda(m: Any, s: Any) -> None:
    s.equal = exists(Count, lambda c: disj(c == s.x, conj(c in {1, 2}) if c in {1} else c == 2))


def in_a_table(m: Any, s: Any) -> None:
    table = TABLE
    s.x = TABLE.get(s.mode, 3) if table else 1


TABLE = {"a": 1}


def matched(m: Any, s: Any) -> None:
    match s.o:
        case None:
            s.x = 1
        case _:
            s.x = 2


def containers(m: Any, s: Any) -> None:
    s.equal = {s.x} == {s.o}


def computed(m: Any, s: Any) -> None:
    following = ite(s.x < 3, s.x + 1, 0)
    s.equal = following is None


def in_a_table_made_here(m: Any, s: Any) -> None:
    s.x = {"a": 1}.get(s.mode, 3)


def in_a_default_table(m: Any, s: Any) -> None:
    table: defaultdict[Any, int] = defaultdict(lambda: 3)
    s.x = table[s.mode]


def by_its_hash(m: Any, s: Any) -> None:
    s.x = 1 if hash(s.mode) % 2 else 2


def a_bound_in_a_table(m: Any, s: Any) -> None:
    s.x = {2: 1}.get(m.n, 3)


def guard_without_require(m: Any, s: Any) -> None:
    s.x < 2  # noqa: B015
    s.x = 1


def assigned_with_equals(m: Any, s: Any) -> None:
    s.x == 1  # noqa: B015


def conjunction_without_require(m: Any, s: Any) -> None:
    conj(s.x == 1, s.equal)
    s.x = 1


@pytest.mark.parametrize(
    "body",
    [
        in_a_table_made_here,
        in_a_default_table,
        by_its_hash,
        a_bound_in_a_table,
        guard_without_require,
        assigned_with_equals,
        conjunction_without_require,
        in_a_set,
        not_in_a_set,
        in_keys,
        is_nothing,
        is_not_nothing,
        through_a_helper,
        in_a_lambda,
        in_a_table,
        matched,
        containers,
        computed,
    ],
)
def test_what_python_decides_is_refused(body: Callable[[Any, Step], None]) -> None:
    with pytest.raises(DecidedByPython, match=r"test_decided_by_python\.py:\d+: `") as refused:
        model_of(acting(body))
    assert "write" in str(refused.value)


def in_a_set_of_the_language(m: Any, s: Any) -> None:
    s.equal = member(s.x, everything(Count) | {s.x}) & kept(s.equal)


@lru_cache
def kept(term: Any) -> Any:
    return term


def test_a_term_may_be_put_into_a_set_and_given_to_a_helper_that_remembers() -> None:
    assert model_of(acting(in_a_set_of_the_language)).actions


def by_a_helper_that_acts(m: Any, s: Any) -> None:
    _ = advance(s)


def advance(s: Any) -> Any:
    s.x = 2
    return s.x


def test_a_helper_that_acts_may_give_a_term_back_that_nobody_wants() -> None:
    (act,) = model_of(acting(by_a_helper_that_acts)).actions
    assert "x" in act.branches[0].updates


def bounds(m: Any, s: Any) -> None:
    s.equal = m.n + 1 == m.m + 1


def test_a_comparison_of_bounds_is_a_formula() -> None:
    (act,) = model_of(acting(bounds)).actions
    assert repr(act.branches[0].updates["equal"]) == "n + 1 = m + 1"


@pytest.mark.parametrize(
    "test",
    [
        lambda m, s: 1 if m.n + 1 == m.m + 1 else 2,
        lambda m, s: 1 if s.x == 1 and s.x == 2 else 2,
        lambda m, s: 1 if not s.equal else 2,
        lambda m, s: 1 if 0 < s.x < 3 else 2,
        lambda m, s: 1 if m.n.bound == m.m.bound else 2,
        lambda m, s: len(str(s.x)),
        lambda m, s: len(f"{s.mode}"),
        lambda m, s: max(s.x, 2),
        lambda m, s: any([s.equal]),
    ],
)
def test_what_is_met_while_it_runs_is_refused(test: Callable[[Any, Any], Any]) -> None:
    def body(m: Any, s: Any) -> None:
        s.x = test(m, s)

    with pytest.raises(LanguageError):
        model_of(acting(body))


def optional(s: Any, value: Any = None) -> Any:
    if value is None:
        return s.x
    return value


def accumulated(s: Any) -> Any:
    result = None
    for name in ("x", "x"):
        part = getattr(s, name) < 3
        result = part if result is None else result & part
    return result


def named(kind: str, value: Any) -> Any:
    return value + 1 if kind in {"up", "on"} else value


def hosts_own(m: Any, s: Any) -> None:
    pairs = (("x", s.x), ("o", s.o))
    for name, _ in pairs:
        if name in ("x",) and name is not None and name != "o":
            s.require(getattr(s, name) < 4)
    s.require(accumulated(s), is_none(s.o), *[s.x < n for n in range(3, 5) if n not in {9}])
    s.x = ite(s.equal, optional(s), optional(s, s.x + 1))
    s.o = named("up", s.x)
    found = dict(pairs)
    s.equal = found.get("x") == TABLE["a"]


def test_pythons_own_logic_stays() -> None:
    (act,) = model_of(acting(hosts_own)).actions
    assert sorted(act.branches[0].updates) == ["equal", "o", "x"]


def test_a_property_is_read_as_well() -> None:
    class Stated(Machine):
        @invariant("a mode is one of two")
        def OneOfTwo(self, s: Any) -> Any:
            return conj(s.x < 9, ite(s.mode in {"a", "b"}, s.x < 3, s.x < 4))

    suite = Suite.of(Stated, "stated")
    with pytest.raises(LanguageError, match=r"found Python's False|write member"):
        suite.describe(suite.find("OneOfTwo"), suite.model(False))
