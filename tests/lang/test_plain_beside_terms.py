"""Names and numbers beside terms are Python's own, and nothing of a term passes for one."""

from __future__ import annotations

import contextlib
import enum
import io
from typing import Any

import pytest

from bmc.lang import ite
from bmc.lang.describe import model_of
from bmc.lang.errors import DecidedByPython
from tests.lang.acting import Body, acting

SHOWN = io.StringIO()
EQUAL = "__eq"


class Kind(enum.Enum):
    UP = "up"
    DOWN = "down"

    def absent(self, v: Any) -> bool:
        return v is None


class Table:
    def __init__(self, s: Any) -> None:
        self.s = s

    def items(self) -> list[tuple[Any, Any]]:
        return [(self.s.o, self.s.x)]

    def keys(self) -> list[Any]:
        return [self.s.o]


class Own(dict[str, Any]):
    def __iter__(self) -> Any:
        return iter([self["o"]])


def a_key_of_an_object(m: Any, s: Any) -> None:
    for key, _ in Table(s).items():
        s.x = 1 if key is None else 2


def a_key_alone_of_an_object(m: Any, s: Any) -> None:
    table = Table(s)
    for key in table.keys():  # noqa: SIM118
        s.x = 1 if key is None else 2


def a_key_of_a_class_of_tables(m: Any, s: Any) -> None:
    table = Own(o=s.o)
    for key in table:
        s.x = 1 if key is None else 2


def a_key_that_is_another_thing_then(m: Any, s: Any) -> None:
    table = {"a": s.o}
    for key in table:
        found = key
        found = table[key]
        s.x = 1 if found is None else 2


def a_text_that_is_kept(m: Any, s: Any) -> None:
    print(repr(s.o), file=SHOWN)
    s.x = 1


def a_special_name_of_two_parts(m: Any, s: Any) -> None:
    s.x = 1 if getattr(s.o, EQUAL + "__")(None) else 2


def a_special_name_by_a_function(m: Any, s: Any) -> None:
    s.x = 1 if getattr(s.o, "__{}__".format("eq"))(None) else 2


def the_class_by_two_parts(m: Any, s: Any) -> None:
    s.x = len(getattr(s.o, "__cl" + "ass__").__name__)


def a_special_name_of_the_step(m: Any, s: Any) -> None:
    getattr(s, "__setattr" + "__")("x", 1)


def a_term_given_to_an_enumeration(m: Any, s: Any) -> None:
    s.x = 1 if Kind.UP.absent(s.o) else 2


def a_term_through_a_block(m: Any, s: Any) -> None:
    with contextlib.nullcontext(s.o) as found:
        s.x = 1 if found is None else 2


def a_number_in_a_table(m: Any, s: Any) -> None:
    table = {}
    table["x"] = s.x + 1


def a_set_in_a_table(m: Any, s: Any) -> None:
    table: dict[str, Any] = {"some": s.some | {3}}
    table["n"] = 3


REFUSED = [
    *(a_key_of_an_object, a_key_alone_of_an_object, a_key_of_a_class_of_tables),
    *(a_key_that_is_another_thing_then, a_text_that_is_kept, a_special_name_of_two_parts),
    *(a_special_name_by_a_function, the_class_by_two_parts, a_special_name_of_the_step),
    *(a_term_given_to_an_enumeration, a_term_through_a_block),
    *(a_number_in_a_table, a_set_in_a_table),
]


@pytest.mark.parametrize("body", REFUSED)
def test_nothing_of_a_term_passes_for_a_name(body: Body) -> None:
    with pytest.raises(DecidedByPython, match=r"test_plain_beside_terms\.py:\d+: `.*write"):
        model_of(acting(body))


def a_member_by_its_value(m: Any, s: Any) -> None:
    s.x = 1 if Kind("up") is Kind.UP else 2


def a_block_or_none(m: Any, s: Any) -> None:
    for n in (0, 1):
        with s.either() if n else contextlib.nullcontext():
            s.require(s.x < 4 - n)
    s.x = 1


def names_in_tables(m: Any, s: Any) -> None:
    guards = {"low": s.x < 3}
    guards["high"] = s.x > 0
    for place, name in enumerate(guards):
        s.require(guards[name])
        print(f"{name}{place}")
    for name in guards.keys():  # noqa: SIM118
        print(f"{name}!")
    for name, guard in guards.items():
        s.require(guard if name == "low" else ~guard)
        print(f"{name}?")


def a_table_that_is_read(m: Any, s: Any) -> None:
    table: dict[str, Any] = {}
    table["x"] = ite(s.x < 3, s.x + 1, 0)
    for name, value in table.items():
        setattr(s, name, value)


def members_of_an_enumeration(m: Any, s: Any) -> None:
    for kind in Kind:
        s.require(s.x < len(kind.value) + 1)
    s.require(*(s.x < place for _, place in zip(reversed(Kind), (3, 4), strict=True)))
    s.x = 1


STAYS = [
    *(a_member_by_its_value, a_block_or_none, names_in_tables, a_table_that_is_read),
    members_of_an_enumeration,
]


@pytest.mark.parametrize("body", STAYS)
def test_names_and_numbers_stay(body: Body) -> None:
    assert model_of(acting(body)).actions
