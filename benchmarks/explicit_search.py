"""Explicit search beside TLC with one worker on the published specification, in the same run.

Every run is a whole process, start included. A row is a protocol at parameters, with symmetry or
without; `bmc explore` and TLC take turns. Without symmetry both must count the same states, or
there is no ratio. `times` is how many times as many distinct states `bmc` reaches in a second of a
processor (and by the clock); with symmetry it counts the states that those kept stand for. TLC's
rows need BMC_TLC_JAR and BMC_TLA (see tla.py). Prints a table; `--json FILE` keeps it as well.

    python benchmarks/explicit_search.py --repeat 3 --limit 300
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import tla
from whole_process import SHORT, Run, bmc, header, kafka, run, write

Row = dict[str, Any]

CASES: Sequence[tuple[str, str]] = (
    ("kafka", "3,2,2,2"),
    ("kafka-kip279", "3,2,2,2"),
    ("kafka-truncate-to-hw", "3,2,2,1"),
    ("elasticsearch", "3,1,2,3"),
    ("elasticsearch", "3,1,3,2"),
)
"""Protocols, and the values of their parameters in the order of `bmc list`."""
ELASTICSEARCH = ("nodes", "document_ids", "max_client_value", "max_messages")


def parameters(protocol: str, size: str) -> dict[str, int]:
    """The parameters by name."""
    if protocol == "elasticsearch":
        return dict(zip(ELASTICSEARCH, map(int, size.split(",")), strict=True))
    return kafka(size)


def measure(protocol: str, size: str, repeat: int, limit: float) -> Iterator[Row]:
    """Two rows: every state is kept, and one state of those that differ in names only."""
    given = parameters(protocol, size)
    published = tla.specification(protocol, given)
    absent = tla.missing(tla.TLC, published)
    for symmetry in (False, True):
        option = ["--symmetry"] if symmetry else []
        ours = bmc("explore", protocol, "--json", *option, given=given)
        with TemporaryDirectory() as folder:
            commands = {"bmc": ours}
            if not absent:
                commands["tlc"] = tla.tlc(published, Path(folder), symmetry=symmetry)
            runs = _turns(commands, repeat, limit)
        row: Row = {"protocol": protocol, "size": size, "symmetry": symmetry}
        row["bmc"] = _told(runs["bmc"], explored)
        row["tlc"] = {"error": absent} if absent else _told(runs["tlc"], _tlc)
        yield row | _times(row)


def _turns(
    commands: Mapping[str, Sequence[str]], repeat: int, limit: float
) -> dict[str, list[Run]]:
    """The runs of each command, which take turns; what takes long is run once."""
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for turn in range(repeat):
        for name, command in commands.items():
            if turn == 0 or (found[name][0].wall <= SHORT and not found[name][0].stopped):
                found[name].append(run(command, limit))
    return found


def _told(runs: Sequence[Run], read: Callable[[Run], Row]) -> Row:
    """Medians, and what was counted; or why nothing was."""
    if any(one.stopped for one in runs):
        return {"error": f"stopped at {max(one.wall for one in runs):.0f} s", "runs": len(runs)}
    counted = [read(one) for one in runs]
    if any(one != counted[0] for one in counted):
        return {"error": f"runs differ: {counted}", "runs": len(runs)}
    return {
        **counted[0],
        "runs": len(runs),
        "processor_s": round(median(one.processor for one in runs), 2),
        "wall_s": round(median(one.wall for one in runs), 2),
        "peak_mb": round(max(one.peak_mb for one in runs)),
    }


def explored(done: Run) -> Row:
    """What `bmc explore --json` counted: distinct states, and how many of them were kept."""
    document = json.loads(done.output)
    if "error" in document:
        return {"error": document["error"]["message"]}
    if not document["complete"]:
        return {"error": document["stopped_because"]}
    states = document["distinct_states"]
    return {"states": states, "kept": document["representatives"] or states}


def _tlc(done: Run) -> Row:
    said = tla.tlc_says(done)
    return {"kept": tla.distinct(done)} if said == "proved" else {"error": said}


def _times(row: Row) -> Row:
    """How many times as many states a second as TLC; the same states are in both counts."""
    ours, theirs = row["bmc"], row["tlc"]
    if "error" in ours or "error" in theirs:
        return {}
    if not row["symmetry"] and ours["kept"] != theirs["kept"]:
        return {"disagree": f"bmc counts {ours['kept']}, TLC {theirs['kept']}"}
    ratios = {name: theirs[f"{name}_s"] / ours[f"{name}_s"] for name in ("processor", "wall")}
    return {f"times_{name}": round(ratio, 1) for name, ratio in ratios.items()}


def text(rows: Sequence[Row]) -> Iterator[str]:
    """The table as Markdown."""
    yield (
        "| protocol | parameters | symmetry | states kept | who | runs | processor s | wall s "
        "| peak MB | kept a processor second | times TLC's, by processor | by the clock |"
    )
    yield "|---|---|---|---:|---|" + "---:|" * 7
    for row in rows:
        for who, name in (("bmc", "`bmc explore`"), ("tlc", "TLC, one worker")):
            found = row[who]
            cells = [f"`{row['protocol']}`", f"({row['size']})", "yes" if row["symmetry"] else "no"]
            if "error" in found:
                cells += ["-", name, found["error"], *"------"]
            else:
                rate = found["kept"] / found["processor_s"]
                cells += [f"{found['kept']:,}", name, str(found["runs"])]
                cells += [str(found[m]) for m in ("processor_s", "wall_s", "peak_mb")]
                cells += [f"{rate:,.0f}", *_ratios(row, who)]
            yield "| " + " | ".join(cells) + " |"


def _ratios(row: Row, who: str) -> list[str]:
    if who == "tlc":
        return ["1", "1"]
    if "disagree" in row:
        return [f"**{row['disagree']}**", "-"]
    return [str(row.get(f"times_{name}", "-")) for name in ("processor", "wall")]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", metavar="PROTOCOL:SIZE", help="instead of the usual")
    parser.add_argument("--repeat", type=int, default=3, help="runs of what is short")
    parser.add_argument("--limit", type=float, default=300, help="seconds a run may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    cases = [tuple(case.split(":")) for case in asked.cases] if asked.cases else CASES
    head = header(repeat=asked.repeat, limit_s=asked.limit, tlc=tla.tlc_version())
    rows: list[Row] = []
    for protocol, size in cases:
        for row in measure(protocol, size, asked.repeat, asked.limit):
            rows.append(row)
            write(asked.json, head, rows)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("\n".join(text(rows)))


if __name__ == "__main__":
    main()
