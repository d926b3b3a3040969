"""The published models of a folder, each explored by `bmc explore` as a whole process.

    python benchmarks/tla_explored.py --corpus DIR [--tlc COMMAND] [--only WORD] [--from N]
        [--up-to N] [--again OUTCOME] [--seconds 60] [--memory 4000] [--rows FILE] [--page FILE]

DIR is a checkout of tlaplus/Examples, whose manifests say how many states TLC finds and which
models meet a violation. Each is explored at its own configuration with limits of processor seconds
and memory. A count is held against the published one, a violation against TLC's: its trace has as
many states. Published counts under SYMMETRY and VIEW are of orbits and of views; there bmc's has to
be what TLC counts without them. COMMAND runs TLC (`java -cp tla2tools.jar tlc2.TLC`), with one
worker, at the model's configuration without SYMMETRY, VIEW and PROPERTY, so it decides no liveness
either. Seconds are those of the processor, of the whole process.

--rows FILE keeps the rows, and those that are measured anew take the place of older ones, of which
they keep what TLC found where it is not asked again; several processes may share a file.
--again measures only those of an outcome.
--page writes the table into a page, between the lines
`<!-- begin corpus -->` and `<!-- end corpus -->`.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import re
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from tla_corpus import VIOLATIONS, Model, models
from whole_process import Run, run

from bmc.running.files import write_file

SECTIONS = (
    *("CONSTANT", "CONSTANTS", "INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES"),
    *("SPECIFICATION", "INIT", "NEXT", "CONSTRAINT", "CONSTRAINTS", "ACTION_CONSTRAINT"),
    *("ACTION_CONSTRAINTS", "SYMMETRY", "VIEW", "ALIAS", "POSTCONDITION", "CHECK_DEADLOCK"),
)
LEFT_OUT = ("SYMMETRY", "VIEW", "PROPERTY", "PROPERTIES")
GOOD = ("equal", "as TLC", "shortest")
LARGE = 100_000


@dataclass(frozen=True)
class Row:
    """A model: what was published, what bmc and TLC find, in how many processor seconds.

    `states` are distinct states, or those of the trace where the published result is a violation.
    """

    model: str
    published: int | None
    outcome: str
    states: int | None
    tlc: int | None
    seconds: float
    tlc_seconds: float | None
    detail: str = ""


def sections(configuration: str) -> list[tuple[str, str]]:
    """Return the parts of a .cfg, without comments: each with the word that it begins with."""
    text = re.sub(r"\\\*[^\n]*", "", re.sub(r"\(\*.*?\*\)", "", configuration, flags=re.DOTALL))
    words = re.split(rf"^[ \t]*({'|'.join(SECTIONS)})\b", text, flags=re.MULTILINE)
    return list(zip(words[1::2], words[2::2], strict=True))


def without(configuration: str) -> str:
    """Return a .cfg without what makes TLC count fewer states, or decide more than states."""
    return "".join(w + rest for w, rest in sections(configuration) if w not in LEFT_OUT)


def limited(command: Sequence[str], seconds: float, memory: int) -> Run:
    """Run a command with so many processor seconds and MB, its errors among what it says."""
    limits = f"ulimit -t {seconds:.0f}; ulimit -v {memory * 1024}; " if memory else ""
    return run(["/bin/sh", "-c", limits + 'exec "$@" 2>&1', "sh", *command], seconds * 4 + 30)


def tlc(command: Sequence[str], model: Model, seconds: float) -> tuple[int | None, float]:
    """Return the number of states that TLC finds, or of those in its trace, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / f"{model.configuration.stem}.cfg"
        configuration.write_text(without(model.configuration.read_text()))
        options = ("-workers", "1", "-noGenerateSpecTE", "-metadir", folder, "-config")
        found = run(
            [
                *("/bin/sh", "-c", 'cd "$0" && exec "$@"', str(model.module.parent), *command),
                *(*options, str(configuration), model.module.name),
            ],
            seconds * 4,
        )
    if found.stopped:
        return None, found.processor
    if model.result in VIOLATIONS:
        return len(re.findall(r"^State \d+:", found.output, re.MULTILINE)) or None, found.processor
    counted = re.findall(r"([\d,]+) distinct states found", found.output)
    finished = counted and "No error has been found" in found.output
    return int(counted[-1].replace(",", "")) if finished else None, found.processor


