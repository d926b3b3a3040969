"""Whatever is wrong with a log or a mapping is said in one message that names the place."""

import gzip
import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.conformance.demands import survey
from bmc.conformance.errors import LogError, UnreadableValue
from bmc.conformance.events import Event
from bmc.conformance.mapping import EventRule
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.operands import operand_of
from bmc.conformance.search import Limits
from bmc.conformance.values import Meanings
from bmc.conformance.verdict import check_log
from bmc.lang.sorts import BoolSort, EnumSort, MapSort, OptionSort
from tests.cli.running import Answered, bmc
from tests.data.texts import LOG as LEAD
from tests.data.texts import MAP

GOOD = (
    MAP
    + """[[event]]
name = "write"
actions = ["LeaderWrite"]
arguments = { replica = "$broker" }
after = { "replicaLog[$broker].endOffset" = "$end" }
"""
)
WRITE = '{"event": "write", "broker": 1007, "end": 1}\n'


def check(folder: Path, log: str | bytes, mapping: str = GOOD, *more: str) -> Answered:
    events, file = folder / "events.ndjson", folder / "kafka.map.toml"
    events.write_bytes(log if isinstance(log, bytes) else log.encode())
    file.write_text(mapping, encoding="utf-8")
    return bmc("trace", "check", "kafka", "--log", str(events), "--map", str(file), *more)


def test_exit_codes_and_documents(tmp_path: Path) -> None:
    itf = tmp_path / "execution.itf.json"
    good = check(tmp_path, LEAD + WRITE, GOOD, "--json", "--trace", str(itf))
    assert (good.code, good.document["verdict"]) == (0, "conforms")
    assert good.document["actions"]["LeaderWrite"] == 1
    assert good.document["parameters"]["replicas"] == 2
    assert bmc("trace", "replay", str(itf)).code == 0
    assert check(tmp_path, LEAD + WRITE, "\ufeff" + GOOD).code == 0, (
        "a byte order mark says nothing"
    )

    bad = LEAD + WRITE.replace('"end": 1', '"end": 2')
    wrong = check(tmp_path, bad, GOOD, "--json")
    assert (wrong.code, wrong.document["line"]) == (1, 2)
    assert [one["part"] for one in wrong.document["reason"]["differing"]] == [
        "replicaLog[r1].endOffset"
    ]
    page, steps = tmp_path / "until.html", tmp_path / "until.itf.json"
    text = check(tmp_path, bad, GOOD, "--trace", str(page)).out
    assert "impossible at line 2" in text
    assert "an execution of the events before line 2" in text
    assert "Become" in page.read_text(encoding="utf-8")
    assert check(tmp_path, bad, GOOD, "--trace", str(steps)).code == 1
    assert bmc("trace", "replay", str(steps)).code == 0
    # As far as the first line: the controller's step is silent.
    assert len(json.loads(steps.read_text(encoding="utf-8"))["states"]) == 3
    assert "logged replicaLog[r1].endOffset = 2, the model has 1 after the step" in text

    other = check(tmp_path, LEAD + WRITE.replace("1007", "1008"))
    assert other.code == 1
    assert "guard replicaState[r2].leader = r2 is false" in other.out

    open_ended = check(tmp_path, bad, GOOD.replace("steps = 3", "steps = 1"), "--json")
    assert (open_ended.code, open_ended.document["verdict"]) == (3, "unknown")


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("", "has no events"),
        (LEAD + "{", "line 2: it is no JSON"),
        (LEAD + WRITE[:20], "the log ends within the line"),
        (LEAD + "[]\n", "line 2: an event is a JSON object, not an array"),
        ("{}\n", "line 1: it has no field 'event'"),
        ('{"event": 3}\n', "is a number, not a string"),
        ('\n{"event": "lead", "event": "lead"}\n', "line 2: the key 'event' stands in it twice"),
        ('{"event": "lead", "broker": 1, "broker": 2}\n', "the key 'broker' stands in it twice"),
        ('{"event": "lead", "broker": 1, "epoch": NaN}\n', "NaN is no JSON number"),
        ('{"event": "laed"}\n', "does not map the event 'laed': did you mean lead?"),
        ('{"event": "lead", "epoch": 0}\n', "has no field 'broker', which event[1] (lead) reads"),
        ('{"event": "lead", "broker": 1.5, "epoch": 0}\n', "expected the name of a Replica"),
        ('{"event": "lead", "broker": 1, "epoch": "0"}\n', "expected an integer, found '0'"),
        ('{"event": "lead", "broker": 1, "epoch": true}\n', "expected an integer, found True"),
        (b'{"event": "\xff"}\n', "line 1: byte 12 is not UTF-8"),
        ("\ufeff" + LEAD, "line 1: it begins with a byte order mark: write the log as UTF-8"),
        (LEAD.encode("utf-16"), "line 1: it is UTF-16"),
        (gzip.compress(LEAD.encode(), mtime=0), "line 1: it is compressed by gzip: unpack the log"),
        ("[" * 100_000, "line 1: it is nested too deeply"),
        (
            '{"event": ' + "9" * 5_000 + "}",
            "line 1: a number in it has more than 4,300 digits, the most that is read",
        ),
        (
            LEAD + '{"event": "write", "broker": 1, "ms": 0.' + "9" * 5_000 + "}\n",
            "line 2: a number in it has more than 4,300 digits, the most that is read",
        ),
        (LEAD + "x" * (1 << 20) + "x\n", "line 2: it is longer than 1048576 bytes"),
    ],
)
def test_a_bad_line_is_named(log: str | bytes, said: str, tmp_path: Path) -> None:
    found = check(tmp_path, log)
    assert found.code == 2
    assert said in found.err


