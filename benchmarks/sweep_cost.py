"""What a sweep costs beyond its solvers, and how its schedule would scale.

`measure` runs a sweep of sixty jobs of about a second on this machine's Spark and compares the
time between Spark's start and the last row with the sum of the jobs' seconds divided by the
cores; at most 1.15 times that is wanted. `dispatch` runs jobs that do nothing through all that a
sweep does with a job: tasks of stages, rows into a directory, news to the driver; it also tells
what of it the driver spends, which is what one driver can hand out. At least 300 a second on two
cores are wanted. `simulate` draws jobs from the seconds of a table that a sweep left and lets the
real dispatcher hand them to executors that are only thought, in a time of their own, at the costs
that `dispatch` measured. `resume` writes a table of a million rows and times its reading.

    python benchmarks/sweep_cost.py measure
    python benchmarks/sweep_cost.py dispatch [--master local-cluster[2,1,1024]]
    python benchmarks/sweep_cost.py simulate [DIR/results.parquet] --jobs 10000
    python benchmarks/sweep_cost.py resume [--jobs 1000000]
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
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import Any

from bmc.cli.shared import catalogue
from bmc.reports.sweeps.evidence import describe
from bmc.sweep import parts
from bmc.sweep.batches import Batch
from bmc.sweep.dispatch import Dispatcher
from bmc.sweep.estimate import Estimate
from bmc.sweep.job import Job, JobLimits, Method, as_row
from bmc.sweep.plan import Plan
from bmc.sweep.rows import Row
from bmc.sweep.runner import Finished, Tools
from bmc.sweep.spark import Cluster, SparkExecutors
from bmc.sweep.store import BRIEF, Store
from bmc.sweep.tables import table_of
from bmc.sweep.work import HandedBack, JobRow, News, Work

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


def _nothing(tools: Tools, job: Job) -> Finished:
    """Run a job that is decided at once."""
    row = {**as_row(job), "verdict": "proved", "ended": "answered", "engine": "none"}
    return Finished({**row, "seconds": 0.001, "host": "here"})


def _jobs(count: int) -> list[Job]:
    method, limits = Method("ic3", 10, "cadical", True), JobLimits(300.0, 4096)
    return [
        Job("kafka", {"number": number}, "TypeOk", method, limits, "identity", "tools", 10)
        for number in range(count)
    ]


def _plan(jobs: Sequence[Job], estimate: Estimate) -> Plan:
    todo = sorted(jobs, key=lambda job: -estimate.seconds(job))
    expected = {job.key: estimate.seconds(job) for job in jobs}
    return Plan(tuple(jobs), tuple(todo), {}, expected, {}, {}, estimate)


class _Silent:
    """A watcher that counts."""

    def __init__(self) -> None:
        self.rows = 0

    def begun(self, job: Job) -> None:
        """Nothing."""

    def finished(self, job: Job, row: Row) -> None:
        """Count."""
        self.rows += 1

    def retried(self, job: Job, reason: str) -> None:
        """Nothing."""

    def tick(self) -> None:
        """Nothing."""


def dispatch(master: str, count: int) -> None:
    """Jobs that do nothing, through everything that a sweep does with a job."""
    with tempfile.TemporaryDirectory() as folder:
        store, silent = Store(folder), _Silent()
        cluster = Cluster(master, False, Path(folder, "spark.log"))
        with store.token() as token:
            work = Work(Tools(catalogue.find, describe), store.where, token, _nothing)
            with SparkExecutors(cluster, work) as executors:
                warm = _jobs(count + 100)
                Dispatcher(_plan(warm[count:], Estimate()), store, executors, silent).run()
                java = executors.process_id()
                before, python, driver = monotonic(), process_time(), _cpu_seconds(java)
                every = _cpu_seconds(java, family=True)
                Dispatcher(_plan(warm[:count], Estimate()), store, executors, silent).run()
                seconds = monotonic() - before
                spent = process_time() - python, _cpu_seconds(java) - driver
                every = _cpu_seconds(java, family=True) - every + spent[0]
                # Tasks of one job each: what one costs the driver.
                tasks = [Batch((job,)) for job in warm[:300]]
                driver, python, before = _cpu_seconds(java), process_time(), monotonic()
                stage = executors.start(tasks)
                while not stage.is_over():
                    sleep(0.05)
                alone = monotonic() - before
                each = (_cpu_seconds(java) - driver) / len(tasks)
        files = sum(1 for _ in Path(folder).rglob("*.parquet"))
        rows = len(store.scan(BRIEF).believed)
    print(
        f"{count} jobs that do nothing at {master}: {seconds:.2f} s, {count / seconds:.0f} a second"
    )
    print(
        f"{every / count * 1e3:.2f} ms of all processors a job: two of them can do "
        f"{2 * count / every:.0f} a second"
    )
    print(f"{rows} rows in {files} files")
    print(
        f"the driver spent {spent[0] / count * 1e3:.2f} ms of Python a job and "
        f"{spent[1] / count * 1e3:.2f} ms of Java"
    )
    print(
        f"tasks of one job: {alone / len(tasks) * 1e3:.1f} ms each, of which the driver's Java "
        f"{each * 1e3:.2f} ms; load average {os.getloadavg()[0]:.1f}"
    )


def _cpu_seconds(process: int, family: bool = False) -> float:
    """The processor time of a process, or also of those that it has started and theirs."""
    ticks, parents, chosen = {}, {}, {process}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            ticks[int(stat.parent.name)] = sum(map(int, fields[11:15]))
            parents[int(stat.parent.name)] = int(fields[1])
    for _ in range(6 if family else 0):
        chosen |= {one for one, parent in parents.items() if parent in chosen}
    return sum(ticks[one] for one in chosen) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Costs:
    """Seconds: of the driver for a task, for a row and for a stage; of an executor for a task."""

    task: float
    row: float
    stage: float
    overhead: float


class _Guessed(Estimate):
    """Estimates that are off by a factor of about two either way."""

    is_fitted = True

    def __init__(self, guesses: Sequence[float]) -> None:
        super().__init__()
        self._guesses = guesses

    def seconds(self, job: Job) -> float:
        """Return the guess."""
        return self._guesses[job.parameters["number"]]

    def learn(self, row: Row) -> None:
        """The guesses stay."""


@dataclass
class _Thought:
    """Executors in a time of their own; ``seconds`` are the jobs' real ones."""

    executors: int
    seconds: Sequence[float]
    costs: Costs
    now: float = 0.0
    driver: float = 0.0
    free: list[float] = field(default_factory=list)
    end: float = 0.0

    def __post_init__(self) -> None:
        self.free = [0.0] * self.executors

    def capacity(self) -> int:
        """As many as are thought."""
        return self.executors

    def start(self, tasks: Sequence[Batch]) -> _ThoughtStage:
        """Plan when each task begins and ends: in order, as the driver can hand them out."""
        self.driver = max(self.driver, self.now) + self.costs.stage
        ends: list[tuple[float, float, list[News]]] = []
        for task in tasks:
            begin = max(heapq.heappop(self.free), self.driver)
            self.driver = max(self.driver + self.costs.task, begin)
            told, end = self._task(task, begin)
            heapq.heappush(self.free, end)
            ends.append((begin, end, told))
        return _ThoughtStage(self, ends)

    def _task(self, task: Batch, begin: float) -> tuple[list[News], float]:
        told: list[News] = []
        end = begin + self.costs.overhead
        is_late, longest = False, 0.0
        for number, job in enumerate(task.jobs):
            trial = task.trial_of(number, longest)
            takes = self.seconds[job.parameters["number"]]
            if is_late:
                told.append(HandedBack(job.key, "it has not begun", share=True))
            elif trial is not None and takes > trial:
                is_late = True
                told.append(HandedBack(job.key, "it is long"))
                end += trial
            else:
                told.append(JobRow(job.key, {"seconds": takes, "verdict": "proved"}))
                end += takes
                longest = max(longest, takes)
                self.end = max(self.end, end)
        return told, end

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class _ThoughtStage:
    def __init__(self, thought: _Thought, ends: Iterable[tuple[float, float, list[News]]]) -> None:
        self._thought = thought
        self._begins = [begin for begin, _, _ in ends]
        self._ends = [(end, number, told) for number, (_, end, told) in enumerate(ends)]
        heapq.heapify(self._ends)

    def launched(self) -> int:
        return sum(begin <= self._thought.now for begin in self._begins)

    def news(self) -> list[News]:
        found: list[News] = []
        while self._ends and self._ends[0][0] <= self._thought.now:
            found += heapq.heappop(self._ends)[2]
        # The driver hears one after the other.
        self._thought.now += self._thought.costs.row * len(found)
        return found

    def is_over(self) -> bool:
        return not self._ends


