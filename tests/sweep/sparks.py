"""Sweeps on a real Spark: the command as a process, and a cluster of processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.find_spark_home import _find_spark_home

from bmc.sweep import java

ROOT = Path(__file__).resolve().parents[2]

CLOCK = '''
"""A clock that is late from ten on."""

from bmc.lang import Integer, Parameter, Protocol, Variable, action, invariant


class Clock(Protocol):
    """Counts to top and starts again."""

    top = Parameter("top", 3, 1, 60, "the greatest value")
    Value = Integer("Value", 0, top)
    value = Variable(Value)

    @action()
    def Init(self, s):
        s.value = 0

    @action()
    def Count(self, s):
        s.require(s.value < self.top)
        s.value = s.value + 1

    @action()
    def Reset(self, s):
        s.value = 0

    Next = (Count, Reset)

    @invariant("it stays in its range")
    def InRange(self, s):
        return s.value <= self.top

    @invariant("it stays below 10")
    def Early(self, s):
        return s.value < 10
'''


def expected(tops: range) -> dict[tuple[str, int], str]:
    """What is true of the clock."""
    return {
        (name, top): "violated" if name == "Early" and top >= 10 else "proved"
        for name in ("InRange", "Early")
        for top in tops
    }


def table(folder: Path) -> dict[tuple[str, int], str]:
    """The verdicts of the final table; a row twice is an error."""
    rows = pq.read_table(folder / "results.parquet").to_pylist()
    found = {(r["property"], dict(r["parameters"])["top"]): r["verdict"] for r in rows}
    assert len(found) == len(rows)
    return found


def rows_in(folder: Path) -> int:
    """How many jobs have a row: those of files that are complete."""
    keys: set[str] = set()
    for part in ("rows", "table"):
        for file in (folder / part).rglob("*.parquet"):
            # One that was compacted meanwhile is found elsewhere, or the next time.
            with suppress(FileNotFoundError):
                keys.update(pq.ParquetFile(file).read(["key"])["key"].to_pylist())
    return len(keys)


def environment() -> dict[str, str]:
    """This process's, without settings of Python's and Spark's that would reach executors."""
    strange = ("SPARK_", "PYSPARK_", "PYTHON")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(strange)}
    return {**kept, "PYTHONIOENCODING": "utf-8"}


class Sweep:
    """A running `bmc sweep` of the clock."""

    def __init__(self, model: Path, tops: range, out: Path | str, *options: str) -> None:
        words = ["sweep", f"{model}:Clock", "--grid", f"top={tops[0]}..{tops[-1]}"]
        words += ["--out", str(out), "--k", "12", "--json", *options]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bmc", *words],
            env=environment(),
            # From here `-m bmc` is this checkout's, and no executor is told.
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.out = Path(out)

    def after(self, rows: int, seconds: float = 400) -> None:
        """Wait until so many rows are finished."""
        end = time.monotonic() + seconds
        while rows_in(self.out) < rows:
            code = self.process.poll()
            assert code is None, (code, self.process.communicate())
            assert time.monotonic() < end, "nothing is finished"
            time.sleep(0.05)

    def answer(self, seconds: float = 600) -> tuple[int, Any, list[Any]]:
        """Exit code, document, and what happened on the way."""
        out, err = self.process.communicate(timeout=seconds)
        events = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
        return self.process.returncode, json.loads(out), events

    def kill(self) -> None:
        """As the power failing would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()


class StandaloneCluster:
    """A master and its workers, of one core each, as processes of this machine."""

    def __init__(self, folder: Path, workers: int, python: str) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._environment = {
            n: v for n, v in os.environ.items() if not n.startswith(("PYTHON", "SPARK_"))
        }
        home = java.find().home(folder)
        self._environment |= {"JAVA_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
        self.python = python
        port = _free_port()
        self.url = f"spark://127.0.0.1:{port}"
        self._launch(
            "org.apache.spark.deploy.master.Master",
            *("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(_free_port())),
        )
        try:
            _await_port(port)
        except AssertionError:
            self.stop()
            raise
        for number in range(workers):
            self._launch(
                "org.apache.spark.deploy.worker.Worker",
                *("--host", "127.0.0.1", "--webui-port", str(_free_port()), "--cores", "1"),
                *("--memory", "1g", "--work-dir", str(folder / f"worker{number}"), self.url),
            )

    def _launch(self, *words: str) -> None:
        spark = Path(_find_spark_home())
        log = (self._folder / f"process{len(self._processes)}.log").open("wb")
        self._processes.append(
            subprocess.Popen(
                [spark / "bin" / "spark-class", *words],
                env={**self._environment, "SPARK_HOME": str(spark)},
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )
        )

    def executors(self) -> list[int]:
        """The process ids of the executors that run."""
        own = {process.pid for process in self._processes}
        return [
            pid
            for pid, parent, words in _processes()
            if parent in own and "CoarseGrainedExecutorBackend" in words
        ]

    def both_executors(self) -> list[int]:
        """The same, once there are two."""
        end = time.monotonic() + 400
        while len(found := self.executors()) != 2:
            assert time.monotonic() < end, found
            time.sleep(0.1)
        return found

    def stop(self) -> None:
        """End every process that was started here."""
        for pid in self.executors():
            os.kill(pid, signal.SIGKILL)
        for process in reversed(self._processes):
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path, workers: int = 2, python: str = sys.executable) -> Iterator[Any]:
    """A standalone cluster for as long as the block runs."""
    folder.mkdir(exist_ok=True)
    made = StandaloneCluster(folder, workers, python)
    try:
        yield made
    finally:
        made.stop()


def _processes() -> Iterator[tuple[int, int, str]]:
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                words = (path / "cmdline").read_text(errors="replace")
                stat = (path / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            yield int(path.name), int(stat[1]), words


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_port(port: int) -> None:
    end = time.monotonic() + 300
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise AssertionError("the master does not answer")
