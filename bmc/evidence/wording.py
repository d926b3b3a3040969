"""Numbers in the sentences that engines and reports say."""

from __future__ import annotations

WAYS_TO_HOLD_ALL = "add a guard, enlarge the sort or choose larger parameters"
"""What to do where a step leaves the bounds, or reads what has no value."""


def count(number: int, noun: str) -> str:
    """``1 state``, ``2 states``, ``2 properties``."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {plural}"
