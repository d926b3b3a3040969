"""What a method makes and nothing reads, and what it begins and leaves, is refused."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections import ChainMap, Counter, OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import Timer
from typing import Any

import pytest

from bmc.lang import TRUE, conj, forall
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython, asked
from bmc.lang.properties import invariant
from bmc.lang.suite import Suite
from bmc.lang.watch import unwatched
from tests.lang.acting import Body, Count, acting


@dataclass(frozen=True)
class Held:
    what: Any


def ignoring(*given: Any, **named: Any) -> None:
    return None


@functools.cache
def remembered(s: Any, n: int) -> None:
    s.require(s.x < n)


def given_back(one: Any) -> Any:
    return one


def guards(s: Any) -> Any:
    for n in (4, 3):
        s.require(s.x < n)
        yield n


def in_a_dictionary(m: Any, s: Any) -> None:
    found = {"low": s.x < 3, "high": TRUE}
    s.require(found["high"])


def under_a_key(m: Any, s: Any) -> None:
    found: dict[str, Any] = {}
    found["low"] = s.x < 3


def under_a_key_by_default(m: Any, s: Any) -> None:
    found: dict[str, list[Any]] = {}
    found.setdefault("low", []).append(s.x < 3)


def in_an_object(m: Any, s: Any) -> None:
    found = Held(s.x < 3)
    ignoring(found)


def behind_an_index(m: Any, s: Any) -> None:
    s.require([s.x < 4, s.x < 3][0])


def taken_out(m: Any, s: Any) -> None:
    low = [s.x < 3]
    low.pop()


def to_one_who_ignores_it(m: Any, s: Any) -> None:
    ignoring(s.x < 3)


def by_name_to_one_who_ignores_it(m: Any, s: Any) -> None:
    ignoring(low=s.x < 3)


def as_a_loop_goes(m: Any, s: Any) -> None:
    for _low in [s.x < 3]:
        s.x = 2


def of_a_prefix(m: Any, s: Any) -> None:
    first, *_ = [s.x < 4, s.x < 3]
    s.require(first)


def as_the_last_of_two(m: Any, s: Any) -> None:
    low = s.x < 3
    low = low & (s.x > 0)


def of_which_python_asks_for_none(m: Any, s: Any) -> None:
    s.x = sum(1 for n in (1, 2) if [s.x < n])


def in_a_binder(m: Any, s: Any) -> None:
    s.require(forall(Count, lambda c: [s.x < 3, s.x < c][0]))


def next_of_many(m: Any, s: Any) -> None:
    next(guards(s))


def begun(s: Any) -> None:
    next(guards(s))


def next_of_many_after_what_is_unwatched(m: Any, s: Any) -> None:
    with asked(), unwatched():
        begun(s)
    next(guards(s))


def some_of_many(m: Any, s: Any) -> None:
    list(itertools.islice(guards(s), 1))


def in_a_loop_that_breaks(m: Any, s: Any) -> None:
    for _ in guards(s):
        break


def beside_fewer(m: Any, s: Any) -> None:
    for n, _ in zip((1,), guards(s), strict=False):
        s.x = n


def asleep_in_a_dictionary(m: Any, s: Any) -> None:
    _ = {"low": m.sleeping(s)}


def asleep_in_an_object(m: Any, s: Any) -> None:
    _ = Held(m.sleeping(s))


def asleep_for_one_who_ignores_it(m: Any, s: Any) -> None:
    ignoring(m.sleeping(s))


def asleep_behind_one_who_gives_it_back(m: Any, s: Any) -> None:
    _ = given_back([m.sleeping(s)])


def asleep_in_a_circle(m: Any, s: Any) -> None:
    inside: list[Any] = [m.sleeping(s)]
    inside.append(inside)
    s.x = len(inside)


def told_to_end(m: Any, s: Any) -> None:
    m.sleeping(s).close()


def entered_by_hand(m: Any, s: Any) -> None:
    s.either().__enter__()
    s.x = 2


def a_block_of_a_helper_by_hand(m: Any, s: Any) -> None:
    m.guarded_block(s).__enter__()


def a_block_that_fails(m: Any, s: Any) -> None:
    with suppress(KeyError), s.either():
        s.x = 2
        raise KeyError


def never_awaited(m: Any, s: Any) -> None:
    async def guard() -> None:
        s.require(s.x < 3)

    guard().close()


def mapped_in_a_loop_that_breaks(m: Any, s: Any) -> None:
    def low(n: int) -> None:
        s.require(s.x < n)

    for _ in map(low, (4, 3)):
        break


def the_first_of_what_is_mapped(m: Any, s: Any) -> None:
    def low(n: int) -> None:
        s.require(s.x < n)

    next(map(low, (4, 3)))


def awaited_by_nobody(m: Any, s: Any) -> None:
    async def guard() -> None:
        s.require(s.x < 3)

    ignoring(guard)


def a_function_for_one_who_ignores_it(m: Any, s: Any) -> None:
    ignoring(lambda: s.require(s.x < 3))


def functions_in_a_list(m: Any, s: Any) -> None:
    found = [lambda n=n: s.require(s.x < n) for n in (3, 4)]
    ignoring(found)


def a_class_that_nobody_makes(m: Any, s: Any) -> None:
    class Guard:
        def low(self) -> None:
            s.require(s.x < 3)

    ignoring(Guard)


def in_its_own_time(m: Any, s: Any) -> None:
    ignoring(Timer(0, m.small, [s]))


def when_it_is_gone(m: Any, s: Any) -> None:
    weakref.finalize(m, lambda: s.require(s.x < 3)).detach()


def once_for_two_blocks(m: Any, s: Any) -> None:
    with s.either():
        remembered(s, 3)
        s.x = 1
    with s.either():
        remembered(s, 3)
        s.x = 2


def once_by_a_function_inside(m: Any, s: Any) -> None:
    @lru_cache(maxsize=9)
    def low(n: int) -> None:
        s.require(s.x < n)

    low(3)
    low(3)


def counted(m: Any, s: Any) -> None:
    s.x = Counter([s.x, 1])[1]


def in_a_chain_of_tables(m: Any, s: Any) -> None:
    s.x = ChainMap({1: 2}).get(s.x, 3)


def without_what_is_twice(m: Any, s: Any) -> None:
    s.x = len(OrderedDict.fromkeys([s.x, 1]))


def in_a_set_of_objects(m: Any, s: Any) -> None:
    s.x = len({Held(s.x), Held(1)})


LOST = [
    *(in_a_dictionary, under_a_key, under_a_key_by_default, in_an_object, behind_an_index),
    *(taken_out, to_one_who_ignores_it, by_name_to_one_who_ignores_it, as_a_loop_goes),
    *(of_a_prefix, as_the_last_of_two, of_which_python_asks_for_none, in_a_binder),
    *(next_of_many, next_of_many_after_what_is_unwatched, some_of_many),
    *(in_a_loop_that_breaks, beside_fewer, asleep_in_a_dictionary),
    *(asleep_in_an_object, asleep_for_one_who_ignores_it, asleep_behind_one_who_gives_it_back),
    *(told_to_end, entered_by_hand, a_block_of_a_helper_by_hand, a_block_that_fails),
    *(awaited_by_nobody, a_function_for_one_who_ignores_it, functions_in_a_list),
    *(a_class_that_nobody_makes, in_its_own_time, when_it_is_gone, once_for_two_blocks),
    *(once_by_a_function_inside, mapped_in_a_loop_that_breaks, the_first_of_what_is_mapped),
    *(never_awaited, counted, in_a_chain_of_tables, without_what_is_twice, in_a_set_of_objects),
    asleep_in_a_circle,
]


@pytest.mark.parametrize("body", LOST)
def test_what_would_be_lost_is_refused(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"(test_made_and_left|acting)\.py:\d+: `") as refused:
        model_of(acting(body))
    assert "write" in str(refused.value)


def test_so_is_what_a_claim_does_not_return() -> None:
    @invariant("a claim of which a part is lost")
    def Low(m: Any, s: Any) -> Any:
        parts = {"low": s.x < 3, "high": s.x < 4}
        return parts["high"]

    suite = Suite("machine", acting(lambda m, s: s.require(TRUE)), "", (Low,))
    with pytest.raises(DecidedByPython, match=r"test_made_and_left\.py:\d+: `parts = "):
        suite.describe(Low, suite.model(ghosts=False))


def read_in_many_ways(m: Any, s: Any) -> None:
    table = {"low": s.x < 3}
    first, *others = [s.x < 4, s.x < 5]
    s.require(Held(first).what, *others, *table.values(), conj(*(s.x < n for n in (3, 4))))


def let_go(m: Any, s: Any) -> None:
    _ = s.x < 3
    _, high = m.both(s)
    low, _ = m.both(s)
    _ = m.both(s)
    s.require(low, high)


def run_to_the_end(m: Any, s: Any) -> None:
    for n, _ in zip((1, 2), guards(s), strict=True):
        s.require(s.x < n)
    with m.guarded_block(s), m.guarded_block(s):
        s.x = 2


@functools.cache
def formula_remembered(s: Any) -> Any:
    return s.x < 3


def remembered_and_made_when_wanted(m: Any, s: Any) -> None:
    s.require(formula_remembered(s))
    s.require(formula_remembered(s))
    table = {3: 1}
    if 4 in table:
        s.require(*(s.x < n for n in table))
    ignoring([lambda n=n: s.x < n for n in table if n > 3])


def only_asked_about(m: Any, s: Any) -> None:
    with asked():
        ignoring(s.x < 3)


def only_asked_about_unwatched(m: Any, s: Any) -> None:
    with asked(), unwatched():
        begun(s)


def python_alone(m: Any, s: Any) -> None:
    s.x = next(n for n in (1, 2) if n > 1)


@pytest.mark.parametrize(
    "body",
    [
        read_in_many_ways,
        let_go,
        run_to_the_end,
        only_asked_about,
        only_asked_about_unwatched,
        python_alone,
        remembered_and_made_when_wanted,
    ],
)
def test_what_is_read_or_let_go_stays(body: Body) -> None:
    assert model_of(acting(body)).actions


LEFT: list[Any] = []


def leaving(m: Any, s: Any) -> None:
    LEFT[:] = [m.sleeping(s)]


def letting_go(m: Any, s: Any) -> None:
    LEFT[0] = None
    s.require(m.small(s))


def test_what_an_earlier_reading_left_is_ended_at_any_time() -> None:
    """Python does so when nobody holds it any more, as after a mend in the same process."""
    with pytest.raises(DecidedByPython):
        model_of(acting(leaving))
    assert len(LEFT) == 1
    assert len(model_of(acting(letting_go)).actions[0].branches[0].guards) == 1
