"""How long the main job takes as a whole process, and how it grows: `bmc prove kafka --k 10`.

Every run is a new process with nothing cached; what takes longer than ten seconds runs once.
Engines and solvers take turns within a repetition, so a machine that drifts slows all of them
alike. Prints a table; `--json FILE` also writes it as JSON, after every row.

    python benchmarks/prove_kafka.py --repeat 5 --sizes 3,2,2,2 3,3,3,3 5,2,2,2
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median

from whole_process import SHORT, Run, bmc, header, kafka, run, write

GROWTH = ("3,2,2,2", "5,2,2,2", "7,2,2,2", "3,4,4,2", "3,8,8,2", "3,2,2,4", "3,2,2,8")
MEASURED = ("processor_s", "wall_s", "peak_mb")
TARGETS = ("5,5,5,5", "5,8,8,8", "3,14,14,14")


def once(size: str, engine: str, solver: str, timeout: float) -> Run:
    """One whole process; its own time limit comes first, so that it says what it learnt."""
    wanted = ("prove", "kafka", "--k", "10", "--json", "--engine", engine, "--solver", solver)
    return run(bmc(*wanted, "--timeout", str(timeout), given=kafka(size)), timeout * 1.1 + 10)


def measure(
    sizes: list[str], engines: list[str], solvers: list[str], repeat: int, timeout: float
) -> Iterator[dict[str, object]]:
    """One row a size, engine and solver: medians of the runs."""
    for size in sizes:
        runs: dict[tuple[str, str], list[Run]] = {each: [] for each in product(engines, solvers)}
        for turn in range(repeat):
            for (engine, solver), before in runs.items():
                if turn == 0 or before[0].wall <= SHORT:
                    before.append(once(size, engine, solver, timeout))
        for (engine, solver), found in runs.items():
            yield {
                "size": size,
                "engine": engine,
                "solver": solver,
                "runs": len(found),
                "wall_s": round(median(one.wall for one in found), 2),
                "processor_s": round(median(one.processor for one in found), 2),
                "peak_mb": round(max(one.peak_mb for one in found)),
                "answer": " / ".join(sorted({_answer(one) for one in found})),
            }


def _answer(done: Run) -> str:
    if done.stopped:
        return "stopped"
    try:
        results = json.loads(done.output)["results"]
    except ValueError:
        return f"failed, exit code {done.exit}"
    verdicts = [result["verdict"] for result in results]
    return ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=[*GROWTH, *TARGETS])
    parser.add_argument("--engines", nargs="+", default=["auto"])
    parser.add_argument("--solvers", nargs="+", default=["cadical"])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here as well")
    asked = parser.parse_args()
    head = header(timeout_s=asked.timeout)
    print(", ".join(f"{name} {value}" for name, value in head.items()))
    print("| size | engine | solver | answer | runs | processor s | wall s | peak MB |")
    print("|---|---|---|---|---:|---:|---:|---:|", flush=True)
    rows: list[dict[str, object]] = []
    for row in measure(asked.sizes, asked.engines, asked.solvers, asked.repeat, asked.timeout):
        rows.append(row)
        columns = ("size", "engine", "solver", "answer", "runs", *MEASURED)
        print("| " + " | ".join(str(row[name]) for name in columns) + " |", flush=True)
        write(asked.json, head, rows)


if __name__ == "__main__":
    main()
