"""Forged certificates of random protocols, whose truth is known, and what both judges say.

    python benchmarks/forged_certificates.py --certificates 10000 --seed 0

Prints how many each judge accepted and rejected. One that is accepted although a claim of it fails
ends the run with the protocol's number.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.campaign.campaign import truth_numbered
from tests.campaign.engines import NothingToCheck, TooMany
from tests.campaign.forged import forgeries, held_against

EACH = 10
"""Certificates of each protocol."""


def main() -> None:
    """Forge, have them judged, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificates", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first protocol")
    asked = parser.parse_args()
    told: Counter[str] = Counter()
    for number in count(asked.seed):
        try:
            truth = truth_numbered(number)
        except (TooMany, NothingToCheck, AssertionError):
            continue
        told["protocols"] += 1
        for certificate in forgeries(truth, Random(number), EACH):
            held_against(truth, certificate, told)
            told["certificates"] += 1
        if told["certificates"] >= asked.certificates:
            break
    for name, times in sorted(told.items()):
        print(f"{name:24}{times:>8}")


if __name__ == "__main__":
    main()
