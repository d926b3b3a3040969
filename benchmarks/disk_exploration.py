"""Exploration on disk beside TLC, whose queue and fingerprints are on disk as well, in one run.

Both have one worker, the same megabytes, and one invariant to judge in every state. TLC's share for
fingerprints (`-fpmem`) is the least that it takes, 10 MB, so that nearly all are on disk; its queue
always is. `bmc explore --spill` runs once before TLC and once after it. Where TLC is stopped, its
row has what it had found by its last word, which is up to a minute old. Disk is the most that a
folder held, memory the most that a process held with all that it started. TLC needs BMC_TLC_JAR and
BMC_TLA (see tla.py). Prints a table; `--json FILE` keeps it as well.

    python benchmarks/disk_exploration.py --case kafka:3,3,4,2 --memory 1000
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import tla
from explicit_search import explored, parameters
from tree_memory import most
from whole_process import Run, bmc, header, run, write

Row = dict[str, Any]

INVARIANT = "StrongIsr"
LEAST = "0.0001"
"""A share of the heap that is below TLC's least, which it takes instead."""
MEASURES = ("processor", "wall")
EVERY = 0.5
"""Seconds between two looks at a folder."""


def measure(case: str, memory: int, limit: float) -> Iterator[Row]:
    """One row for `bmc` and one for TLC."""
    protocol, _, size = case.partition(":")
    given = parameters(protocol, size)
    published = tla.specification(protocol, given)
    asked = ("explore", protocol, "-P", INVARIANT, "--json", f"--memory={memory}")
    absent = tla.missing(tla.TLC, published)
    with TemporaryDirectory() as folder:
        theirs = Path(folder)

        def ours() -> tuple[Run, float]:
            with TemporaryDirectory() as states:
                return _on_disk(bmc(*asked, f"--spill={states}", given=given), states, limit)

        found = [ours()]
        if not absent:
            java, *rest, module = tla.tlc(published, theirs, INVARIANT)
            command = [java, f"-Xmx{memory}m", *rest, "-fpmem", LEAST, module]
            tlcs = [_on_disk(command, folder, limit)]
            found.append(ours())
        about: Row = {"protocol": protocol, "size": size, "memory": memory}
        yield about | {"who": "bmc"} | _told(found, _whole)
        told = {"error": absent} if absent else _told(tlcs, counted)
        yield about | {"who": "tlc"} | told


def _on_disk(command: Sequence[str], folder: str, limit: float) -> tuple[Run, float]:
    """A run, and the most bytes that the files of a folder had."""
    with most(lambda: folder_bytes(Path(folder)), EVERY) as taken:
        done = run(command, limit)
    return done, taken.seen


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files below a folder, but for those that vanish meanwhile."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except FileNotFoundError:
            continue
    return total


def _whole(done: Run) -> Row:
    return {"error": f"stopped at {done.wall:.0f} s"} if done.stopped else explored(done)


def _told(runs: Sequence[tuple[Run, float]], read: Callable[[Run], Row]) -> Row:
    """Medians, and what was counted; or why nothing was."""
    counts = [read(one) for one, _ in runs]
    wrong = next((one for one in counts if "error" in one or one != counts[0]), None)
    if wrong is not None:
        return {"error": wrong.get("error", f"runs differ: {counts}")}
    return {
        **counts[0],
        "runs": len(runs),
        "processor_s": round(median(one.processor for one, _ in runs), 2),
        "wall_s": round(median(one.wall for one, _ in runs), 2),
        "peak_mb": round(max(one.peak_mb for one, _ in runs)),
        "disk_bytes": round(max(disk for _, disk in runs)),
    }


def counted(done: Run) -> Row:
    """What TLC counted, in the end or until it was stopped."""
    if done.stopped:
        progress = re.findall(r"([\d,]+) distinct states found", done.output)
        found = {"kept": int(progress[-1].replace(",", ""))} if progress else {"error": "nothing"}
        return {**found, "stopped": True}
    said = tla.tlc_says(done)
    return {"kept": tla.distinct(done)} if said == "proved" else {"error": said}


def text(rows: Sequence[Row]) -> Iterator[str]:
    """The table as Markdown; there are ratios where both counted the same states."""
    yield (
        "| protocol | parameters | memory allowed, MB | who | states | runs | processor s | wall s "
        "| states a processor second | by the clock | disk, bytes a state | peak MB | times TLC's |"
    )
    yield "|---|---|---:|---|" + "---:|" * 9
    for row in rows:
        name = {"bmc": "`bmc explore --spill`", "tlc": "TLC, `-fpmem` at its least"}[row["who"]]
        cells = [f"`{row['protocol']}`", f"({row['size']})", str(row["memory"]), name]
        if "error" in row:
            cells += [row["error"], *("-" * 8)]
        else:
            states, ended = row["kept"], "stopped at " if "stopped" in row else ""
            cells += [f"{ended}{states:,}", str(row["runs"])]
            cells += [str(row[f"{name}_s"]) for name in MEASURES]
            cells += [f"{_rate(row, name):,.0f}" for name in MEASURES]
            cells += [f"{row['disk_bytes'] / states:.1f}", str(row["peak_mb"]), _times(row, rows)]
        yield "| " + " | ".join(cells) + " |"


def _times(row: Row, rows: Sequence[Row]) -> str:
    """How many times TLC's states a processor second, and by the clock."""
    (theirs,) = (one for one in rows if one["who"] == "tlc")
    if "error" in theirs:
        return "-"
    if theirs["kept"] != row["kept"] and "stopped" not in theirs:
        return "**counts differ**"
    return " and ".join(f"{_rate(row, name) / _rate(theirs, name):.1f}" for name in MEASURES)


def _rate(row: Row, name: str) -> float:
    return float(row["kept"] / row[f"{name}_s"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", default="kafka:3,3,4,2", metavar="PROTOCOL:SIZE")
    parser.add_argument("--memory", type=int, default=1000, metavar="MB", help="for each of them")
    parser.add_argument("--limit", type=float, default=3600, help="seconds a run may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    head = header(memory_mb=asked.memory, limit_s=asked.limit, tlc=tla.tlc_version())
    rows = list(measure(asked.case, asked.memory, asked.limit))
    write(asked.json, head, rows)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("\n".join(text(rows)))


if __name__ == "__main__":
    main()
