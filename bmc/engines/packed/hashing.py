"""The hash of a packed state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows

MIX = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def hashes_of(rows: Rows) -> NDArray[np.uint64]:
    """A 64-bit hash of each row; which hash only decides the speed."""
    mixed = rows[:, 0] * MIX
    for word in range(1, rows.shape[1]):
        mixed ^= mixed >> _HALF
        mixed += rows[:, word]
        mixed *= MIX
    mixed ^= mixed >> _HALF
    mixed *= FOLD
    mixed ^= mixed >> _HALF
    return mixed
