"""Logs against a specification in TLA+: a mapping names parts as the text does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.conformance.demands import survey
from bmc.conformance.errors import LogError, MappingError
from bmc.conformance.groups import GroupChecker
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.proposal import propose
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conformance, Conforms, Impossible, check_log
from tests.cli.running import bmc, schema_validator

QUEUE = """---- MODULE Queue ----
EXTENDS Integers, Sequences, TLC
VARIABLES queue, pair, seen, slots
Init == queue = <<>> /\\ pair = <<0, "low">> /\\ seen = <<>> /\\ slots = <<0, 0>>
Put(i) == /\\ Len(queue) < 3 /\\ queue' = Append(queue, [id |-> i])
          /\\ pair' = <<i, "high">> /\\ seen' = (i :> Len(queue)) @@ seen
          /\\ slots' = [slots EXCEPT ![2] = i, ![1] = i]
Next == \\E i \\in 1..3 : Put(i)
====
"""
CONFIG = "INIT Init NEXT Next CHECK_DEADLOCK FALSE\n"
EVENT = '[[event]]\nname = "put"\nactions = [{ name = "Put", arguments = { i = "$i" } }]\n'
TWO = ({"i": 2, "two": 2}, {"i": 3, "two": 2})


def checked(
    folder: Path, text: str, after: str, *events: dict[str, Any], config: str = CONFIG
) -> Conformance:
    (folder / "Queue.tla").write_text(text)
    (folder / "Queue.cfg").write_text(config)
    log, file = folder / "log.ndjson", folder / "map.toml"
    log.write_text("".join(json.dumps({"event": "put", **one}) + "\n" for one in events))
    file.write_text(f"{EVENT}[event.after]\n{after}\n")
    suite = catalogue.find(str(folder / "Queue.tla"))
    read = read_mapping(file, suite)
    told = survey(log, read, suite.model(False), {})
    return check_log(log, read, told, suite, (), Limits())


@pytest.mark.parametrize(
    "after",
    [
        # The elements of a sequence and the parts of a tuple are counted from 1, as in the text.
        '"queue[1].id" = 2',
        '"pair[1]" = "$i"',
        '"pair[2]" = "high"',
        '"slots[2]" = "$i"',
        '"slots[$two]" = "$i"',
        # A function that gains arguments has its value there, and nothing around it.
        '"seen[2]" = 0',
        '"seen[$i]" = { at_least = 0 }',
    ],
)
def test_a_part_is_named_as_in_the_text(tmp_path: Path, after: str) -> None:
    found = checked(tmp_path, QUEUE, after, *TWO)
    assert isinstance(found.verdict, Conforms)


@pytest.mark.parametrize(
    "after", ['"queue[1].id" = 3', '"queue[3].id" = 3', '"pair[1]" = 0', '"seen[3]" = 0']
)
def test_a_part_that_differs_is_impossible(tmp_path: Path, after: str) -> None:
    found = checked(tmp_path, QUEUE, after, *TWO)
    assert isinstance(found.verdict, Impossible)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ('"pair[3]" = 1', "there is no \\[3\\]"),
        ('"pair.item1" = 1', "has no field 'item1'"),
    ],
)
def test_a_part_that_the_text_has_not_is_refused(tmp_path: Path, after: str, said: str) -> None:
    with pytest.raises(MappingError, match=said):
        checked(tmp_path, QUEUE, after, *TWO)


def test_an_action_that_the_constants_rule_out_is_told_as_that(tmp_path: Path) -> None:
    """It is written in the text, and no other name is meant."""
    ruled_out = QUEUE.replace("Put(i)\n====", "Put(i) \\/ \\E k \\in {} : Get(k)\n====").replace(
        "Next ==", "Get(i) == queue' = <<i>> /\\ UNCHANGED <<pair, seen, slots>>\nNext =="
    )
    assert "{} : Get" in ruled_out
    (tmp_path / "Queue.tla").write_text(ruled_out)
    (tmp_path / "Queue.cfg").write_text(CONFIG)
    file = tmp_path / "map.toml"
    file.write_text(EVENT.replace('"Put"', '"Get"'))
    with pytest.raises(MappingError, match=r"line 3.*no step .* is one of Get: leave it out"):
        read_mapping(file, catalogue.find(str(tmp_path / "Queue.tla")))


def test_no_element_has_the_number_0(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="expected a position from 1 on, found 0"):
        checked(tmp_path, QUEUE, '"queue[0].id" = 2', *TWO)


def test_arguments_that_are_held_by_their_places_are_refused(tmp_path: Path) -> None:
    """One of 1, 2, ... in the log was taken for the first, the second ... that walks had met."""
    text = QUEUE.replace("(i :> Len", "(i * 1000 :> Len")
    with pytest.raises(MappingError, match="held by their places in a list"):
        checked(tmp_path, text, '"seen[1]" = 1', *TWO)


def test_a_proposed_mapping_names_parts_as_the_text_does(tmp_path: Path) -> None:
    (tmp_path / "Queue.tla").write_text(QUEUE)
    (tmp_path / "Queue.cfg").write_text(CONFIG)
    suite = catalogue.find(str(tmp_path / "Queue.tla"))
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    log.write_text('{"event": "Put", "i": 2, "item2": "high"}\n')
    found = propose(log, suite)
    assert '"pair[2]" = "$item2"' in found.text
    file.write_text(found.text)
    assert read_mapping(file, suite).rules


LEADER = """---- MODULE Queue ----
EXTENDS Integers
CONSTANTS Servers, Nobody
VARIABLES leader, last
Init == leader = Nobody /\\ last = NONE
Put(i) == leader = Nobody /\\ leader' = i /\\ last' = IF last = NONE THEN 1 ELSE NONE
Leave == leader # Nobody /\\ leader' = Nobody /\\ UNCHANGED last
Next == Leave \\/ \\E i \\in Servers : Put(i)
====
"""


@pytest.mark.parametrize(
    ("none", "logged", "nobody"),
    [
        ('"none"', "none", "Nobody"),
        ("-1", -1, "Nobody"),
        ("Nobody", "Nobody", "Nobody"),
        # Python's JSON reads these as numbers and truth values.
        ("-1", -1, "NaN"),
        ("-1", -1, "true"),
    ],
)
def test_what_the_text_calls_none_is_none(
    tmp_path: Path, none: str, logged: Any, nobody: str
) -> None:
    """Nobody was a server of that name, and the log impossible."""
    constants = f"CONSTANTS Servers = {{a, b}}  {nobody} = {nobody}\n"
    (tmp_path / "Queue.tla").write_text(LEADER.replace("NONE", none).replace("Nobody", nobody))
    (tmp_path / "Queue.cfg").write_text(CONFIG + constants)
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    taken = {"event": "put", "i": "x", "was": nobody, "before": logged, "last": 1}
    left = {"event": "leave", "leader": nobody, "last": 1}
    log.write_text(f"{json.dumps(taken)}\n{json.dumps(left)}\n")
    file.write_text(
        f'{EVENT}before = {{ leader = "$was", last = "$before" }}\nafter = {{ last = "$last" }}\n'
        '[[event]]\nname = "leave"\nactions = ["Leave"]\n'
        'after = { leader = "$leader", last = "$last" }\n'
    )
    suite = catalogue.find(str(tmp_path / "Queue.tla"))
    read = read_mapping(file, suite)
    found = check_log(log, read, survey(log, read, suite.model(False), {}), suite, (), Limits())
    assert isinstance(found.verdict, Conforms)
    assert found.members == {"Servers": ["x"]}


COUNTED = """---- MODULE Counted ----
EXTENDS Integers
CONSTANTS Most, Servers
VARIABLES count, by
Init == count = 0 /\\ by = [s \\in Servers |-> FALSE]
Up(s) == count < Most /\\ count' = count + 1 /\\ by' = [by EXCEPT ![s] = TRUE]
Next == \\E s \\in Servers : Up(s)
Small == count < 4
====
"""
UP = """[[event]]
name = "up"
actions = [{ name = "Up", arguments = { s = "$by" } }]
after = { count = "$count" }
"""


@pytest.fixture
def counted(tmp_path: Path) -> tuple[str, ...]:
    """A text whose own configuration is too small for a log of five steps by two servers."""
    text = tmp_path / "Counted.tla"
    text.write_text(COUNTED)
    constants = "Servers = {a}"
    for name, most in (("Counted", 2), ("Large", 5)):
        file = tmp_path / f"{name}.cfg"
        file.write_text(f"{CONFIG}INVARIANT Small\nCONSTANTS Most = {most} {constants}\n")
        constants = "Servers = {a, b}"
    log, mapping = tmp_path / "log.ndjson", tmp_path / "map.toml"
    events = ({"event": "up", "by": "xy"[n % 2], "count": n + 1} for n in range(5))
    log.write_text("".join(f"{json.dumps(one)}\n" for one in events))
    mapping.write_text(UP)
    return ("trace", "check", str(text), "--log", str(log), "--map", str(mapping), "--json")


def test_a_log_is_checked_at_another_configuration(counted: tuple[str, ...]) -> None:
    """There was no --config, and with the text's own the log had too many servers."""
    assert bmc(*counted).code == 2
    large = Path(counted[2]).parent / "Large.cfg"
    found = bmc(*counted, "--config", str(large))
    assert found.code == 1
    assert found.document["verdict"] == "conforms"
    assert [one["line"] for one in found.document["violated"]] == [4]
    assert bmc(*counted, "--config", str(large), "--no-invariants").code == 0


