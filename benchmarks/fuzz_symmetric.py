"""Random protocols of symmetric processes: temporal claims and their rankings beside brute force.

    python benchmarks/fuzz_symmetric.py --protocols 1000 --seconds 3600 --seed 0

Each protocol has a number: ``--seed N --protocols 1`` looks at that one again. ``--texts`` looks at
the protocols as texts of TLA+ instead, and ``--both`` at either.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.campaign.symmetric import look, look_at_text


def main() -> int:
    """Run the campaign; 1 if something disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocols", type=int, default=1_000, help="at most so many")
    parser.add_argument("--seconds", type=float, default=inf, help="at most so long")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    parser.add_argument("--texts", action="store_true", help="as texts of TLA+")
    parser.add_argument("--both", action="store_true", help="as they are, and as texts")
    given = parser.parse_args()
    tally: Counter[str] = Counter()
    started, looked, failures = monotonic(), 0, 0
    with TemporaryDirectory(prefix="bmc-symmetric-") as folder:
        for number in range(given.seed, given.seed + given.protocols):
            if monotonic() - started > given.seconds:
                break
            try:
                if given.both or not given.texts:
                    look(number, tally)
                if given.both or given.texts:
                    look_at_text(number, tally, Path(folder))
            except Exception as error:
                failures += 1
                print(f"{number} {type(error).__name__}: {error}", flush=True)
            looked += 1
    print(f"protocols                        {looked}")
    print("\n".join(f"  {name:30} {times}" for name, times in sorted(tally.items())))
    print(f"disagreements                    {failures}")
    print(f"seconds                          {monotonic() - started:.0f}, {process_time():.0f} own")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
