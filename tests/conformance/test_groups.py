"""Each group of a large log has its own verdict, and a line that cannot be read costs one group."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.errors import PySparkException

from bmc.cli.shared import catalogue, log_groups
from bmc.conformance import rules
from bmc.conformance.groups import GroupChecker, row_of
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.lang import Expr, State, invariant
from bmc.sweep.dispatch import ClusterLost
from bmc.sweep.runner import OtherModel
from bmc.sweep.spark import SparkExecutors
from tests.cli.running import ROOT, bmc

MAPPING = """
[[event]]
name = "NextId"
actions = ["NextId"]
after = { nextId = "$next" }
"""


def counted(*numbers: int) -> list[bytes]:
    return [json.dumps({"event": "NextId", "next": number}).encode() for number in numbers]


@pytest.fixture
def checker(tmp_path: Path) -> GroupChecker:
    file = tmp_path / "map.toml"
    file.write_text(MAPPING, encoding="utf-8")
    suite = catalogue.find("id-sequence")
    mapping = read_mapping(file, suite)
    return GroupChecker(suite, mapping, {"max_id": 5}, ("TypeOk",), Limits())


def test_a_group_is_a_row(checker: GroupChecker) -> None:
    good = row_of(checker.verdict(counted(1, 2, 3)))
    assert (good["verdict"], good["events"]) == ("conforms", 3)
    assert json.loads(good["actions"]) == {"NextId": 3}
    bad = row_of(checker.verdict(counted(1, 2, 2)))
    assert (bad["verdict"], bad["line"]) == ("impossible", 3)
    assert json.loads(bad["event"])["next"] == 2
    assert "nextId is 3, logged 2" in bad["why"]
    assert (good["guards"], good["witnesses"]) == (None, None)


def test_a_row_calls_members_as_the_log_does(tmp_path: Path) -> None:
    file = tmp_path / "map.toml"
    shown = '"quorumState.leader" = "$leader?", "quorumState.isr" = { lacks = "$lacks?" }'
    file.write_text(
        'protocol = "kafka"\n[parameters]\nreplicas = 3\n'
        '[[event]]\nname = "elect"\nactions = ["ControllerElectLeader"]\n'
        'arguments = { newLeader = "$leader" }\n'
        f'[[event]]\nname = "see"\nafter = {{ {shown} }}\n',
        encoding="utf-8",
    )
    suite = catalogue.find("kafka")
    checker = GroupChecker(suite, read_mapping(file, suite), {}, (), Limits())
    elected = {"event": "elect", "leader": 1}
    for seen, why in (
        ({"leader": 0}, "quorumState.leader is 1, logged 0"),
        ({"lacks": 1}, "quorumState.isr is {1, another Replica, another Replica}, logged 1"),
        ({"lacks": 2}, "quorumState.isr is {1, 2, another Replica}, logged 2"),
    ):
        events = (elected, {"event": "see", **seen})
        row = row_of(checker.verdict(json.dumps(event).encode() for event in events))
        assert (row["verdict"], row["line"]) == ("impossible", 2)
        assert why in row["why"]


def test_a_group_tells_which_guards_and_witnesses_it_exercises(checker: GroupChecker) -> None:
    covering = replace(checker, coverage=True)
    short, whole = (row_of(covering.verdict(counted(*range(1, n)))) for n in (4, 7))
    assert (list(short["guards"]), list(short["witnesses"])) == (["NextId: id = nextId"], [])
    assert sorted(whole["guards"]) == ["NextId: id = nextId", "NextId: nextId <= max_id"]
    assert list(whole["witnesses"]) == ["Exhausted"]
    assert row_of(covering.verdict(counted(1, 1)))["guards"] is None


def test_what_a_log_takes_is_compiled_once_at_its_parameters(
    checker: GroupChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [counted(1, 2), counted(1, 1), counted(1, 2, 3)]
    alone = [replace(checker).verdict(log) for log in logs]
    assert [one.verdict for one in alone] == ["conforms", "impossible", "conforms"]
    checker.verdict(logs[0])
    monkeypatch.setattr(rules, "Compiler", None)
    assert [checker.verdict(log) for log in logs] == alone


def test_rules_are_kept_for_the_parameters_that_were_asked_for_last() -> None:
    book = rules.RuleBook(catalogue.find("id-sequence").model(False))
    made = [book.at({"max_id": number}) for number in range(1, 17)]
    assert book.at({"max_id": 1}) is made[0]
    book.at({"max_id": 17})
    assert book.at({"max_id": 1}) is made[0]
    assert book.at({"max_id": 2}) is not made[1]
    assert [one.interpreter.domains.parameters["max_id"] for one in made] == [*range(1, 17)]


@pytest.mark.parametrize(
    "line",
    [b'{"event": "Ne', b"{}", b'{"event": "Other"}', b"\x00", b'{"event": "NextId", "by": "\xff"}'],
)
def test_a_line_that_cannot_be_read_is_named(line: bytes, checker: GroupChecker) -> None:
    found = checker.verdict([*counted(1, 2), line, *counted(3)])
    assert found.verdict == "unreadable"
    assert found.why is not None
    assert found.why.startswith("line 3: ")


@pytest.mark.parametrize(
    ("one", "other"), [(1, "1"), (True, "true"), (None, "null"), ({"a": 1}, {"a": 1})]
)
def test_groups_that_are_written_alike_are_no_one_group(
    one: object, other: object, checker: GroupChecker
) -> None:
    """Spark groups by text, to which 1 and "1" are one: what both say together is impossible."""
    said = [json.dumps({"event": "NextId", "next": 1, "topic": topic}) for topic in (one, other)]
    events = [text.encode() for text in said]
    assert checker.verdict(events).verdict == "impossible"
    found = replace(checker, fields=("topic",)).verdict(events)
    assert found.verdict == "unreadable"
    assert "'topic'" in (found.why or "")
    alone = [json.dumps({"event": "NextId", "next": n, "topic": "1"}).encode() for n in (1, 2)]
    assert replace(checker, fields=("topic",)).verdict(alone).verdict == "conforms"


@pytest.mark.parametrize("fields", ["event", "Line", "topic,Topic", "topic,topic"])
def test_fields_that_are_no_columns_of_their_own_are_refused(fields: str, tmp_path: Path) -> None:
    asked = log_groups.GroupedCheck("id-sequence", MAPPING, (), (), 9, None, False, "")
    with pytest.raises(log_groups.GroupError, match="a column of the verdicts"):
        log_groups.check_groups("log", fields.split(","), "local[1]", tmp_path / "out", asked)


def test_a_worker_with_another_text_gives_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker looks the protocol up by its name: what is found there may be another one."""

    def TypeOk(m: object, s: State) -> Expr:
        return s.nextId < 3

    here, claims = catalogue.find("id-sequence"), ("TypeOk",)
    there = replace(here, properties=(invariant("another claim")(TypeOk),))
    text = log_groups.text_of(here, claims)
    asked = log_groups.GroupedCheck("id-sequence", MAPPING, (), claims, 9, None, False, text)
    log_groups._checker.cache_clear()
    assert log_groups._checker(asked, ()).verdict(counted(1, 2)).verdict == "conforms"
    log_groups._checker.cache_clear()
    monkeypatch.setattr(catalogue, "find", lambda name: there)
    with pytest.raises(OtherModel, match="the driver's files"):
        log_groups._checker(asked, ())


