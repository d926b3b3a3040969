"""What Python would keep, compare or throw away of a protocol's terms is refused with its line."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import pytest

from bmc.lang import (
    SetSort,
    coerce,
    conj,
    everything,
    forall,
    implies,
    insert,
    mapping,
    member,
    one,
    size,
)
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, Count, Machine, acting

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


@pytest.mark.parametrize("body", [*SETS, *OBJECTS])
def test_what_python_takes_is_refused(body: Body) -> None:
    said = r"(acting|test_python_takes_nothing)\.py:\d+: `"
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


def sets_on_the_left(m: Any, s: Any) -> None:
    s.require({s.x} <= s.some, ({s.x} & s.some) != {s.x, 3} - s.some)
    s.some = {s.x, 3} | s.some


def terms_on_the_left(m: Any, s: Any) -> None:
    few, more = coerce({s.x}, SetSort(Count)), coerce({s.x, 3}, SetSort(Count))
    s.require(s.some >= few, (few & s.some) != more - s.some)
    s.some = more | s.some


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
        *(sets_that_meet_terms, sets_assigned, made_for_the_language, pythons_own, optional),
    ],
)
def test_what_the_language_takes_stays(body: Body) -> None:
    assert model_of(acting(body)).actions


def test_a_set_united_in_place_is_the_union() -> None:
    in_place, (union,) = (model_of(acting(b)).actions for b in (set_united_in_place, set_united))
    assert [one.branches for one in in_place] == [union.branches]


def test_a_set_on_the_left_of_a_sign_is_read_as_one_on_its_right() -> None:
    sets, terms = (model_of(acting(b)).actions for b in (sets_on_the_left, terms_on_the_left))
    assert [one.branches for one in sets] == [one.branches for one in terms]
