"""How long IC3 takes to prove StrongIsr of KIP-320, with structural lemmas and with none.

The structural lemmas are those of control, logs and fencing: what is committed is left for IC3
to find. Every run is a whole process, in which the lemmas are proven and the certificate is
re-checked as well. Prints a table; `--json FILE` also writes it as JSON, after every row.

    python benchmarks/ic3_kafka.py --repeat 3 --timeout 300
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import monotonic

from whole_process import SHORT, Run, header, kafka, run, write

STRUCTURAL = ("control", "logs", "fencing")
CASES = ("3,2,2,2:structural", "3,2,2,2:none", "3,3,3,3:structural", "5,2,2,2:structural")


class Phases:
    """Remembers when the re-check began."""

    def __init__(self) -> None:
        self.started = monotonic()
        self.found: float | None = None

    def phase(self, text: str) -> None:
        """What is being done now."""
        if self.found is None and text.startswith("re-checking"):
            self.found = monotonic() - self.started

    def fact(self, text: str) -> None:
        """Not of interest."""

    def decided(self, result: object) -> None:
        """Not of interest."""


def prove(case: str, timeout: float) -> dict[str, object]:
    """The proof itself, in this process."""
    from bmc.properties.kafka import KAFKA_KIP320

    from bmc.engines.ic3.prove import prove
    from bmc.engines.task import Task

    size, lemmas = case.split(":")
    groups = STRUCTURAL if lemmas == "structural" else ()
    task = Task(KAFKA_KIP320, kafka(size), ("StrongIsr",), timeout=timeout, lemma_groups=groups)
    watch = Phases()
    (result,) = prove(task, watch)
    return {
        "verdict": result.verdict.value,
        "found_s": watch.found,
        "clauses": len(result.certificate.clauses) if result.certificate else None,
    }


def once(case: str, timeout: float) -> list[str]:
    """The command of one proof, which prints its answer as JSON."""
    script = (sys.executable, str(Path(__file__).resolve()))
    return [*script, "--once", "--cases", case, "--timeout", str(timeout)]


def answer(done: Run) -> str:
    """The verdict of a command of ``once``. Raises ValueError where it failed."""
    return str(json.loads(done.output)["verdict"])


def _told(done: Run) -> dict[str, object]:
    if done.stopped:
        return {"verdict": "stopped"}
    try:
        found: dict[str, object] = json.loads(done.output)
    except ValueError:
        return {"verdict": f"failed, exit code {done.exit}"}
    return found


def measure(case: str, repeat: int, timeout: float) -> dict[str, object]:
    """One row: medians of the runs; a long one is not repeated."""
    done: list[Run] = []
    while len(done) < repeat and (not done or done[0].wall <= SHORT):
        done.append(run(once(case, timeout), timeout * 1.1 + 10))
    told = [_told(one) for one in done]

    def middle(values: Sequence[object]) -> float | None:
        known = [float(str(value)) for value in values if value is not None]
        return round(median(known), 2) if known else None

    return {
        "case": case,
        "answer": " / ".join(sorted({str(one["verdict"]) for one in told})),
        "runs": len(done),
        "processor_s": middle([one.processor for one in done]),
        "wall_s": middle([one.wall for one in done]),
        "found_s": middle([one.get("found_s") for one in told]),
        "clauses": middle([one.get("clauses") for one in told]),
        "peak_mb": round(max(one.peak_mb for one in done)),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", default=list(CASES), metavar="SIZE:LEMMAS")
    parser.add_argument("--repeat", type=int, default=3, help="runs of what is short")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--once", action="store_true", help="only prove the first case, here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    if asked.once:
        print(json.dumps(prove(asked.cases[0], asked.timeout)))
        return
    head = header(repeat=asked.repeat, timeout_s=asked.timeout)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    columns = ("case", "answer", "runs", "processor_s", "wall_s", "found_s", "clauses", "peak_mb")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    rows: list[dict[str, object]] = []
    for case in asked.cases:
        rows.append(measure(case, asked.repeat, asked.timeout))
        print("| " + " | ".join(str(rows[-1][name]) for name in columns) + " |", flush=True)
        write(asked.json, head, rows)


if __name__ == "__main__":
    main()
