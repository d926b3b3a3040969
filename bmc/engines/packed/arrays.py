"""Arrays that grow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def grown(array: NDArray[Any], capacity: int, used: int) -> NDArray[Any]:
    """A copy with room for ``capacity`` entries, of which the first ``used`` are the array's."""
    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger
