"""What is no form and no word that a method is written in is refused, whatever it would lose."""

from __future__ import annotations

import ast
import asyncio
import functools
import itertools
import operator
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bmc.lang import allowed, is_none, ite
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython, LanguageError
from tests.lang.acting import Body, acting

SINCE_3_11 = {"Interpolation", "TemplateStr", "TypeAlias"}
LANGUAGE = Path(__file__).parents[2] / "docs" / "language.md"


@dataclass
class Data:
    v: Any


class ByIdentity:
    def __init__(self, v: Any) -> None:
        self.v = v


class Pair(NamedTuple):
    v: Any
    w: Any = None


@functools.singledispatch
def by_class(value: Any) -> int:
    return 1


@by_class.register
def _(value: int) -> int:
    return 2


def below(s: Any, n: int) -> None:
    s.require(s.x < n)


once = functools.cache(below)
kind_of = isinstance
KEPT: list[Any] = []


def keep(what: Any) -> None:
    KEPT.append(what)


def below_and_not(s: Any, numbers: Iterator[int]) -> None:
    for n in numbers:
        s.require(s.x < n)
    for n in numbers:
        s.require(s.x != n)


def twice(s: Any, guards: Iterator[Any]) -> None:
    for guard in guards:
        s.require(guard)
    for guard in guards:
        s.require(~guard)


# Terms that are told apart wherever they are kept.


def none_in_an_attribute(m: Any, s: Any) -> None:
    d = Data(s.o)
    s.x = 1 if d.v is None else 2


def none_in_a_tuple_of_names(m: Any, s: Any) -> None:
    s.x = 1 if Pair(s.o).v is None else 2


def none_in_a_list(m: Any, s: Any) -> None:
    found = [s.o, s.x]
    s.x = 1 if found[0] is None else 2


def none_in_a_list_that_is_filled(m: Any, s: Any) -> None:
    found: list[Any] = []
    found.append(s.o)
    s.x = 1 if found[0] is None else 2


def none_in_a_table(m: Any, s: Any) -> None:
    found = {"a": s.o}
    s.x = 1 if found.get("a") is None else 2


def none_that_is_next(m: Any, s: Any) -> None:
    s.x = 1 if next(iter([s.o])) is None else 2


def absent(v: Any = None) -> int:
    return 1 if v is None else 2


def none_of_an_argument_that_may_be_left_out(m: Any, s: Any) -> None:
    s.x = absent(s.o)


def matched_in_an_attribute(m: Any, s: Any) -> None:
    match Data(s.o):
        case Data(v=None):
            s.x = 1
        case _:
            s.x = 2


def matched_by_class(m: Any, s: Any) -> None:
    match Data(s.x).v:
        case int():
            s.x = 1
        case _:
            s.x = 2


def matched_in_a_table(m: Any, s: Any) -> None:
    match {"a": s.o}:
        case {"a": None}:
            s.x = 1
        case _:
            s.x = 2


def class_of_an_attribute(m: Any, s: Any) -> None:
    s.x = 1 if isinstance(Data(s.x).v, int) else 2


def class_under_another_name(m: Any, s: Any) -> None:
    kind = isinstance
    s.x = 1 if kind(s.x, int) else 2


def class_under_a_name_of_the_module(m: Any, s: Any) -> None:
    s.x = 1 if kind_of(s.x, int) else 2


def class_by_dispatch(m: Any, s: Any) -> None:
    s.x = by_class(s.x)


def text_of_one(m: Any, s: Any) -> None:
    s.x = 1 if repr(s.o) == "None" else 2


def text_of_a_list(m: Any, s: Any) -> None:
    s.x = 1 if f"{[s.o]}" == "[None]" else 2


def text_of_a_tuple(m: Any, s: Any) -> None:
    s.x = 1 if "%r" % (s.o,) == "None" else 2  # noqa: UP031


def size_of_one(m: Any, s: Any) -> None:
    s.x = 1 if sys.getsizeof(s.x) > 3 else 2


def objects_of_one_term(m: Any, s: Any) -> None:
    s.x = 1 if ByIdentity(s.x) == ByIdentity(s.x) else 2


def identity_in_a_partial(m: Any, s: Any) -> None:
    asks = functools.partial(operator.is_, s.o)
    s.x = 1 if asks(None) else 2


