"""What a further frame of an unrolling costs: its step translated again, or copied from a template.

    python benchmarks/unrolling.py --frames 12 --repeat 3

Processor milliseconds a step, its frames included, for CaDiCaL and without solving: the first
step, which is translated either way, the second, which makes the template, and the median of those
after it, beside the median where each is translated. A copy has gates of its own, so what is
solved afterwards differs a little.
"""

from __future__ import annotations

import argparse
from statistics import median
from time import process_time

from bmc.cli.shared.catalogue import find
from bmc.lang.protocol import parameter_values
from bmc.solving.sat_solver import SatSolver
from bmc.system.transition import TransitionSystem
from bmc.system.unrolling import Frame, Unrolling

CASES: tuple[tuple[str, dict[str, int]], ...] = (
    ("kafka", {}),
    ("kafka", {"replicas": 5, "log_size": 5, "max_records": 5, "max_leader_epoch": 5}),
    ("elasticsearch", {}),
    ("kafka-transactions", {}),
)


class Translated(Unrolling):
    """An unrolling without a template."""

    def _copied(self, here: Frame, there: Frame) -> None:
        return None


def frames(made: type[Unrolling], system: TransitionSystem, count: int) -> list[float]:
    """Processor seconds of each of so many steps."""
    unrolling = made(system, SatSolver())
    taken = []
    for k in range(count):
        started = process_time()
        unrolling.step(k)
        taken.append(process_time() - started)
    return taken


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    print("| protocol | parameters | first ms | second ms | further ms | translated ms | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, given in CASES:
        suite = find(name)
        values = parameter_values(suite.protocol, given, name)
        system = TransitionSystem(suite.model(ghosts=False), values)
        copied, plain = (
            [frames(made, system, asked.frames) for _ in range(asked.repeat)]
            for made in (Unrolling, Translated)
        )
        first, second = (median(run[k] for run in copied) for k in (0, 1))
        further, translated = (
            median(seconds for run in runs for seconds in run[2:]) for runs in (copied, plain)
        )
        cells = [f"{1000 * s:.1f}" for s in (first, second, further, translated)]
        size = ", ".join(f"{key}={value}" for key, value in given.items()) or "defaults"
        print(f"| {name} | {size} | {' | '.join(cells)} | {translated / further:.1f} |")


if __name__ == "__main__":
    main()
