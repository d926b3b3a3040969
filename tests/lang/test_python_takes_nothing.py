"""What Python would keep, compare or throw away of a protocol's terms is refused with its line."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from bmc.lang import (
    EnumSort,
    Integer,
    OptionSort,
    Protocol,
    SetSort,
    Step,
    Variable,
    action,
    coerce,
    conj,
    empty,
    everything,
    forall,
    implies,
    insert,
    mapping,
    member,
    one,
    one_of,
    size,
)
from bmc.lang import operator as named
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython

Mode = EnumSort("Mode", ("a", "b"))
Count = Integer("Count", 0, 4)


class Machine(Protocol):
    """A counter, and a set of numbers."""

    mode = Variable(Mode)
    x = Variable(Count)
    o = Variable(OptionSort(Count))
    some = Variable(SetSort(Count))

    @action()
    def Init(self, s: Step) -> None:
        s.mode, s.x, s.o, s.some = "a", 0, None, empty(SetSort(Count))

    @action()
    def Act(self, s: Step) -> None:
        s.x = 1

    Next = one_of(Act)

    def small(self, s: Any) -> Any:
        return s.x < 3

    def both(self, s: Any) -> Any:
        return s.x < 3, s.x > 1

    @named
    def tiny(self, s: Any) -> Any:
        return s.x < 1

    def sleeping(self, s: Any) -> Iterator[None]:
        s.require(s.x < 3)
        yield

    @contextmanager
    def guarded_block(self, s: Any) -> Iterator[None]:
        s.require(s.x < 3)
        yield

    def several(self, s: Any) -> Any:
        return {s.x, 3}


Body = Callable[[Any, Any], None]


def acting(body: Body) -> type[Protocol]:
    class Acting(Machine):
        @action()
        def Act(self, s: Step) -> None:
            body(self, s)

        Next = one_of(Act)

    return Acting


# Sets of Python that hold terms.


def intersection(m: Any, s: Any) -> None:
    s.some = {3} & {s.x}


def difference(m: Any, s: Any) -> None:
    s.some = {s.x, 3} - {3}


def difference_by_name(m: Any, s: Any) -> None:
    numbers = {s.x, 3}
    numbers -= {3}
    s.some = numbers


def united_in_a_table(m: Any, s: Any) -> None:
    table: dict[str, Any] = {"numbers": {3}}
    table["numbers"] |= {s.x}
    s.x = len(table["numbers"])


def length(m: Any, s: Any) -> None:
    s.require(s.x < len({s.x, 3}))


def equality(m: Any, s: Any) -> None:
    s.x = 1 if {s.x} == {3} else 2


def inclusion(m: Any, s: Any) -> None:
    s.x = 1 if {s.x} <= {3, 4} else 2


def disjoint(m: Any, s: Any) -> None:
    s.x = 1 if {3}.isdisjoint({s.x}) else 2


def disjoint_from_a_list(m: Any, s: Any) -> None:
    s.x = 1 if {3}.isdisjoint([s.x]) else 2


def removed(m: Any, s: Any) -> None:
    numbers = set(range(3))
    numbers.discard(s.x)
    s.some = numbers


def added(m: Any, s: Any) -> None:
    numbers = {3}
    numbers.add(s.x)
    s.x = len(numbers)


def made_of_a_list(m: Any, s: Any) -> None:
    s.x = len(frozenset([s.x, 3]))


def comprehended(m: Any, s: Any) -> None:
    s.x = len({s.x + i for i in range(2)})


def by_a_helper(m: Any, s: Any) -> None:
    s.x = len(m.several(s))


def by_a_lambda(m: Any, s: Any) -> None:
    numbers = lambda: {s.x, 3}  # noqa: E731
    s.x = len(numbers())


def keys(m: Any, s: Any) -> None:
    s.x = len({s.x: 1, 3: 2})


def key_assigned(m: Any, s: Any) -> None:
    table: dict[Any, int] = {}
    table[s.x] = 1
    s.x = len(table)


SETS = [
    *(intersection, difference, difference_by_name, length, equality, inclusion, disjoint),
    *(disjoint_from_a_list, removed, added, made_of_a_list, comprehended, by_a_helper),
    *(by_a_lambda, keys, key_assigned, united_in_a_table),
]


# What Python says of an object.


def identity(m: Any, s: Any) -> None:
    s.x = 1 if operator.is_(s.o, None) else 2


def no_identity(m: Any, s: Any) -> None:
    s.x = 1 if operator.is_not(s.o, None) else 2


def contained(m: Any, s: Any) -> None:
    mode = s.mode
    s.x = 1 if operator.contains((mode,), mode) else 2


def of_a_class(m: Any, s: Any) -> None:
    s.x = 1 if isinstance(s.o, int) else 2


def of_a_type(m: Any, s: Any) -> None:
    s.x = 1 if type(s.o) is int else 2


def by_its_class(m: Any, s: Any) -> None:
    s.x = 1 if s.o.__class__ is int else 2


def numbered(m: Any, s: Any) -> None:
    s.x = id(s.o) % 2


def by_a_helper_of_one_kind(m: Any, s: Any) -> None:
    s.x = one_if_number(s.o)


def one_if_number(value: Any) -> int:
    return 1 if isinstance(value, int) else 2


def its_place(m: Any, s: Any) -> None:
    mode = s.mode
    s.x = [mode].index(mode)


OBJECTS = [
    *(identity, no_identity, contained, of_a_class, of_a_type, by_its_class, numbered),
    *(by_a_helper_of_one_kind, its_place),
]


# What is thrown away.


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


DROPPED = [
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


@pytest.mark.parametrize("body", [*SETS, *OBJECTS, *DROPPED])
def test_what_python_takes_is_refused(body: Body) -> None:
    said = r"test_python_takes_nothing\.py:\d+: `"
    with pytest.raises(DecidedByPython, match=said) as refused:
        model_of(acting(body))
    assert "write" in str(refused.value)


# What stays.


def sets_that_meet_terms(m: Any, s: Any) -> None:
    s.require(member(s.x, s.some | {s.x, 3}), s.some != {s.x}, {s.x} != s.some)
    s.require(member(1, coerce({s.x, 2}, SetSort(Count))), forall(Count, lambda c: c <= s.x + 4))
    s.require(size(s.some - {s.x}) < 4, s.some <= {s.x, 1})
    chosen = mapping(Count, lambda c: {c, s.x}, SetSort(Count))
    s.some = chosen[s.x] if isinstance(m, Machine) else {s.x}


def sets_assigned(m: Any, s: Any) -> None:
    s.some, s.o = {s.x, 3}, None


def set_united_in_place(m: Any, s: Any) -> None:
    s.some |= {s.x, 3}


def set_united(m: Any, s: Any) -> None:
    s.some = s.some | {s.x, 3}


def made_for_the_language(m: Any, s: Any) -> None:
    s.some = everything(Count) & frozenset([s.x, 3])


def pythons_own(m: Any, s: Any) -> None:
    numbers = {1, 2} & {2, 3}
    found = []
    for n in sorted(numbers):
        found.append(s.x + n < 4)
        _ = m.small(s)
    found.extend(implies(s.x < n, s.x < 4) for n in numbers)
    found += list(map(partial(operator.gt, 4), [s.x]))
    s.require(conj(*found), isinstance(numbers, set), *[]) if False else s.require(*found)
    with s.either():
        s.some = insert(s.some, s.x)
    with s.either():
        s.some = one(s.x)


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
    guards = map(s.require, [s.x < 4])
    s.require(forall(Count, lambda c: below(c + 5)))
    run = lambda: list(guards)  # noqa: E731
    run()
    low: Any = None

    def set_low() -> None:
        nonlocal low
        low = s.x < 2

    set_low()
    s.require(low)


def optional(m: Any, s: Any) -> None:
    s.some = put(s, None)
    s.o = put_number(s, 1) if s is not None else put_number(s, s.x)


def put(s: Any, value: Any) -> Any:
    return s.some if value is None else insert(s.some, value)


def put_number(s: Any, value: Any) -> Any:
    return value + 1 if isinstance(value, int) else value


@pytest.mark.parametrize(
    "body",
    [
        *(sets_that_meet_terms, sets_assigned, made_for_the_language, pythons_own),
        *(names_of_blocks, gathered_and_required, read_by_a_function_inside, optional),
    ],
)
def test_what_the_language_takes_stays(body: Body) -> None:
    assert model_of(acting(body)).actions


def test_a_set_united_in_place_is_the_union() -> None:
    in_place, (union,) = (model_of(acting(b)).actions for b in (set_united_in_place, set_united))
    assert [one.branches for one in in_place] == [union.branches]
