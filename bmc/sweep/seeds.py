"""Ranges of seeds: how a campaign of random walks is cut into jobs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bmc.lang.errors import BmcError

MOST_JOBS = 20_000
_RANGE = re.compile(r"(\d{1,12})(?:\.\.(\d{1,12}))?")


class SeedsError(BmcError):
    """A range of seeds that cannot be read, is empty, or is cut into too many jobs."""


@dataclass(frozen=True)
class Seeds:
    """The seeds from ``first`` to ``last``, each of which takes ``walks`` random walks."""

    first: int
    last: int
    walks: int

    @property
    def text(self) -> str:
        """The range as it is asked for, `0..99`."""
        return f"{self.first}..{self.last}"

    def __len__(self) -> int:
        return self.last - self.first + 1


def read_seeds(text: str, walks: int) -> Seeds:
    """Return the range that ``N`` or ``N..M`` means. Raises SeedsError."""
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise SeedsError(
            f"--seeds {text!r}: write a range of whole numbers of at most 12 digits, such as 0..999"
        )
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise SeedsError(f"--seeds {text!r} is empty: write the lower end first")
    if walks < 1:
        raise SeedsError(f"--walks must be 1 or more, you gave {walks}")
    return Seeds(first, last, walks)


def blocks(seeds: Seeds, size: int, points: int) -> list[Seeds]:
    """Cut a range into jobs of ``size`` seeds, at the multiples of ``size``.

    A longer range has the same blocks, but for the last one, so that what is done stays done.
    Raises SeedsError for a size below 1, and where ``points`` choices of parameters and claims
    make too many jobs of it.
    """
    if size < 1:
        raise SeedsError(f"--seeds-a-job must be 1 or more, you gave {size}")
    number = seeds.last // size - seeds.first // size + 1
    if number * points > MOST_JOBS:
        raise SeedsError(
            f"that are {number * points:,} jobs, more than {MOST_JOBS:,}: take more seeds into "
            "each with --seeds-a-job"
        )
    starts = range(seeds.first // size * size, seeds.last + 1, size)
    return [
        Seeds(max(start, seeds.first), min(start + size - 1, seeds.last), seeds.walks)
        for start in starts
    ]
