"""Lines of a Kafka broker become events, and the published model says what it makes of them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, bmc

FOLDER = ROOT / "benchmarks" / "conformance"
CONTROLLER = (
    "[2026-11-22 04:00:00,{at}] INFO state.change.logger [Controller id=2 epoch=1] Changed "
    "partition t-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, "
    "leaderEpoch=0, isr=List(2, 1), leaderRecoveryState=RECOVERED, partitionEpoch=0)"
)
LEADER = (
    "[2026-11-22 04:00:00,{at}] INFO state.change.logger [Broker id=2] Leader t-0 with topic id "
    "Some(x) starts at leader epoch 0 from offset 0 with partition epoch 0, high watermark 0, "
    "ISR [1,2], adding replicas [] and removing replicas []. Previous leader epoch was -1."
)
FOLLOWER = (
    "[2026-11-22 04:00:00,{at}] INFO state.change.logger [Broker id=1] Follower t-0 starts at "
    "leader epoch 0 from offset 0 with partition epoch 0 and high watermark 0. Current leader is 2."
    " Previous leader epoch was -1."
)
APPEND = (
    "[2026-11-22 04:00:00,{at}] TRACE kafka.log.UnifiedLog [UnifiedLog partition=t-0, dir=d] "
    "Appended message set with last offset: 1, first offset: {first}, next offset: 2, and "
    "messages: MemoryRecords(size=85)"
)
FETCHED = (
    "[2026-11-22 04:00:00,{at}] TRACE kafka.server.ReplicaFetcherThread [ReplicaFetcher "
    "replicaId=1, leaderId=2, fetcherId=0] Follower has replica log end offset 2 after "
    "appending 85 bytes of messages for partition t-0"
)
HW = (
    "[2026-11-22 04:00:00,{at}] TRACE kafka.log.UnifiedLog [UnifiedLog partition=t-0, dir=d] "
    "Setting high watermark (offset=1 segment=[0:0])"
)
NOISE = "[2026-11-22 04:00:00,001] INFO kafka.server.KafkaServer started\n\tat a.stack(Trace.java)"


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "kafka_log4j", raising=False)
    return __import__("kafka_log4j")


def events(reader: Any, folder: Path, first: list[str], second: list[str]) -> list[dict[str, Any]]:
    files = [folder / "one.log", folder / "two.log"]
    for file, lines in zip(files, (first, second), strict=True):
        file.write_text("\n".join([NOISE, *lines]) + "\n", encoding="utf-8")
    found: list[dict[str, Any]] = reader.merged("t-0", files)
    return found


def verdict(folder: Path, found: list[dict[str, Any]]) -> Any:
    log = folder / "events.ndjson"
    log.write_text("".join(json.dumps(event) + "\n" for event in found), encoding="utf-8")
    mapping = str(FOLDER / "kafka.map.toml")
    return bmc("trace", "check", "kafka", "--log", str(log), "--map", mapping, "--json").document


def test_a_run_in_the_models_order_conforms(reader: Any, tmp_path: Path) -> None:
    one = [
        FOLLOWER.format(at="300"),
        APPEND.format(at="500", first="Some((offset=0 segment=[0:0]))"),
        FETCHED.format(at="501"),
    ]
    two = [
        CONTROLLER.format(at="100"),
        LEADER.format(at="200"),
        APPEND.format(at="400", first="Some((offset=0 segment=[0:0]))"),
        HW.format(at="600"),
    ]
    found = events(reader, tmp_path, one, two)
    names = [event["event"] for event in found]
    assert names == ["quorum", "lead", "follow", "append", "copy", "hw"]
    assert found[3]["records"] == 2
    assert found[4]["leader"] == 2
    said = verdict(tmp_path, found)
    assert said["verdict"] == "conforms"
    assert said["actions"]["LeaderWrite"] == said["actions"]["FencedFollowerFetch"] == 2


def test_a_follower_that_is_before_its_leader_is_not_the_published_models(
    reader: Any, tmp_path: Path
) -> None:
    one, two = [FOLLOWER.format(at="150")], [CONTROLLER.format(at="100"), LEADER.format(at="200")]
    said = verdict(tmp_path, events(reader, tmp_path, one, two))
    assert (said["verdict"], said["line"]) == ("impossible", 2)
    assert said["event"]["source"] == "one.log:3"
    assert said["reason"]["action"] == "FencedBecomeFollowerAndTruncate"
    assert len(said["reason"]["failing"]) == 1