def test_a_log_is_checked_with_other_constants(counted: tuple[str, ...]) -> None:
    found = bmc(*counted, "-p", "Servers=2", "-p", "Most=5", "--no-invariants")
    assert found.document["verdict"] == "conforms"
    short = bmc(*counted, "-p", "Servers=2", "-p", "Most=4", "--no-invariants")
    assert (short.code, short.document["line"]) == (1, 5)


def test_a_log_goes_as_far_as_a_bound_says(counted: tuple[str, ...]) -> None:
    """What is bounded by nothing in the text had the guess of random walks."""
    text = Path(counted[2])
    text.write_text(COUNTED.replace("count < Most /\\ ", ""))
    asked = (*counted, "-p", "Servers=2", "--no-invariants")
    assert bmc(*asked, "--bound", "count=0..5").code == 0
    small = bmc(*asked, "--bound", "count=0..3")
    assert (small.code, small.document["line"]) == (3, 4)
    assert "count + 1 is 4, which is outside Int[0..3]" in small.document["why"]


def test_groups_have_no_options_that_a_name_does_not_say(
    counted: tuple[str, ...], tmp_path: Path
) -> None:
    """Workers read the text by its name: a bound that they do not know would change verdicts."""
    asked = (*counted, "--group-by", "by", "--out", str(tmp_path / "out"))
    found = bmc(*asked, "--bound", "count=0..5")
    assert (found.code, "bmc: bound NAME" in found.err) == (2, True)


