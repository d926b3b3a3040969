"""The evaluator of TLA+ on the published Kafka replication specifications, beside TLC's counts.

    python benchmarks/tla_kafka.py --corpus DIR [--up-to 70000] [--seconds 120]

DIR is a checkout of hachikuji/kafka-specification. Its modules are explored from their own texts,
without invariants and without deadlock, at constants (Replicas, LogSize, MaxRecords,
MaxLeaderEpoch). TLC's numbers of distinct states were counted by TLC 2.19 with one worker.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle.errors import EvaluationLimit
from bmc.frontends.tla.oracle.machine import Machine
from bmc.frontends.tla.oracle.search import Search

CONSTANTS = ((2, 1, 1, 1), (2, 2, 2, 1), (2, 2, 2, 2), (3, 1, 1, 1), (3, 2, 2, 1))
COUNTED_BY_TLC = {
    "Kip320": (277, 957, 5_973, 6_787, 39_619),
    "Kip279": (341, 1_177, 9_027, 9_841, 60_106),
    "Kip101": (341, 1_177, 9_045, 9_841, 59_788),
    "Kip320FirstTry": (337, 1_165, 8_429, 9_661, 59_092),
    "KafkaTruncateToHighWatermark": (353, 1_251, 10_131, 10_681, 67_807),
}


def configuration(constants: tuple[int, int, int, int]) -> str:
    """Return the configuration's text at these constants."""
    replicas, log_size, most_records, last_epoch = constants
    members = ", ".join(f"r{number}" for number in range(1, replicas + 1))
    return (
        f"SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\nCONSTANTS\nReplicas = {{{members}}}\n"
        f"LogSize = {log_size}\nMaxRecords = {most_records}\nMaxLeaderEpoch = {last_epoch}\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True, help="kafka-specification")
    parser.add_argument("--up-to", type=int, default=70_000, help="largest number of states")
    parser.add_argument("--seconds", type=float, default=120, help="limit for a model")
    options = parser.parse_args()
    print("| module | constants | TLC | states | successors a second |")
    print("|---|---|--:|--:|--:|", flush=True)
    wrong = 0
    for module, counts in COUNTED_BY_TLC.items():
        for constants, expected in zip(CONSTANTS, counts, strict=True):
            if expected > options.up_to:
                continue
            with tempfile.TemporaryDirectory() as folder:
                config = Path(folder) / "Model.cfg"
                config.write_text(configuration(constants))
                machine = Machine(load(options.corpus / f"{module}.tla", config))
            start = time.process_time()
            try:
                with machine.limited(options.seconds):
                    found = Search(machine).run()
                rate = found.generated / (time.process_time() - start)
                told, speed = str(found.distinct), f"{rate:,.0f}"
            except EvaluationLimit:
                told, speed = "too slow", ""
            wrong += told != str(expected)
            print(f"| {module} | {constants} | {expected} | {told} | {speed} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
