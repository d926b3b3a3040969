"""Exit codes, which never change."""

from __future__ import annotations

from collections.abc import Iterable

OK = 0
"""All proved, or no violation that was asked for exists."""
VIOLATION = 1
USAGE = 2
"""Bad usage or input."""
UNKNOWN = 3
FAILURE = 4
"""An internal contradiction or failure."""

CODES = (OK, VIOLATION, USAGE, UNKNOWN, FAILURE)
_BY_WEIGHT = (FAILURE, USAGE, VIOLATION, UNKNOWN, OK)


def worst(codes: Iterable[int]) -> int:
    """The code of several answers: a failure outweighs a violation, that outweighs unknown."""
    found = set(codes)
    return next((code for code in _BY_WEIGHT if code in found), OK)
