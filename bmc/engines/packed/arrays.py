"""Arrays that grow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.running.memory import unwritten_is_free

_SPARE = 32
"""How many times the room that is asked for is taken, where what is not written costs nothing: to
copy ten million states from array to array took a sixth of their exploration."""
_LARGE = 1 << 23
"""Bytes from which on it is: the system may give two megabytes where one byte is written."""


def grown(array: NDArray[Any], capacity: int, used: int) -> NDArray[Any]:
    """A copy with room for ``capacity`` entries, of which the first ``used`` are the array's."""
    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


def grown_with_spare(array: NDArray[Any], capacity: int, used: int) -> NDArray[Any]:
    """The same, with room for some times as many where that takes no memory before it is
    written."""
    large = capacity * array[:1].nbytes >= _LARGE
    if large and unwritten_is_free():
        try:
            return grown(array, _SPARE * capacity, used)
        except MemoryError:
            # A system that gives no more addresses than it has memory.
            pass
    return grown(array, capacity, used)
