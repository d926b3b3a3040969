"""Commands of this checkout in turn with the same ones of another commit's checkout, in one run.

Every run is a whole process, start included; both run by this interpreter, with the same packages,
and the first turn is not counted: it compiles modules. `times` is this checkout's processor time as
a share of the other's in the same turn, the median of all turns with the least and the greatest;
memory is the most that the processes of a run held together.

    git worktree add ../before b373fb1
    python benchmarks/beside_commit.py ../before --repeat 5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from whole_process import Run, header, run, write

Row = dict[str, Any]

HERE = Path(__file__).resolve().parent.parent
ELASTICSEARCH = ("nodes=3", "document_ids=1", "max_client_value=2", "max_messages=3")
CASES: dict[str, tuple[str, ...]] = {
    "prove": ("prove", "kafka", "--k", "10"),
    "first state": ("explore", "kafka", "--symmetry", "--max-states", "1"),
    "explore kafka": ("explore", "kafka"),
    "explore elasticsearch": ("explore", "elasticsearch", *(f"-p{one}" for one in ELASTICSEARCH)),
    "check": ("check", "kafka-kip279", "-P", "StrongIsr"),
    "list": ("list",),
}


def measure(name: str, other: Path, repeat: int, limit: float) -> Row:
    """One row, or why there is none."""
    command = [sys.executable, "-m", "bmc", *CASES[name]]
    row: Row = {"case": name, "command": " ".join(["bmc", *CASES[name]]), "runs": repeat}
    if not (other / "bmc").is_dir():
        return row | {"error": "no checkout was given"}
    turns: list[tuple[Run, Run]] = []
    for _ in range(repeat + 1):
        ours, theirs = (run(command, limit, folder) for folder in (HERE, other))
        if ours.stopped or theirs.stopped or ours.exit != theirs.exit:
            codes = f"exit codes {ours.exit} and {theirs.exit}"
            return row | {"error": "stopped" if ours.stopped or theirs.stopped else codes}
        turns.append((ours, theirs))
    shares = [ours.processor / theirs.processor for ours, theirs in turns[1:]]
    return {
        **row,
        "times": [round(one, 2) for one in (median(shares), min(shares), max(shares))],
        "processor_s": [round(median(t[who].processor for t in turns[1:]), 2) for who in (0, 1)],
        "peak_mb": [round(max(t[who].peak_mb for t in turns[1:])) for who in (0, 1)],
    }


def text(rows: Sequence[Row]) -> Iterator[str]:
    """The table as Markdown."""
    yield "| command | runs | processor s | the commit's | times | peak MB | the commit's |"
    yield "|---|" + "---:|" * 6
    for row in rows:
        cells = [f"`{row['command']}`", str(row["runs"])]
        if "error" in row:
            cells += [row["error"], *("-" * 4)]
        else:
            middle, least, most = row["times"]
            cells += [*map(str, row["processor_s"]), f"{middle} ({least} to {most})"]
            cells += map(str, row["peak_mb"])
        yield "| " + " | ".join(cells) + " |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, metavar="CHECKOUT", help="of the other commit")
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--repeat", type=int, default=5, help="turns that count")
    parser.add_argument("--limit", type=float, default=600, help="seconds a run may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    head = header(repeat=asked.repeat)
    rows: list[Row] = []
    for name in asked.only:
        rows.append(measure(name, asked.other.resolve(), asked.repeat, asked.limit))
        write(asked.json, head, rows)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("\n".join(text(rows)))


if __name__ == "__main__":
    main()
