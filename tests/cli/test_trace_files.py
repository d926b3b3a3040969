"""A trace that is written is the trace that is read, and what is no execution is refused."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bmc.evidence.trace import Trace, TraceStep
from bmc.reports.traces.itf import ItfParser, itf_json, itf_value
from bmc.reports.traces.parsing import Parser, TraceFileError
from bmc.reports.values import value_json
from tests.cli.running import ROOT, Answered, bmc, validate_as
from tests.cli.zoo import SORTS, STATE, WORDS

ASKED = ("check", "kafka-truncate-to-hw", "-p", "replicas=2", "--depth", "8", "-P", "WeakIsr")


@cache
def itf_validator() -> jsonschema.Draft202012Validator:
    text = (ROOT / "docs" / "itf.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A violation as the document of `bmc check`."""
    answer = bmc(*ASKED, "--json")
    assert answer.code == 1
    path = tmp_path_factory.mktemp("found") / "result.json"
    path.write_text(answer.out, encoding="utf-8")
    return path


def exported(found: Path, name: str) -> Path:
    path = found.with_name(name)
    answer = bmc("trace", "export", str(found), "--to", str(path))
    assert answer.code == 0, answer.err
    return path


def replay(path: Path, *options: str) -> Answered:
    return bmc("trace", "replay", str(path), *options)


def test_every_sort_comes_back_in_both_forms() -> None:
    for name, sort in SORTS.items():
        value = STATE[name]
        plain = json.loads(json.dumps(value_json(WORDS, sort, value)))
        assert Parser(WORDS).checked(sort, plain, name) == value
        itf = json.loads(json.dumps(itf_value(WORDS, sort, value)))
        assert ItfParser(WORDS).checked(sort, itf, name) == value


def test_itf_is_what_apalache_and_quint_write() -> None:
    wanted: dict[str, Any] = {
        "flag": True,
        "offset": {"#bigint": "2"},
        "role": "follower",
        "replica": "r1",
        "nobody": {"tag": "None", "value": {"#tup": []}},
        "entry": {
            "id": {"#bigint": "1"},
            "owner": {"tag": "Some", "value": "r3"},
        },
        "byReplica": {
            "#map": [["r1", {"#bigint": "0"}], ["r2", {"#bigint": "1"}], ["r3", {"#bigint": "0"}]]
        },
        "isr": {"#set": ["r1", "r3"]},
    }
    for name, expected in wanted.items():
        assert itf_value(WORDS, SORTS[name], STATE[name]) == expected
    queue = itf_value(WORDS, SORTS["queue"], STATE["queue"])
    assert [one["tag"] for one in queue] == ["Stop", "Fetch"]
    whole = itf_json(WORDS, "zoo", Trace((TraceStep(None, {}, STATE),)), None)
    itf_validator().validate(json.loads(json.dumps(whole)))
    assert whole["#meta"]["varTypes"]["isr"] == "Set(Str)"
    assert whole["#meta"]["varTypes"]["byReplica"] == "(Str -> Int)"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("offset", 2),
        ("queue", {"#tup": [{"tag": "Stop", "value": False}]}),
        ("nobody", {"tag": "None", "value": "U_OF_UNIT"}),
        ("nobody", {"tag": "None", "value": {}}),
    ],
)
def test_other_dialects_are_read(name: str, data: object) -> None:
    jsonschema.Draft202012Validator({"$ref": "#/$defs/expr", "$defs": _definitions()}).validate(
        data
    )
    ItfParser(WORDS).checked(SORTS[name], data, name)


