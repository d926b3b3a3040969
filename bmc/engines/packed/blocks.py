"""How many states are evaluated at once."""

from __future__ import annotations

LANES = 1 << 14
"""States a block, at most. The columns of a block stay in the processor's cache, and a block is
long enough for Python's share of the time to be small (measured: 4,096 takes half as long again,
32,768 is no faster)."""

FEW = 1 << 8
"""Up to here the time does not depend on the number of states."""


def lanes_for(count: int) -> int:
    """The lanes to evaluate ``count`` states with, or as many of them as fit."""
    return FEW if count <= FEW else LANES
