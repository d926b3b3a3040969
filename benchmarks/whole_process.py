"""A command measured as a whole process, with all that it starts; shared by the measuring scripts.

Seconds of the processor stand beside those of the clock: on a machine that does other work as
well, the first blur much less.
"""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from threading import Timer
from time import monotonic

from tree_memory import most, tree_bytes

PARAMETERS = ("replicas", "log_size", "max_records", "max_leader_epoch")
SHORT = 10.0
"""Seconds: a run that takes no longer is repeated, for a median."""


@dataclass(frozen=True)
class Run:
    """Seconds by the clock and of processors, MB of all its processes at once, what it said."""

    wall: float
    processor: float
    peak_mb: float
    exit: int
    output: str
    stopped: bool


def run(command: Sequence[str], limit: float, folder: Path | None = None) -> Run:
    """Run in a folder and measure; it is killed, with what it started, after ``limit`` seconds.

    Python may keep what it compiles of modules, as it does wherever a package was installed.
    """
    keeping = {name: one for name, one in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as out:
        started = monotonic()
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=folder,
            env=keeping,
        )
        stopped: list[bool] = []

        def stop() -> None:
            stopped.append(True)
            os.killpg(process.pid, signal.SIGKILL)

        timer = Timer(limit, stop)
        timer.start()
        with most(lambda: tree_bytes(process.pid)) as held:
            _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Run(
            wall=monotonic() - started,
            processor=used.ru_utime + used.ru_stime,
            peak_mb=held.seen / 2**20,
            exit=process.returncode,
            output=out.read(),
            stopped=bool(stopped),
        )


def kafka(size: str) -> dict[str, int]:
    """Kafka's parameters by name; ``size`` is their values with a comma between."""
    return dict(zip(PARAMETERS, map(int, size.split(",")), strict=True))


def bmc(*arguments: str, given: Mapping[str, int]) -> list[str]:
    """The command line of `bmc` at parameters."""
    options = [f"--parameter={name}={value}" for name, value in given.items()]
    return [sys.executable, "-m", "bmc", *arguments, *options]


def header(**more: object) -> dict[str, object]:
    """What a table must say of where it was measured."""
    return {
        "date": date.today().isoformat(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "load": _load(),
        "python": platform.python_version(),
        "bmc": version("bmc-checker"),
        **{name: version(name) for name in ("numpy", "z3-solver", "python-sat", "bitwuzla")},
        **more,
    }


def write(file: Path | None, head: dict[str, object], rows: Sequence[object]) -> None:
    """Keep a table as JSON, if a file is asked for; the load at the end stands beside the first."""
    if file is not None:
        head = {**head, "load at the end": _load()}
        file.write_text(json.dumps({"header": head, "rows": rows}, indent=1) + "\n")


def _load() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg())


def _processor() -> str:
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.machine()
