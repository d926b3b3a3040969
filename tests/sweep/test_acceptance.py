"""The sweep that sweeps are judged by: every Kafka variant, killed on the way, against TLC."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bmc.cli.shared.catalogue import find
from bmc.lang.properties import Kind
from bmc.lang.protocol import parameters_of
from tests.sweep.sparks import ROOT, environment, rows_in

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("spark")]

VARIANTS = (
    "kafka-truncate-to-hw",
    "kafka-kip101",
    "kafka-kip279",
    "kafka-kip320-first-try",
    "kafka-kip320",
)
GRID = ("replicas=2..3", "log_size=1..2", "max_records=1..2", "max_leader_epoch=0..2")
INVARIANTS = sum(
    one.kind is Kind.INVARIANT for variant in VARIANTS for one in find(variant).properties
)
JOBS = INVARIANTS * 24

Question = tuple[str, str, tuple[tuple[str, int], ...]]


def sweep(out: Path) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-m", "bmc", "sweep", *VARIANTS, "--all", "--out", str(out)]
    for axis in GRID:
        words += ["--grid", axis]
    log = (out.parent / "log").open("ab")
    return subprocess.Popen(words, env=environment(), cwd=ROOT, stdout=log, stderr=log)


def question(protocol: str, name: str, parameters: dict[str, int]) -> Question:
    return protocol, name, tuple(sorted(parameters.items()))


def oracle() -> dict[Question, Any]:
    text = (ROOT / "tests" / "encodings" / "oracle.json").read_text(encoding="utf-8")
    return {
        question(row["protocol"], name, row["parameters"]): verdict
        for row in json.loads(text)
        for name, verdict in row.get("properties", {}).items()
    }


def exceptions(rows: list[Any]) -> list[Question]:
    """What holds although it is violated at smaller values of parameters declared monotone."""
    declared = parameters_of(find("kafka").protocol)
    monotone = {parameter.name: parameter.monotone for parameter in declared}
    assert sum(monotone.values()) == 3
    violated = [row for row in rows if row["verdict"] == "violated"]

    def implies(small: Any, large: Any) -> bool:
        values = dict(small["parameters"])
        return (small["protocol"], small["property"]) == (
            large["protocol"],
            large["property"],
        ) and all(
            values[n] <= v if monotone[n] else values[n] == v
            for n, v in dict(large["parameters"]).items()
        )

    return [
        question(row["protocol"], row["property"], dict(row["parameters"]))
        for row in rows
        if row["verdict"] != "violated" and any(implies(other, row) for other in violated)
    ]


def test_every_kafka_variant_is_judged_as_tlc_does(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = sweep(out)
    wanted = random.randint(1, JOBS - 100)
    while rows_in(out) < wanted:
        assert first.poll() is None
        time.sleep(0.1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    # Violations were found, and nothing is unknown.
    assert sweep(out).wait() == 1
    rows = pq.read_table(out / "results.parquet").to_pylist()
    found = {question(r["protocol"], r["property"], dict(r["parameters"])): r for r in rows}
    assert len(found) == len(rows) == JOBS
    assert {row["verdict"] for row in rows} == {"proved", "violated"}
    known = {asked: verdict for asked, verdict in oracle().items() if asked in found}
    assert len(known) == 5 * 6 * 3
    for asked, verdict in known.items():
        row = found[asked]
        assert (row["verdict"] == "violated") is (verdict["verdict"] == "violated"), asked
        if row["verdict"] == "violated" and row["engine"] == "bounded":
            assert row["trace_states"] == verdict["shortest_trace_states"], asked
    assert exceptions(rows) == []
    for row in rows:
        evidence = row["trace"] if row["verdict"] == "violated" else row["certificate"]
        assert (out / evidence).is_file()
