"""`bmc` beside what a user would otherwise do, on two questions about Kafka's StrongIsr.

*Prove*: it holds of KIP-320. *Find*: it is violated in KIP-279, by a trace that is as short as can
be. Peers are a hand-written unrolling in z3 (handwritten_z3.py), ABC's `pdr` and `bmc3` and rIC3's
`ic3` and `bmc` on the circuit that `bmc export aiger` writes, with and without proven lemmas as
constraints, and TLC and Apalache on the published specification (Apalache on an annotated copy,
where one is given). ABC is `berkeley-abc`; BMC_RIC3 names the program of rIC3 1.5, and tla.py says
what TLC and Apalache need. Every run is a new process with nothing cached; one that takes at most
ten seconds is repeated. Rows that were stopped or are not given say so; of what was stopped it is
only known that it needs more.

    python benchmarks/peers.py --repeat 3 --limit 120 --json peers.json
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp

import ic3_kafka
import tla
from whole_process import SHORT, Run, bmc, header, kafka, run, write

HERE = Path(__file__).parent
PROVE, FIND = "prove", "find"
ABC, RIC3 = "berkeley-abc", "BMC_RIC3"
DEPTH = 20
"""Steps that a search may take where a peer wants a bound."""

Answer = Callable[[Run], str]


@dataclass(frozen=True)
class Peer:
    """One row: a command and how its answer is read; no command where it is not given.

    ``like`` names the row of `bmc` that does the same by the same means.
    """

    question: str
    name: str
    command: Sequence[str] = ()
    answer: Answer = lambda done: "-"
    missing: str = ""
    like: str = ""


def peers(size: str, limits: Mapping[str, float], files: Path) -> Iterator[Peer]:
    """The rows in the order of the table; the first of each question is what ratios refer to.

    ``limits`` are the seconds that a run for each question may take.
    """
    given, limit = kafka(size), limits[PROVE]
    strong = ("-P", "StrongIsr", "--json", "--timeout", str(limit))
    lemmas, bare = "bmc IC3, structural lemmas", "bmc prove --engine ic3 --no-lemmas"
    alone = ("--engine", "ic3", "--no-lemmas")
    structural = ic3_kafka.once(f"{size}:structural", limit)
    yield Peer(PROVE, "bmc prove", bmc("prove", "kafka", *strong, given=given), _verdict)
    yield Peer(PROVE, lemmas, structural, ic3_kafka.answer)
    yield Peer(PROVE, bare, bmc("prove", "kafka", *alone, *strong, given=given), _verdict)
    yield from _exhaustive(PROVE, "kafka", given, strong)
    for circuit, like, what in (
        (files / "lemmas.aig", lemmas, ", structural lemmas"),
        (files / "kafka.aig", bare, ""),
    ):
        yield _abc(PROVE, f"ABC pdr{what}", circuit, "fold; pdr", like)
        yield _ric3(PROVE, f"rIC3 ic3{what}", circuit, "ic3", like)
    yield from _tla(PROVE, "kafka", given, files)
    limit = limits[FIND]
    strong = (*strong[:-1], str(limit))
    found = bmc("check", "kafka-kip279", "--depth", str(DEPTH), *strong, given=given)
    raw, circuit = "bmc check --raw", files / "kip279.aig"
    yield Peer(FIND, "bmc check", found, _verdict)
    yield Peer(FIND, raw, [*found, "--raw"], _verdict)
    yield Peer(FIND, "bmc check --solver z3", [*found, "--solver", "z3"], _verdict)
    yield from _exhaustive(FIND, "kafka-kip279", given, strong)
    yield _abc(FIND, "ABC bmc3", circuit, f"bmc3 -F {DEPTH + 1}", raw)
    yield _ric3(FIND, "rIC3 bmc", circuit, "bmc", raw)
    by_hand = [
        *(sys.executable, str(HERE / "handwritten_z3.py"), "kafka-kip279", "--size", size),
        *("--depth", str(DEPTH), "--timeout", str(limit)),
    ]
    yield Peer(FIND, "hand-written z3, Int and arrays", by_hand, _by_hand, like=raw)
    yield from _tla(FIND, "kafka-kip279", given, files)


def _exhaustive(
    question: str, protocol: str, given: Mapping[str, int], strong: Sequence[str]
) -> Iterator[Peer]:
    for more in ((), ("--symmetry",)):
        command = bmc("explore", protocol, *strong, *more, given=given)
        yield Peer(question, " ".join(("bmc explore", *more)), command, _verdict)


def _verdict(done: Run) -> str:
    (result,) = json.loads(done.output)["results"]
    steps = f" at {len(result['trace']) - 1} steps" if result["verdict"] == "violated" else ""
    return f"{result['verdict']}{steps}"


def _by_hand(done: Run) -> str:
    found = json.loads(done.output)
    if found["steps"] is not None:
        return f"violated at {found['steps']} steps"
    return f"{found['answer']}, nothing up to {found['clean']} steps"


def _abc(question: str, name: str, circuit: Path, commands: str, like: str) -> Peer:
    if shutil.which(ABC) is None:
        return Peer(question, name, missing=f"not given: {ABC}")
    command = [ABC, "-c", f"read_aiger {circuit}; {commands}"]
    return Peer(question, name, command, _abc_says, like=like)


def _abc_says(done: Run) -> str:
    if "Property proved" in done.output:
        return "proved"
    found = re.search(r"was asserted in frame (\d+)", done.output)
    return f"violated at {found[1]} steps" if found else "unknown"


def _ric3(question: str, name: str, circuit: Path, engine: str, like: str) -> Peer:
    program = os.environ.get(RIC3)
    if not program:
        return Peer(question, name, missing=f"not given: {RIC3}")
    return Peer(
        question, name, [program, "-e", engine, "--witness", str(circuit)], _ric3_says, like=like
    )


def _ric3_says(done: Run) -> str:
    if "RESULT: UNSAT" in done.output:
        return "proved"
    # An AIGER witness: the output, the latches, and the inputs of each state, the last included.
    found = re.search(
        r"^RESULT: SAT\n1\nb\d+\n[01x]+\n((?:[01x]+\n)+)\.$", done.output, re.MULTILINE
    )
    if found:
        return f"violated at {found[1].count(chr(10)) - 1} steps"
    return "violated" if "RESULT: SAT" in done.output else "unknown"


def _tla(question: str, protocol: str, given: Mapping[str, int], files: Path) -> Iterator[Peer]:
    """TLC and Apalache on the published specification, where they are given."""
    published = tla.specification(protocol, given)
    for symmetry in (False, True):
        more = " --symmetry" if symmetry else ""
        name, like = f"TLC, one worker{', symmetry' * symmetry}", f"bmc explore{more}"
        absent = tla.missing(tla.TLC, published)
        if absent:
            yield Peer(question, name, missing=absent)
        else:
            command = tla.tlc(published, _new(files), "StrongIsr", symmetry=symmetry)
            yield Peer(question, name, command, tla.tlc_says, like=like)
    folders = tla.apalaches()
    name = "Apalache, an annotated copy" if folders == tla.ANNOTATED else "Apalache"
    absent = tla.missing(tla.APALACHE, published, folders=folders)
    if absent:
        yield Peer(question, name, missing=absent)
    else:
        command = tla.apalache(published, _new(files), "StrongIsr", DEPTH)
        # It is bounded: nothing of ours that proves does the same.
        like = "bmc check --raw" if question == FIND else ""
        yield Peer(question, name, command, tla.apalache_says, like=like)


def _new(files: Path) -> Path:
    return Path(mkdtemp(dir=files))


def export(size: str, files: Path) -> None:
    """Write the circuits that ABC reads. Raises CalledProcessError."""
    for protocol, name, more in (
        ("kafka", "kafka.aig", ()),
        ("kafka", "lemmas.aig", ("--lemmas",)),
        ("kafka-kip279", "kip279.aig", ()),
    ):
        wanted = ("export", "aiger", protocol, "-P", "StrongIsr", "-o", str(files / name))
        subprocess.run(bmc(*wanted, *more, given=kafka(size)), check=True, capture_output=True)


def measure(peer: Peer, repeat: int, limit: float) -> dict[str, object]:
    """One row: medians where runs are short, one run where not; killed after ``limit`` seconds."""
    row: dict[str, object] = {"question": peer.question, "peer": peer.name, "like": peer.like}
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
    """Processor seconds as multiples of another row's of the same question.

    ``ratio`` is to the first row, ``beside`` to the row that this one is like.
    """
    named = {(row["question"], row["peer"]): row for row in rows}
    first: dict[object, dict[str, object]] = {}
    for row in rows:
        row["ratio"] = _times(row, first.setdefault(row["question"], row))
        row["beside"] = _times(row, named.get((row["question"], row["like"]), {}))
    return rows


def _times(row: dict[str, object], other: dict[str, object]) -> str | None:
    """How many times the other's processor seconds, or more than that where it was in vain."""
    if "processor_s" not in row or not decided(str(other.get("answer"))):
        return None
    answer, wanted = str(row["answer"]), str(other["answer"])
    ratio = f"{float(str(row['processor_s'])) / float(str(other['processor_s'])):.1f}"
    if decided(answer) and answer.split()[0] == wanted.split()[0]:
        return ratio
    return f"> {ratio}" if answer.startswith(("stopped", "unknown", "nothing")) else None


