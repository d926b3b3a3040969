"""What a sweep costs beyond its solvers, and how its schedule would scale.

`measure` runs a sweep of sixty jobs of about a second on this machine's Spark and compares the
time between Spark's start and the last row with the sum of the jobs' seconds divided by the
cores; at most 1.15 times that is wanted. `dispatch` times Spark jobs that do nothing, which is
how fast one driver can hand out work. `simulate` takes the seconds of a table that a sweep left
and schedules as many jobs drawn from them on 10, 100 and 1000 executors.

    python benchmarks/sweep_cost.py measure
    python benchmarks/sweep_cost.py dispatch
    python benchmarks/sweep_cost.py simulate DIR/results.parquet
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

GRID = ["--grid", "log_size=1..3", "--grid", "max_records=1..5"]
FIXED = ["-p", "max_leader_epoch=1"]


def measure(cores: int, replicas: int) -> None:
    """One sweep of sixty jobs: wall time after Spark's start against solver seconds."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bmc", "sweep", "kafka", *GRID, *FIXED, "--json"]
        command += ["-p", f"replicas={replicas}"]
        ended = subprocess.run(
            [*command, "--out", folder, "--master", f"local[{cores}]"],
            capture_output=True,
            text=True,
            check=False,
        )
    events = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
    started = next(e["at"] for e in events if e["event"] == "phase" and e["text"] == "running")
    wall = max(e["at"] for e in events if e["event"] == "finished") - started
    seconds = [row["seconds"] for row in json.loads(ended.stdout)["rows"]]
    ideal = sum(seconds) / cores
    print(f"{len(seconds)} jobs, {min(seconds):.2f} to {max(seconds):.2f} s, on {cores} cores")
    print(f"Spark's start {started:.1f} s; jobs {wall:.1f} s; solvers {ideal:.1f} s a core")
    print(f"ratio {wall / ideal:.3f} (load average {os.getloadavg()[0]:.1f})")


def _nothing(number: int) -> int:
    return number


def dispatch(cores: int, jobs: int) -> None:
    """Spark jobs of one task that does nothing, as many at a time as a sweep would send."""
    from pyspark import SparkConf, SparkContext

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    conf = SparkConf().setMaster(f"local[{cores}]").setAll(list(settings.items()))
    context = SparkContext(conf=conf)

    def one(number: int) -> None:
        context.parallelize([number], 1).map(_nothing).collect()

    with ThreadPoolExecutor(cores + 1) as pool:
        list(pool.map(one, range(50)))
        began = monotonic()
        list(pool.map(one, range(jobs)))
        each = (monotonic() - began) / jobs
    context.stop()
    print(f"{jobs} empty jobs: {each * 1000:.1f} ms each, {1 / each:.0f} a second")


def makespan(jobs: Iterable[float], executors: int, gap: float) -> float:
    """The end of the last job, a driver handing out one every ``gap`` seconds in this order."""
    free = [0.0] * executors
    for number, seconds in enumerate(jobs):
        begin = max(heapq.heappop(free), number * gap)
        heapq.heappush(free, begin + seconds)
    return max(free)


def batches(jobs: Sequence[float], executors: int) -> float:
    """The end when each executor gets its share of the list at the start."""
    return max(sum(jobs[number::executors]) for number in range(executors))


def simulate(table: Path, jobs: int, gap: float, seed: int) -> None:
    """Schedules of jobs drawn from measured ones, each against its lower bound."""
    import pyarrow.parquet as pq

    draw = random.Random(seed)
    measured = [s for s in pq.read_table(table)["seconds"].to_pylist() if s]
    drawn = [draw.choice(measured) for _ in range(jobs)]
    # Estimates are off by a factor of about two either way.
    guessed = sorted(drawn, key=lambda s: -s * 2 ** draw.gauss(0, 1))
    print(
        f"{jobs} jobs drawn from {len(measured)} of {table.name}: {sum(drawn):.0f} s in all, "
        f"longest {max(drawn):.1f} s, one handed out every {gap * 1000:.0f} ms"
    )
    head = ("executors", "bound s", "known", "estimated", "any order", "batches")
    print(" ".join(f"{word:>10}" for word in head))
    for executors in (10, 100, 1000):
        bound = max(sum(drawn) / executors, max(drawn))
        ends = (
            makespan(sorted(drawn, reverse=True), executors, gap),
            makespan(guessed, executors, gap),
            makespan(drawn, executors, gap),
            batches(drawn, executors),
        )
        cells = [f"{executors:>10}", f"{bound:>10.1f}", *(f"{e / bound:>9.2f}x" for e in ends)]
        print(" ".join(cells))


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["measure", "dispatch", "simulate"])
    parser.add_argument("table", nargs="?", type=Path)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--replicas", type=int, default=3, help="the more, the longer the jobs")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--gap", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    match asked.what:
        case "measure":
            measure(asked.cores, asked.replicas)
        case "dispatch":
            dispatch(asked.cores, min(asked.jobs, 300))
        case _:
            if asked.table is None:
                parser.error("name the table to draw from")
            simulate(asked.table, asked.jobs, asked.gap, asked.seed)


if __name__ == "__main__":
    main()
