"""A command measured as a whole process, with all that it starts; shared by the measuring scripts.

Seconds of the processor stand beside those of the clock: on a machine that does other work as
well, the first blur much less.
"""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from threading import Timer
from time import monotonic

PARAMETERS = ("replicas", "log_size", "max_records", "max_leader_epoch")
SHORT = 10.0
"""Seconds: a run that takes no longer is repeated, for a median."""


@dataclass(frozen=True)
class Run:
    """Seconds by the clock and of processors, MB of the largest process, what it said."""

    wall: float
    processor: float
    peak_mb: float
    exit: int
    output: str
    stopped: bool


def run(command: Sequence[str], limit: float) -> Run:
    """Run and measure; it is killed, with what it started, after ``limit`` seconds."""
    with tempfile.TemporaryFile("w+") as out:
        started = monotonic()
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True
        )
        stopped: list[bool] = []

        def stop() -> None:
            stopped.append(True)
            os.killpg(process.pid, signal.SIGKILL)

        timer = Timer(limit, stop)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Run(
            wall=monotonic() - started,
            processor=used.ru_utime + used.ru_stime,
            peak_mb=used.ru_maxrss / 1024,
            exit=process.returncode,
            output=out.read(),
            stopped=bool(stopped),
        )


def bmc(*arguments: str, size: str) -> list[str]:
    """The command line of `bmc` at kafka's parameters, a comma between their values."""
    given = zip(PARAMETERS, size.split(","), strict=True)
    options = [f"--parameter={name}={value}" for name, value in given]
    return [sys.executable, "-m", "bmc", *arguments, *options]


def header(**more: object) -> dict[str, object]:
    """What a table must say of where it was measured."""
    return {
        "date": date.today().isoformat(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "python": platform.python_version(),
        **{name: version(name) for name in ("bmc", "z3-solver", "python-sat", "bitwuzla")},
        **more,
    }


def _processor() -> str:
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.machine()