@pytest.mark.parametrize(("events", "code"), [(2, 0), (3, 1)])
def test_a_way_of_a_case_without_an_arm_is_told_of(tmp_path: Path, events: int, code: int) -> None:
    """A guard of it has no value, for which the text has no word."""
    file, log, mapped = (tmp_path / name for name in ("Arms.tla", "log.ndjson", "map.toml"))
    arms = "CASE x = 0 -> x' = 1 [] x = 1 -> x' = 2"
    file.write_text(
        "---- MODULE Arms ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        f"Go == x < 2 /\\ {arms}\nNext == Go\n====\n"
    )
    file.with_suffix(".cfg").write_text(CONFIG)
    log.write_text('{"event": "go"}\n' * events)
    mapped.write_text('[[event]]\nname = "go"\nactions = ["Go_1", "Go_2", "Go_3"]\n')
    found = bmc("trace", "check", str(file), "--log", str(log), "--map", str(mapped), "--full")
    assert found.code == code
    covered = bmc("testgen", str(file), "--out", str(tmp_path / "out"), "--cover", "guards")
    assert covered.code == 0


def test_a_guard_that_is_false_has_the_text_s_words(tmp_path: Path) -> None:
    """What the translation sets apart as none is Nil here, and no value of a function there."""
    file, log, mapped = (tmp_path / name for name in ("Held.tla", "log.ndjson", "map.toml"))
    file.write_text(
        "---- MODULE Held ----\nEXTENDS Naturals, TLC\nCONSTANT Nil\nVARIABLES o, f\n"
        "Init == o = Nil /\\ f = [k \\in {} |-> 0]\n"
        "Set(k) == o = Nil /\\ o' \\in 0..3 /\\ f' = (k :> 1) @@ f\n"
        "Put(k) == k \\in DOMAIN f /\\ f' = [f EXCEPT ![k] = 2] /\\ o' = o\n"
        'Next == \\E k \\in {"a", "b"} : Set(k) \\/ Put(k)\n====\n'
    )
    file.with_suffix(".cfg").write_text(CONFIG + "CONSTANT Nil = Nil\n")
    arguments = 'arguments = { k = "$k" }'
    mapped.write_text(
        f'[[event]]\nname = "set"\nactions = ["Set"]\n{arguments}\n'
        f'[[event]]\nname = "put"\nactions = ["Put"]\n{arguments}\n'
    )
    for event, said in (("set", "guard o = Nil is false"), ("put", 'guard f["b"] # no value is')):
        log.write_text(f'{{"event": "set", "k": "a"}}\n{{"event": "{event}", "k": "b"}}\n')
        found = bmc("trace", "check", str(file), "--log", str(log), "--map", str(mapped))
        assert (found.code, said in found.out) == (1, True)


