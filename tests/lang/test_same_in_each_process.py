"""A protocol is the same one in each process: nothing in it is what Python's hashes say."""

from __future__ import annotations

import os
import subprocess
import sys
from copy import copy
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared.user_file import UserModelError, load
from bmc.lang import EnumSort, LanguageError, SetSort, Suite, coerce, invariant
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from bmc.lang.temporal import Specification, weak
from tests.lang.acting import Body, Machine, acting
from tests.lang.test_loaded import written

NAMES = frozenset({"a", "b"})
PLACES = frozenset({1, 2, 3})
LIST = ("a", "b")
TABLE = {"a": 1, "b": 2, "c": 3}
GROUPS = {"low": {"a", "b"}, "high": {"b"}}
PAIR = ({"a", "b"}, {"b"})


class Key:
    """An object with a hash of its own."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other.name == self.name

    def __hash__(self) -> int:
        return hash((self.name,))


def all_but(names: Any) -> Any:
    return names - {"a"}


def first_of(names: Any) -> Any:
    for name in names:
        return name


def by_a_loop(m: Any, s: Any) -> None:
    for n in NAMES:
        s.require(s.mode != n)


def by_a_loop_over_a_name(m: Any, s: Any) -> None:
    names = set()
    names.add("a")
    for n in names:
        s.require(s.mode != n)


def by_a_display(m: Any, s: Any) -> None:
    s.require(*[s.mode != n for n in {"a", "b"}])


def by_a_star(m: Any, s: Any) -> None:
    first, *_ = NAMES
    s.mode = first


def by_a_list(m: Any, s: Any) -> None:
    s.mode = list(NAMES)[1]


def by_an_iterator(m: Any, s: Any) -> None:
    s.mode = next(iter(NAMES & {"a", "b"}))


def by_popping(m: Any, s: Any) -> None:
    left = set(LIST)
    s.mode = left.pop()


def by_a_key(m: Any, s: Any) -> None:
    s.mode = min(NAMES, key=len)


def by_numbering(m: Any, s: Any) -> None:
    s.x = dict(zip(NAMES, range(2), strict=True))["a"]


def by_a_text(m: Any, s: Any) -> None:
    s.x = len(str(NAMES).partition("a")[0]) % 3


def by_a_formatted_text(m: Any, s: Any) -> None:
    s.x = len(f"{NAMES}".partition("a")[0]) % 3


def by_keys(m: Any, s: Any) -> None:
    s.x = TABLE[list(TABLE.keys() - {"c"})[1]]


def by_a_helper(m: Any, s: Any) -> None:
    s.mode = first_of(LIST)
    s.require(s.mode == first_of(NAMES))


def by_what_a_helper_gives(m: Any, s: Any) -> None:
    s.x = len([*all_but(NAMES | set(TABLE))][1])


def by_a_sum(m: Any, s: Any) -> None:
    s.x = sum(s.x + len(n) for n in NAMES)


def by_a_table_of_sets(m: Any, s: Any) -> None:
    for names in GROUPS.values():
        for n in names:
            s.require(s.mode != n)


def by_entries_of_a_table(m: Any, s: Any) -> None:
    s.require(*[s.mode != n for key, names in GROUPS.items() if key for n in names])


def by_a_key_of_a_table(m: Any, s: Any) -> None:
    for n in GROUPS.get("low", ()):
        s.require(s.mode != n)


def by_a_table_inside(m: Any, s: Any) -> None:
    groups = {"low": {"a", "b"}}
    s.mode = next(iter(groups["low"]))


def by_one_of_several(m: Any, s: Any) -> None:
    low, _high = PAIR
    s.mode = next(iter(low))


def by_a_chain(m: Any, s: Any) -> None:
    s.mode = next(iter(chain(*PAIR)))


def by_a_chain_of_a_table(m: Any, s: Any) -> None:
    s.mode = next(iter(chain.from_iterable(GROUPS.values())))


def by_two_of_one(m: Any, s: Any) -> None:
    for n in {"a"} | {"b"}:
        s.require(s.mode != n)


def by_all_together(m: Any, s: Any) -> None:
    for n in set.union(*PAIR):
        s.require(s.mode != n)


def by_what_is_left_out(m: Any, s: Any, names: Any = None) -> None:
    for n in names or {"a", "b"}:
        s.require(s.mode != n)


def by_a_copy(m: Any, s: Any) -> None:
    s.mode = copy(PAIR[0]).pop()


def by_the_text_of_a_table(m: Any, s: Any) -> None:
    s.x = len(str(GROUPS).partition("'a'")[0]) % 3


def by_a_text_with_a_place(m: Any, s: Any) -> None:
    s.x = len("{}".format(NAMES).partition("a")[0]) % 3  # noqa: UP032


def by_a_hash(m: Any, s: Any) -> None:
    s.mode = LIST[hash("a") % 2]


def by_a_number_of_an_object(m: Any, s: Any) -> None:
    s.mode = LIST[id(LIST) % 2]


def by_an_address(m: Any, s: Any) -> None:
    s.x = len(repr(object())) % 3


@pytest.mark.parametrize(
    "body",
    [
        *(by_a_loop, by_a_loop_over_a_name, by_a_display, by_a_star, by_a_list, by_an_iterator),
        *(by_popping, by_a_key, by_numbering, by_a_text, by_a_formatted_text, by_keys),
        *(by_a_helper, by_what_a_helper_gives, by_a_sum),
        *(by_a_table_of_sets, by_entries_of_a_table, by_a_key_of_a_table, by_a_table_inside),
        *(by_one_of_several, by_a_chain, by_a_chain_of_a_table, by_two_of_one, by_all_together),
        *(by_what_is_left_out, by_a_copy, by_the_text_of_a_table, by_a_text_with_a_place),
        *(by_a_hash, by_a_number_of_an_object, by_an_address),
    ],
)
def test_what_differs_between_processes_is_refused(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"(?s)\.py:\d+: .*another.* each process.*: write"):
        model_of(acting(body))


def by_what_has_no_order(m: Any, s: Any) -> None:
    s.require(*[s.mode != n for n in sorted(NAMES)], s.x < len(NAMES))
    s.require(s.x < (2 if "a" in NAMES else 1))
    s.require(*[s.mode != n for n in LIST if n in NAMES and {"a"} <= NAMES])
    kept = {n for n in NAMES if n != "a"} | {*NAMES}
    for n in sorted(n for n in kept if n != "c"):
        s.require(s.mode != n)
    for number in PLACES | set(range(3)):
        s.require(s.x != number)
    s.x = {Key("a"): 1}[Key("a")] + max(len(n) for n in NAMES)
    for key, group in GROUPS.items():
        s.require(*[s.mode != n for n in sorted(group)], s.x < len(group) + len(f"{key}"))
    low, high = PAIR
    if "a" in set().union(*PAIR) and low != high and any("a" in one for one in GROUPS.values()):
        s.require(*[s.mode != n for n in sorted(chain(*PAIR))])
    for n in {"low": LIST, "high": ("b",)}["low"]:
        s.require(s.mode != n)
    if kept == {"d"}:
        raise LookupError(f"no {NAMES}")


def test_what_is_the_same_in_each_is_read() -> None:
    assert model_of(acting(by_what_has_no_order)).actions


@pytest.mark.parametrize(
    "body",
    [
        "SIZE = list({'a', 'b'}).index('a')",
        "SIZE = 0\nfor name in {'a', 'b'}:\n    SIZE = SIZE * 2 + (name == 'a')",
        "SIZE = hash('a') % 3",
        "SIZE = id(N) % 3",
        "class Mix:\n    size = [*frozenset(('a', 'b'))].index('a')\nSIZE = Mix.size",
        "NAMES = {'a', 'b'}\nSIZE = [n for n in NAMES].index('a')",
    ],
)
def test_what_differs_between_processes_is_refused_in_a_file(body: str, tmp_path: Path) -> None:
    with pytest.raises(UserModelError, match=r"(?s)of_a_file\.py, line \d+.*each process.*: write"):
        load(written(tmp_path, body, value="SIZE"))


SMALL = [invariant("it is small")(claim) for claim in (lambda m, s: s.x < 2, lambda m, s: s.x < 3)]
LISTS: list[tuple[str, Any, Any]] = [
    ("the fairness of Fair", lambda given: Specification("Fair", given), {weak("A"), weak("B")}),
    ("the fairness of Fair", lambda given: Specification("Fair", given), frozenset({1, "A"})),
    ("per of Act", lambda given: weak("Act", per=given), {"p", "q"}),
    ("aliases of s", lambda given: Suite("s", Machine, "", (), aliases=given), {"one", "two"}),
    ("properties of s", lambda given: Suite("s", Machine, "", given), set(SMALL)),
]


@pytest.mark.parametrize(("said", "made", "given"), LISTS)
def test_what_is_listed_is_no_set(said: str, made: Any, given: Any) -> None:
    """Fairness came in another order, and a certificate was one of another model."""
    with pytest.raises(LanguageError, match=f"{said} is a set, .*each process.*: write a tuple"):
        made(given)


def test_a_set_of_one_has_one_order() -> None:
    one: Any = {"p"}
    several: Any = {weak("Act", per=one)}
    assert Specification("Fair", several).fairness == (weak("Act", per=("p",)),)


def test_what_is_the_same_in_each_is_read_in_a_file(tmp_path: Path) -> None:
    top = "NAMES = {'a', 'b'}\nSIZE = sorted(NAMES).index('a') + len([n for n in NAMES])"
    assert load(written(tmp_path, top, value="SIZE")).name


def test_members_of_a_set_are_in_the_order_of_their_texts() -> None:
    mode = EnumSort("Mode", ("a", "b", "c"))
    made_before = [coerce(name, mode) for name in ("c", "b", "a")]
    text = repr(coerce({"a", "b", "c"}, SetSort(mode)))
    assert sorted(map(repr, made_before), key=text.index) == ['"a"', '"b"', '"c"']


SET = """
from bmc.lang import coerce, EnumSort, SetSort
from bmc.lang.fingerprint import term_digest
from bmc.lang.terms import term_of
names = tuple("abcdefgh")
print(term_digest(term_of(coerce(set(names), SetSort(EnumSort("Name", names))))))
"""


def test_a_set_of_names_is_the_same_in_each_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", SET],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
