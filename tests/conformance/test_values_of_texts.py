"""Whole values of a specification in TLA+ in a log: as the text has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bmc.conformance.errors import LogError, MappingError
from bmc.conformance.verdict import Conforms, Impossible
from tests.conformance.test_texts import checked

VALUES = """---- MODULE Queue ----
EXTENDS Integers, Sequences, TLC
CONSTANTS Node, None
VARIABLES pair, sent, last, turned, seen
vars == <<pair, sent, last, turned, seen>>
Init == pair = <<0, None>> /\\ sent = {} /\\ last = None /\\ turned = <<>> /\\ seen = <<>>
Message(i, n) == IF i = 1 THEN [kind |-> "ask", of |-> n] ELSE [kind |-> "tell", i |-> i]
Put(i) == \\E n \\in Node :
  /\\ pair' = <<i, n>>
  /\\ sent' = sent \\cup {Message(i, n)}
  /\\ last' = IF last = None THEN Message(i, n) ELSE None
  /\\ turned' = IF turned = <<>> THEN <<[of |-> n]>> ELSE [k \\in DOMAIN turned |-> [of |-> n]]
  /\\ seen' = (IF i = 1 THEN "one" ELSE "two") :> i @@ seen
Next == \\E i \\in 1..2 : Put(i)
====
"""
CONFIG = "INIT Init NEXT Next CONSTANTS Node = {n1, n2} None = None CHECK_DEADLOCK FALSE\n"
ASK, TELL = {"kind": "ask", "of": "a"}, {"kind": "tell", "i": 2}
AFTER = """pair = "$pair?"
sent = { contains = "$sent?" }
last = "$last?"
turned = "$turned?"
seen = "$seen?"
"""


@pytest.mark.parametrize(
    ("shown", "other"),
    [
        ({"pair": [1, "a"]}, {"pair": [2, "a"]}),
        ({"sent": ASK}, {"sent": TELL}),
        ({"last": ASK}, {"last": "None"}),
        ({"turned": [{"of": "a"}]}, {"turned": []}),
        ({"seen": {"one": 1}}, {"seen": {"one": 1, "two": 2}}),
        ({"last": ASK, "pair": [1, "a"]}, {"last": ASK, "pair": [1, "b"]}),
    ],
)
def test_a_whole_value_is_logged_as_the_text_has_it(
    tmp_path: Path, shown: dict[str, Any], other: dict[str, Any]
) -> None:
    for said, expected in ((shown, Conforms), (other, Impossible)):
        found = checked(tmp_path, VALUES, AFTER, {"i": 1, **said}, {"i": 2}, config=CONFIG)
        assert isinstance(found.verdict, expected)


KINDS = """---- MODULE Queue ----
EXTENDS Integers
CONSTANTS None
VARIABLE last
Init == last = %s
Put(i) == last' = IF i = 1 THEN %s ELSE %s
Next == \\E i \\in 1..2 : Put(i)
====
"""
NAMED = "INIT Init NEXT Next CONSTANTS None = None CHECK_DEADLOCK FALSE\n"
LAST = 'last = "$last"\n'


@pytest.mark.parametrize(("start", "value"), [('"None"', "None"), ("None", '"None"')])
def test_a_word_that_is_two_values_is_refused_until_the_mapping_says_which(
    tmp_path: Path, start: str, value: str
) -> None:
    text = KINDS % (start, '"a"', value)
    shown = {"i": 1, "last": "a"}, {"i": 2, "last": "None"}
    with pytest.raises(LogError, match=r'line 2: .*None and "None" are: say which in names\.last'):
        checked(tmp_path, text, LAST, *shown, config=NAMED)
    for said, expected in ((value, Conforms), (start, Impossible)):
        mapped = f"{LAST}[names.last]\nNone = '{said}'\n"
        found = checked(tmp_path, text, mapped, *shown, config=NAMED)
        assert isinstance(found.verdict, expected)


def test_null_is_a_name_and_no_string_that_is_alone_of_its_kind(tmp_path: Path) -> None:
    shown = {"i": 1, "last": 1}, {"i": 2, "last": None}
    with pytest.raises(LogError, match=r"line 2: .*found null"):
        checked(tmp_path, KINDS % ("TRUE", "1", '"a"'), LAST, *shown, config=NAMED)
    strings = KINDS % ("TRUE", "1", 'IF last = 1 THEN None ELSE "a"')
    assert isinstance(checked(tmp_path, strings, LAST, *shown, config=NAMED).verdict, Conforms)


@pytest.mark.parametrize("none", [None, "None"])
def test_null_is_the_none_of_values_of_several_kinds(tmp_path: Path, none: str | None) -> None:
    shown = {"i": 1, "last": ASK}, {"i": 2, "last": none}
    found = checked(tmp_path, VALUES, AFTER, *shown, config=CONFIG)
    assert isinstance(found.verdict, Conforms)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ({"pair": [1]}, "expected an array of 2, found"),
        ({"seen": {"three": 1}}, "expected one of"),
        ({"last": {"kind": "ask"}}, "expected one of None or an object with the fields i, kind or"),
    ],
)
def test_a_value_of_another_form_is_refused(
    tmp_path: Path, shown: dict[str, Any], said: str
) -> None:
    with pytest.raises(LogError, match=said):
        checked(tmp_path, VALUES, AFTER, {"i": 1, **shown}, config=CONFIG)


def test_a_part_of_values_of_several_kinds_has_no_path(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match="several kinds: compare them whole"):
        checked(tmp_path, VALUES, '"last.kind" = "ask"', {"i": 1}, config=CONFIG)


def test_an_integer_that_may_be_the_name_of_a_member_is_told_apart(tmp_path: Path) -> None:
    """Taken for a number, it would make a log impossible that names its nodes by numbers."""
    text = VALUES.replace("last' = IF last = None THEN Message(i, n) ELSE None", "last' = n")
    text = text.replace("last = None /", "last = 3 /")
    with pytest.raises(
        LogError, match=r'expected \{"tag": one of (.*), "value": …\} for what may be'
    ):
        checked(tmp_path, text, AFTER, {"i": 1, "last": 7}, config=CONFIG)
    node = {"tag": "Node", "value": 7}
    found = checked(tmp_path, text, AFTER, {"i": 1, "last": node}, config=CONFIG)
    assert isinstance(found.verdict, Conforms)
