"""Tuples of small numbers as rows of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.packing import Rows

_WORD = 64


class TupleLayout:
    """Where each number of a tuple lies: at least ``bits[i]`` for the ``i``-th, none across words.

    What the words have left is shared out, so that the numbers have room to grow.
    """

    def __init__(self, bits: Sequence[int]) -> None:
        words: list[list[int]] = []
        for i in sorted(range(len(bits)), key=lambda i: -bits[i]):
            fitting = (own for own in words if sum(bits[j] for j in own) + bits[i] <= _WORD)
            own = next(fitting, None)
            if own is None:
                words.append([i])
            else:
                own.append(i)
        self.words = len(words)
        self.bits = tuple(bits)
        self._widths = list(bits)
        self._fields = [(0, np.uint64(0), np.uint64(0))] * len(bits)
        for word, own in enumerate(words):
            used, left = 0, _WORD - sum(bits[i] for i in own)
            for turn, i in enumerate(own):
                width = bits[i] + left // len(own) + (turn < left % len(own))
                self._widths[i] = width
                self._fields[i] = (word, np.uint64(used), np.uint64((1 << width) - 1))
                used += width

    def fits(self, counts: Sequence[int]) -> bool:
        """Whether each number may be anything below its count."""
        return all(n <= 1 << width for n, width in zip(counts, self._widths, strict=True))

    def numbers(self, rows: Rows, i: int) -> NDArray[np.int64]:
        """Return the ``i``-th number of every row."""
        word, shift, mask = self._fields[i]
        return ((rows[:, word] >> shift) & mask).astype(np.int64)

    def write(
        self, rows: Rows, i: int, chosen: NDArray[np.intp] | slice, numbers: NDArray[np.int64]
    ) -> None:
        """Set the ``i``-th number of the chosen rows."""
        word, shift, mask = self._fields[i]
        column = rows[:, word]
        column[chosen] = (column[chosen] & ~(mask << shift)) | (numbers.astype(np.uint64) << shift)