def _definitions() -> Any:
    return itf_validator().schema["$defs"]  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("offset", {"#bigint": "7"}),
        ("offset", {"#bigint": "1.5"}),
        ("offset", True),
        ("offset", {"#unserializable": "Int"}),
        ("flag", 1),
        ("replica", "r9"),
        ("role", "king"),
        ("entry", {"id": {"#bigint": "1"}}),
        ("isr", ["r1"]),
        ("isr", {"#set": ["r1", "r1"]}),
        ("byReplica", {"#map": [["r1", {"#bigint": "0"}]]}),
        ("byReplica", {"#map": [["r1", {"#bigint": "0"}]] * 3}),
        (
            "requests",
            {
                "#set": [
                    {"id": {"#bigint": "1"}, "owner": {"tag": "None", "value": {}}},
                    {"id": {"#bigint": "1"}, "owner": {"tag": "Some", "value": "r1"}},
                ]
            },
        ),
        ("messages", {"#set": [{"tag": "Nothing", "value": True}]}),
    ],
)
def test_what_is_no_value_of_its_sort_is_refused(name: str, data: object) -> None:
    with pytest.raises(TraceFileError, match=name):
        ItfParser(WORDS).checked(SORTS[name], data, name)


@pytest.mark.parametrize("name", ["one.itf.json", "one.json"])
def test_an_exported_trace_replays(found: Path, name: str) -> None:
    path = exported(found, name)
    data = json.loads(path.read_text(encoding="utf-8"))
    if "itf" in name:
        itf_validator().validate(data)
        assert data["states"][1]["#meta"]["action"]
    else:
        validate_as("single_trace", data)
    answer = replay(path)
    assert answer.code == 1, answer.err
    assert "replayed: an initial state, and 8 steps out of it" in answer.out
    assert "WeakIsr is violated after step 8" in answer.out
    document = replay(path, "--json").document
    assert document["violated"] is True
    assert document["trace"] == json.loads(found.read_text("utf-8"))["results"][0]["trace"]


def test_another_property_may_hold_at_its_end(found: Path) -> None:
    path = exported(found, "other.itf.json")
    answer = replay(path, "-P", "TypeOk")
    assert answer.code == 0
    assert "TypeOk holds at its end" in answer.out


def test_a_state_that_was_tampered_with_is_no_execution(found: Path) -> None:
    path = exported(found, "tampered.itf.json")
    good = json.loads(path.read_text(encoding="utf-8"))
    for number in range(len(good["states"])):
        bad = deepcopy(good)
        bad["states"][number]["nextRecordId"] = {"#bigint": "2"}
        path.write_text(json.dumps(bad), encoding="utf-8")
        answer = replay(path)
        assert answer.code == 2, number
        assert "is no execution of kafka-truncate-to-hw" in answer.err


