"""Measures what docs/performance.md says, keeps it, and writes the page's tables.

    python benchmarks/performance_page.py                      everything (about 25 minutes)
    python benchmarks/performance_page.py --parts peers prove  these parts; the others stay
    python benchmarks/performance_page.py --rows "find: bmc"   these rows of the peers
    python benchmarks/performance_page.py --take explicit FILE rows that its script kept elsewhere
    python benchmarks/performance_page.py --memory prove FILE  nothing but the memory of such rows
    python benchmarks/performance_page.py --write              nothing is measured
    python benchmarks/performance_page.py --check              exit 1 unless the page is current

One measurement at a time, each a whole process; it is to be run on a machine that does nothing
else. Each part is the command of one script, with what it found kept in docs/performance.json as
soon as it ended; nothing in a table is written by hand. TLC, Apalache and rIC3 have rows
where the environment names them (see peers.py and tla.py).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from peers import with_ratios
from performance_tables import Kept, Part, tables

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / "docs" / "performance.json"
PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- begin {} -->\n", "<!-- end {} -->\n"

IC3 = ("3,2,2,2:structural", "3,3,3,3:structural", "5,2,2,2:structural")
"""Without lemmas it has a row among the peers."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "start_up": ("start_up.py", "--repeat", "9"),
    "peers": ("peers.py", "--repeat", "3", "--limit", "{peer}", "--find-limit", "{find}"),
    "explicit": ("explicit_search.py", "--repeat", "3", "--limit", "{explore}"),
    "disk": ("disk_exploration.py", "--limit", "{disk}"),
    "ic3": ("ic3_kafka.py", "--cases", *IC3, "--repeat", "3", "--timeout", "{proof}"),
    "before": ("beside_commit.py", "../before", "--repeat", "3"),
    "prove": ("prove_kafka.py", "--repeat", "3", "--timeout", "{growth}"),
}
"""The script and options of each part; what is in braces are the limits, in seconds."""
LIMITS = {"peer": 90, "find": 60, "explore": 240, "disk": 1900, "proof": 120, "growth": 200}
NAMES = ("question", "peer", "protocol", "size", "symmetry", "who", "engine", "solver", "case")
"""What rows are told from each other by; each part has some of these."""


def command(part: str, limits: Mapping[str, int]) -> list[str]:
    """The script of a part and its options."""
    return [word.format(**limits) for word in PARTS[part]]


def measured(part: str, limits: Mapping[str, int], only: Sequence[str] = ()) -> Part:
    """Run a part, or some of its rows, which it shows. Raises SystemExit where it fails."""
    script, *options = command(part, limits)
    options += ["--only", *only] if only else []
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        ended = subprocess.run(
            [sys.executable, str(HERE / script), *options, "--json", str(file)], check=False
        )
        if ended.returncode or not file.exists():
            raise SystemExit(f"{script} failed, exit code {ended.returncode}")
        found: Part = json.loads(file.read_text(encoding="utf-8"))
    return {"command": " ".join(["python", f"benchmarks/{script}", *options]), **found}


def again(kept: Part, some: Part, texts: Sequence[str]) -> Part:
    """The part with the rows that were measured once more in the place of the old ones."""
    rows, new = dict(map(_named, kept["rows"])), dict(map(_named, some["rows"]))
    header = {**kept["header"], "measured again": f"{', '.join(texts)} ({_when(some)})"}
    both = list((rows | new).values())
    return {**kept, "header": header, "rows": with_ratios(both) if "peer" in both[0] else both}


def with_memory(kept: Part, some: Part) -> Part:
    """The part with the memory of the rows that were measured once more, and all else as it was.

    Of the others the memory is that of the largest process, less than what all of them held.
    """
    new = dict(map(_named, some["rows"]))
    rows = [_holding(row, new.get(name, {})) for name, row in map(_named, kept["rows"])]
    measured = sum(name in new and "at_least" not in row for name, row in map(_named, rows))
    about = f"{measured} of {len(rows)} rows ({_when(some)})"
    return {**kept, "header": {**kept["header"], "memory measured again": about}, "rows": rows}


