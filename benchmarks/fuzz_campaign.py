"""Random protocols against an evaluator written from docs/language.md, and what came of it.

    python benchmarks/fuzz_campaign.py --protocols 20000 --seconds 3600 --seed 0

Each protocol has a number: ``--seed N --protocols 1`` looks at that one again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.campaign.campaign import Figures, run


def main() -> int:
    """Run the campaign; 1 if something disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocols", type=int, default=20_000, help="at most so many")
    parser.add_argument("--seconds", type=float, default=600.0, help="at most so long")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    given = parser.parse_args()
    end, figures = monotonic() + given.seconds, Figures()
    told = 0
    started = monotonic()

    def go_on() -> bool:
        nonlocal told
        for failure in figures.failures[told:]:
            said = f"{failure.number} {failure.check}: {failure.said}\n{failure.plan!r}"
            print(said, flush=True)
        told = len(figures.failures)
        return monotonic() < end

    run(iter(range(given.seed, given.seed + given.protocols)), figures, go_on)
    go_on()
    print("\n".join(figures.lines()))
    print(f"seconds                  {monotonic() - started:.0f}")
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