def a_special_name(m: Any, s: Any) -> None:
    s.x = 1 if s.o.__eq__(None) is NotImplemented else 2


# What acts, and is run in part, once or never.


def some_of_what_is_mapped(m: Any, s: Any) -> None:
    def low(n: int) -> None:
        below(s, n)

    list(itertools.islice(map(low, (4, 3)), 1))


def beside_fewer_that_are_mapped(m: Any, s: Any) -> None:
    def low(n: int) -> None:
        below(s, n)

    list(zip((1,), map(low, (4, 3)), strict=False))


def under_a_cache_that_is_no_decorator(m: Any, s: Any) -> None:
    with s.either():
        once(s, 3)
        s.x = 1
    with s.either():
        once(s, 3)
        s.x = 2


def under_a_cache_of_its_own(m: Any, s: Any) -> None:
    low = functools.lru_cache(lambda n: below(s, n))
    low(3)
    s.x = 1


def run_to_the_end_twice(m: Any, s: Any) -> None:
    guards = (s.x < n for n in (3, 4))
    s.require(*guards)
    s.require(s.x < 5, *guards)


def run_to_the_end_twice_by_a_helper(m: Any, s: Any) -> None:
    twice(s, (s.x < n for n in (3, 4)))


def named_and_run_twice(m: Any, s: Any) -> None:
    numbers = iter((3, 4))
    for n in numbers:
        s.require(s.x < n)
    for n in numbers:
        s.require(s.x != n)


def chained_and_run_twice(m: Any, s: Any) -> None:
    numbers = itertools.chain.from_iterable([(3,), (4,)])
    for n in numbers:
        s.require(s.x < n)
    for n in numbers:
        s.require(s.x != n)


def asked_in_each_block(m: Any, s: Any) -> None:
    numbers = iter((1, 2))
    with s.either():
        s.x = next(numbers)
    with s.either():
        s.x = next(numbers)


def numbers_run_twice_by_a_helper(m: Any, s: Any) -> None:
    below_and_not(s, iter((3, 4)))


def kept_beyond_the_method(m: Any, s: Any) -> None:
    KEPT.append(m.sleeping(s))


def kept_beyond_the_method_by_a_helper(m: Any, s: Any) -> None:
    keep(m.sleeping(s))


def kept_in_an_attribute(m: Any, s: Any) -> None:
    data = Data(None)
    data.v = m.sleeping(s)


def forgotten_before_it_began(m: Any, s: Any) -> None:
    _: Any = {1: m.sleeping(s)}
    _ = 2


def given_back(m: Any, s: Any) -> None:
    def made() -> Any:
        return m.sleeping(s)

    for _ in made():
        break


def made_behind_an_if(m: Any, s: Any) -> None:
    if "a" in ("a",):

        def low() -> None:
            s.require(s.x < 3)

    s.x = 1


def made_in_a_try(m: Any, s: Any) -> None:
    try:
        low = lambda: s.require(s.x < 3)  # noqa: E731
    finally:
        s.x = 1
    KEPT.append(low)


def in_a_task_that_is_cancelled(m: Any, s: Any) -> None:
    async def guard() -> None:
        s.require(s.x < 3)

    async def cancelled() -> None:
        asyncio.create_task(guard()).cancel()

    asyncio.run(cancelled())


def caught(m: Any, s: Any) -> None:
    table = {"a": 2}
    try:
        s.x = table["b"]
    except KeyError:
        s.x = 1


def in_a_class_inside(m: Any, s: Any) -> None:
    class Low:
        answer = s.o is None

    s.x = 1 if Low.answer else 2


def run_from_a_text(m: Any, s: Any) -> None:
    exec("s.x = 1 if s.o is None else 2", {"s": s})


def without_being_given(m: Any, s: Any) -> None:
    s.x = 1 if eval("s.o is None") else 2