def test_a_wrong_action_is_noticed(found: Path) -> None:
    path = exported(found, "renamed.itf.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    was = data["states"][1]["#meta"]["action"]
    data["states"][1]["#meta"]["action"] = "LeaderWrite"
    path.write_text(json.dumps(data), encoding="utf-8")
    answer = replay(path)
    assert answer.code == 2
    assert f"state 1 is not reached by LeaderWrite, as it says, but by {was}" in answer.err


def test_a_step_into_the_first_state_is_no_word_that_is_passed_over(found: Path) -> None:
    """It was: the trace was replayed as if it began there. A word of another tool's is none."""
    path = exported(found, "begun.itf.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    data["states"][0]["#meta"]["action"] = "LeaderWrite"
    path.write_text(json.dumps(data), encoding="utf-8")
    answer = replay(path)
    assert answer.code == 2
    assert "it says that LeaderWrite led there" in answer.err
    data["states"][0]["#meta"]["action"] = "Init"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert replay(path).code == 1


def test_a_foreign_trace_is_read_with_what_it_does_not_say(found: Path) -> None:
    path = exported(found, "foreign.itf.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    bare = {
        "vars": data["vars"],
        "states": [
            {n: v for n, v in state.items() if n != "#meta"} | {"mbt::actionTaken": "step"}
            for state in data["states"]
        ],
    }
    path.write_text(json.dumps(bare), encoding="utf-8")
    answer = replay(path)
    assert answer.code == 2
    assert "name it with --protocol" in answer.err
    asked = ("--protocol", "kafka-truncate-to-hw", "-p", "replicas=2")
    assert replay(path, *asked).code == 0
    assert replay(path, *asked, "-P", "WeakIsr").code == 1
    assert replay(path, "--protocol", "kafka-kip101", "-p", "replicas=2").code == 2


def test_a_page_is_said_to_be_for_people(found: Path) -> None:
    answered = bmc("trace", "show", str(exported(found, "weak.html")))
    assert answered.code == 2
    assert "is for people, and a trace is read again from .itf.json or .json" in answered.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[]", "it is no JSON object"),
        ("{}", "neither ITF nor"),
        ('{"states": []}', "at least one"),
        ('{"vars": ["x"], "states": [{"x": 1}], "loop": 0}', "is a lasso"),
        ('{"property": "P", "states": 2, "trace": [{"state": {"x": 1}}], "loop": 0}', "is a lasso"),
        ('{"results": []}', "nothing in it is violated"),
        ('{"protocol": "kafka", "trace": []}', "has no states"),
        ('{"protocol": "kafka", "trace": [{"state": {}}]}', "is missing"),
        ('{"protocol": "kafka", "trace": [{"state": 3}]}', "a state is an object"),
    ],
)
def test_what_is_no_trace_is_said_so(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "some.json"
    path.write_text(text, encoding="utf-8")
    answer = replay(path)
    assert answer.code == 2
    assert said in answer.err


WRONG_KINDS: list[tuple[tuple[str | int, ...], Any]] = [
    (("property",), ["WeakIsr"]),
    (("property",), 5),
    (("protocol",), ["kafka"]),
    (("parameters",), [1]),
    (("#meta",), "bmc"),
    (("#meta", "bmc"), ["kafka"]),
    (("#meta", "bmc", "property"), ["WeakIsr"]),
    (("#meta", "bmc", "protocol"), 7),
    (("#meta", "bmc", "parameters"), "replicas=2"),
    (("states", 1, "#meta"), [5]),
]


@pytest.mark.parametrize(("where", "data"), WRONG_KINDS)
def test_what_is_of_another_kind_is_not_taken_for_left_out(
    found: Path, where: tuple[str | int, ...], data: object
) -> None:
    itf = where[0] in ("#meta", "states")
    path = exported(found, "kinds.itf.json" if itf else "kinds.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    holder = document
    for part in where[:-1]:
        holder = holder[part]
    holder[where[-1]] = data
    path.write_text(json.dumps(document), encoding="utf-8")
    answer = replay(path, "--protocol", "kafka-truncate-to-hw", "-p", "replicas=2")
    assert answer.code == 2
    assert "kinds." in answer.err
    assert str(where[-1]) in answer.err
    assert "leave it out" in answer.err


@pytest.mark.parametrize(
    ("part", "data", "said"),
    [
        ("parameters", {"replicas": "2"}, "its parameters: replicas must be an integer"),
        ("parameters", {"replicas": 900}, "its parameters: replicas must be between"),
        ("parameters", {"replica": 2}, "has no parameter 'replica': did you mean replicas?"),
        ("property", "WeakIrs", "has no property 'WeakIrs': did you mean WeakIsr?"),
    ],
)
@pytest.mark.parametrize("itf", [True, False])
def test_what_a_file_says_and_cannot_be_is_told_with_the_file(
    found: Path, part: str, data: object, said: str, itf: bool
) -> None:
    path = exported(found, "said.itf.json" if itf else "said.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    (document["#meta"]["bmc"] if itf else document)[part] = data
    path.write_text(json.dumps(document), encoding="utf-8")
    answer = replay(path)
    assert (answer.code, str(path) in answer.err, said in answer.err) == (2, True, True)


def test_show_is_what_check_shows(found: Path) -> None:
    shown = bmc("trace", "show", str(found))
    assert shown.code == 0
    wanted = bmc(*ASKED).out
    assert shown.out[shown.out.index("WeakIsr: ") :].strip() in wanted


def test_only_what_was_asked_for_is_shown(found: Path) -> None:
    text = bmc("trace", "show", str(found), "--only", "quorumState").out
    assert "quorumState" in text
    assert "replicaLog " not in text
    wrong = bmc("trace", "show", str(found), "--only", "quorumstate")
    assert wrong.code == 2
    assert "quorumState" in wrong.err


def test_check_writes_its_traces(tmp_path: Path) -> None:
    path = tmp_path / "weak.itf.json"
    answer = bmc(*ASKED, "--trace", str(path))
    assert f"Trace: {path}" in answer.out
    assert replay(path).code == 1
    page = tmp_path / "weak.html"
    document = bmc(*ASKED, "--trace", str(page), "--json").document
    assert document["traces"] == {"WeakIsr": str(page)}
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert bmc(*ASKED, "--trace", str(tmp_path / "weak.doc")).code == 2


def test_traces_of_an_earlier_run_are_named(tmp_path: Path) -> None:
    """The old one looked like one of this run."""
    path, second = tmp_path / "weak.itf.json", tmp_path / "weak-2.itf.json"
    second.write_text("{}")
    said = f"Trace of an earlier run, not of this one: {second}"
    found = bmc(*ASKED, "--trace", str(path))
    assert said in found.out
    assert second.read_text() == "{}"
    clean = bmc("check", "id-sequence", "--depth", "1", "--trace", str(path))
    assert clean.code == 0
    assert f"{said[: said.index(':')]}: {path}" in clean.out
    assert said in clean.out


EARLY = ("replicated-log-retention", "-p", "replicas=2", "-P", "TypeOk")


@pytest.mark.parametrize("command", [("explore",), ("prove", "--engine", "kinduction")])
def test_other_commands_show_a_violation_as_check_does(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *more = command
    path = tmp_path / "early.itf.json"
    shown = bmc(name, *EARLY, *more, "--trace", str(path), "--only", "logs")
    assert shown.code == 1
    assert f"Trace: {path}" in shown.out
    assert replay(path).code == 1
    trace = shown.out[shown.out.index("TypeOk: a trace of") :].split("\n\n")[1]
    assert trace in bmc("check", *EARLY, "--depth", "4", "--only", "logs").out
    several = bmc(name, *EARLY, *more, "--max-traces", "2", "--json").document
    assert len(several["results"][0]["more_traces"]) == 1
    assert bmc(name, *EARLY, *more, "--only", "lags").code == 2


def test_an_ending_that_says_no_form_is_told_what_its_command_offers(found: Path) -> None:
    """`--as` is a word of `bmc trace export` alone."""
    to = str(found.with_name("page"))
    assert "--as" in bmc("trace", "export", str(found), "--to", to).err
    searched = bmc("check", "kafka-async-isr", "--depth", "1", "--trace", to)
    assert searched.code == 2
    assert "end it in" in searched.err
    assert "--as" not in searched.err


LOW = """---- MODULE Low ----
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<>>
Next == Len(q) < 3 /\\ q' = Append(q, 1)
Few == {claim}
====
"""


def test_what_the_text_gives_no_value_at_its_end_is_not_violated(tmp_path: Path) -> None:
    """The claim was changed since, and it was said to be violated, which TLC has an error for."""
    spec, trace = tmp_path / "Low.tla", tmp_path / "trace.json"
    spec.with_suffix(".cfg").write_text("INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Few")
    spec.write_text(LOW.format(claim="Len(q) < 2"))
    assert bmc("check", str(spec), "--trace", str(trace)).code == 1
    named = ("--protocol", str(spec))
    assert replay(trace, *named).code == 1
    spec.write_text(LOW.format(claim="Len(q) < 2 \\/ q[0] = 1"))
    answer = replay(trace, "--json", *named)
    said = answer.document
    assert answer.code == 3
    assert (said["violated"], said["violated_instance"], said["why"]) == (None, None, None)
    assert "Low.tla:6:22: 0 is not in the domain of <<1, 1>>" in said["undecided"]
    for word in ("replay", "show"):
        assert "Few is unknown: " in bmc("trace", word, str(trace), *named).out
    page = tmp_path / "page.html"
    assert bmc("trace", "export", str(trace), "--to", str(page), *named).code == 0
    assert "violated" not in page.read_text().split("<style>")[0]
