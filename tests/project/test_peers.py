"""The comparison with peers: each row says what was run, and what did not end has no ratio."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from bmc.properties.kafka import KAFKA_TRUNCATE_TO_HW

from bmc.engines.bounded import check
from bmc.engines.task import Task

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return _module("peers", monkeypatch)


def _module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module(name)


def test_peers_that_are_not_given_have_a_row_that_says_so(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable in ("BMC_TLC_JAR", "BMC_APALACHE", "BMC_TLA"):
        monkeypatch.delenv(variable, raising=False)
    rows = list(peers.peers("3,2,2,2", 10, tmp_path))
    asked = {(row.question, row.name) for row in rows}
    assert {name for question, name in asked if question == "prove"} == {
        "bmc prove",
        "bmc IC3, structural lemmas",
        "bmc prove --engine ic3 --no-lemmas",
        "ABC pdr, structural lemmas",
        "ABC pdr",
        "TLC, one worker",
        "Apalache",
    }
    assert {name for question, name in asked if question == "find"} == {
        "bmc check",
        "bmc check --raw",
        "bmc check --solver z3",
        "ABC bmc3",
        "hand-written z3, Int and arrays",
        "TLC, one worker",
        "Apalache",
    }
    missing = [peers.measure(row, 1, 1) for row in rows if not row.command]
    assert [row["answer"] for row in missing] == [
        "not given: BMC_TLC_JAR and BMC_TLA",
        "not given: BMC_APALACHE and BMC_TLA",
    ] * 2


def test_a_peer_that_did_not_end_has_no_ratio(peers: ModuleType) -> None:
    quick = peers.Peer("prove", "quick", (sys.executable, "-c", "pass"), lambda done: "proved")
    endless = peers.Peer(
        "prove", "endless", (sys.executable, "-c", "while True: pass"), lambda done: "proved"
    )
    broken = peers.Peer("prove", "broken", (sys.executable, "-c", "exit(7)"), peers._verdict)
    rows = [peers.measure(quick, 2, 10)]
    rows += [peers.measure(broken, 1, 10), peers.measure(endless, 1, 0.5)]
    peers.with_ratios(rows)
    assert [row["answer"] for row in rows] == ["proved", "failed, exit code 7", "stopped"]
    assert [row.get("ratio") for row in rows] == [1.0, None, None]
    assert rows[0]["runs"] == 2
    assert len(list(peers.text(rows))) == 2 + len(rows)


def test_what_abc_says_is_counted_in_steps(peers: ModuleType) -> None:
    def said(output: str) -> str:
        answer: str = peers._abc_says(peers.Run(1, 1, 1, 0, output, False))
        return answer

    assert said('Output 0 of miter "a" was asserted in frame 9.') == "violated at 9 steps"
    assert said("Property proved.  Time = 1 sec") == "proved"
    assert said("Property UNDECIDED.  frame 14") == "unknown"


@pytest.mark.nightly
def test_the_hand_written_search_finds_traces_of_the_same_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_hand = _module("handwritten_z3", monkeypatch)
    found = by_hand.search(by_hand.Model("kafka-truncate-to-hw", 2, 1, 1, 1), 12, 240)
    given = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    (result,) = check(Task(KAFKA_TRUNCATE_TO_HW, given, ("StrongIsr",), bound=12))
    assert result.trace is not None
    assert found["answer"] == "violated", json.dumps(found)
    assert found["steps"] == len(result.trace) - 1
