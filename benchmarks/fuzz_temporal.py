"""Random temporal claims under random fairness, by every engine that decides them.

    python benchmarks/fuzz_temporal.py --protocols 10000 --seed 0 --processes 2 --state run.jsonl

Each protocol has a number: ``--seed N --protocols 1`` looks at that one again. ``--no-monitor``
leaves out the slowest engine. What was found so far is printed now and then, and at the end, also
where Ctrl-C or SIGTERM is the end.

With ``--state`` each piece of ten numbers is a line of that file as soon as it has been looked
at, and the same command goes on behind them: one run in several sittings. Where bmc or the campaign
has changed in between, or other engines are asked, it is another run, and refused.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf
from pathlib import Path
from time import monotonic, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.campaign.temporal import Tally, look

ROOT = Path(__file__).resolve().parents[1]
MONITOR_SECONDS = 4.0
"""Seconds after which the monitor is given up."""
PIECE = 10
"""Numbers that are looked at, written and counted together."""
EVERY = 25
"""Pieces after which the figures are printed."""


@dataclass
class Piece:
    """What was found in some numbers in a row."""

    first: int
    numbers: int
    figures: dict[str, object] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    processor: float = 0.0


class Stopped(BaseException):
    """SIGTERM; no failure of the protocol that is being looked at, so not an Exception."""


def main() -> int:
    """Run the campaign; 1 if something disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocols", type=int, default=10_000, help="at most so many")
    parser.add_argument("--seconds", type=float, default=inf, help="at most so long")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    parser.add_argument("--processes", type=int, default=1, help="so many at once")
    parser.add_argument("--state", type=Path, help="a file with what was looked at before")
    parser.add_argument("--no-monitor", action="store_true", help="leave the monitor out")
    given = parser.parse_args()
    text = f"{code()} {'without' if given.no_monitor else 'with'} the monitor"
    done = read(given.state, text) if given.state else []
    known = {(piece.first, piece.numbers) for piece in done}
    end = given.seed + given.protocols
    starts = range(given.seed, end, PIECE)
    pieces = [(first, min(PIECE, end - first), not given.no_monitor) for first in starts]
    wanted = [piece for piece in pieces if piece[:2] not in known]
    done = [piece for piece in done if (piece.first, piece.numbers, not given.no_monitor) in pieces]
    signal.signal(signal.SIGTERM, _stop)
    started = monotonic()
    with multiprocessing.get_context("spawn").Pool(given.processes, _ignore) as pool:
        try:
            for count, piece in enumerate(pool.imap_unordered(look_at, wanted), 1):
                done.append(piece)
                print("\n".join(piece.failures), end="\n" if piece.failures else "", flush=True)
                if given.state:
                    write(given.state, piece, text)
                if count % EVERY == 0:
                    show(done)
                if monotonic() - started > given.seconds:
                    break
        except (Stopped, KeyboardInterrupt):
            print("stopped")
        pool.terminate()
    show(done)
    return 1 if any(piece.failures for piece in done) else 0


def _ignore() -> None:
    """A process of the pool leaves Ctrl-C to the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _stop(number: int, frame: object) -> None:
    raise Stopped


def code() -> str:
    """A digest of the texts of bmc and of the campaign."""
    digest = sha256()
    for folder in ("bmc", "tests/campaign"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def look_at(piece: tuple[int, int, bool]) -> Piece:
    """Look at each protocol of some numbers in a row; a failure is told and ends nothing."""
    first, numbers, monitor = piece
    tally, found = Tally(), Piece(first, numbers)
    started, used = monotonic(), process_time()
    for number in range(first, first + numbers):
        try:
            look(number, tally, monitor, MONITOR_SECONDS)
        except Exception as error:
            found.failures.append(f"{number} {type(error).__name__}: {error}")
    found.figures = {**vars(tally), "verdicts": dict(tally.verdicts)}
    found.seconds, found.processor = monotonic() - started, process_time() - used
    return found


def read(path: Path, text: str) -> list[Piece]:
    """The pieces that a file has, of the same code and engines; none where there is no file."""
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if any(line.pop("code") != text for line in lines):
        sys.exit(f"{path}: the code or the engines are not those of this run")
    return [Piece(**line) for line in lines]


def write(path: Path, piece: Piece, text: str) -> None:
    """Append a piece to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"code": text, **vars(piece)}) + "\n")


def together(pieces: list[Piece]) -> Tally:
    """The figures of all pieces."""
    total = Tally()
    for tally in (Tally(**piece.figures) for piece in pieces):  # type: ignore[arg-type]
        total.verdicts.update(tally.verdicts)
        total.left_out += tally.left_out
        total.compared += tally.compared
        total.certificates += tally.certificates
        total.longest = max(total.longest, tally.longest)
    return total


def lines(pieces: list[Piece]) -> Iterator[str]:
    """Yield what is printed of some pieces."""
    yield f"protocols               {sum(piece.numbers for piece in pieces)}"
    yield from together(pieces).lines()
    yield f"disagreements            {sum(len(piece.failures) for piece in pieces)}"
    seconds, used = (sum(getattr(p, name) for p in pieces) for name in ("seconds", "processor"))
    yield f"seconds                  {seconds:.0f}, {used:.0f} of the processor\n"


def show(pieces: list[Piece]) -> None:
    """Print the figures."""
    print("\n".join(lines(pieces)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