BEYOND = [
    *(none_in_an_attribute, none_in_a_tuple_of_names, none_in_a_list, none_in_a_table),
    *(none_in_a_list_that_is_filled, none_that_is_next, none_of_an_argument_that_may_be_left_out),
    *(matched_in_an_attribute, matched_by_class, matched_in_a_table, class_of_an_attribute),
    *(class_under_another_name, class_under_a_name_of_the_module, class_by_dispatch, text_of_one),
    *(text_of_a_list, text_of_a_tuple, size_of_one, objects_of_one_term, identity_in_a_partial),
    *(a_special_name, some_of_what_is_mapped, beside_fewer_that_are_mapped),
    *(under_a_cache_that_is_no_decorator, under_a_cache_of_its_own, run_to_the_end_twice),
    *(run_to_the_end_twice_by_a_helper, kept_beyond_the_method, kept_in_an_attribute),
    *(kept_beyond_the_method_by_a_helper, forgotten_before_it_began, given_back),
    *(made_behind_an_if, made_in_a_try, in_a_task_that_is_cancelled, caught, in_a_class_inside),
    *(run_from_a_text, without_being_given, named_and_run_twice, chained_and_run_twice),
    *(asked_in_each_block, numbers_run_twice_by_a_helper),
]


@pytest.mark.parametrize("body", BEYOND)
def test_what_is_not_listed_is_refused(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"test_beyond_the_list\.py:\d+: `") as refused:
        model_of(acting(body))
    assert "write" in str(refused.value)


def test_a_word_is_named_with_its_place_and_with_what_to_write() -> None:
    said = r"py:\d+: `sys.getsizeof`, from column 16, is beyond .*: write it with the words"
    with pytest.raises(DecidedByPython, match=said):
        model_of(acting(size_of_one))


ENDS = """
import time


class Ends:
    def __del__(self):
        try:
            time.time()
        finally:
            del self
"""


def test_what_is_installed_may_end_at_any_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "ends_at_any_time.py").write_text(ENDS, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    ended = __import__("ends_at_any_time").Ends

    def ends(m: Any, s: Any) -> None:
        ended()
        s.x = 2

    assert model_of(acting(ends)).actions


def test_a_state_is_neither_true_nor_false() -> None:
    def asked(m: Any, s: Any) -> None:
        s.x = 1 if s else 2

    with pytest.raises(LanguageError, match="a state has no truth value"):
        model_of(acting(asked))


# What stays.


def optional(value: Any = None) -> Any:
    return 1 if value is None else value


def of_names_and_numbers(m: Any, s: Any) -> None:
    names = [name.upper() for name in ("a", "b") if re.match("[ab]", name)]
    kinds = {kind: len(kind) for kind in sorted(names, key=lambda name: -len(name))}
    s.require(s.x < sum(kinds.values()), *[s.x < n for n in kinds.values() if isinstance(n, int)])
    s.require(ite(is_none(s.o), s.x, 3) < max(kinds.values(), key=abs) + 4)
    s.x = optional() if ord("a") is None else optional(s.x)
    print(repr(s.x), str(kinds))


def of_words_that_are_listed(m: Any, s: Any) -> None:
    found = {"low": s.x < 3, **{str(n): s.x < n for n in range(4, 6)}}
    for name, guard in found.items():
        s.require(guard if name == "low" else found.get(name))
    *_, last = itertools.accumulate([s.x < 3, s.x < 2], operator.and_)
    s.require(last, functools.reduce(operator.or_, [s.x < 3, s.x < 2]), *map(m.small, [s]))
    s.x = sum((s.x, 1))


@pytest.mark.parametrize("body", [of_names_and_numbers, of_words_that_are_listed])
def test_what_is_listed_stays(body: Body) -> None:
    assert model_of(acting(body)).actions


def test_the_page_on_the_language_lists_what_is_read() -> None:
    page = LANGUAGE.read_text(encoding="utf-8")
    table = page.partition("## What a method is written in")[2].partition("\n## ")[0]
    rows = {
        row.split(" | ")[0].strip("| "): set(re.findall(r"`([^`]+)`", row.split(" | ", 1)[1]))
        for row in table.splitlines()
        if row.startswith("| ")
    }
    methods = {f"{owner.__name__}.{n}" for owner, ns in allowed.METHODS.items() for n in ns}  # type: ignore[attr-defined]
    words = {one.__name__ for one in allowed.WORDS}  # type: ignore[attr-defined]
    assert rows["words that may be given terms"] == words
    assert rows["methods that may be given terms"] == methods
    assert rows["words that may be given names and numbers"] == {
        one.__name__ for one in allowed.PLAIN
    }
    assert rows["modules whose words may be, too"] == allowed.PLAIN_MODULES
    forms = {*ast.stmt.__subclasses__(), *ast.expr.__subclasses__()} - allowed.FORMS
    assert rows["forms that are not read"] == {one.__name__ for one in forms} - SINCE_3_11
