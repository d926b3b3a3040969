"""Ten thousand mutants of certificates, traces and ITF files: right, refused or unknown.

Each mutant is read by the command that reads such a file. A traceback, an exit code of an internal
failure, a file that nobody asked for, or one that takes too long ends the run with its seed. Prints
how many there were of each kind and exit code, and the slowest.

    python benchmarks/hostile_data.py --mutants 10000
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.data.enemy import Victim, victims

SECONDS = 30.0
"""More processor time than any of these documents is worth."""


def main() -> None:
    """Attack, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1_000, metavar="SEED")
    asked = parser.parse_args()
    with TemporaryDirectory() as made, TemporaryDirectory() as used:
        found = list(victims(Path(made)))
        share = asked.mutants // len(found)
        for victim in found:
            _attack(victim, range(asked.first, asked.first + share), Path(used) / victim.kind)


def _attack(victim: Victim, seeds: range, folder: Path) -> None:
    folder.mkdir()
    codes: Counter[int] = Counter()
    slowest = 0.0
    for seed in seeds:
        started = process_time()
        answered = victim.attacked(seed, folder)
        taken = process_time() - started
        slowest = max(slowest, taken)
        codes[answered.code] += 1
        alone = {file.name for file in folder.iterdir()} == {victim.name}
        if answered.code == 4 or "Traceback" in answered.err or not alone or taken > SECONDS:
            raise SystemExit(f"{victim.kind}, seed {seed}, {taken:.1f} s: {answered.err}")
    counted = ", ".join(f"exit {code}: {codes[code]}" for code in sorted(codes))
    print(f"{victim.kind:<16}{len(seeds):>6} mutants  {counted}  slowest {slowest:.2f} s")


if __name__ == "__main__":
    main()
