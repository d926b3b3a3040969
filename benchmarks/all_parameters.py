"""How long the proof of KIP-320 at all parameters takes, and the re-check of its certificate.

    python benchmarks/all_parameters.py [--processes 2]

Prints wall time, and the CPU time of all processes together.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from bmc.properties.kafka import KAFKA_KIP320

from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import SILENT
from bmc.evidence.parametric_certify import certify_parametric

CLAIMS = ("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr")
T = TypeVar("T")


def timed(what: str, run: Callable[[], T]) -> T:
    """Run, and print what it cost."""
    wall, before = monotonic(), os.times()
    found = run()
    after = os.times()
    cpu = sum(after[:4]) - sum(before[:4])
    print(f"{what:32} {monotonic() - wall:6.1f} s wall  {cpu:6.1f} s CPU")
    return found


def main() -> None:
    """Prove, re-check, and print the slowest conditions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    processes = parser.parse_args().processes
    task = ParametricTask(KAFKA_KIP320, CLAIMS, processes=processes)
    proof = timed("prove, re-check included", lambda: prove_for_all(task, SILENT))
    certificate = proof.certificate
    if certificate is None:
        raise SystemExit("nothing was proved")
    timed("re-check alone", lambda: certify_parametric(certificate, KAFKA_KIP320))
    for one in sorted(proof.outcomes, key=lambda o: -o.seconds)[:5]:
        print(f"  {one.seconds:5.2f} s  {one.rounds:3} models  {one.name}")


if __name__ == "__main__":
    main()
