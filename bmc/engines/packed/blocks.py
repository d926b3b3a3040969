"""How many states are evaluated at once."""

from __future__ import annotations

LANES = 1 << 14
"""States a block, at most. The columns of a block stay in the processor's cache, and a block is
long enough for Python's share of the time to be small (measured: 4,096 takes half as long again,
32,768 is no faster)."""

EXPANDED = 1 << 17
"""States whose successors are found at once, at most: so many that the few of them in which an
action is enabled are worth a block."""

_EXPANDED_BYTES = 1 << 24
"""What they may take: their successors take several times as much."""

_SIZES = (1 << 8, 1 << 10, 1 << 12, LANES)
"""Up to the first the time does not depend on the number of states. Each further size costs the
columns of a program once more."""


def lanes_for(count: int) -> int:
    """The lanes to evaluate ``count`` states with, or as many of them as fit."""
    return next((size for size in _SIZES if count <= size), LANES)


def expanded_at_once(words: int) -> int:
    """The states of so many words whose successors are found at once."""
    return min(EXPANDED, max(LANES, _EXPANDED_BYTES // (8 * words) // LANES * LANES))