def decided(answer: str) -> bool:
    """Whether an answer is one verdict."""
    return answer.startswith(("proved", "violated")) and "/" not in answer


def text(rows: list[dict[str, object]]) -> Iterator[str]:
    """The table as Markdown."""
    yield "| question | who | answer | runs | processor s | wall s | peak MB | ratio | beside |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---|"
    columns = ("question", "peer", "answer", "runs", "processor_s", "wall_s", "peak_mb", "ratio")
    for row in rows:
        cells = ["-" if row.get(name) is None else str(row[name]) for name in columns]
        cells.append(f"{row['beside']} × `{row['like']}`" if row["beside"] else "")
        yield "| " + " | ".join(cells) + " |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="3,2,2,2", help="replicas, log size, records, epoch")
    parser.add_argument("--repeat", type=int, default=3, help="runs of what is short")
    parser.add_argument("--limit", type=float, default=120, help="seconds a proof may take")
    parser.add_argument("--find-limit", type=float, default=60, help="seconds a search may take")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="TEXT", help="rows whose name has one of these"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    rows: list[dict[str, object]] = []
    versions = {"abc": _abc_version(), "ric3": _ric3_version(), "tlc": tla.tlc_version()}
    limits = {PROVE: asked.limit, FIND: asked.find_limit}
    head = header(size=asked.size, repeat=asked.repeat, **versions)
    with TemporaryDirectory() as folder:
        files = Path(folder)
        export(asked.size, files)
        for peer in peers(asked.size, limits, files):
            if not any(part in f"{peer.question}: {peer.name}" for part in asked.only):
                continue
            print(f"{peer.question}: {peer.name}", file=sys.stderr, flush=True)
            # What stops by itself is let to do so: it says how far it came.
            rows.append(measure(peer, asked.repeat, limits[peer.question] * 1.1 + 5))
            write(asked.json, head, with_ratios(rows))
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("\n".join(text(with_ratios(rows))))


def _abc_version() -> str:
    if shutil.which(ABC) is None:
        return "not given"
    said = subprocess.run([ABC, "-c", "version"], capture_output=True, text=True)
    found = re.search(r"UC Berkeley, ABC (.*)", said.stdout)
    return found[1].strip() if found else "unknown"


def _ric3_version() -> str:
    program = os.environ.get(RIC3)
    if not program:
        return "not given"
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
