"""`bmc` beside what a user would otherwise do, on two questions about Kafka's StrongIsr.

*Prove*: it holds of KIP-320. *Find*: it is violated in KIP-279, by a trace that is as short as can
be. Peers are a hand-written unrolling in z3 (handwritten_z3.py), ABC's `pdr` and `bmc3` on the
circuit that `bmc export aiger` writes, with and without proven lemmas as constraints, and TLC and
Apalache where BMC_TLC_JAR and BMC_APALACHE name their jars and BMC_TLA the folder of
hachikuji/kafka-specification. Every run is a new process with nothing cached; one that takes at
most ten seconds is repeated. Rows that were stopped or are not given say so, and have no ratio.

    python benchmarks/peers.py --repeat 3 --limit 120 --json peers.json
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from whole_process import SHORT, Run, bmc, header, run

HERE = Path(__file__).parent
PROVE, FIND = "prove", "find"
DEPTH = 20
"""Steps that a search may take where a peer wants a bound."""

Answer = Callable[[Run], str]


@dataclass(frozen=True)
class Peer:
    """One row: a command and how its answer is read; no command where it is not given."""

    question: str
    name: str
    command: Sequence[str] = ()
    answer: Answer = lambda done: "-"
    missing: str = ""


def peers(size: str, limit: float, files: Path) -> Iterator[Peer]:
    """The rows in the order of the table; the first of each question is what ratios refer to."""
    within = ("--timeout", str(limit))
    strong = ("-P", "StrongIsr", "--json", *within)
    yield Peer(PROVE, "bmc prove", bmc("prove", "kafka", *strong, size=size), _verdict)
    structural = [
        *(sys.executable, str(HERE / "ic3_kafka.py"), "--json", "--timeout", str(limit)),
        *("--cases", f"{size}:structural"),
    ]
    yield Peer(PROVE, "bmc IC3, structural lemmas", structural, _ic3)
    bare = bmc("prove", "kafka", "--engine", "ic3", "--no-lemmas", *strong, size=size)
    yield Peer(PROVE, "bmc prove --engine ic3 --no-lemmas", bare, _verdict)
    yield Peer(
        PROVE, "ABC pdr, structural lemmas", _abc(files / "lemmas.aig", "fold; pdr"), _abc_says
    )
    yield Peer(PROVE, "ABC pdr", _abc(files / "kafka.aig", "pdr"), _abc_says)
    yield from _tla(PROVE, "Kip320", size, files)
    search = ("--depth", str(DEPTH), *strong)
    found = bmc("check", "kafka-kip279", *search, size=size)
    yield Peer(FIND, "bmc check", found, _verdict)
    yield Peer(FIND, "bmc check --raw", [*found, "--raw"], _verdict)
    yield Peer(FIND, "bmc check --solver z3", [*found, "--solver", "z3"], _verdict)
    yield Peer(FIND, "ABC bmc3", _abc(files / "kip279.aig", f"bmc3 -F {DEPTH + 1}"), _abc_says)
    by_hand = [
        *(sys.executable, str(HERE / "handwritten_z3.py"), "kafka-kip279", "--size", size),
        *("--depth", str(DEPTH), "--timeout", str(limit)),
    ]
    yield Peer(FIND, "hand-written z3, Int and arrays", by_hand, _by_hand)
    yield from _tla(FIND, "Kip279", size, files)


def _verdict(done: Run) -> str:
    (result,) = json.loads(done.output)["results"]
    steps = f" at {result['depth']} steps" if result["verdict"] == "violated" else ""
    return f"{result['verdict']}{steps}"


def _ic3(done: Run) -> str:
    (row,) = json.loads(done.output)["rows"]
    return str(*row["verdicts"])


def _by_hand(done: Run) -> str:
    found = json.loads(done.output)
    if found["steps"] is not None:
        return f"violated at {found['steps']} steps"
    return f"{found['answer']}, nothing up to {found['clean']} steps"


def _abc(circuit: Path, commands: str) -> list[str]:
    return ["berkeley-abc", "-c", f"read_aiger {circuit}; {commands}"]


def _abc_says(done: Run) -> str:
    if "Property proved" in done.output:
        return "proved"
    found = re.search(r"was asserted in frame (\d+)", done.output)
    return f"violated at {found[1]} steps" if found else "unknown"


def _tla(question: str, module: str, size: str, files: Path) -> Iterator[Peer]:
    """TLC and Apalache on the original specification, where they are given."""
    folder = os.environ.get("BMC_TLA", "")
    replicas, log_size, records, epoch = (int(value) for value in size.split(","))
    members = ", ".join(f"r{i + 1}" for i in range(replicas))
    config = files / f"{module}.cfg"
    config.write_text(
        f"CONSTANTS\n  Replicas = {{{members}}}\n  LogSize = {log_size}\n"
        f"  MaxRecords = {records}\n  MaxLeaderEpoch = {epoch}\n"
        "INIT Init\nNEXT Next\nINVARIANT StrongIsr\n"
    )
    module_file = str(Path(folder) / f"{module}.tla")
    java = ["java", "-XX:+UseParallelGC"]
    for name, variable, arguments in (
        (
            "TLC, one worker",
            "BMC_TLC_JAR",
            ["-workers", "1", "-deadlock", "-metadir", str(files), "-config", str(config)],
        ),
        ("Apalache", "BMC_APALACHE", ["check", f"--length={DEPTH}", f"--config={config}"]),
    ):
        jar = os.environ.get(variable)
        if not jar or not folder:
            wanted = [v for v in (variable, "BMC_TLA") if not os.environ.get(v)]
            yield Peer(question, name, missing=f"not given: {' and '.join(wanted)}")
        else:
            yield Peer(question, name, [*java, "-jar", jar, *arguments, module_file], _tla_says)


def _tla_says(done: Run) -> str:
    if "No error has been found" in done.output:
        return "proved"
    if "EXITCODE: OK" in done.output:
        return f"nothing up to {DEPTH} steps"
    if "is violated" in done.output or "violates the invariant" in done.output.lower():
        states = re.findall(r"^State (\d+):", done.output, re.MULTILINE)
        return f"violated at {int(states[-1]) - 1} steps" if states else "violated"
    return "unknown"


def export(size: str, files: Path) -> None:
    """Write the circuits that ABC reads. Raises CalledProcessError."""
    for protocol, name, more in (
        ("kafka", "kafka.aig", ()),
        ("kafka", "lemmas.aig", ("--lemmas",)),
        ("kafka-kip279", "kip279.aig", ()),
    ):
        wanted = ("export", "aiger", protocol, "-P", "StrongIsr", "-o", str(files / name))
        subprocess.run(bmc(*wanted, *more, size=size), check=True, capture_output=True)


def measure(peer: Peer, repeat: int, limit: float) -> dict[str, object]:
    """One row: medians where runs are short, one run where not; killed after ``limit`` seconds."""
    row: dict[str, object] = {"question": peer.question, "peer": peer.name}
    if not peer.command:
        return {**row, "answer": peer.missing, "runs": 0}
    done = [run(peer.command, limit)]
    while len(done) < repeat and done[0].wall <= SHORT:
        done.append(run(peer.command, limit))
    answers = {"stopped" if one.stopped else _read(peer, one) for one in done}
    return {
        **row,
        "answer": " / ".join(sorted(answers)),
        "runs": len(done),
        "wall_s": round(median(one.wall for one in done), 2),
        "processor_s": round(median(one.processor for one in done), 2),
        "peak_mb": round(max(one.peak_mb for one in done)),
    }


def _read(peer: Peer, done: Run) -> str:
    try:
        return peer.answer(done)
    except (ValueError, KeyError):
        return f"failed, exit code {done.exit}"


def with_ratios(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Processor seconds as a multiple of the first row's of the same question, where both ended."""
    first: dict[object, dict[str, object]] = {}
    for row in rows:
        reference = first.setdefault(row["question"], row)
        ended = str(row["answer"]).startswith(("proved", "violated"))
        if ended and str(reference["answer"]).split()[0] == str(row["answer"]).split()[0]:
            spent, whole = float(str(row["processor_s"])), float(str(reference["processor_s"]))
            row["ratio"] = round(spent / whole, 2)
    return rows


