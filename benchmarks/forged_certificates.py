"""Forged certificates of random protocols, whose truth is known, and what both judges say.

    python benchmarks/forged_certificates.py --certificates 10000 --seed 0
    python benchmarks/forged_certificates.py --certificates 10000 --enumerated

With ``--enumerated`` protocols are small enough to go through all of their states, reachable or
not, so that what is no proof of a true claim is told from what is one.

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
from tests.campaign.enumerated import held_against_enumeration
from tests.campaign.forged import forgeries, held_against

EACH = 10
"""Certificates of each protocol."""


def main() -> None:
    """Forge, have them judged, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificates", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first protocol")
    parser.add_argument("--enumerated", action="store_true", help="all states of small protocols")
    asked = parser.parse_args()
    told: Counter[str] = Counter()
    if asked.enumerated:
        for number in range(asked.seed, asked.seed + asked.certificates // EACH):
            held_against_enumeration(number, EACH, told)
    else:
        _at_random(asked.seed, asked.certificates, told)
    for name, times in sorted(told.items()):
        print(f"{name:24}{times:>8}")


def _at_random(first: int, most: int, told: Counter[str]) -> None:
    for number in count(first):
        try:
            truth = truth_numbered(number)
        except (TooMany, NothingToCheck, AssertionError):
            continue
        told["protocols"] += 1
        for certificate in forgeries(truth, Random(number), EACH):
            held_against(truth, certificate, told)
            told["certificates"] += 1
        if told["certificates"] >= most:
            break


if __name__ == "__main__":
    main()