def test_a_worker_names_the_file_that_its_mapping_was_read_from() -> None:
    """It has the text alone, and reads it from a file of its own."""
    suite = catalogue.find("id-sequence")
    asked = ("id-sequence", MAPPING, (), (), 9, None, False, log_groups.text_of(suite, ()))
    check = log_groups.GroupedCheck(*asked, file="maps/ids.toml")
    why = log_groups._checker(check, ()).verdict([b'{"event": "skip"}']).why
    assert why is not None
    assert why.startswith("line 1: maps/ids.toml does not map the event 'skip'")


def test_a_worker_in_another_folder_reads_the_file_that_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It found none, and what it found by the whole path is none that the mapping names."""
    text = (ROOT / "docs" / "examples" / "fifo_queue.py").read_text()
    for folder in ("model", "there"):
        (tmp_path / folder).mkdir()
    (tmp_path / "model" / "queue.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    name = "model/queue.py:FifoQueue"
    mapping = f'protocol = "{name}"\n[[event]]\nname = "crash"\nactions = ["Crash"]\n'
    digest = log_groups.text_of(catalogue.find(name), ())
    asked = log_groups.GroupedCheck(
        name, mapping, (), (), 9, None, False, digest, folder=Path.cwd()
    )
    monkeypatch.chdir(tmp_path / "there")
    verdict = log_groups._checker(asked, ()).verdict([b'{"event": "crash"}'])
    assert verdict.verdict == "conforms"


def test_the_mapping_of_groups_may_come_from_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read once: who opens a pipe again waits for another writer."""
    log, pipe = tmp_path / "log.ndjson", tmp_path / "map"
    log.write_bytes(b'{"event": "NextId", "next": 1, "topic": "t"}\n')
    os.mkfifo(pipe)
    said: list[log_groups.GroupedCheck] = []

    def checked(*asked: Any) -> log_groups.GroupSummary:
        said.append(asked[-1])
        return log_groups.GroupSummary({"conforms": 1}, 1, (), {}, None, None)

    monkeypatch.setattr(log_groups, "check_groups", checked)
    with ThreadPoolExecutor(1) as threads:
        threads.submit(pipe.write_text, MAPPING, "utf-8")
        found = bmc(
            *("trace", "check", "id-sequence", "--log", str(log), "--map", str(pipe)),
            *("--group-by", "topic", "--out", str(tmp_path / "out"), "--no-invariants"),
        )
    assert (found.code, [(one.mapping, one.file) for one in said]) == (0, [(MAPPING, str(pipe))])


