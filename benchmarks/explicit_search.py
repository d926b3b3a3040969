"""Explicit search with and without symmetry, against TLC's seconds where a file tells them.

Seconds are those of the processor in a process of its own, building the system included. With
`--tlc FILE` (a list of rows with `protocol`, `parameters`, `distinct_states` and `tlc_seconds`)
the cases are those rows, counts must be equal, and the last columns say how many times as many
distinct states a second as TLC's one worker reached. Prints a table, and JSON with `--json`.

    python benchmarks/explicit_search.py --repeat 3 --least 10000 --tlc tlc.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

CASES: list[dict[str, Any]] = [
    {"protocol": "kafka", "parameters": {}},
    {"protocol": "kafka", "parameters": {"replicas": 4, "max_leader_epoch": 1}},
    {"protocol": "kafka", "parameters": {"replicas": 5, "max_leader_epoch": 1, "max_records": 1}},
    {"protocol": "kafka-kip101", "parameters": {}},
]


def run(protocol: str, parameters: Mapping[str, int], *options: str) -> dict[str, Any]:
    """One exploration: seconds, peak MB, distinct and kept states."""
    given = [f"--parameter={name}={value}" for name, value in parameters.items()]
    command = [sys.executable, "-m", "bmc", "explore", protocol, "--json", *given, *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    document = json.loads(ended.stdout)
    if "error" in document:
        return {"error": document["error"]["message"]}
    if not document["complete"]:
        return {"error": document["stopped_because"]}
    return {
        "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_mb": document["peak_memory_mb"],
        "states": document["distinct_states"],
        "kept": document["representatives"] or document["distinct_states"],
    }


def measure(case: Mapping[str, Any], repeat: int) -> dict[str, Any]:
    """The medians of one case, taking turns with and without symmetry."""
    row: dict[str, Any] = {"protocol": case["protocol"], "parameters": case["parameters"]}
    found: dict[str, list[dict[str, Any]]] = {"plain": [], "symmetry": []}
    for _ in range(repeat):
        found["plain"].append(run(case["protocol"], case["parameters"]))
        found["symmetry"].append(run(case["protocol"], case["parameters"], "--symmetry"))
    for name, runs in found.items():
        errors = [r["error"] for r in runs if "error" in r]
        if errors:
            row[name] = {"error": errors[0]}
            continue
        row[name] = {
            "seconds": round(median(r["seconds"] for r in runs), 2),
            "peak_mb": round(max(r["peak_mb"] for r in runs)),
            "states": runs[0]["states"],
            "kept": runs[0]["kept"],
        }
        expected = case.get("distinct_states")
        if expected is not None and runs[0]["states"] != expected:
            raise SystemExit(f"{row}: {expected} states were expected")
        if case.get("tlc_seconds"):
            row[name]["times_tlc"] = round(case["tlc_seconds"] / row[name]["seconds"], 1)
    row["tlc_seconds"] = case.get("tlc_seconds")
    return row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--tlc", type=Path, help="rows of TLC's")
    parser.add_argument("--least", type=int, default=0, help="leave out rows with fewer states")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cases = CASES
    if asked.tlc is not None:
        rows = json.loads(asked.tlc.read_text(encoding="utf-8"))
        cases = [row for row in rows if row["distinct_states"] >= asked.least]
    header = {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "repeat": asked.repeat,
    }
    measured = [measure(case, asked.repeat) for case in cases]
    if asked.json:
        print(json.dumps({"header": header, "rows": measured}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in header.items()))
    print(
        f"{'protocol':24} {'states':>10} {'s':>7} {'MB':>5} {'kept':>9} {'s':>7} {'MB':>5}  TLC s"
    )
    for row in measured:
        print(" ".join(_cells(row)), " ".join(f"{n}={v}" for n, v in row["parameters"].items()))


def _cells(row: Mapping[str, Any]) -> list[str]:
    plain, symmetry = row["plain"], row["symmetry"]
    cells = [f"{row['protocol']:24}"]
    for name, counted in ((plain, "states"), (symmetry, "kept")):
        if "error" in name:
            cells.append(f"{name['error'][:22]:>24}")
        else:
            wide = 10 if counted == "states" else 9
            cells.append(f"{name[counted]:>{wide}} {name['seconds']:>7} {name['peak_mb']:>5}")
    cells.append(f"{row['tlc_seconds'] or '-':>6}")
    ratios = [str(name.get("times_tlc", "-")) for name in (plain, symmetry)]
    cells.append(f"×{ratios[0]} ×{ratios[1]}")
    return cells


if __name__ == "__main__":
    main()
