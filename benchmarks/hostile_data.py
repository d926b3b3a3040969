"""Ten thousand mutants of all that bmc reads: right, refused or unknown.

Certificates, traces, ITF files, locks with their evidence, logs and their maps, `--where`, and
the folders of sweeps.

Each mutant is read by the command that reads such a file. A traceback, an exit code of an internal
failure, a file that nobody asked for, one that is accepted and wrong, or one that takes too long is
told with its seed, and the run goes on. Prints how many there were of each kind and exit code, and
the slowest, as it goes: of a run that is killed the figures are there.

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
EVERY = 500
"""Mutants of a kind after which the figures are printed."""


def main() -> int:
    """Attack, and print what came of it; 1 if something was neither right, refused nor unknown."""
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
        seeds = range(asked.first, asked.first + share)
        wrong = [_attack(one, seeds, Path(used) / one.kind) for one in chosen]
    return 1 if any(wrong) else 0


def _document(victim: Victim) -> Attack:
    def made(seed: int, folder: Path) -> tuple[str, ...]:
        return victim.put(seed, folder)

    return Attack(victim.kind, made, right=victim.is_right)


def _attack(attack: Attack, seeds: range, folder: Path) -> int:
    """Try one kind, and return how many mutants were taken as they must not be."""
    folder.mkdir()
    codes: Counter[int] = Counter()
    slowest, wrong, began = 0.0, 0, process_time()
    for seed in seeds:
        started = process_time()
        answered, alone = attack.attacked(seed, folder)
        taken = process_time() - started
        slowest = max(slowest, taken)
        codes[answered.code] += 1
        failed = answered.code == 4 or "Traceback" in answered.err
        if failed or not alone or taken > SECONDS:
            wrong += 1
            how = "" if alone else "wrong, or it left files; "
            said = f"{how}{taken:.1f} s: {answered.err or answered.out[-300:]}"
            print(f"{attack.kind}, seed {seed}: {said}", flush=True)
        if codes.total() % EVERY == 0 or seed == seeds[-1]:
            counted = ", ".join(f"exit {code}: {codes[code]}" for code in sorted(codes))
            took = f"{process_time() - began:.0f} s, slowest {slowest:.2f} s"
            told = f"{attack.kind:<16}{codes.total():>6} mutants  {counted}  {wrong} wrong  {took}"
            print(told, flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
