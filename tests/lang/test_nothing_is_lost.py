"""A guard, an assignment or a formula that Python would throw away is refused with its line."""

from __future__ import annotations

import gc
import itertools
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from bmc.lang import forall
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from bmc.lang.value_kinds import reaches_a_state
from tests.lang.acting import Body, Count, acting


def helper(m: Any, s: Any) -> None:
    m.small(s)


def helper_that_acts(m: Any, s: Any) -> None:
    guarded(s)


def guarded(s: Any) -> Any:
    s.require(s.x < 3)
    return s.x < 2


def helper_at_times(m: Any, s: Any) -> None:
    at_times(s, False)
    at_times(s, True)


def at_times(s: Any, wanted: bool) -> Any:
    return s.x < 3 if wanted else None


def helper_of_two(m: Any, s: Any) -> None:
    m.both(s)


def defined_word(m: Any, s: Any) -> None:
    m.tiny(s)


def by_lambda(m: Any, s: Any) -> None:
    (lambda: s.x < 3)()


def by_name(m: Any, s: Any) -> None:
    guard = s.x < 3
    guard  # noqa: B018


def listed(m: Any, s: Any) -> None:
    [s.x < n for n in range(2)]


def with_a_comma(m: Any, s: Any) -> None:
    s.x < 3, s.x > 1  # noqa: B018


def uncalled(m: Any, s: Any) -> None:
    m.small  # noqa: B018


def asleep(m: Any, s: Any) -> None:
    m.sleeping(s)


def asleep_and_not_wanted(m: Any, s: Any) -> None:
    _ = m.sleeping(s)


def asleep_under_a_name(m: Any, s: Any) -> None:
    guards = m.sleeping(s)  # noqa: F841


def asleep_under_two_names(m: Any, s: Any) -> None:
    one = two = m.sleeping(s)  # noqa: F841


def asleep_beside_another(m: Any, s: Any) -> None:
    guards, s.x = m.sleeping(s), 2  # noqa: F841


def asleep_with_a_type(m: Any, s: Any) -> None:
    guards: Any = m.sleeping(s)  # noqa: F841


def function_inside_that_nobody_calls(m: Any, s: Any) -> None:
    def guard() -> None:
        s.require(s.x < 3)


def gathered_and_not_required(m: Any, s: Any) -> None:
    guards = []
    guards.append(s.x < 3)


def gathered_in_a_loop(m: Any, s: Any) -> None:
    guards: list[Any] = []
    for n in (3, 4):
        guards += [s.x < n]


def annotated_for_assigned(m: Any, s: Any) -> None:
    s.x: 2  # noqa: B032


def annotated_for_required(m: Any, s: Any) -> None:
    s.x: s.x < 3  # noqa: B032


def run_in_part(m: Any, s: Any) -> None:
    all(s.require(s.x < n) for n in (3, 4))


def asserted(m: Any, s: Any) -> None:
    if (s.x < 3, s.x > 1):  # noqa: F634
        s.x = 2


def set_in_each_block(m: Any, s: Any) -> None:
    with s.either():
        s.require(s.x == 0)
        new = 1
    with s.either():
        s.require(s.x == 1)
        new = 2
    s.x = new


def set_in_one_block(m: Any, s: Any) -> None:
    new = s.x
    with s.either():
        s.require(s.x == 1)
        new = 3
    with s.either():
        s.require(s.x == 0)
    s.require(s.x < new)


def asleep_in_a_tuple(m: Any, s: Any) -> None:
    guards = (m.sleeping(s), 1)  # noqa: F841


def mapped_and_not_run(m: Any, s: Any) -> None:
    guards = map(s.require, [s.x < 3])  # noqa: F841


def starred_and_not_run(m: Any, s: Any) -> None:
    _ = itertools.starmap(s.require, [(s.x < 3,)])


def generated_and_not_run(m: Any, s: Any) -> None:
    guards = (s.require(s.x < n) for n in (3, 4))  # noqa: F841


def generated_alone(m: Any, s: Any) -> None:
    (s.require(s.x < n) for n in (3, 4))


def in_part(m: Any, s: Any) -> None:
    guard = partial(s.require, s.x < 3)  # noqa: F841


def kept_as_a_lambda(m: Any, s: Any) -> None:
    guard = lambda: s.require(s.x < 3)  # noqa: E731, F841


def uncalled_under_a_name(m: Any, s: Any) -> None:
    guard = m.small  # noqa: F841


def under_a_name_that_nobody_reads(m: Any, s: Any) -> None:
    guard = s.x < 3  # noqa: F841


def not_entered(m: Any, s: Any) -> None:
    s.either()


def not_entered_under_a_name(m: Any, s: Any) -> None:
    way = s.either()  # noqa: F841


def block_of_a_helper_not_entered(m: Any, s: Any) -> None:
    block = m.guarded_block(s)  # noqa: F841


def counted_on_and_not_assigned(m: Any, s: Any) -> None:
    x = s.x
    x = x + 1


def counted_on_in_a_loop(m: Any, s: Any) -> None:
    for x in (s.x, s.x):
        x = x + 1


def counted_on_by_a_helper(m: Any, s: Any) -> None:
    raised(s.x)


def raised(x: Any) -> None:
    x = x + 1


def counted_on_in_place(m: Any, s: Any) -> None:
    raised_in_place(s.x)


