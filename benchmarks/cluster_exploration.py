"""What a search that several tasks share costs beside one that one process does alone.

    python benchmarks/cluster_exploration.py [--tasks 1 2 4 8] [--spill DIR] [-p replicas=3 …]

Tasks are processes of this machine that meet as they do on a cluster, at the first of them; what is
compared is processor time, which other work on the machine does not change. What an executor
loads once, pyarrow, is loaded before: it belongs to Spark's start. The last columns but two are
what 4 and 64 executors of a core each would take: a task repeats what grows with the number of
tasks, which is found from this line and the one before, and does its share of the rest; for each
level there are two meetings, and before the first two of Spark's own, each of a second; Spark's
start is in it as well. Then comes what a meeting takes here, and for each state the most bytes
that all tasks had on disk when a level ended (with --spill).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Any

import pyarrow.parquet  # noqa: F401 - tasks are forked, and each of them would load it

from bmc.cli.shared import catalogue
from bmc.engines.explicit import explore
from bmc.sweep.frontier import SharedSearch, TaskShare
from bmc.sweep.meeting import meeting

PROTOCOL = "kafka-kip320"
SPARKS_MEETING = 1.0
_MEETINGS, _SAID = 200, 2000


def _on_disk(search: SharedSearch) -> int:
    """The bytes of all tasks' files, of which some may vanish meanwhile."""
    found = 0
    for file in Path(search.spill).rglob("*") if search.spill else ():
        with suppress(FileNotFoundError):
            found += file.stat().st_size
    return found


def _task(search: SharedSearch, folder: Path, barrier: Any, me: int) -> None:
    calls = 0

    def gather(message: str) -> list[str]:
        nonlocal calls
        calls += 1
        Path(folder, f"{calls}-{me}").write_text(message)
        barrier.wait()
        return [Path(folder, f"{calls}-{one}").read_text() for one in range(search.tasks)]

    share = TaskShare(search, me)
    before = process_time()
    with meeting(me, ["127.0.0.1"] * search.tasks, gather) as quicker:
        levels, disk = [], 0
        for level in share.run(quicker):
            levels.append(level)
            disk = max(disk, _on_disk(search))
        found = {"cpu": process_time() - before, "levels": levels, "disk": disk}
        quicker("")
        before = monotonic()
        for _ in range(_MEETINGS):
            quicker("-" * _SAID)
        found["meeting"] = (monotonic() - before) / _MEETINGS
    Path(folder, f"found-{me}").write_text(json.dumps(found))


def shared(
    values: dict[str, int], tasks: int, memory: int | None, spill: str | None
) -> tuple[int, int, list[float], float, int]:
    """States, levels, processor seconds of each task after it was prepared, seconds of a meeting,
    and bytes on disk."""
    fork = multiprocessing.get_context("fork")
    with TemporaryDirectory() as folder:
        where = f"{folder}/shared"
        search = SharedSearch(
            catalogue.find, PROTOCOL, values, (), where, tasks, memory=memory, spill=spill
        )
        barrier = fork.Barrier(tasks)
        running = [
            fork.Process(target=_task, args=(search, Path(folder), barrier, me))
            for me in range(tasks)
        ]
        for one in running:
            one.start()
        for one in running:
            one.join()
        found = [json.loads(Path(folder, f"found-{me}").read_text()) for me in range(tasks)]
    levels = found[0]["levels"]
    states = sum(level["counted"] for level in levels)
    disk = max(one["disk"] for one in found)
    return states, len(levels), [one["cpu"] for one in found], found[0]["meeting"], disk


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--meeting", type=float, default=0.02, help="seconds, on a cluster")
    parser.add_argument("--start", type=float, default=10.0, help="seconds, of Spark")
    parser.add_argument("-p", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--memory", type=int, metavar="MB", help="of each task")
    parser.add_argument("--spill", metavar="DIR", help="keep the states on disk, here")
    asked = parser.parse_args()
    values = {"replicas": 3, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}
    values |= {name: int(value) for name, _, value in (word.partition("=") for word in asked.p)}
    suite, before = catalogue.find(PROTOCOL), process_time()
    search = SharedSearch(catalogue.find, PROTOCOL, values, (), "", 1)
    alone = explore(search.task())
    cpu = process_time() - before
    print(f"{suite.name} {values}: {alone.distinct_states:,} states, {len(alone.levels)} levels")
    print(f"one process alone: {cpu:.2f} s of the processor, with its preparation")
    print("tasks  all tasks  slowest  us/state  4 executors  64 executors  a meeting  bytes/state")
    before_that = 0, 0.0
    for tasks in asked.tasks:
        states, levels, spent, met, disk = shared(values, tasks, asked.memory, asked.spill)
        assert states == alone.distinct_states
        whole, (fewer, less) = sum(spent), before_that
        repeated = max(0.0, (whole - less) / (tasks - fewer)) if fewer else 0.0
        fixed = asked.start + 2 * SPARKS_MEETING + 2 * asked.meeting * levels + repeated
        at4, at64 = ((whole - tasks * repeated) / many + fixed for many in (4, 64))
        each = whole / states * 1e6
        print(
            f"{tasks:5}  {whole:7.2f} s  {max(spent):5.2f} s  {each:8.1f}  {at4:9.2f} s  "
            f"{at64:10.2f} s  {met * 1e3:6.2f} ms  {disk / states:11.1f}",
            flush=True,
        )
        before_that = tasks, whole
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"a task held at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
