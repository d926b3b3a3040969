"""Recorded runs of three Kafka 3.4 brokers are executions of KIP-320 as brokers run it.

In the first each broker is killed and restarted once, in the second a follower is stopped until it
leaves the ISR, comes back, and the leader is killed; unclean election was off. In the third it was
on: the leader alone took two records, was killed, and another broker was elected.
"""

import json
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.conformance.demands import survey
from bmc.conformance.mapping_file import read_mapping
from bmc.conformance.search import Limits
from bmc.conformance.verdict import Conformance, Conforms, Impossible, check_log
from bmc.lang.properties import Kind
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from tests.cli.running import ROOT

LOGS = Path(__file__).parent / "logs"
MAP = ROOT / "benchmarks" / "conformance" / "kafka-deployed.map.toml"
Fields = dict[str, Any]


@cache
def recorded(name: str) -> tuple[Fields, ...]:
    text = (LOGS / f"kafka-{name}.ndjson").read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


def checked(
    folder: Path, events: list[Fields], protocol: str = "kafka-kip320-deployed", *claims: str
) -> Conformance:
    log, file = folder / "log.ndjson", folder / "map.toml"
    log.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    said = MAP.read_text(encoding="utf-8").replace('"kafka-kip320-deployed"', f'"{protocol}"')
    if protocol.endswith("unclean"):
        said = said.replace('"ControllerFailover"]', '"ControllerFailover", "UncleanElection"]')
    file.write_text(said, encoding="utf-8")
    suite = catalogue.find(protocol)
    model = suite.model(False)
    mapping = read_mapping(file, suite)
    # No broker's log goes beyond that, so that a changed value is not taken for more room.
    room = {"max_leader_epoch": 12, "log_size": 12, "max_records": 12}
    told = survey(log, mapping, model, room)
    return check_log(log, mapping, told, suite, claims, Limits())


@pytest.mark.parametrize(("name", "events", "restarts"), [("failovers", 656, 6), ("isr", 628, 2)])
def test_a_recorded_run_conforms(name: str, events: int, restarts: int, tmp_path: Path) -> None:
    assert len(recorded(name)) == events
    found = checked(
        tmp_path, list(recorded(name)), "kafka-kip320-deployed", "StrongIsr", "CommitsAreKept"
    )
    assert isinstance(found.verdict, Conforms)
    assert found.verdict.broken == ()
    assert found.verdict.execution.taken()["Restart"] == restarts
    assert found.verdict.execution.silent() == 0


def test_the_witnesses_that_a_run_meets_are_told_with_their_lines(tmp_path: Path) -> None:
    log = list(recorded("failovers"))
    found = checked(tmp_path, log, "kafka-kip320-deployed", "TypeOk")
    assert isinstance(found.verdict, Conforms)
    execution, suite = found.verdict.execution, catalogue.find("kafka-kip320-deployed")
    interpreter = Interpreter(suite.model(True), Domains(found.survey.parameters))
    evaluate, values = interpreter.evaluator.evaluate, interpreter.domains.values
    expected: dict[str, int | None] = {}
    for declared in suite.declared(Kind.WITNESS):
        stated = suite.describe(declared, interpreter.model)
        choices = [
            dict(zip(stated.arguments, chosen, strict=True))
            for chosen in product(*(values(one.sort) for one in stated.arguments))
        ]
        for step, line in zip(execution.trace.steps, execution.lines, strict=True):
            if any(evaluate(stated.body, step.state, env, None) for env in choices):
                expected[stated.name] = line
                break
    assert {"SomethingCommitted", "TwoLeaders"} <= expected.keys()
    assert execution.met == expected


def _put(**values: Any) -> Callable[[Fields], None]:
    return lambda event: event.update(values)


def _add(name: str, difference: int) -> Callable[[Fields], None]:
    return lambda event: event.update({name: event[name] + difference})


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("append", _add("first", 1)),
        ("lead", _add("epoch", 1)),
        ("hw", _add("hw", 1)),
        ("leo", _add("end", 1)),
        ("quorum", _put(isr=[3])),
    ],
    ids=["append", "lead", "hw", "leo", "quorum"],
)
def test_a_changed_value_is_found_at_its_line(
    kind: str, change: Callable[[Fields], None], tmp_path: Path
) -> None:
    """The last event of the kind among the first 300: what is before it is as it was."""
    events = [dict(event) for event in recorded("failovers")[:300]]
    line = max(n for n, event in enumerate(events, 1) if event["event"] == kind)
    change(events[line - 1])
    verdict = checked(tmp_path, events).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == line


def test_a_recorded_unclean_election_is_impossible_where_it_happens(tmp_path: Path) -> None:
    events = list(recorded("unclean"))
    clean = checked(tmp_path, events).verdict
    assert isinstance(clean, Impossible)
    said = {name: clean.event.fields[name] for name in ("event", "leader", "epoch", "isr")}
    assert said == {"event": "quorum", "leader": 3, "epoch": 4, "isr": [3]}
    unclean = "kafka-kip320-deployed-unclean"
    found = checked(tmp_path, events, unclean, "StrongIsr", "CommitsAreKept").verdict
    assert isinstance(found, Conforms)
    lines = {one.property.name: one.line for one in found.broken}
    assert lines == {"StrongIsr": clean.event.line, "CommitsAreKept": clean.event.line}


def test_a_record_below_a_high_watermark_is_cut_after_an_unclean_election(tmp_path: Path) -> None:
    """Broker 2 alone has a committed record, broker 1 is elected, and 2 has to cut it."""
    run: list[Fields] = [
        {"event": "quorum", "broker": 2, "leader": 2, "epoch": 0, "isr": [1, 2]},
        {"event": "lead", "broker": 2, "epoch": 0, "end": 0, "hw": 0, "isr": [1, 2]},
        {"event": "quorum", "broker": 2, "leader": 2, "epoch": 1, "isr": [2]},
        {"event": "lead", "broker": 2, "epoch": 1, "end": 0, "hw": 0, "isr": [2]},
        {"event": "append", "broker": 2, "first": 0, "end": 1, "records": 1},
        {"event": "hw", "broker": 2, "hw": 1},
        {"event": "quorum", "broker": 2, "leader": 1, "epoch": 2, "isr": [1]},
        {"event": "lead", "broker": 1, "epoch": 2, "end": 0, "hw": 0, "isr": [1]},
        {"event": "follow", "broker": 2, "epoch": 2, "end": 1, "hw": 1, "leader": 1},
        {"event": "truncate", "broker": 2, "end": 0},
    ]
    first = {"event": "loaded", "hw": 0}
    events = [first | {"broker": n, "ms": 0} for n in (1, 2)]
    events += [event | {"ms": 100 * n} for n, event in enumerate(run, 1)]
    clean = checked(tmp_path, events).verdict
    assert isinstance(clean, Impossible)
    assert (clean.event.name, clean.event.fields["epoch"]) == ("quorum", 2)
    unclean = "kafka-kip320-deployed-unclean"
    found = checked(tmp_path, events, unclean, "StrongIsr", "NothingCommittedIsCut").verdict
    assert isinstance(found, Conforms)
    lines = {one.property.name: one.line for one in found.broken}
    assert lines == {"StrongIsr": 9, "NothingCommittedIsCut": 12}
