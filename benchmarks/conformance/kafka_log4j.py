"""Writes what Kafka 3.4 brokers log about one partition as events, merged by their clocks.

    python benchmarks/conformance/kafka_log4j.py t-0 broker1.log broker2.log … > events.ndjson

The brokers log `state.change.logger`, `kafka.cluster.Partition`, `kafka.log.UnifiedLog` and
`kafka.server.ReplicaFetcherThread` at TRACE, `kafka.controller` and `kafka.server.epoch` at DEBUG;
the n-th file is that of broker n. Lines that say nothing of the KIP-320 model's state are left out.
`ms` is an event's clock, in milliseconds since the first one.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_N = r"(-?\d+)"
_SET = r"([-\d, ]*)"
_STAMP = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\]")
_KINDS = [
    (
        "quorum",
        rf"Changed partition \S+ from .* to OnlinePartition with state LeaderAndIsr\(leader={_N}, "
        rf"leaderEpoch={_N}, isr=List\({_SET}\)",
        ("leader", "epoch", "isr"),
    ),
    (
        "quorum",
        rf"Partition \S+ state changed to \(Leader:{_N},ISR:{_SET},LeaderRecoveryState:\w+,"
        rf"LeaderEpoch:{_N}",
        ("leader", "isr", "epoch"),
    ),
    (
        "alter",
        rf"ISR for partition \S+ updated to LeaderAndIsr\(leader={_N}, leaderEpoch={_N}, "
        rf"isr=List\({_SET}\)",
        ("leader", "epoch", "isr"),
    ),
    (
        "lead",
        rf"Leader \S+ .*starts at leader epoch {_N} from offset {_N} .*high watermark {_N}, "
        rf"ISR \[{_SET}\]",
        ("epoch", "end", "hw", "isr"),
    ),
    (
        "follow",
        rf"Follower \S+ starts at leader epoch {_N} from offset {_N} .*high watermark {_N}\. "
        rf"Current leader is {_N}",
        ("epoch", "end", "hw", "leader"),
    ),
    (
        "append",
        rf"Appended message set with last offset: {_N}, first offset: \D*{_N}.*next offset: {_N},",
        ("last", "first", "end"),
    ),
    (
        "copied",
        rf"leaderId={_N}.*Follower has replica log end offset {_N} after appending [1-9]",
        ("leader", "end"),
    ),
    ("hw", rf"Setting high watermark \(offset={_N} ", ("hw",)),
    ("truncate", rf"Truncating to offset {_N}", ("end",)),
    ("truncate", rf"Truncating to {_N} has no effect", ("end",)),
    # A broker opens its logs before it asks the controller for anything.
    ("boot", r"LeaderEpochCache \S+\] Cleared entries .* after truncating to start offset", ()),
    ("loaded", rf"Log loaded for partition \S+ with initial high watermark {_N}", ("hw",)),
    (
        "send",
        rf"Sending become-\w+ LeaderAndIsr request .* leader={_N}, leaderEpoch={_N}, "
        rf"isr=\[{_SET}\].* to broker {_N}",
        ("leader", "epoch", "isr", "to"),
    ),
    (
        "fetch",
        rf"leaderId={_N}.*Sending fetch request .*PartitionData\(topicId=\S+ fetchOffset={_N}.*?"
        rf"currentLeaderEpoch=Optional\[{_N}\]",
        ("leader", "end", "epoch"),
    ),
    ("leo", rf"Recorded replica {_N} log end offset \(LEO\) position {_N} ", ("replica", "end")),
    ("isr", rf"ISR updated to {_SET} and version updated", ("isr",)),
    ("pending", r"Submitting ISR state change", ()),
    ("unavailable", r"the new leader -?\d+ is unavailable", ()),
    ("known", rf"Ignoring LeaderAndIsr request .*leader epoch {_N} matches", ("epoch",)),
    ("fenced", r"has a newer epoch \(\d+\) than the current leader", ()),
]
_RULES = [(kind, re.compile(pattern), names) for kind, pattern, names in _KINDS]

Fields = dict[str, Any]


def events_of(file: Path, broker: int, partition: str) -> Iterator[Fields]:
    """Return the events of one broker's file, in its order."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            stamp = _STAMP.search(line)
            if stamp is None or partition not in line:
                continue
            for kind, rule, names in _RULES:
                found = rule.search(line)
                if found is not None:
                    values = zip(names, found.groups(), strict=True)
                    yield {
                        "event": kind,
                        "at": stamp[1],
                        "source": f"{file.name}:{number}",
                        "broker": broker,
                        **{name: _value(name, text) for name, text in values},
                    }
                    break


def _value(name: str, text: str) -> int | list[int]:
    if name == "isr":
        return sorted(int(one) for one in text.split(",") if one.strip())
    return int(text)


def merged(partition: str, files: list[Path]) -> list[Fields]:
    """Return the events of all brokers by their clocks; of one instant, in the files' order."""
    found: list[Fields] = []
    for broker, file in enumerate(files, 1):
        last: Fields | None = None
        for event in events_of(file, broker, partition):
            if event["event"] == "copied":
                # The fetcher says after an append that it was its own, and from whom.
                if last is not None and last["end"] == event["end"]:
                    last |= {"event": "copy", "leader": event["leader"]}
                continue
            if event["event"] == "append":
                event["records"] = event["end"] - event["first"]
                last = event
            found.append(event)
    found.sort(key=lambda event: event["at"])
    for event in found:
        event["ms"] = _milliseconds(event["at"]) - _milliseconds(found[0]["at"])
    return found


def _milliseconds(stamp: str) -> int:
    moment = datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: kafka_log4j.py PARTITION BROKER1.log [BROKER2.log …]")
    for one in merged(sys.argv[1], [Path(name) for name in sys.argv[2:]]):
        print(json.dumps(one))