def test_a_mapping_that_is_nested_deeply_is_named(tmp_path: Path) -> None:
    """It was called a term, of no file."""
    found = check(tmp_path, LEAD, f"{GOOD}\nx = {'[' * 100_000}\n")
    assert found.code == 2
    assert "map.toml is nested too deeply" in found.err


def test_a_number_of_5000_digits_in_a_mapping_is_named_with_its_line(tmp_path: Path) -> None:
    """It was an internal failure."""
    long = "9" * 5_000
    found = check(tmp_path, LEAD, GOOD.replace("steps = 3", f"steps = {long}"))
    assert found.code == 2
    line = 1 + GOOD[: GOOD.index("steps = 3")].count("\n")
    assert f"map.toml, line {line}: a number in it has more than 4,300 digits" in found.err
    log = LEAD.replace('"epoch": 0', '"epoch": [0]')
    found = check(tmp_path, log, GOOD.replace("$epoch", f"$epoch.{long}"))
    assert found.code == 2
    assert "line 1: the event 'lead' has no field 'epoch.999" in found.err


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (
            "[log]\nnone = [2026-01-31]\n",
            'log.none: no log has a date or a time: write "2026-01-31"',
        ),
        ("[log]\nnone = [[nan]]\n", "log.none: no log has nan, which is no number of JSON"),
        ("when = { day = 2026-01-31 }", "event[1] (lead).when: no log has a date or a time"),
        (
            "when = { at = [{ hour = 07:32:00 }] }",
            "event[1] (lead).when: no log has a date or a time",
        ),
        ("when = { share = -inf }", "event[1] (lead).when: no log has -inf"),
    ],
)
def test_what_no_log_can_have_is_looked_for_in_none(place: str, said: str, tmp_path: Path) -> None:
    """A rule about it fitted no event, and nothing was said."""
    mapping = GOOD + place if place[0] == "[" else GOOD.replace('"lead"\n', f'"lead"\n{place}\n')
    found = check(tmp_path, LEAD, mapping)
    assert (found.code, said in found.err) == (2, True), found.err


def test_garbage_is_refused_at_its_line(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(200_000)
    found = check(tmp_path, LEAD.encode() + noise)
    assert found.code == 2
    assert "line 2: " in found.err
    folder = bmc(
        "trace", "check", "kafka", "--log", str(tmp_path), "--map", str(tmp_path / "kafka.map.toml")
    )
    assert folder.code == 2
    assert "is no regular file" in folder.err
    missing = bmc("trace", "check", "kafka", "--log", str(tmp_path / "no"), "--map", "no.toml")
    assert missing.code == 2
    assert "cannot read no.toml" in missing.err


@pytest.mark.parametrize(
    ("begins", "goes_on", "said"),
    [
        (b"", True, "line 1: it is longer than 1048576 bytes"),
        (LEAD.encode() + b"[", True, "line 2: it is longer than 1048576 bytes"),
        (b"\n" * 200_000 + LEAD.encode() * 2_000 + b'{"event": "le', False, "the log ends within"),
        (b"\n" * 500_000, False, "has no events"),
    ],
)
def test_a_hundred_megabytes_of_garbage_take_no_memory(
    begins: bytes, goes_on: bool, said: str, tmp_path: Path
) -> None:
    """What is not there is read as zeros; nothing is held but a line."""
    log, file = tmp_path / "events.ndjson", tmp_path / "kafka.map.toml"
    with log.open("wb") as out:
        out.write(begins)
        if goes_on:
            out.truncate(100_000_000)
    file.write_text(GOOD, encoding="utf-8")
    model = catalogue.find("kafka").model(False)
    mapping = read_mapping(file, catalogue.find("kafka"))
    tracemalloc.start()
    try:
        with pytest.raises(LogError, match=said):
            survey(log, mapping, model, {})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[silent]", "[silent", "is no TOML"),
        ("[silent]", "[quiet]", "unknown key 'quiet'"),
        ('protocol = "kafka"', 'protocol = "raft"', "it maps 'raft'"),
        ('"BecomeLeader"', '"BecomeLeda"', "there is no action 'BecomeLeda': did you mean Become"),
        ("leader = ", "leaders = ", "there is no argument of BecomeLeader 'leaders'"),
        ("].leaderEpoch", "].epoch", "ReplicaState has no field 'epoch'"),
        ("replicaState[$broker]", "replicaStat[$broker]", "there is no variable 'replicaStat'"),
        ("replicaState[$broker]", "nextRecordId[$broker]", "has no keys"),
        ("replicaState[$broker]", "replicaState[[$broker]", "is no path"),
        ('"$epoch"', "{ atleast = 3 }", "there is no comparison 'atleast'"),
        ('"$epoch"', "{ contains = 3 }", "contains is asked of sets"),
        ('"$epoch"', "1.5", "is nothing to compare with"),
        ('"$broker"', '"$"', "names no field"),
        ("steps = 3", "steps = -1", "is not a number of steps"),
        ('members = "Replica"', 'members = "Broker"', "no sort of members is 'Broker'"),
        ("replicas = {", "brokers = {", "unknown key 'brokers'"),
        ('name = "lead"', "name = 1", "1 is no string"),
        ('actions = ["LeaderWrite"]', "", "it has arguments and no actions"),
    ],
)
def test_a_bad_mapping_is_named(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in GOOD
    found = check(tmp_path, LEAD, GOOD.replace(old, new, 1))
    assert found.code == 2
    assert said in found.err


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[silent]", "[quiet]", 6),
        ('protocol = "kafka"', 'protocol = "raft"', 2),
        ('"BecomeLeader"', '"BecomeLeda"', 11),
        ('"LeaderWrite"', '"LeaderWrit"', 16),
        ("replica = ", "replicas = ", 17),
        ("].endOffset", "].end", 18),
        ('"$end"', '"$"', 18),
        (
            'after = { "replicaLog[$broker].endOffset" = "$end" }',
            '[event.after] # what it shows\n"replicaLo[$broker]" = 1',
            18,
        ),
        ("steps = 3", "steps = -1", 8),
        ("steps = 3", "step = 9", 8),
        ('members = "Replica"', 'members = "Broker"', 4),
        ("max_leader_epoch = 2", "max_epoch = 2", 5),
        ('name = "write"', "name = 1", 15),
        ('name = "write"', "names = 1", 15),
        ('name = "write"', "", 14),
    ],
)
def test_a_bad_mapping_is_named_with_its_line(
    old: str, new: str, line: int, tmp_path: Path
) -> None:
    found = check(tmp_path, LEAD, GOOD.replace(old, new, 1))
    assert f"kafka.map.toml, line {line}: " in found.err


