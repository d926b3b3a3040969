"""A suite that is given something else than its parts says what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from bmc.lang import (
    History,
    Integer,
    LanguageError,
    Protocol,
    Step,
    Suite,
    Variable,
    action,
    invariant,
    one_of,
)
from bmc.lang.temporal import eventually, temporal


class Counter(Protocol):
    """A counter with a claim of its states and one of its behaviours."""

    x = Variable(Integer("Count", 0, 3))

    @action()
    def Init(self, s: Step) -> None:
        s.x = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.x < 3)
        s.x = s.x + 1

    Next = one_of(Up)

    @invariant("it is small")
    def Small(self, s: Any) -> Any:
        return s.x < 3

    @temporal("it ends")
    def Ends(self, s: Any) -> Any:
        return eventually(s.x == 3)


class Past(History):
    """Nothing that was."""


SMALL = Suite("small", Counter, "", (Counter.Small,))

WRONG = [
    ({"properties": "Small"}, "properties of s is a tuple of claims .*you gave 'Small'"),
    ({"properties": Counter.Small}, "is a tuple of claims .*PropertyDeclaration called Small"),
    ({"properties": ("Small",)}, "properties of s are claims .*you gave 'Small'"),
    ({"properties": (Counter.Up,)}, "properties of s are claims .*called Up"),
    ({"properties": (Counter.Ends,)}, "properties of s are claims .*called Ends"),
    ({"properties": (SMALL,)}, "properties of s are claims .*a Suite called small"),
    ({"lemmas": (Counter.Up,)}, "lemmas of s are what @lemma"),
    ({"temporal": (Counter.Small,)}, "temporal of s are what @temporal"),
    ({"specifications": ("Fair",)}, "specifications of s are specifications"),
    ({"rankings": (Counter.Ends,)}, "rankings of s are what @ranking"),
    ({"protocol": Counter()}, "s is about a protocol's class, you gave a Counter"),
    ({"protocol": SMALL}, "s is about a protocol's class, you gave a Suite called small"),
    ({"protocol": None}, "s is about a protocol's class"),
    ({"history": Past()}, "history of s is the class of a History, you gave a Past"),
    ({"history": Counter}, "history of s is the class of a History"),
    ({"refused": ("Small",)}, "refused of s are errors .*write refuted=.*you gave 'Small'"),
    ({"refused": {"Small": "why"}}, "refused of s are errors .*write refuted="),
    ({"refused": "Small"}, "refused of s is a tuple of errors .*write refuted="),
    ({"notes": "of one"}, "notes of s is a tuple of texts.*you gave 'of one'"),
    ({"notes": (3,)}, "notes of s are texts.*you gave a int"),
    ({"aliases": "short"}, "aliases of s is a tuple of further names"),
    ({"carried": "Helps"}, "carried of s is a tuple of names of lemmas"),
    ({"origin": "Small.tla"}, "origin of s is the text .*leave it out; you gave 'Small.tla'"),
    ({"explained": (("Up", "why"),)}, "explained of s is a table: .*Unreached.*you gave a tuple"),
    ({"parts": ("Small",)}, "parts of s is a table .*you gave a tuple"),
    ({"explained": {"Up": "why"}}, 's explains Up by .*write Unreached\\("why"\\)'),
]


@pytest.mark.parametrize(("given", "said"), WRONG)
def test_what_is_no_part_of_a_suite_is_refused_by_its_kind(
    given: dict[str, Any], said: str
) -> None:
    parts: dict[str, Any] = {"protocol": Counter, "properties": (Counter.Small,), **given}
    with pytest.raises(LanguageError, match=said):
        Suite(name="s", about="", **parts)


@pytest.mark.parametrize("several", [list, tuple, iter])
def test_what_is_listed_by_any_row_is_read(several: Any) -> None:
    suite = Suite("s", Counter, "", several([Counter.Small]), temporal=several([Counter.Ends]))
    assert [d.name for d in (*suite.properties, *suite.temporal)] == ["Small", "Ends"]
