"""Explorations of wide states in memory and on disk: processor time, memory and disk a state.

Each row is a whole process of `bmc explore --max-states N`, start included. `--before PYTHON` adds
a row of another checkout, by the interpreter that runs it. The memory is the process's peak, all
told; `bytes a state` divides it by the states found, and on disk the size of the folder.

    python benchmarks/large_explorations.py --states 1000000 10000000
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from whole_process import bmc, header, run, write

Row = dict[str, Any]

PROTOCOL = "kafka-transactions"
GIVEN = {
    "transaction_ids": 3,
    "clients": 4,
    "brokers": 2,
    "txn_log_partitions": 1,
    "topic_partitions": 1,
    "max_coordinator_changes": 0,
}


def measure(states: int, before: Sequence[str], limit: float) -> Iterator[Row]:
    """One row in memory, one on disk, and one for each interpreter of another checkout."""
    command = bmc("explore", PROTOCOL, "--json", f"--max-states={states}", given=GIVEN)
    with TemporaryDirectory() as folder:
        kept = Path(folder, "states")
        wanted = {"in memory": command, "on disk": [*command, f"--spill={kept}"]}
        wanted |= {other: [other, *command[1:]] for other in before}
        for where, asked in wanted.items():
            done = run(asked, limit)
            row: Row = {"where": where, "asked": states}
            if done.stopped:
                yield row | {"error": f"stopped at {done.wall:.0f} s"}
                continue
            document = json.loads(done.output)
            found = document["distinct_states"]
            row |= {
                "states": found,
                "generated": document["generated_states"],
                "processor_s": round(done.processor, 1),
                "wall_s": round(done.wall, 1),
                "peak_mb": round(done.peak_mb),
                "bytes_a_state": round(done.peak_mb * 2**20 / found),
            }
            if kept.exists():
                size = sum(file.stat().st_size for file in kept.rglob("*") if file.is_file())
                row["disk_bytes_a_state"] = round(size / found, 1)
            yield row


def text(rows: Sequence[Row]) -> Iterator[str]:
    """The table as Markdown."""
    yield "| where | states | processor s | a processor second | peak MB | disk, bytes a state |"
    yield "|---|---:|---:|---:|---:|---:|"
    for row in rows:
        if "error" in row:
            yield f"| {row['where']} | {row['error']} | | | | |"
            continue
        rate = row["states"] / row["processor_s"]
        yield (
            f"| {row['where']} | {row['states']:,} | {row['processor_s']} | {rate:,.0f} "
            f"| {row['peak_mb']:,} | {row.get('disk_bytes_a_state', '-')} |"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, nargs="+", default=[1_000_000], metavar="N")
    parser.add_argument("--before", nargs="*", default=[], metavar="PYTHON")
    parser.add_argument("--limit", type=float, default=3600, help="seconds a run may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    head = header(limit_s=asked.limit)
    rows: list[Row] = []
    for states in asked.states:
        for row in measure(states, asked.before, asked.limit):
            rows.append(row)
            write(asked.json, head, rows)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("\n".join(text(rows)))


if __name__ == "__main__":
    main()
