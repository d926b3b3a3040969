"""How long it takes until bmc answers something small, beside an interpreter that does nothing.

Every run is a new process. Wall time is what a user waits, processor time what a busy machine does
not blur. Promised are 0.3 s for `bmc --help` and 0.6 s for `bmc list`. Prints a table; `--json
FILE` also writes it as JSON.

    python benchmarks/start_up.py --repeat 9
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from whole_process import Run, header, run, write

COMMANDS: dict[str, tuple[str, ...]] = {
    "python -c pass": ("-c", "pass"),
    "bmc --help": ("-m", "bmc", "--help"),
    "bmc list": ("-m", "bmc", "list"),
    "bmc prove --help": ("-m", "bmc", "prove", "--help"),
}
LIMIT = 60


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    head = header(repeat=asked.repeat)
    found: dict[str, list[Run]] = {name: [] for name in COMMANDS}
    for _ in range(asked.repeat):
        for name, arguments in COMMANDS.items():
            done = run([sys.executable, *arguments], LIMIT)
            if done.exit:
                raise SystemExit(f"{name} failed, exit code {done.exit}")
            found[name].append(done)
    rows = [
        {
            "command": name,
            "runs": len(runs),
            "wall_s": round(median(one.wall for one in runs), 3),
            "processor_s": round(median(one.processor for one in runs), 3),
        }
        for name, runs in found.items()
    ]
    write(asked.json, head, rows)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("| command | runs | processor s | wall s |\n|---|---:|---:|---:|")
    for row in rows:
        print(f"| `{row['command']}` | {row['runs']} | {row['processor_s']} | {row['wall_s']} |")


if __name__ == "__main__":
    main()