def simulate(table: Path | None, count: int, costs: Costs, seed: int, sizes: Sequence[int]) -> None:
    """The dispatcher's schedules of jobs drawn from measured ones, against their lower bound."""
    import pyarrow.parquet as pq

    draw = random.Random(seed)
    if table is None:
        # The mean and the longest of the sweep of all Kafka variants; a tail as theirs.
        drawn = [min(51.0, draw.lognormvariate(-0.25, 1.5)) for _ in range(count)]
    else:
        measured = [s for s in pq.read_table(table)["seconds"].to_pylist() if s]
        drawn = [draw.choice(measured) for _ in range(count)]
    guesses = [s * 2 ** draw.gauss(0, 1) for s in drawn]
    print(
        f"{count} jobs drawn from {table or 'a distribution'}: {sum(drawn):.0f} s in all, "
        f"longest {max(drawn):.1f} s; costs {costs}"
    )
    print(" ".join(f"{word:>10}" for word in ("executors", "bound s", "known", "estimated")))
    jobs = _jobs(count)
    for executors in sizes:
        bound = max(sum(drawn) / executors, max(drawn))
        cells = [f"{executors:>10}", f"{bound:>10.1f}"]
        for expected in (drawn, guesses):
            thought = _Thought(executors, drawn, costs)
            with tempfile.TemporaryDirectory() as folder:
                plan = _plan(jobs, _Guessed(expected))
                Dispatcher(plan, Store(folder), thought, _Silent(), pause=thought.pause).run()
            cells.append(f"{thought.end / bound:>9.2f}x")
        print(" ".join(cells))


