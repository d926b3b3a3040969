"""How long IC3 takes to prove StrongIsr of KIP-320, with structural lemmas and with none.

The structural lemmas are those of control, logs and fencing: what is committed is left for IC3
to find. Seconds are those of the processor in the engine's process, so that a busy machine
blurs them less; wall time stands beside them. The re-check of the certificate is included. Prints
a table, and the same as JSON with `--json`.

    python benchmarks/ic3_kafka.py --repeat 3 --timeout 300
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from statistics import median
from time import monotonic

from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.ic3.prove import prove
from bmc.engines.task import Task
from bmc.evidence.verdict import Result

PARAMETERS = ("replicas", "log_size", "max_records", "max_leader_epoch")
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

    def decided(self, result: Result) -> None:
        """Not of interest."""


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(case: str, timeout: float) -> dict[str, float | str | None]:
    """One proof in a process of its own."""
    size, lemmas = case.split(":")
    given = {n: int(v) for n, v in zip(PARAMETERS, size.split(","), strict=True)}
    groups = STRUCTURAL if lemmas == "structural" else ()
    task = Task(KAFKA_KIP320, given, ("StrongIsr",), timeout=timeout, lemma_groups=groups)
    before, watch = _processor_seconds(), Phases()
    (result,) = prove(task, watch)
    return {
        "verdict": result.verdict.value,
        "wall": monotonic() - watch.started,
        "found": watch.found,
        "processor": _processor_seconds() - before,
        "clauses": len(result.certificate.clauses) if result.certificate else 0,
    }


def measure(cases: Sequence[str], repeat: int, timeout: float) -> list[dict[str, object]]:
    """One row a case: medians of the runs."""
    rows: list[dict[str, object]] = []
    for case in cases:
        found = [run(case, timeout) for _ in range(repeat)]

        def middle(
            name: str, runs: Sequence[dict[str, float | str | None]] = found
        ) -> float | None:
            known = [float(r[name] or 0) for r in runs if r[name] is not None]
            return round(median(known), 1) if known else None

        rows.append(
            {
                "case": case,
                "verdicts": sorted({str(r["verdict"]) for r in found}),
                "clauses": middle("clauses"),
                "processor_s": middle("processor"),
                "wall_s": middle("wall"),
                "found_s": middle("found"),
            }
        )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", default=list(CASES), metavar="SIZE:LEMMAS")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    rows = measure(asked.cases, asked.repeat, asked.timeout)
    header = {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "python-sat": version("python-sat"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load before and after": f"{load:.1f} {os.getloadavg()[0]:.1f}",
        "repeat": asked.repeat,
    }
    if asked.json:
        print(json.dumps({"header": header, "rows": rows}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in header.items()))
    print(f"{'size:lemmas':>20} {'processor s':>12} {'wall s':>8} {'found s':>8} {'clauses':>8}")
    for row in rows:
        print(
            f"{row['case']:>20} {row['processor_s']:>12} {row['wall_s']:>8} "
            f"{row['found_s'] or '-':>8} {row['clauses']:>8} {', '.join(row['verdicts'])}"
        )


if __name__ == "__main__":
    main()