def test_what_is_missing_is_said_before_spark_starts(tmp_path: Path) -> None:
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    log.write_bytes(b"\n".join(counted(1)))
    file.write_text(MAPPING, encoding="utf-8")
    asked = ("trace", "check", "id-sequence", "--log", str(log), "--map", str(file))
    nowhere = bmc(*asked, "--group-by", "topic")
    assert (nowhere.code, "--out" in nowhere.err) == (2, True)
    traced = bmc(*asked, "--group-by", "topic", "--out", "out", "--trace", "x.html")
    assert (traced.code, "--trace" in traced.err) == (2, True)
    there = bmc(*asked, "--group-by", "topic", "--out", str(tmp_path))
    assert (there.code, "is there already" in there.err) == (2, True)


def test_what_is_interrupted_leaves_no_folder_that_the_next_run_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "all" / "out"

    def interrupted(*asked: Any) -> NoReturn:
        (asked[3] / "verdicts").mkdir(parents=True)
        raise KeyboardInterrupt

    asked = log_groups.GroupedCheck("id-sequence", MAPPING, (), (), 9, None, False, "")
    monkeypatch.setattr(log_groups, "_checked", interrupted)
    with pytest.raises(KeyboardInterrupt):
        log_groups.check_groups("log.ndjson", ["topic"], "local[1]", out, asked)
    assert list(out.parent.iterdir()) == []
    said = log_groups.GroupSummary({}, 0, (), {}, None, None)
    monkeypatch.setattr(log_groups, "_checked", lambda *asked: said)
    with pytest.raises(log_groups.GroupError, match="has no events"):
        log_groups.check_groups("log.ndjson", ["topic"], "local[1]", out, asked)
    assert list(out.parent.iterdir()) == []
    said = log_groups.GroupSummary({"conforms": 1}, 2, (), {}, None, None)

    def completed(*asked: Any) -> log_groups.GroupSummary:
        (asked[3] / "verdicts").mkdir(parents=True)
        return said

    monkeypatch.setattr(log_groups, "_checked", completed)
    assert log_groups.check_groups("log.ndjson", ["topic"], "local[1]", out, asked) is said
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    assert (out / "verdicts").is_dir()