TERMS = """---- MODULE Queue ----
EXTENDS Integers
CONSTANTS Servers, Nobody
VARIABLES owner, term, last
Init == owner = Nobody /\\ term = [n \\in Servers |-> 0] /\\ last \\in Servers
Put(i) == owner = Nobody /\\ owner' = i /\\ term' = [term EXCEPT ![i] = 1] /\\ last' = i
Leave(i) == owner = i /\\ owner' = Nobody /\\ UNCHANGED <<term, last>>
Next == \\E i \\in Servers : Put(i) \\/ Leave(i)
====
"""
STRINGS = CONFIG + 'CONSTANTS Servers = {"a", "n-2"} Nobody = Nobody'


@pytest.mark.parametrize(
    ("after", "conforms"),
    [
        ('"term[$i]" = 1', True),
        ('"term[a]" = 1', True),
        ('"term[n-2]" = 0', True),
        ('"term.a" = 1', True),
        ('"term[n-2]" = 1', False),
        ('"term[$other]" = 0', True),
        ('"term[$other]" = 1', False),
    ],
)
def test_a_function_of_strings_has_its_value_at_a_key(
    tmp_path: Path, after: str, conforms: bool
) -> None:
    event = {"i": "a", "other": "n-2"}
    found = checked(tmp_path, TERMS, after, event, config=STRINGS)
    assert isinstance(found.verdict, Conforms if conforms else Impossible)
    # The report shows the part as the text writes it.
    words = ("--log", str(tmp_path / "log.ndjson"), "--map", str(tmp_path / "map.toml"))
    told = bmc("trace", "check", str(tmp_path / "Queue.tla"), *words)
    assert told.code == (0 if conforms else 1)
    assert conforms or 'logged term["n-2"] = 1' in told.out


def test_a_key_that_is_no_argument_of_a_function_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="expected one of a, n-2, found 'b'"):
        checked(tmp_path, TERMS, '"term[$other]" = 0', {"i": "a", "other": "b"}, config=STRINGS)