def explored(model: Model, seconds: float, memory: int) -> tuple[str, int | None, float, str]:
    """Return bmc's outcome, number of states, processor seconds, and reason where it has none."""
    found = limited(
        [
            *(sys.executable, "-m", "bmc", "explore", str(model.module), "--json"),
            *("--config", str(model.configuration)),
        ],
        seconds,
        memory,
    )
    begin = found.output.find("{\n")
    try:
        document = json.loads(found.output[begin:]) if begin >= 0 else {}
    except json.JSONDecodeError:
        document = {}
    said = [line for line in found.output.splitlines() if line.strip()]
    if "results" not in document:
        error = document.get("error") or {"message": said[0] if said else ""}
        message = str(error["message"]).replace(f"{model.module.parent}/", "")
        reason = message.partition("\n")[0]
        if found.stopped or found.processor >= 0.9 * seconds:
            # The limit ends the process that searches; the others had the rest.
            return "too slow", None, found.processor, ""
        outcome = "unsupported" if found.exit == 2 else "failed"
        return outcome, None, found.processor, reason
    broken = [row for row in document["results"] if row["verdict"] == "violated"]
    if broken:
        trace = min(len(row["trace"]) for row in broken)
        return "violated", trace, found.processor, ", ".join(row["property"] for row in broken)
    if not document["complete"]:
        return "unknown", None, found.processor, str(document["stopped_because"])
    return "counted", document["distinct_states"], found.processor, ""


def name_of(model: Model) -> str:
    """Return a name that no other model has."""
    name = "/".join((*model.configuration.parts[-2:-1], model.configuration.stem))
    toolbox = model.configuration.parent.parent
    return f"{toolbox.stem}/{name}" if toolbox.suffix == ".toolbox" else name


def measure(model: Model, options: argparse.Namespace, known: Row | None) -> Row:
    """Explore a model, and let TLC do so too where that was asked for, or take what it found."""
    outcome, states, seconds, detail = explored(model, options.seconds, options.memory)
    counted, spent = (None, None) if known is None else (known.tlc, known.tlc_seconds)
    if options.tlc:
        counted, spent = tlc(shlex.split(options.tlc), model, options.seconds)
    if outcome == "violated" and model.result in VIOLATIONS:
        outcome = "shortest" if states == counted or counted is None else "different"
    elif outcome == "violated":
        outcome = "different"
    elif outcome == "counted" and states == model.distinct:
        outcome = "equal"
    elif outcome == "counted":
        fewer = {word for word, _ in sections(model.configuration.read_text())} & set(LEFT_OUT[:2])
        outcome = "as TLC" if fewer and states == counted else "different"
        outcome = "not compared" if fewer and counted is None else outcome
    return Row(
        name_of(model), model.distinct, outcome, states, counted, seconds, spent, detail[:150]
    )


def line(row: Row) -> str:
    """Return a row of the table."""
    cells = (
        row.model,
        "a violation" if row.published is None else f"{row.published:,}",
        row.outcome,
        "" if row.states is None else f"{row.states:,}",
        "" if row.tlc is None else f"{row.tlc:,}",
        f"{row.seconds:.1f}",
        "" if row.tlc_seconds is None else f"{row.tlc_seconds:.1f}",
        row.detail.replace("|", "\\|"),
    )
    return "| " + " | ".join(cells) + " |"


HEAD = """\
| model | published | | `bmc explore` | TLC | seconds | TLC's | |
|---|--:|---|--:|--:|--:|--:|---|"""


