"""Nothing is proven vacuously: every action happens and every witness is reached, or it is
explained why not, and what is explained does not happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bmc.cli.shared.catalogue import entries, find
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang.properties import Kind
from bmc.reports.exploration.coverage import Coverage

KAFKA = {"max_leader_epoch": 1}
DEPLOYED = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
ONE_OF_EACH = {
    "drops": 1,
    "new_producer_timeouts": 1,
    "coordinator_timeouts": 1,
    "node_failures": 1,
    "log_nodes": 2,
    "atomic_broadcast": 1,
}

COVERED: list[tuple[str, Mapping[str, int]]] = [
    ("kafka-kip320", KAFKA),
    ("kafka-kip320-deployed", DEPLOYED),
    ("kafka-kip320-deployed-unclean", DEPLOYED),
    ("kafka-kip320-first-try", KAFKA),
    ("kafka-kip279", KAFKA),
    ("kafka-kip101", KAFKA),
    ("kafka-truncate-to-hw", KAFKA),
    ("kafka-async-isr", {}),
    ("id-sequence", {}),
    ("replicated-log", {}),
    ("replicated-log-retention", {}),
    ("kafka-transactions", {"transaction_ids": 2, "txn_log_partitions": 2}),
    ("verified-log", ONE_OF_EACH),
    ("verified-log-repaired", ONE_OF_EACH),
    ("verified-log-waiting", ONE_OF_EACH),
    ("verified-log-repaired-waiting", ONE_OF_EACH),
]
"""Parameters at which everything happens. Elasticsearch's take millions of states."""


def covered(name: str, parameters: Mapping[str, int], **limits: int) -> Coverage:
    suite = find(name)
    witnesses = tuple(d.name for d in suite.declared(Kind.WITNESS))
    task = Task(suite, parameters, witnesses)
    return Coverage(explore(task, **limits), suite.unreached(task.parameters))


@pytest.mark.parametrize(("name", "parameters"), COVERED, ids=[name for name, _ in COVERED])
@pytest.mark.nightly
def test_everything_happens_at_some_parameters(name: str, parameters: Mapping[str, int]) -> None:
    limits = {"max_depth": 16} if name.startswith("verified-log") else {}
    found = covered(name, parameters, **limits)
    assert found.explained == {}
    assert found.missed == ()


@pytest.mark.nightly
def test_everything_happens_in_elasticsearch() -> None:
    found = covered("elasticsearch", {"nodes": 3, "max_client_value": 3})
    assert found.explained == {}
    assert found.missed == ()


def _default(name: str) -> Any:
    slow = name.startswith(("verified-log", "kafka-kip", "kafka-truncate"))
    return pytest.param(name, marks=pytest.mark.nightly) if slow else name


TOO_LARGE = {"kafka-kip320-deployed", "kafka-kip320-deployed-unclean"}
"""With restarts the defaults have more states than anybody waits for, and explain nothing."""


@pytest.mark.parametrize(
    "name",
    [_default(e.name) for e in entries() if e.alias_of is None and e.name not in TOO_LARGE],
)
def test_at_the_defaults_what_does_not_happen_is_explained(name: str) -> None:
    found = covered(name, {})
    assert found.found.complete
    assert found.missed == ()
    assert found.disproved == ()


@pytest.mark.parametrize(
    "parameters",
    [
        {"nodes": 2, "max_client_value": 3},
        pytest.param({"nodes": 3, "max_client_value": 2}, marks=pytest.mark.nightly),
    ],
    ids=["two nodes", "one write"],
)
def test_each_explanation_of_elasticsearch_stands_alone(parameters: Mapping[str, int]) -> None:
    found = covered("elasticsearch", parameters)
    assert found.explained
    assert found.missed == ()
    assert found.disproved == ()


def test_every_protocol_is_covered() -> None:
    known = {e.name for e in entries() if e.alias_of is None}
    assert known == {name for name, _ in COVERED} | {"elasticsearch"}
