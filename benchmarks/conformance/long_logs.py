"""Measures `bmc trace check` on logs of some lengths, as whole processes.

    python benchmarks/conformance/long_logs.py [EVENTS…]        default: 360 4000 20000

A leader writes, two followers copy, and all three move their high watermarks: 8 events a record,
as kafka_log4j.py writes them, without an order but that of the lines. Short logs are checked with
the protocol's invariants as well, which read the whole log in every state.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROTOCOL = "kafka-kip320-deployed"
INVARIANTS_UP_TO = 5_000
LIMIT = 3_600
"""Seconds."""
Fields = dict[str, Any]


def events() -> Iterator[Fields]:
    """Return the events of a cluster that goes on for ever."""
    isr = [1, 2, 3]
    yield {"event": "quorum", "broker": 1, "leader": 1, "epoch": 0, "isr": isr}
    yield {"event": "lead", "broker": 1, "epoch": 0, "end": 0, "hw": 0, "isr": isr}
    for broker in (2, 3):
        yield {"event": "follow", "broker": broker, "epoch": 0, "end": 0, "hw": 0, "leader": 1}
    end = 0
    while True:
        first, end = end, end + 1
        written = {"first": first, "end": end, "records": 1}
        yield {"event": "append", "broker": 1, **written}
        for broker in (2, 3):
            yield {"event": "copy", "broker": broker, "leader": 1, **written}
            yield {"event": "leo", "broker": 1, "replica": broker, "end": end}
        for broker in (1, 2, 3):
            yield {"event": "hw", "broker": broker, "hw": end}


def written(folder: Path, number: int) -> Path:
    """Write a log of so many events; return its file."""
    file = folder / f"{number}.ndjson"
    with file.open("w", encoding="utf-8") as out:
        for _, event in zip(range(number), events(), strict=False):
            out.write(json.dumps(event) + "\n")
    return file


def mapped(folder: Path) -> Path:
    """Write the brokers' mapping without its order; return its file."""
    text = (HERE / "kafka-deployed.map.toml").read_text(encoding="utf-8")
    before, _, after = text.partition("[order]")
    file = folder / "map.toml"
    file.write_text(before + after[after.index("[parameters]") :], encoding="utf-8")
    return file


def measured(log: Path, mapping: Path, *options: str) -> tuple[float, int]:
    """Return the processor seconds of a check, and the megabytes of all its processes."""
    sys.path.insert(0, str(HERE.parent))
    from whole_process import run

    command = ("trace", "check", PROTOCOL, "--log", str(log), "--map", str(mapping), "--json")
    ended = run([sys.executable, "-m", "bmc", *command, *options], LIMIT)
    found = {} if ended.stopped else json.loads(ended.output)
    if found.get("verdict") != "conforms":
        raise SystemExit(f"{log}: {found or f'stopped after {LIMIT} s'}")
    return ended.processor, round(ended.peak_mb)


def main() -> None:
    """Print a row for each length: events, invariants or not, seconds, megabytes."""
    lengths = [int(word) for word in sys.argv[1:]] or [360, 4_000, 20_000]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mapping = mapped(folder)
        for number in sorted(lengths):
            log = written(folder, number)
            choices = (
                [["--no-invariants"], []] if number <= INVARIANTS_UP_TO else [["--no-invariants"]]
            )
            for options in choices:
                seconds, megabytes = measured(log, mapping, *options)
                said = "without" if options else "with"
                print(f"{number:>8} events, {said:<7} invariants {seconds:>7.2f} s {megabytes} MB")


if __name__ == "__main__":
    main()