def table(rows: Sequence[Row]) -> str:
    """Return the table of all rows, and what they come to."""
    counted = [row for row in rows if row.published is not None]
    broken = [row for row in rows if row.published is None]
    different = sum(row.outcome == "different" for row in rows)
    said = [
        f"{_good(counted)} of {len(counted)} models with a published count are explored with it,",
        f"{_good(broken)} of {len(broken)} published violations have a trace as short as TLC's,",
        f"and {different} differ.",
    ]
    # Where TLC has no number it has not explored the model: its seconds say nothing.
    measured = [row for row in rows if row.tlc is not None and row.tlc_seconds is not None]
    timed = [row for row in measured if row.outcome in GOOD]
    large = [row for row in timed if row.published is not None and (row.states or 0) > LARGE]
    if large:
        factors = sorted((row.tlc_seconds or 0) / row.seconds for row in large)
        slower = sum((row.tlc_seconds or 0) < row.seconds for row in timed if row not in large)
        said += [
            f"TLC takes {factors[0]:.1f} to {factors[-1]:.1f} times the processor time on the",
            f"{len(large)} above {LARGE:,} states, {median(factors):.1f} in the median;",
            f"of the {len(timed) - len(large)} others bmc is slower on {slower}.",
        ]
    return "\n".join([*said, "", HEAD, *map(line, rows)])


def kept_rows(file: Path) -> dict[str, Row]:
    """Return the rows that a file keeps, by model; none where there is no file."""
    if not file.exists():
        return {}
    return {row["model"]: Row(**row) for row in json.loads(file.read_text())}


def keep(file: Path, row: Row) -> None:
    """Put a row in the place of an older one, beside what other processes have put there."""
    with file.with_name(f"{file.name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        rows = kept_rows(file) | {row.model: row}
        text = json.dumps([asdict(one) for one in rows.values()], indent=1)
        write_file(file, f"{text}\n")


def _good(rows: Sequence[Row]) -> int:
    return sum(row.outcome in GOOD for row in rows)


def write(page: Path, rows: Sequence[Row]) -> None:
    """Put the table between its two marks in a page."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- begin corpus -->")
    _, _, after = rest.partition("<!-- end corpus -->")
    marked = f"<!-- begin corpus -->\n{table(rows)}\n<!-- end corpus -->"
    page.write_text(before + marked + after, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="a checkout of tlaplus/Examples")
    parser.add_argument("--tlc", default="", help="a command that runs TLC")
    parser.add_argument("--only", default="", help="models with this in their name")
    parser.add_argument("--from", dest="least", type=int, default=0, help="least published count")
    parser.add_argument("--up-to", type=int, default=10**9, help="largest published count")
    parser.add_argument("--seconds", type=float, default=60, help="processor seconds for a model")
    parser.add_argument("--memory", type=int, default=4_000, help="MB for a model")
    parser.add_argument("--rows", type=Path, help="keep the rows here; older ones are kept")
    parser.add_argument("--again", default="", help="only models whose kept rows have this outcome")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    options = parser.parse_args()
    kept = kept_rows(options.rows) if options.rows else {}
    print(HEAD, flush=True)
    for model in sorted(models(options.corpus), key=lambda m: (m.distinct or 0, m.name)):
        if not options.least <= (model.distinct or 0) <= options.up_to:
            continue
        if options.only not in str(model.configuration):
            continue
        known = kept.get(name_of(model))
        if options.again and (known is None or known.outcome != options.again):
            continue
        row = measure(model, options, known)
        kept[row.model] = row
        print(line(row), flush=True)
        if options.rows:
            keep(options.rows, row)
    if options.rows:
        kept = kept_rows(options.rows)
    rows = sorted(kept.values(), key=lambda row: (row.published or 0, row.model))
    if options.page:
        write(options.page, rows)
    tally = Counter(row.outcome for row in rows)
    print(", ".join(f"{outcome} {n}" for outcome, n in tally.most_common()))
    return 1 if tally["different"] or tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
