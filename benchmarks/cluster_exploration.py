"""What a search that several tasks share costs beside one that one process does alone.

    python benchmarks/cluster_exploration.py [--tasks 1 2 4 8] [-p replicas=3 …]

Tasks are processes of this machine that meet at a barrier, as they are on a cluster; what is
compared is processor time, which other work on the machine does not change. What an executor
loads once, pyarrow and pandas, is loaded before: it takes half a second and belongs to Spark's
start. The last column is what 64 executors of a core each would take: a task repeats what grows
with the number of tasks, which is found from this line and the one before, and does its share of
the rest; for each level there are two meetings, at the latency given (Spark's barrier asks its
coordinator about once in so many milliseconds).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import pandas  # noqa: F401 - tasks are forked, and pyarrow would load it in each of them
import pyarrow.parquet  # noqa: F401

from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.sweep.frontier import SharedSearch, TaskShare

PROTOCOL = "kafka-kip320"


def _task(search: SharedSearch, folder: Path, meeting: Any, me: int) -> None:
    calls = 0

    def gather(message: str) -> list[str]:
        nonlocal calls
        calls += 1
        Path(folder, f"{calls}-{me}").write_text(message)
        meeting.wait()
        return [Path(folder, f"{calls}-{one}").read_text() for one in range(search.tasks)]

    share = TaskShare(search, me)
    before = process_time()
    levels = list(share.run(gather))
    found = {"cpu": process_time() - before, "levels": levels}
    Path(folder, f"found-{me}").write_text(json.dumps(found))


def shared(values: dict[str, int], tasks: int) -> tuple[int, int, list[float]]:
    """States, levels, and the processor seconds of each task after it was prepared."""
    fork = multiprocessing.get_context("fork")
    with TemporaryDirectory() as folder:
        where = f"{folder}/shared"
        search = SharedSearch(catalogue.find, PROTOCOL, values, (), where, tasks)
        meeting = fork.Barrier(tasks)
        running = [
            fork.Process(target=_task, args=(search, Path(folder), meeting, me))
            for me in range(tasks)
        ]
        for one in running:
            one.start()
        for one in running:
            one.join()
        found = [json.loads(Path(folder, f"found-{me}").read_text()) for me in range(tasks)]
    levels = found[0]["levels"]
    return sum(level["counted"] for level in levels), len(levels), [one["cpu"] for one in found]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--meeting", type=float, default=1.0, help="seconds, of Spark's barrier")
    parser.add_argument("-p", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    values = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    values |= {name: int(value) for name, _, value in (word.partition("=") for word in asked.p)}
    suite, before = catalogue.find(PROTOCOL), process_time()
    search = SharedSearch(catalogue.find, PROTOCOL, values, (), "", 1)
    alone = explore(search.task())
    cpu = process_time() - before
    print(f"{suite.name} {values}: {alone.distinct_states:,} states, {len(alone.levels)} levels")
    print(f"one process alone: {cpu:.2f} s of the processor, with its preparation")
    print("tasks  all tasks  slowest  us/state  64 executors")
    before_that = 0, 0.0
    for tasks in asked.tasks:
        states, levels, spent = shared(values, tasks)
        assert states == alone.distinct_states
        whole, (fewer, less) = sum(spent), before_that
        repeated = max(0.0, (whole - less) / (tasks - fewer)) if fewer else 0.0
        at64 = (whole - tasks * repeated) / 64 + repeated + 2 * asked.meeting * levels
        each = whole / states * 1e6
        print(
            f"{tasks:5}  {whole:7.2f} s  {max(spent):5.2f} s  {each:8.1f}  {at64:8.2f} s",
            flush=True,
        )
        before_that = tasks, whole
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"a task held at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
