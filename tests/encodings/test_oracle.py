"""The encodings have exactly the states that TLC finds in the original specifications.

``oracle.json`` has a row for each protocol and choice of parameters that TLC was run on: distinct
states in all and by level, and the verdicts with the number of states of a shortest trace.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared.catalogue import find
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang.properties import Kind

Row = Mapping[str, Any]

ROWS: list[Row] = json.loads(Path(__file__).with_name("oracle.json").read_text(encoding="utf-8"))


def name_of(row: Row) -> str:
    return "-".join([row["protocol"], *map(str, row["parameters"].values())])


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_states_and_verdicts_are_those_of_tlc(row: Row) -> None:
    suite = find(row["protocol"])
    verdicts: Mapping[str, Mapping[str, Any]] = row.get("properties", {})
    witnesses = tuple(d.name for d in suite.declared(Kind.WITNESS))
    found = explore(Task(suite, row["parameters"], (*verdicts, *witnesses)))
    assert found.complete
    assert found.distinct_states == row["distinct_states"]
    assert len(found.levels) == row["depth"]
    assert list(found.levels) == row.get("levels", list(found.levels))
    expected = {
        name: verdict["shortest_trace_states"]
        for name, verdict in verdicts.items()
        if verdict["verdict"] == "violated"
    }
    assert {name: len(trace) for name, trace in found.violations.items()} == expected
    assert set(found.holds) == set(verdicts) - set(expected)
    assert None not in found.witnesses.values()


def test_the_oracle_knows_every_protocol_it_should() -> None:
    assert {row["protocol"] for row in ROWS} == {
        "id-sequence",
        "kafka-kip101",
        "kafka-kip279",
        "kafka-kip320",
        "kafka-kip320-first-try",
        "kafka-truncate-to-hw",
        "replicated-log",
        "replicated-log-retention",
    }
