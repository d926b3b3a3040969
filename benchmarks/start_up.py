"""How long it takes until bmc answers something small, beside an interpreter that does nothing.

Every run is a new process. Wall time is what a user waits, processor time what a busy machine does
not blur. Promised are 0.3 s for `bmc --help` and 0.6 s for `bmc list`. Prints a table, and the same
as JSON with `--json`.

    python benchmarks/start_up.py --repeat 9
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from statistics import median
from time import monotonic

COMMANDS: dict[str, tuple[str, ...]] = {
    "python -c pass": ("-c", "pass"),
    "bmc --help": ("-m", "bmc", "--help"),
    "bmc list": ("-m", "bmc", "list"),
    "bmc prove --help": ("-m", "bmc", "prove", "--help"),
}


def run(arguments: Sequence[str]) -> tuple[float, float]:
    """Seconds on the wall and of the processor."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), monotonic()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    wall, after = monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    for _ in range(asked.repeat):
        for name, arguments in COMMANDS.items():
            found[name].append(run(arguments))
    header = {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "repeat": asked.repeat,
    }
    rows = [
        {
            "command": name,
            "wall_s": round(median(wall for wall, _ in runs), 3),
            "processor_s": round(median(used for _, used in runs), 3),
        }
        for name, runs in found.items()
    ]
    if asked.json:
        print(json.dumps({"header": header, "rows": rows}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in header.items()))
    print(f"{'command':20} {'wall s':>7} {'processor s':>12}")
    for row in rows:
        print(f"{row['command']:20} {row['wall_s']:>7} {row['processor_s']:>12}")


if __name__ == "__main__":
    main()
