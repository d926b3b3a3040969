"""States as they lie on disk: whole, or as tuples; and the hash that orders them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.collapse import Collapse
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.tuples import TupleLayout


@dataclass(frozen=True)
class Keys:
    """How states are written as keys: by ``collapse``, or None where they are kept whole.

    The hash of a key is that of its numbers, so it stays the same when tuples are laid out anew.
    """

    words: int
    collapse: Collapse | None

    @property
    def layout(self) -> TupleLayout | None:
        """The layout of tuples at present; None where there are none."""
        return None if self.collapse is None else self.collapse.layout

    @property
    def key_words(self) -> int:
        """The words of a key in the present layout."""
        return self.words if self.collapse is None else self.collapse.layout.words

    def of(self, rows: Rows) -> Rows:
        """Return the keys of states, in a layout that has room for what they are made of."""
        if self.collapse is None:
            return rows
        found = self.collapse.found(rows, None)
        self.collapse.lay_out()
        keys = np.zeros((len(rows), self.collapse.layout.words), np.uint64)
        self.collapse.put(keys, found)
        return keys

    def states(self, keys: Rows) -> Rows:
        """Return the states of keys in the present layout."""
        return keys if self.collapse is None else self.collapse.states(keys)

    def current(self, keys: Rows, layout: TupleLayout | None) -> Rows:
        """Return keys that were written in a layout in the present one."""
        if self.collapse is None or layout is None or layout.bits == self.collapse.layout.bits:
            return keys
        return self.collapse.moved(keys, layout)

    def hashes(self, keys: Rows) -> NDArray[np.uint64]:
        """Return a hash of keys in the present layout."""
        if self.collapse is None:
            return hashes_of(keys)
        layout, count = self.collapse.layout, len(self.collapse.components)
        numbers = [layout.numbers(keys, i).astype(np.uint64) for i in range(count)]
        return hashes_of(_paired(numbers))


def _paired(numbers: list[NDArray[np.uint64]]) -> Rows:
    """Return the numbers, which have 32 bits at most, two to a word."""
    if len(numbers) % 2:
        numbers = [*numbers, np.zeros_like(numbers[0])]
    halves = zip(numbers[::2], numbers[1::2], strict=True)
    return np.stack([one | (other << np.uint64(32)) for one, other in halves], axis=1)
