"""Random temporal claims under random fairness, by every engine that decides them.

    python benchmarks/fuzz_temporal.py --protocols 10000 --seconds 3600 --seed 0

Each protocol has a number: ``--seed N --protocols 1`` looks at that one again. ``--no-monitor``
leaves out the slowest engine. What was found so far is printed now and then, and at the end, also
where Ctrl-C or SIGTERM is the end.
"""

from __future__ import annotations

import argparse
import signal
import sys
from math import inf
from pathlib import Path
from time import monotonic, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.campaign.temporal import Tally, look

MONITOR_SECONDS = 4.0
"""Seconds after which the monitor is given up."""
EVERY = 250
"""Protocols after which the figures are printed."""


class Stopped(BaseException):
    """SIGTERM; no failure of the protocol that is being looked at, so not an Exception."""


def main() -> int:
    """Run the campaign; 1 if something disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocols", type=int, default=10_000, help="at most so many")
    parser.add_argument("--seconds", type=float, default=inf, help="at most so long")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    parser.add_argument("--no-monitor", action="store_true", help="leave the monitor out")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    started, tally, failures, looked = monotonic(), Tally(), 0, 0
    try:
        for number in range(given.seed, given.seed + given.protocols):
            if monotonic() - started > given.seconds:
                break
            try:
                look(number, tally, not given.no_monitor, MONITOR_SECONDS)
            except Exception as error:
                failures += 1
                print(f"{number} {type(error).__name__}: {error}", flush=True)
            looked += 1
            if looked % EVERY == 0:
                _print(looked, tally, failures, monotonic() - started)
    except (Stopped, KeyboardInterrupt):
        print("stopped")
    _print(looked, tally, failures, monotonic() - started)
    return 1 if failures else 0


def _stop(number: int, frame: object) -> None:
    raise Stopped


def _print(looked: int, tally: Tally, failures: int, seconds: float) -> None:
    print("\n".join([f"protocols               {looked}", *tally.lines()]))
    print(f"disagreements            {failures}")
    print(f"seconds                  {seconds:.0f}, {process_time():.0f} of the processor\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