@pytest.mark.nightly
def test_groups_on_spark(tmp_path: Path) -> None:
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    lines = []
    for number in range(1, 4):
        for group in range(5):
            said = 9 if (group, number) == (3, 2) else number
            lines.append(json.dumps({"event": "NextId", "next": said, "group": group}))
    log.write_text("\n".join([*lines[:7], '{"event": "half', *lines[7:]]), encoding="utf-8")
    file.write_text(MAPPING, encoding="utf-8")
    found = bmc(
        *("trace", "check", "id-sequence", "--log", str(log), "--map", str(file), "--json"),
        *("-p", "max_id=5", "--group-by", "group", "--master", "local[1]"),
        *("--out", str(tmp_path / "out")),
    )
    assert found.code == 2
    assert found.document["verdicts"] == {"conforms": 4, "impossible": 1, "unreadable": 1}
    assert [one["group"] for one in found.document["first"]] == [{"group": None}, {"group": "3"}]
    assert found.document["actions"] == {"NextId": 12}
    # A sixth number would be refused, and no group counts that far.
    guards = {"NextId: nextId <= max_id": 0, "NextId: id = nextId": 4}
    assert found.document["guards"] == guards
    assert found.document["witnesses"] == {"Exhausted": 0}


@pytest.mark.nightly
def test_a_line_that_is_no_utf_8_costs_its_group_alone(tmp_path: Path) -> None:
    """It ended the check of all groups; two such topics are one, which is not believed."""
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    topics = [b"a\xff", b"a\xfe", b"b"]
    log.write_bytes(
        b"".join(b'{"event": "NextId", "next": 1, "topic": "%s"}\n' % t for t in topics)
    )
    file.write_text(MAPPING, encoding="utf-8")
    found = bmc(
        *("trace", "check", "id-sequence", "--log", str(log), "--map", str(file), "--json"),
        *("-p", "max_id=5", "--group-by", "topic", "--master", "local[1]"),
        *("--out", str(tmp_path / "out")),
    )
    assert found.code == 2
    assert found.document["verdicts"] == {"conforms": 1, "unreadable": 1}
    assert "byte 43 is not UTF-8" in found.document["first"][0]["why"]


@pytest.mark.nightly
def test_a_field_that_no_event_has_is_no_group(tmp_path: Path) -> None:
    """Events of all groups were one group, and conformed or did not as one."""
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    log.write_text('{"event": "NextId", "next": 1, "topic": "a"}\n', encoding="utf-8")
    file.write_text(MAPPING, encoding="utf-8")
    found = bmc(
        *("trace", "check", "id-sequence", "--log", str(log), "--map", str(file)),
        *("-p", "max_id=5", "--group-by", "topic,partitoin", "--master", "local[1]"),
        *("--out", str(tmp_path / "out")),
    )
    assert found.code == 2
    assert "--group-by partitoin: no event of" in found.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["topic-name", "topic.name"])
def test_a_field_that_no_group_is_made_by_is_named(tmp_path: Path, name: str) -> None:
    """Of a field of its own line it was said that it is a part of one."""
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    log.write_text(json.dumps({"event": "NextId", "next": 1, name: "a"}) + "\n", encoding="utf-8")
    file.write_text(MAPPING, encoding="utf-8")
    found = bmc(
        *("trace", "check", "id-sequence", "--log", str(log), "--map", str(file)),
        *("-p", "max_id=5", "--group-by", name, "--out", str(tmp_path / "out")),
    )
    assert found.code == 2
    assert f"--group-by {name}: name a line's own fields" in found.err
    assert "log what is called otherwise under such a name" in found.err


class _SaysNothing(PySparkException):
    """What Spark raises of Java, which is asked for its words when they are wanted."""

    def __str__(self) -> str:
        raise ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    "error",
    [ConnectionRefusedError(111, "Connection refused"), Py4JNetworkError("no"), _SaysNothing("no")],
)
def test_a_spark_that_ends_meanwhile_is_no_failure_of_bmc(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception
) -> None:
    class Ended(SparkExecutors):
        def __enter__(self) -> "Ended":
            return self

        @property
        def session(self) -> NoReturn:
            raise error

    monkeypatch.setattr(log_groups, "SparkExecutors", Ended)
    asked = log_groups.GroupedCheck("id-sequence", MAPPING, (), (), 1, None, False, "")
    with pytest.raises(ClusterLost, match=r"Spark has stopped .* Run the same command again"):
        log_groups.check_groups("log.ndjson", ("topic",), "local[1]", tmp_path / "out", asked)
    assert not list(tmp_path.iterdir())
