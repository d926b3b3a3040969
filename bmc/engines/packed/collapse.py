"""Wide states as tuples of their components' numbers, there and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.components import StateComponent
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.table import StateTable
from bmc.engines.packed.tuples import TupleLayout

_SPARE = 2
"""Bits that a component's numbers may grow by before all tuples are laid out anew."""
_BLOCK = 1 << 14

Chosen = NDArray[np.intp] | slice
Found = list[tuple[int, Chosen, NDArray[np.int64]]]
"""Numbers of components: which component, in which rows, and the numbers there."""
EVERY = slice(None)


class Collapse:
    """A cut of states into components, their values so far, and the layout of the tuples.

    ``written`` says by rule and word whether the rule can change the word.
    """

    def __init__(
        self, words: int, cuts: Sequence[tuple[int, int]], written: NDArray[np.bool_] | None
    ) -> None:
        self._words = words
        self.components = [StateComponent.of(start, stop) for start, stop in cuts]
        self._written: list[NDArray[np.bool_]] | None = None
        if written is not None:
            self._written = [np.any(written[:, start:stop], axis=1) for start, stop in cuts]
        self.layout = TupleLayout([0] * len(cuts))

    @staticmethod
    def of(
        words: int,
        cuts: Sequence[tuple[int, int]],
        written: NDArray[np.bool_] | None,
        values: Sequence[Rows],
    ) -> Collapse:
        """Return a collapse whose components have had these values, in their order."""
        made = Collapse(words, cuts, written)
        made.components = [
            StateComponent(start, stop, StateTable.of(rows))
            for (start, stop), rows in zip(cuts, values, strict=True)
        ]
        return made

    @property
    def bytes(self) -> int:
        """What the components' values take."""
        return sum(one.values.bytes for one in self.components)

    def lay_out(self) -> TupleLayout | None:
        """Make room for the values there are now; return the layout before if it had none."""
        counts = [len(one.values) for one in self.components]
        before = self.layout
        if before.fits(counts):
            return None
        self.layout = TupleLayout([(n - 1).bit_length() + _SPARE for n in counts])
        return before

    def found(self, rows: Rows, rules: NDArray[np.uint32] | None) -> Found:
        """Return the components' numbers in states, of those that ``rules`` changed if given.

        ``rules`` has by row the rule that led there. Values that are new are entered.
        """
        if rules is None or self._written is None:
            return [(i, EVERY, one.numbers(rows)) for i, one in enumerate(self.components)]
        found: Found = []
        for i, (one, written) in enumerate(zip(self.components, self._written, strict=True)):
            chosen = np.flatnonzero(written[rules])
            if len(chosen):
                found.append((i, chosen, one.numbers_at(rows, chosen)))
        return found

    def put(self, tuples: Rows, found: Found) -> None:
        """Write what was found into tuples."""
        for i, chosen, numbers in found:
            self.layout.write(tuples, i, chosen, numbers)

    def tuples(self, rows: Rows) -> Rows:
        """Return states as tuples, in which there is room for their values."""
        found = np.zeros((len(rows), self.layout.words), np.uint64)
        self.put(found, self.found(rows, None))
        return found

    def states(self, tuples: Rows) -> Rows:
        """Return the states of tuples."""
        rows = np.empty((len(tuples), self._words), np.uint64)
        for start in range(0, len(tuples), _BLOCK):
            block = tuples[start : start + _BLOCK]
            for i, one in enumerate(self.components):
                one.write(rows[start : start + _BLOCK], self.layout.numbers(block, i))
        return rows

    def moved(self, tuples: Rows, before: TupleLayout) -> Rows:
        """Return tuples of the layout before as those of now."""
        found = np.zeros((len(tuples), self.layout.words), np.uint64)
        for i in range(len(self.components)):
            self.layout.write(found, i, EVERY, before.numbers(tuples, i))
        return found


def collapse_of(
    words: int,
    cuts: Sequence[tuple[int, int]],
    written: NDArray[np.bool_] | None,
    blocks: Callable[[], Iterator[Rows]],
) -> Collapse:
    """Return a collapse that has room for the states of all blocks."""
    made = Collapse(words, cuts, written)
    for rows in blocks():
        made.found(rows, None)
    made.lay_out()
    return made
