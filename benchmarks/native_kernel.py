"""Explorations by machine code beside the same ones by numpy alone, in one run.

Every run is a whole process on one processor, start included; the two take turns and must count the
same states, level by level, or there is no ratio. `numpy` is the same command in a process that
cannot import llvmlite. Prints a table.

    python benchmarks/native_kernel.py --repeat 3
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from statistics import median

from explicit_search import parameters
from whole_process import Run, bmc, header, run

CASES: Sequence[tuple[str, str]] = (
    ("kafka", "3,2,2,2"),
    ("kafka", "3,2,2,3"),
    ("elasticsearch", "3,1,2,3"),
    ("elasticsearch", "3,1,2,4"),
)
_WITHOUT = "import sys; sys.modules['llvmlite'] = None; from bmc.cli.main import main; main()"


def measure(protocol: str, size: str, repeat: int, limit: float) -> str:
    """One row of the table."""
    native = bmc("explore", protocol, "--json", given=parameters(protocol, size))
    numpy = [sys.executable, "-c", _WITHOUT, *native[3:]]
    turns = [(run(native, limit), run(numpy, limit)) for _ in range(repeat)]
    label = f"| `{protocol}` | ({size}) |"
    counts = [counted(one) for turn in turns for one in turn]
    if any(count != counts[0] or count is None for count in counts):
        return f"{label} the runs differ, or were stopped: {counts} |"
    seconds = [median(turn[who].processor for turn in turns) for who in (0, 1)]
    peaks = [max(turn[who].peak_mb for turn in turns) for who in (0, 1)]
    ratio = median(by_numpy.processor / by_code.processor for by_code, by_numpy in turns)
    return (
        f"{label} {sum(counts[0] or ()):,} | {seconds[0]:.2f} | {seconds[1]:.2f} | {ratio:.2f}"
        f" | {peaks[0]:.0f} | {peaks[1]:.0f} |"
    )


def counted(done: Run) -> list[int] | None:
    """The states by level."""
    return None if done.stopped else json.loads(done.output)["levels"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", metavar="PROTOCOL:SIZE", help="instead of the usual")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds a run may take")
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cases = [tuple(case.split(":")) for case in asked.cases] if asked.cases else CASES
    print(", ".join(f"{name} {value}" for name, value in header(repeat=asked.repeat).items()))
    print(
        "| protocol | parameters | states | processor s | numpy alone | times | peak MB | numpy |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for protocol, size in cases:
        print(measure(protocol, size, asked.repeat, asked.limit), flush=True)


if __name__ == "__main__":
    main()
