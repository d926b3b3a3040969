"""How long the main job takes as a whole process, and how it grows: `bmc prove kafka --k 10`.

Every run is a new process with nothing cached. Solvers take turns within a repetition, so a
machine that drifts slows all of them alike; the ratio is that of the medians. Prints a table, and
the same as JSON with `--json`.

    python benchmarks/prove_kafka.py --repeat 5 --sizes 3,2,2,2 3,3,3,3 5,2,2,2
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import date
from statistics import median
from time import monotonic

PARAMETERS = ("replicas", "log_size", "max_records", "max_leader_epoch")


def run(size: str, solver: str, timeout: float) -> dict[str, object]:
    """One whole process: seconds, peak MiB of it and its children, and the exit code."""
    given = zip(PARAMETERS, size.split(","), strict=True)
    options = [f"--parameter={name}={value}" for name, value in given]
    command = [sys.executable, "-m", "bmc", "prove", "kafka", "--k", "10", "--json", *options]
    started = monotonic()
    ended = subprocess.run(
        [*command, "--solver", solver, "--timeout", str(timeout)],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(ended.stdout)
    return {
        "seconds": monotonic() - started,
        "peak_mb": document["peak_memory_mb"],
        "exit": ended.returncode,
    }


def measure(sizes: list[str], solvers: list[str], repeat: int, timeout: float) -> list[dict]:
    """One row a size and solver: medians of the runs."""
    rows = []
    for size in sizes:
        runs: dict[str, list[dict[str, object]]] = {solver: [] for solver in solvers}
        for _ in range(repeat):
            for solver in solvers:
                runs[solver].append(run(size, solver, timeout))
        for solver, found in runs.items():
            seconds = [float(str(r["seconds"])) for r in found]
            rows.append(
                {
                    "size": size,
                    "solver": solver,
                    "seconds": round(median(seconds), 2),
                    "fastest": round(min(seconds), 2),
                    "slowest": round(max(seconds), 2),
                    "peak_mb": round(max(float(str(r["peak_mb"])) for r in found)),
                    "exits": sorted({int(str(r["exit"])) for r in found}),
                }
            )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=["3,2,2,2", "3,3,3,3", "5,2,2,2"])
    parser.add_argument("--solvers", nargs="+", default=["cadical", "z3"])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = measure(asked.sizes, asked.solvers, asked.repeat, asked.timeout)
    header = {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "repeat": asked.repeat,
    }
    if asked.json:
        print(json.dumps({"header": header, "rows": rows}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in header.items()))
    print(f"{'size':>12} {'solver':>8} {'median s':>9} {'min':>7} {'max':>7} {'peak MB':>8} exit")
    for row in rows:
        print(
            f"{row['size']:>12} {row['solver']:>8} {row['seconds']:>9} {row['fastest']:>7} "
            f"{row['slowest']:>7} {row['peak_mb']:>8} {row['exits']}"
        )


if __name__ == "__main__":
    main()
