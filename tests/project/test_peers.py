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
    for variable in ("BMC_TLC_JAR", "BMC_APALACHE", "BMC_APALACHE_TLA", "BMC_TLA", "BMC_RIC3"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    rows = list(peers.peers("3,2,2,2", {"prove": 10, "find": 10}, tmp_path))
    assert len({(row.question, row.name) for row in rows}) == len(rows)
    tla = {
        "TLC, one worker": "not given: BMC_TLC_JAR and BMC_TLA",
        "TLC, one worker, symmetry": "not given: BMC_TLC_JAR and BMC_TLA",
        "Apalache": "not given: BMC_APALACHE and BMC_TLA",
    }
    ric3, abc = "not given: BMC_RIC3", "not given: berkeley-abc"
    absent = {"prove": {**tla}, "find": tla | {"rIC3 bmc": ric3, "ABC bmc3": abc}}
    for what in ("", ", structural lemmas"):
        absent["prove"] |= {f"rIC3 ic3{what}": ric3, f"ABC pdr{what}": abc}
    for question, wanted in absent.items():
        missing = [row for row in rows if row.question == question and not row.command]
        assert {row.name: peers.measure(row, 1, 1)["answer"] for row in missing} == wanted


def test_each_peer_is_compared_with_a_row_of_the_same_question(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("Kip320", "Kip279"):
        (tmp_path / f"{module}.tla").write_text(f"---- MODULE {module} ----\n====\n")
    monkeypatch.delenv("BMC_APALACHE_TLA", raising=False)
    for variable in ("BMC_TLC_JAR", "BMC_APALACHE", "BMC_TLA", "BMC_RIC3", "PATH"):
        monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "berkeley-abc").touch(0o755)
    rows = list(peers.peers("3,2,2,2", {"prove": 10, "find": 10}, tmp_path))
    assert all(row.command for row in rows)
    named = {(row.question, row.name) for row in rows}
    theirs = [row for row in rows if not row.name.startswith("bmc")]
    assert len(theirs) == 7 + 6
    alone = {row.name for row in theirs if (row.question, row.like) not in named}
    assert alone == {"Apalache"}, "it proves nothing"


APALACHE = """\
#!{python}
import sys
from pathlib import Path

(library,) = (word.partition("=")[2] for word in sys.argv if word.startswith("-DTLA-Library="))
if "@type" not in Path(sys.argv[-1]).read_text() or not Path(library, "Util.tla").is_file():
    print("Typing input error: Expected a type annotation for VARIABLE log   E@00:00:02.001")
    raise SystemExit(120)
print("State 10: state invariant 0 violated.                             I@00:00:10.000")
raise SystemExit(12)
"""


def test_apalache_is_run_on_the_annotated_copy_that_is_named(
    peers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def row() -> dict[str, object]:
        given = {"prove": 10, "find": 10}
        rows = [one for one in peers.peers("3,2,2,2", given, tmp_path) if one.question == "find"]
        (apalache,) = (one for one in rows if one.name.startswith("Apalache"))
        measured: dict[str, object] = peers.measure(apalache, 1, 60)
        return {name: measured[name] for name in ("peer", "answer", "like")}

    for folder, types in (("bin", ""), ("published", ""), ("copy", "\\* @type: Int;\n")):
        (tmp_path / folder).mkdir()
        for module in ("Kip320", "Kip279", "Util"):
            text = f"---- MODULE {module} ----\n{types}VARIABLE log\n====\n"
            (tmp_path / folder / f"{module}.tla").write_text(text)
    java = tmp_path / "bin" / "java"
    java.write_text(APALACHE.format(python=sys.executable))
    java.chmod(0o755)
    monkeypatch.setenv("PATH", str(java.parent), prepend=":")
    monkeypatch.setenv("BMC_APALACHE", "apalache.jar")
    monkeypatch.setenv("BMC_TLA", str(tmp_path / "published"))
    monkeypatch.delenv("BMC_APALACHE_TLA", raising=False)
    untyped = "failed: Typing input error: Expected a type annotation for VARIABLE log"
    like = "bmc check --raw"
    assert row() == {"peer": "Apalache", "answer": untyped, "like": like}
    annotated = "Apalache, an annotated copy"
    monkeypatch.setenv("BMC_APALACHE_TLA", str(tmp_path / "copy"))
    assert row() == {"peer": annotated, "answer": "violated at 10 steps", "like": like}
    (tmp_path / "copy" / "Kip279.tla").unlink()
    absent = "not in BMC_APALACHE_TLA: Kip279"
    assert row() == {"peer": annotated, "answer": absent, "like": ""}


def test_what_did_not_end_needs_more(peers: ModuleType) -> None:
    def row(name: str, program: str, answer: str = "proved", like: str = "") -> object:
        command = (sys.executable, "-c", program)
        return peers.Peer("prove", name, command, lambda done: answer, like=like)

    busy = "sum(range(10**6))"
    wanted = [
        row("quick", busy),
        row("same", busy, like="quick"),
        row("endless", "while True: pass", like="quick"),
        row("vain", busy, "unknown", like="quick"),
        row("wrong", busy, "violated at 3 steps", like="quick"),
    ]
    rows = [peers.measure(one, 2, 2.0) for one in wanted]
    rows.append(
        peers.measure(peers.Peer("prove", "no JSON", wanted[0].command, peers._verdict), 1, 9)
    )
    peers.with_ratios(rows)
    assert [one["answer"] for one in rows] == [
        *("proved", "proved", "stopped", "unknown", "violated at 3 steps", "failed, exit code 0")
    ]
    assert rows[0]["ratio"] == "1.0"
    assert rows[0]["runs"] == 2
    assert [str(one["beside"])[:1] for one in rows] == [
        "N",
        rows[1]["ratio"][:1],
        ">",
        ">",
        "N",
        "N",
    ]
    assert rows[2]["ratio"].startswith("> ")
    assert [one["ratio"] for one in rows[4:]] == [None, None]
    assert len(list(peers.text(rows))) == 2 + len(rows)


def test_what_abc_says_is_counted_in_steps(peers: ModuleType) -> None:
    def said(output: str) -> str:
        answer: str = peers._abc_says(peers.Run(1, 1, 1, 0, output, False))
        return answer

    assert said('Output 0 of miter "a" was asserted in frame 9.') == "violated at 9 steps"
    assert said("Property proved.  Time = 1 sec") == "proved"
    assert said("Property UNDECIDED.  frame 14") == "unknown"


def test_what_ric3_says_is_counted_in_steps(peers: ModuleType) -> None:
    def said(output: str) -> str:
        answer: str = peers._ric3_says(peers.Run(1, 1, 1, 0, output, False))
        return answer

    assert (
        said("[INFO ] depth\nRESULT: SAT\n1\nb1\n001\n10\n0x\n11\n.\n\n") == "violated at 2 steps"
    )
    assert said("RESULT: SAT\n") == "violated"
    assert said("[INFO ] depth\nRESULT: UNSAT\n") == "proved"
    assert said("[INFO ] bmc depth: 9\n") == "unknown"


@pytest.mark.nightly
def test_the_hand_written_search_finds_traces_of_the_same_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_hand = _module("handwritten_z3", monkeypatch)
    found = by_hand.search(by_hand.Model("kafka-truncate-to-hw", 2, 1, 1, 1), 12, 240)
    given = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    (result,) = check(Task(KAFKA_TRUNCATE_TO_HW, given, ("StrongIsr",), depth=12))
    assert result.trace is not None
    assert found["answer"] == "violated", json.dumps(found)
    assert found["steps"] == len(result.trace) - 1