def _holding(row: Part, new: Part) -> Part:
    if "bmc" in new:
        return {**row, "bmc": _holding(row["bmc"], new["bmc"])}
    if "peak_mb" in new and not str(new.get("answer")).startswith(("unknown", "stopped")):
        return {**row, "peak_mb": new["peak_mb"]}
    return row if "peer" in row else {**row, "at_least": True}


def _named(row: Part) -> tuple[tuple[object, ...], Part]:
    """A row with what tells it from the others of its part."""
    return tuple(row.get(name) for name in NAMES), row


def _when(some: Part) -> str:
    head = some["header"]
    return f"{head['date']}, load {head['load']} / {head.get('load at the end', '-')}"


def page_with(page: str, kept: Kept) -> str:
    """The page with its tables as what is kept renders to; the prose between stays."""
    for name, table in tables(kept).items():
        begin, end = BEGIN.format(name), END.format(name)
        if page.count(begin) != 1 or page.count(end) != 1:
            raise SystemExit(f"{PAGE.name} needs one {begin.strip()} and one {end.strip()}")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{table}\n\n{end}{rest.split(end)[1]}"
    return page


def main() -> None:
    """Measure, keep and write; or only write or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    for name, seconds in LIMITS.items():
        about = f"seconds for a run of {' '.join(_parts_with(name))}"
        parser.add_argument(f"--{name}-limit", type=int, default=seconds, help=about)
    parser.add_argument("--rows", nargs="+", metavar="TEXT", help="rows of the peers with these")
    for name, about in (("take", "the rows"), ("memory", "nothing but the memory of rows")):
        parser.add_argument(
            f"--{name}", nargs=2, metavar=("PART", "FILE"), help=f"{about} that its script kept"
        )
    parser.add_argument("--write", action="store_true", help="only write the page's tables")
    parser.add_argument("--check", action="store_true", help="only compare the page")
    asked = parser.parse_args()
    kept = _kept()
    if asked.check:
        page = PAGE.read_text(encoding="utf-8")
        if page_with(page, kept) != page:
            raise SystemExit(f"{PAGE.name} is not what {KEPT.name} says: run {sys.argv[0]} --write")
        return
    limits = {name: getattr(asked, f"{name}_limit") for name in LIMITS}
    for part, file in filter(None, (asked.take, asked.memory)):
        some = json.loads(Path(file).read_text(encoding="utf-8"))
        whole = {"command": " ".join(["python", *_script(part, limits)]), **some}
        if asked.memory:
            whole = with_memory(kept[part], some)
        elif part in kept:
            whole = again(kept[part], some, list(dict.fromkeys(map(_of, some["rows"]))))
        kept = _in_order({**kept, part: whole})
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    given = asked.write or asked.take or asked.memory
    for part in () if given else ["peers"] if asked.rows else asked.parts:
        started = monotonic()
        found = measured(part, limits, asked.rows or ())
        if asked.rows:
            found = again(_kept()[part], found, asked.rows)
        kept = _in_order({**_kept(), part: found})
        print(f"{part}: {monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), kept), encoding="utf-8")


def _script(part: str, limits: Mapping[str, int]) -> list[str]:
    script, *options = command(part, limits)
    return [f"benchmarks/{script}", *options]


def _of(row: Part) -> str:
    return " ".join(str(one) for one in _named(row)[0] if isinstance(one, str))


def _parts_with(limit: str) -> list[str]:
    return [part for part, words in PARTS.items() if f"{{{limit}}}" in words]


def _in_order(kept: Kept) -> dict[str, Part]:
    return {part: kept[part] for part in PARTS if part in kept}


def _kept() -> Kept:
    if not KEPT.exists():
        return {}
    kept: Kept = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


if __name__ == "__main__":
    main()
