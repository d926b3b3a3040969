"""What TLC and Apalache print is read as an answer only where it is one."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

STARTED = """\
TLC2 Version 2.19 of 08 August 2024
Running breadth-first search Model-Checking with fp 21 and seed -2 with 1 worker on 2 cores.
Parsing file /specs/MC.tla
Semantic processing of module MC
Starting... (2026-01-01 00:00:00)
Computing initial states...
Finished computing initial states: 1 distinct state generated at 2026-01-01 00:00:00.
Progress(7) at 2026-01-01 00:00:03: 17,810 states generated (17,810 s/min), 4,893 distinct \
states found (4,893 ds/min), 0 states left on queue.
"""
PROVED = f"""{STARTED}\
Model checking completed. No error has been found.
  Estimates of the probability that TLC did not check all reachable states
  because two distinct states had the same fingerprint:
  calculated (optimistic):  val = 4.9E-8
1967560 states generated, 737794 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 26.
"""
VIOLATED = f"""{STARTED}\
Error: Invariant Small is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
x = 0

State 2: <Next line 7, col 9 to line 7, col 18 of module MC>
x = 1

State 3: <Next line 7, col 9 to line 7, col 18 of module MC>
x = 2

271382 states generated, 64619 distinct states found, 30271 states left on queue.
The depth of the complete state graph search is 3.
"""
AT_ONCE = f"""{STARTED}\
Error: Invariant Small is violated by the initial state:
x = 9

1 states generated, 1 distinct states found, 0 states left on queue.
"""
DEADLOCK = f"""{STARTED}\
Error: Deadlock reached.
Error: The behavior up to this point is:
State 1: <Initial predicate>
x = 0

1 states generated, 1 distinct states found, 0 states left on queue.
"""
UNPARSED = """\
TLC2 Version 2.19 of 08 August 2024
***Parse Error***
Error: Parsing or semantic analysis failed.
"""
NO_MEMORY = f"""{STARTED}\
Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
"""

CLEAN = """\
Checker options: check, --length=20                               I@00:00:01.000
The outcome is: NoError                                           I@00:01:00.000
Checker reports no error up to computation length 20              I@00:01:00.001
It took me 0 days  0 hours  1 min  0 sec                          I@00:01:00.002
EXITCODE: OK
"""
BROKEN = """\
State 10: Checking 1 state invariants                             I@00:00:09.000
State 10: state invariant 0 violated.                             I@00:00:10.000
Found 1 error(s)                                                  I@00:00:10.001
The outcome is: Error                                             I@00:00:10.002
Checker has found an error                                        I@00:00:10.003
EXITCODE: ERROR (12)
"""
UNTYPED = """\
PASS #1: TypeCheckerSnowcat                                       I@00:00:02.000
Typing input error: Expected a type annotation for VARIABLE log   E@00:00:02.001
EXITCODE: ERROR (120)
"""


@pytest.fixture
def tla(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("tla")


def done(tla: ModuleType, output: str) -> object:
    return tla.Run(1, 1, 1, 0, output, False)


@pytest.mark.parametrize(
    ("output", "answer", "distinct"),
    [
        (PROVED, "proved", 737794),
        (VIOLATED, "violated at 2 steps", None),
        (AT_ONCE, "violated at 0 steps", 1),
        (DEADLOCK, "failed: Error: Deadlock reached.", 1),
        (UNPARSED, "failed: Error: Parsing or semantic analysis failed.", None),
        (STARTED, "unknown", None),
        ("", "unknown", None),
    ],
)
def test_what_tlc_says(tla: ModuleType, output: str, answer: str, distinct: int | None) -> None:
    assert tla.tlc_says(done(tla, output)) == answer
    assert tla.distinct(done(tla, output)) == distinct


def test_a_crash_of_tlc_is_no_answer(tla: ModuleType) -> None:
    assert tla.tlc_says(done(tla, NO_MEMORY)).startswith("failed: Exception")
    assert tla.tlc_says(done(tla, PROVED + NO_MEMORY)).startswith("failed")


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (CLEAN, "nothing up to 20 steps"),
        (BROKEN, "violated at 10 steps"),
        (
            UNTYPED,
            "failed: Typing input error: Expected a type annotation for VARIABLE log",
        ),
        (CLEAN.replace("EXITCODE: OK\n", ""), "unknown"),
    ],
)
def test_what_apalache_says(tla: ModuleType, output: str, answer: str) -> None:
    assert tla.apalache_says(done(tla, output)) == answer


def test_a_module_is_copied_and_configured(
    tla: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    published = "---- MODULE replication ----\nEXTENDS Naturals\nLOCAL Next == FALSE\n"
    (theirs / "replication.tla").write_text(f"{published}=====\nno part of it\n====\n")
    monkeypatch.setenv("BMC_TLA", str(theirs))
    given = {"nodes": 2, "document_ids": 1, "max_client_value": 2, "max_messages": 3}
    module = tla.specification("elasticsearch", given).write(tmp_path, "Small", symmetry=True)
    assert module == tmp_path / "replication.tla"
    assert module.read_text() == (
        f"{published}\n"
        "LOCAL INSTANCE TLC\n"
        "Interchangeable == Permutations(Nodes) \\union Permutations(DocumentIds)\n"
        "Inside == nextClientValue <= 2 /\\ Cardinality(messages) <= 3"
        " /\\ 0 < Cardinality(Assigned(clusterStateOnMaster.routingTable))\n"
        "=====\n"
    )
    lines = module.with_suffix(".cfg").read_text().splitlines()
    assert "  Nodes = {Nodes1, Nodes2}" in lines
    assert lines[-5:] == [
        *("INIT Init", "NEXT Next", "SYMMETRY Interchangeable"),
        *("CONSTRAINT Inside", "INVARIANT Small"),
    ]


def test_a_module_is_looked_for_in_every_folder(
    tla: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 0}
    published = tla.specification("kafka-kip279", given)
    monkeypatch.setenv("BMC_TLC_JAR", "tlc.jar")
    monkeypatch.setenv("BMC_TLA", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert tla.missing(tla.TLC, published) == "not in BMC_TLA: Kip279"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "Kip279.tla").write_text("---- MODULE Kip279 ----\n====\n")
    assert tla.missing(tla.TLC, published) == ""
    assert f"-DTLA-Library={tmp_path / 'b'}" in tla.tlc(published, tmp_path)