def test_a_log_beyond_the_parameters_is_no_verdict(tmp_path: Path) -> None:
    found = check(tmp_path, LEAD + WRITE.replace("1007", "1"), GOOD, "-p", "replicas=1")
    assert found.code == 2
    assert "events.ndjson, line 2: the log names 2 members of Replica" in found.err


ASKER = EnumSort("Asker", ("PRODUCER", "CONSUMER"))


def test_a_map_with_named_keys_is_logged_whole() -> None:
    held = MapSort(ASKER, BoolSort())
    meanings = Meanings(renamed={"Asker": {"reader": "CONSUMER"}})
    assert meanings.read(held, {"reader": True, "PRODUCER": False}) == (False, True)


@pytest.mark.parametrize(
    "raw",
    [{"PRODUCER": True}, {"PRODUCER": True, "CONSUMER": True, "reader": False}, [True, True]],
    ids=str,
)
def test_a_map_with_named_keys_has_each_of_them_once(raw: Any) -> None:
    meanings = Meanings(renamed={"Asker": {"reader": "CONSUMER"}})
    with pytest.raises(UnreadableValue, match="expected"):
        meanings.read(MapSort(ASKER, BoolSort()), raw)


LOOKALIKES: list[tuple[Any, Any]] = [
    (1, True),
    (1, 1.0),
    ([1], [True]),
    ([0, 1], [0, 1.0]),
    ({"id": 1}, {"id": True}),
    ({"id": [0]}, {"id": [False]}),
]


@pytest.mark.parametrize(("given", "logged"), LOOKALIKES, ids=str)
def test_what_python_has_for_equal_is_not_the_value_that_is_given(given: Any, logged: Any) -> None:
    one = operand_of(1, "steps")
    rule = EventRule("event[1]", "sent", {"of": given}, (), one, one, (), ())
    assert rule.fits(Event(1, "sent", {"of": given}))
    assert not rule.fits(Event(1, "sent", {"of": logged}))
    meanings = Meanings(none=[given])
    assert meanings.read(OptionSort(ASKER), given) is None
    with pytest.raises(UnreadableValue, match="expected"):
        meanings.read(OptionSort(ASKER), logged)


@pytest.mark.parametrize("more", [WRITE, WRITE.replace('"end": 1', '"end": 2')])
def test_a_log_that_grows_while_it_is_read_is_no_verdict(tmp_path: Path, more: str) -> None:
    """Neither of what conforms nor of what does not: its parameters were those of less."""
    log, file = tmp_path / "events.ndjson", tmp_path / "kafka.map.toml"
    log.write_text(LEAD, encoding="utf-8")
    file.write_text(GOOD, encoding="utf-8")
    suite = catalogue.find("kafka")
    mapping = read_mapping(file, suite)
    told = survey(log, mapping, suite.model(False), {})
    log.write_text(LEAD + more, encoding="utf-8")
    with pytest.raises(LogError, match="had 1 mapped events and now has 2"):
        check_log(log, mapping, told, suite, (), Limits())
