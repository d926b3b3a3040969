"""Faults planted in the translator of TLA+, and what the comparison with the text says of each.

    python benchmarks/tla_faults.py

Each fault is planted alone; the small specifications of the tests are translated with it and
compared with their texts at no more than a thousand states. Prints a table and the score; fails
unless every fault is found.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.frontends.tla.seeded_faults import FAULTS


def main() -> int:
    print("| fault | found | seconds |")
    print("|---|---|--:|", flush=True)
    score = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in FAULTS:
            start = time.process_time()
            said = fault.found(Path(folder))
            score += bool(said)
            spent = time.process_time() - start
            print(f"| {fault.name} | {said or '**no**'} | {spent:.2f} |", flush=True)
    print(f"\n{score} of {len(FAULTS)} faults are found")
    return 0 if score == len(FAULTS) else 1


if __name__ == "__main__":
    sys.exit(main())