def raised_in_place(x: Any) -> None:
    x += 1


def put_into_a_table(m: Any, s: Any) -> None:
    new: dict[str, Any] = {}
    new.update(x=s.x + 1)


DROPPED = [
    put_into_a_table,
    *(counted_on_and_not_assigned, counted_on_in_a_loop),
    *(counted_on_by_a_helper, counted_on_in_place),
    *(helper, helper_that_acts, helper_at_times, helper_of_two, defined_word, by_lambda, by_name),
    *(listed, with_a_comma, uncalled, asleep, asleep_and_not_wanted),
    *(asleep_under_a_name, asleep_in_a_tuple, mapped_and_not_run, starred_and_not_run),
    *(generated_and_not_run, generated_alone, in_part, kept_as_a_lambda, uncalled_under_a_name),
    *(under_a_name_that_nobody_reads, not_entered, not_entered_under_a_name),
    *(block_of_a_helper_not_entered, asleep_under_two_names, asleep_beside_another),
    *(asleep_with_a_type, function_inside_that_nobody_calls, gathered_and_not_required),
    *(gathered_in_a_loop, annotated_for_assigned, annotated_for_required),
    *(run_in_part, asserted, set_in_each_block, set_in_one_block),
]


@pytest.mark.parametrize("body", DROPPED)
def test_what_would_be_lost_is_refused(body: Body) -> None:
    said = r"test_nothing_is_lost\.py:\d+: `"
    with pytest.raises(DecidedByPython, match=said) as refused:
        model_of(acting(body))
    assert "write" in str(refused.value)


def names_of_blocks(m: Any, s: Any) -> None:
    with s.either():
        new = 1
        s.x = new
        at = [s.x < n for n in (3, 4)]
        s.require(*at)
    with s.either():
        new = 2
        s.x = new
    new, limits = s.x, [s.x < at for at in (4, 5)]
    s.require(new < 5, *limits)


def gathered_and_required(m: Any, s: Any) -> None:
    guards, lows = [], [s.x < 4]
    guards.append(s.x < 3)
    lows += [s.x < 2]
    both = guards
    both.extend(lows)
    s.require(*guards)


def read_by_a_function_inside(m: Any, s: Any) -> None:
    below = lambda n: s.x < n  # noqa: E731
    guards = [s.x < 4]
    s.require(forall(Count, lambda c: below(c + 5)))
    run = lambda: s.require(*guards)  # noqa: E731
    run()
    low: Any = None

    def set_low() -> None:
        nonlocal low
        low = s.x < 2

    set_low()
    s.require(low)


def counted_on_and_read(m: Any, s: Any) -> None:
    most = s.x
    for n in (1, 2):
        most = most + n
    rest = s.x
    rest = noted(s, rest)
    s.require(most < 5)


def noted(s: Any, x: Any) -> Any:
    s.require(x < 3)
    x = x + 1
    return x


@pytest.mark.parametrize(
    "body",
    [names_of_blocks, gathered_and_required, read_by_a_function_inside, counted_on_and_read],
)
def test_what_is_read_stays(body: Body) -> None:
    assert model_of(acting(body)).actions


@pytest.fixture
def collected() -> Iterator[None]:
    """End what a refusal leaves behind here, and not in the middle of a later test."""
    yield
    gc.collect()


class Ends:
    """What says something when Python ends it."""

    def __init__(self, s: Any = None) -> None:
        self.s = s

    def __del__(self) -> None:
        if self.s is not None:
            self.s.require(self.s.x < 3)


def given_to_what_ends(m: Any, s: Any) -> None:
    kept = Ends(s)
    kept.s.x = 1


def filled_before_it_ends(m: Any, s: Any) -> None:
    kept = Ends()
    kept.s = s
    kept.s.x = 1


def made_by_another_name(m: Any, s: Any) -> None:
    made = (Ends,)
    for one in made:
        kept = one(s)
        kept.s.x = 1


@pytest.mark.usefixtures("collected")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("body", [given_to_what_ends, filled_before_it_ends, made_by_another_name])
def test_what_an_object_says_at_its_end_is_not_lost(body: Body) -> None:
    """Python passes over an error there, and a guard was lost with a warning."""
    with pytest.raises(DecidedByPython, match=r"Python runs it when it ends an object.*: write"):
        model_of(acting(body))


ENDING = {"one": Ends}


def held_by_itself(m: Any, s: Any) -> None:
    kept = Ends()
    kept.s = [s, kept]
    s.x = 1


def made_by_a_table(m: Any, s: Any) -> None:
    kept = ENDING["one"](s)
    kept.s.x = 1


@pytest.mark.usefixtures("collected")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("body", [held_by_itself, made_by_a_table])
def test_what_may_end_after_the_reading_is_refused_where_it_is_made(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"Python runs it when it ends an object.*: write"):
        model_of(acting(body))


def test_what_ends_after_its_reading_speaks_of_no_other_one() -> None:
    """The collector of garbage ends it at any time: another protocol was refused for it."""
    left: list[Any] = []

    def keeps_its_state(m: Any, s: Any) -> None:
        left.append(s)
        s.x = 1

    def at_its_end(kept: Any) -> bool:
        return reaches_a_state(sys._getframe())

    model_of(acting(keeps_its_state))
    assert left
    assert not at_its_end(left[0])
    assert not at_its_end([left[0]])
