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


SUCCESSORS = 1 << 20
"""Successors of a block, about, where those of the block before tell: one takes some 150 bytes
while it is looked up (measured), and a limit of memory is looked at between blocks."""


def states_of_a_block(at_once: int, by_state: float) -> int:
    """The states of the next block, at most ``at_once``, where one has so many successors."""
    return min(at_once, max(_SIZES[0], int(SUCCESSORS / max(by_state, 1.0))))


class NumpyCost:
    """About what expanding states costs with numpy, beside what making machine code would cost.

    It follows from numbers of states alone, so that each run decides alike.
    """

    def __init__(self, gates: int) -> None:
        self._gates = gates
        self._nanoseconds = 0.0
        self._sizes: set[int] = set()

    def of_level(self, states: int) -> bool:
        """Count a level that is about to be expanded with numpy; return whether all of it so far
        costs more than machine code would. Of no states these are the programs alone."""
        by_gate = _LEVEL_BY_GATE + states * _STATE_BY_GATE if states else 0.0
        size = lanes_for(states)
        if size not in self._sizes:
            self._sizes.add(size)
            by_gate += _SIZE_BY_GATE
        if not self._nanoseconds:
            by_gate += _PROGRAM_BY_GATE
        self._nanoseconds += self._gates * by_gate
        return self._nanoseconds > MADE + self._gates * MADE_BY_GATE


MADE = 1.3e8
"""Nanoseconds that importing the compiler and making the code take, whatever the system is."""
MADE_BY_GATE = 3e3
_PROGRAM_BY_GATE = 4e3
_SIZE_BY_GATE = 5e3
_LEVEL_BY_GATE = 7e3
_STATE_BY_GATE = 0.75
"""What each gate of the system adds to that; and with numpy to the programs, to their columns for
blocks of one size, to each level, and to each state (measured on kafka and elasticsearch, with what
enters states into the table and judges them)."""