def test_a_key_of_values_of_different_kinds_is_refused_with_what_to_write(tmp_path: Path) -> None:
    """It was said that a sort has no keys, which is in no text."""
    kinds = TERMS.replace("![i] = 1", '!["a"] = TRUE')
    with pytest.raises(MappingError, match=r'`when`, and name it \(\.a, \["n-2"\]\)'):
        checked(tmp_path, kinds, '"term[$i]" = 0', {"i": "a"}, config=STRINGS)


@pytest.mark.parametrize(("logged", "word"), [(None, "null"), (-1, '"-1"'), (True, "true")])
def test_a_mapping_says_what_is_meant_by_what_is_no_string(
    tmp_path: Path, logged: Any, word: str
) -> None:
    """Nobody is one of the names here, and no option's none."""
    after = '"owner" = "$owner"'
    with pytest.raises(LogError, match=r"expected one of .*Nobody.*, found"):
        checked(tmp_path, TERMS, after, {"i": "a", "owner": logged}, config=STRINGS)
    after += f'\n[names.owner]\n{word} = "Nobody"'
    found = checked(tmp_path, TERMS, after, {"i": "a", "owner": logged}, config=STRINGS)
    assert isinstance(found.verdict, Impossible)


def test_an_argument_that_a_guard_says_is_told_to_be_none(tmp_path: Path) -> None:
    numbers = CONFIG + "CONSTANTS Servers = {1, 2} Nobody = Nobody"
    after = '[[event]]\nname = "go"\nactions = ["Leave"]\narguments = { i = "$i" }'
    with pytest.raises(MappingError, match=r"no argument of Leave .*compared in `before`"):
        checked(tmp_path, TERMS, after, {"i": 1}, config=numbers)


CLAIMED = """---- MODULE Low ----
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<>>
Add(k) == Len(q) < 3 /\\ q' = Append(q, k)
Next == \\E k \\in 1..3 : Add(k)
Undecided == Len(q) < 2 \\/ q[0] = 1
False == Len(q) < 3
====
"""
ADDED = '[[event]]\nname = "add"\nactions = [{ name = "Add", arguments = { k = "$k" } }]\n'


@pytest.mark.parametrize("window", [1, 10])
@pytest.mark.parametrize(
    ("claims", "code", "verdict", "line", "why"),
    [
        ("Undecided", 3, "unknown", 2, "Low.tla:7:28: 0 is not in the domain of"),
        ("False", 1, "violated", 3, "False"),
        ("Undecided False", 1, "violated", 3, "False"),
    ],
)
def test_what_the_text_gives_no_value_is_not_violated(
    tmp_path: Path, claims: str, code: int, verdict: str, line: int, why: str, window: int
) -> None:
    """It was, though TLC ends with an error there; alone, and in a group that is cut."""
    (tmp_path / "Low.tla").write_text(CLAIMED)
    (tmp_path / "Low.cfg").write_text(f"{CONFIG}INVARIANTS {claims}")
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    log.write_text("".join(f'{{"event": "add", "k": {k}}}\n' for k in (1, 2, 3)))
    file.write_text(ADDED)
    spec = tmp_path / "Low.tla"
    answer = bmc("trace", "check", str(spec), "--log", str(log), "--map", str(file), "--json")
    said = json.loads(answer.out)
    schema_validator().validate(said)
    assert answer.code == code
    assert [one["property"] for one in said["violated"]] == ["False"] * ("False" in claims)
    assert [one["line"] for one in said["undecided"]] == [2] * ("Undecided" in claims)
    suite = catalogue.find(str(spec))
    mapping = read_mapping(file, suite)
    asked = tuple(claims.split())
    checker = GroupChecker(suite, mapping, {}, asked, Limits(), (), False, window)
    lines = log.read_bytes().splitlines()
    whole = checker.verdict(lines)
    assert (whole.verdict, whole.line) == (verdict, line)
    assert why in str(whole.why)
    begun, windows = checker.begun(lines)
    seen = [one for one in map(checker.look_into, windows) if one.broken is not None]
    if window == 1:
        first = min(seen, key=lambda one: one.undecided)
        assert (first.undecided, first.line, first.broken) == (code == 3, line, whole.why)
    else:
        assert begun == whole
