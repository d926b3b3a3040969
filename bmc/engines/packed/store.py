"""The states of an exploration: plain where they are few or narrow, else collapsed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.collapse import Collapse, collapse_of
from bmc.engines.packed.components import cut
from bmc.engines.packed.packing import Rows
from bmc.engines.packed.table import StateTable

WIDE = 16
"""Words from which on states are collapsed. At 9 words it took 1.5 times as long to look states
up, at 24 and at 107 it took less time than before."""
SAMPLE = 1 << 15
"""States that show what varies; it is looked again each time there are four times as many."""
_BLOCK = 1 << 14


class StateStore:
    """Distinct states, each with its parent, numbered from 0: a :class:`StateTable` that
    collapses wide states.

    ``written`` says by rule and word whether the rule can change the word.
    """

    def __init__(
        self, words: int, max_bytes: int | None = None, written: NDArray[np.bool_] | None = None
    ) -> None:
        self._words = words
        self._max_bytes = max_bytes
        self._written = written
        self._table = StateTable(words, max_bytes)
        self._collapse: Collapse | None = None
        self._look_at = SAMPLE if words >= WIDE else None

    def __len__(self) -> int:
        return len(self._table)

    @property
    def collapsed(self) -> bool:
        """Whether the states are kept as tuples of their components' numbers."""
        return self._collapse is not None

    @property
    def wide(self) -> bool:
        """Whether the states are collapsed as soon as there are enough of them."""
        return self._words >= WIDE

    @property
    def bytes(self) -> int:
        """What the states take."""
        return self._table.bytes

    @property
    def collapse(self) -> Collapse | None:
        """How the states are kept as tuples; None where they are whole."""
        return self._collapse

    def use_machine_code(self) -> None:
        """Enter states by machine code from now on. Raises NoMachineCode."""
        self._table.use_machine_code()

    @property
    def table(self) -> StateTable:
        """The table of states or tuples, until the next :meth:`add`."""
        return self._table

    def close(self) -> StateTable:
        """Return the table of states or tuples, to which nothing can be added any more."""
        self._table.close()
        return self._table

    def rows(self, start: int, stop: int) -> Rows:
        """Return states ``start .. stop-1``; valid until the next :meth:`add`."""
        rows = self._table.rows(start, stop)
        return rows if self._collapse is None else self._collapse.states(rows)

    def block(self, start: int, stop: int) -> Rows:
        """Return the same, of states whose successors are added next."""
        return self.rows(start, stop)

    def parents(self, start: int, stop: int) -> NDArray[np.uint32]:
        """Return what :meth:`add` was given as the parents of states ``start .. stop-1``."""
        return self._table.parents(start, stop)

    def path(self, number: int) -> list[int]:
        """Return the numbers of the states from an initial one to this one, along parents."""
        return self._table.path(number)

    def numbers(self, rows: Rows) -> NDArray[np.int64]:
        """Return by row the number of its state. Raises KeyError where one was never added."""
        states = rows if self._collapse is None else self._tuples(rows)
        return self._table.numbers(states)

    def add(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        rules: NDArray[np.uint32] | None = None,
    ) -> Rows:
        """Enter the states that are new, and return them; they are numbered last.

        ``parents`` gives by row the number of the state it was reached from, None for initial
        states, and ``rules`` the rule, None where the step was followed by a renaming. Raises
        TableFull, leaving the table as it was, when memory would not suffice.
        """
        if self._collapse is None:
            first = len(self._table)
            self._table.add(rows, parents)
            new = self._table.rows(first, len(self._table))
        else:
            # First, for it may make the table anew.
            tuples = self._tuples(rows, parents, rules)
            self._table.add(tuples, parents)
            new = rows[self._table.latest()]
        if self._look_at is not None and len(self) >= self._look_at:
            self._look_at *= 4
            self._look()
        return new

    def _tuples(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None = None,
        rules: NDArray[np.uint32] | None = None,
    ) -> Rows:
        """Return states as tuples, with room made for the values that are new."""
        assert self._collapse is not None
        collapse = self._collapse
        known = rules if parents is not None else None
        found = collapse.found(rows, known)
        before = collapse.lay_out()
        if before is not None:
            self._table = self._table.rewritten(
                collapse.layout.words,
                lambda start, stop: collapse.moved(self._table.rows(start, stop), before),
            )
        if self._max_bytes is not None:
            self._table.limit(max(0, self._max_bytes - collapse.bytes))
        if known is None or parents is None:
            tuples = np.zeros((len(rows), collapse.layout.words), np.uint64)
        else:
            tuples = self._table.rows(0, len(self))[parents]
        collapse.put(tuples, found)
        return tuples

    def _look(self) -> None:
        """Cut the states into components, or cut them anew, where it pays."""
        count = len(self)
        if self._collapse is not None and self._collapse.bytes < 2 * self._table.bytes:
            return
        sample = np.concatenate(list(self._blocks(max(1, count // SAMPLE))))
        cuts = cut(sample)
        made = collapse_of(self._words, cuts, self._written, self._blocks)
        if self._pays(made):
            self.collapse_by(made)

    def collapse_by(self, made: Collapse) -> None:
        """Keep the states as tuples of these components from now on."""
        self._table = self._table.rewritten(
            made.layout.words, lambda start, stop: made.tuples(self.rows(start, stop))
        )
        self._collapse = made

    def _pays(self, made: Collapse) -> bool:
        """Whether the states would take less than half of what they do."""
        if self._collapse is None:
            return 2 * self._taken(made) < 8 * self._words * len(self)
        return 2 * self._taken(made) < self._taken(self._collapse)

    def _taken(self, collapse: Collapse) -> int:
        """The bytes that tuples and their values take."""
        return collapse.bytes + 8 * collapse.layout.words * len(self)

    def _blocks(self, step: int = 1) -> Iterator[Rows]:
        """All states, block after block, or one of so many."""
        for start in range(0, len(self), _BLOCK * step):
            yield self.rows(start, min(start + _BLOCK * step, len(self)))[::step]
