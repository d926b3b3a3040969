"""Ten thousand mutants of all that bmc reads: right, refused or unknown.

Certificates, traces, ITF files, locks with their evidence, logs and their maps, `--where`, and
the folders of sweeps.

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

from tests.data.enemy import Victim, proofs, victims
from tests.data.texts import Attack, attacks

SECONDS = 30.0
"""More processor time than any of these documents is worth."""


def main() -> None:
    """Attack, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1_000, metavar="SEED")
    parser.add_argument("--only", default="", metavar="KIND", help="what the kind's name holds")
    asked = parser.parse_args()
    with TemporaryDirectory() as made, TemporaryDirectory() as used:
        documents = [*victims(Path(made)), *proofs(Path(made))]
        found = [*map(_document, documents), *attacks(Path(made))]
        chosen = [one for one in found if asked.only in one.kind]
        share = asked.mutants // len(chosen)
        for one in chosen:
            _attack(one, range(asked.first, asked.first + share), Path(used) / one.kind)


def _document(victim: Victim) -> Attack:
    def made(seed: int, folder: Path) -> tuple[str, ...]:
        return victim.put(seed, folder)

    return Attack(victim.kind, made, right=victim.is_right)


def _attack(attack: Attack, seeds: range, folder: Path) -> None:
    folder.mkdir()
    codes: Counter[int] = Counter()
    slowest = 0.0
    for seed in seeds:
        started = process_time()
        answered, alone = attack.attacked(seed, folder)
        taken = process_time() - started
        slowest = max(slowest, taken)
        codes[answered.code] += 1
        if answered.code == 4 or "Traceback" in answered.err or not alone or taken > SECONDS:
            raise SystemExit(f"{attack.kind}, seed {seed}, {taken:.1f} s: {answered.err}")
    counted = ", ".join(f"exit {code}: {codes[code]}" for code in sorted(codes))
    said = f"{attack.kind:<16}{len(seeds):>6} mutants  {counted}  slowest {slowest:.2f} s"
    print(said, flush=True)


if __name__ == "__main__":
    main()