def resume(count: int) -> None:
    """Write a table of so many rows, a tenth with evidence, and time what resuming reads."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        for start in range(0, count, 50_000):
            rows = [_row(store, number) for number in range(start, min(count, start + 50_000))]
            parts.write(store.place, table_of(rows, parts.STAMPED), tier=4)
        files = list(Path(folder).rglob("*.parquet"))
        size = sum(file.stat().st_size for file in files)
        print(f"{count} rows in {len(files)} files, {size / 1e6:.0f} MB")
        before, spent = monotonic(), process_time()
        found = store.scan(BRIEF)
        print(
            f"read in {monotonic() - before:.1f} s, {process_time() - spent:.1f} s of the "
            f"processor; load average {os.getloadavg()[0]:.1f}"
        )
        assert len(found.believed) == count


def _row(store: Store, number: int) -> dict[str, Any]:
    key = sha256(str(number).encode()).hexdigest()
    trace = f"traces/{key[:20]}.json" if number % 10 == 0 else None
    row: dict[str, Any] = {
        **as_row(_jobs(1)[0]),
        "key": key,
        "parameters": {"number": number},
        "verdict": "violated" if trace else "proved",
        "ended": "answered",
        "engine": "ic3",
        "seconds": 1.0,
        "host": "here",
        "finished": datetime.now(UTC),
        "trace": trace,
        "digest": key,
        "evidence": key if trace else None,
    }
    if trace is not None:
        path = store.place.path / trace  # type: ignore[attr-defined]
        path.write_text("{}")
        about = path.stat()
        row["stamp"] = parts.stamp({trace: (about.st_size, about.st_mtime_ns)}, [trace])
    return row


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["measure", "dispatch", "simulate", "resume"])
    parser.add_argument("table", nargs="?", type=Path)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--replicas", type=int, default=3, help="the more, the longer the jobs")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--executors", nargs="*", type=int, default=[10, 100, 1000])
    for name, default in (("task", 2.0), ("row", 0.2), ("stage", 200.0), ("overhead", 20.0)):
        parser.add_argument(f"--{name}", type=float, default=default, help="ms, see Costs")
    asked = parser.parse_args()
    match asked.what:
        case "measure":
            measure(asked.cores, asked.replicas)
        case "dispatch":
            dispatch(asked.master, asked.jobs or 3000)
        case "resume":
            resume(asked.jobs or 1_000_000)
        case _:
            of = [ms / 1000 for ms in (asked.task, asked.row, asked.stage, asked.overhead)]
            simulate(asked.table, asked.jobs or 10_000, Costs(*of), asked.seed, asked.executors)


if __name__ == "__main__":
    main()