def text(rows: list[dict[str, object]]) -> Iterator[str]:
    """The table as Markdown."""
    yield "| question | who | answer | runs | processor s | wall s | peak MB | ratio |"
    yield "|---|---|---|---:|---:|---:|---:|---:|"
    columns = ("question", "peer", "answer", "runs", "processor_s", "wall_s", "peak_mb", "ratio")
    for row in rows:
        yield "| " + " | ".join(str(row.get(name, "-")) for name in columns) + " |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="3,2,2,2", help="replicas, log size, records, epoch")
    parser.add_argument("--repeat", type=int, default=3, help="runs of what is short")
    parser.add_argument("--limit", type=float, default=120, help="seconds a run may take")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    rows: list[dict[str, object]] = []
    head = header(size=asked.size, limit_s=asked.limit, abc=_abc_version())
    with TemporaryDirectory() as folder:
        files = Path(folder)
        export(asked.size, files)
        for peer in peers(asked.size, asked.limit, files):
            print(f"{peer.question}: {peer.name}", file=sys.stderr, flush=True)
            # What stops by itself is let to do so: it says how far it came.
            rows.append(measure(peer, asked.repeat, asked.limit * 1.1 + 5))
            if asked.json:
                document = {"header": head, "rows": with_ratios(rows)}
                asked.json.write_text(json.dumps(document, indent=2) + "\n")
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("\n".join(text(with_ratios(rows))))


def _abc_version() -> str:
    said = subprocess.run(["berkeley-abc", "-c", "version"], capture_output=True, text=True)
    found = re.search(r"UC Berkeley, ABC (.*)", said.stdout)
    return found[1].strip() if found else "unknown"


if __name__ == "__main__":
    main()
