"""States of a search that are decoded when they are asked for: few of many are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, overload

from bmc.engines.packed.packing import Packing, Rows
from bmc.readings.value import ConcreteState
from bmc.system.transition import TransitionSystem

SOME, MOST = 512, 8192
"""States of a search about which a protocol's other text is asked, of few and of very many."""


def some_of(found: int) -> list[int]:
    """Return the numbers of some of so many states, from everywhere; the same ones each time."""
    return Random(0).sample(range(found), min(found, MOST, max(SOME, found // 1000)))


class DecodedStates(Sequence[ConcreteState]):
    """The states of these rows. Another process is sent them decoded, without the system."""

    def __init__(self, system: TransitionSystem, packing: Packing, rows: Rows) -> None:
        self._system, self._packing, self._rows = system, packing, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> ConcreteState: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ConcreteState]: ...
    def __getitem__(self, at: int | slice) -> ConcreteState | Sequence[ConcreteState]:
        if isinstance(at, slice):
            return DecodedStates(self._system, self._packing, self._rows[at])
        return self._system.decode(self._packing.numbers(self._rows[at]))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)
