"""States that guessed sorts have no room for, all that walks meet and not the first one alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from bmc.lang.sorts import BoundedSetSort

from .abstract import domain as d
from .oracle.errors import EvaluationLimit
from .oracle.limits import Rounds
from .oracle.machine import Machine, State
from .oracle.search import Search
from .oracle.wandering import wander
from .samples import Samples
from .translate.model import Translation

_ROUNDS = 300_000
"""Rounds of loops in the evaluation."""

_MOST = 200
"""States that are gathered at most."""


def beyond(samples: Samples, translation: Translation, near: Sequence[State]) -> list[State]:
    """Return reachable states that the translation has no room for, and each more than the others.

    Walks begin at the samples and, mostly, at those of ``near`` that there is no room for. The same
    specification and states give the same.
    """
    rounds = Rounds()
    machine = Machine(samples.specification, rounds, folded=samples.folded)
    room = _Room(translation)
    starts = [tuple(sample.values()) for sample in samples]
    with machine.limited(None), rounds.limited(_ROUNDS), suppress(EvaluationLimit):
        wander(Search(machine), [*starts, *near], room.is_wanted, room.goes_on)
    return room.found


class _Room:
    """What the variables' values are in a translation, and in the states that were gathered."""

    def __init__(self, translation: Translation) -> None:
        variables = translation.model.variables
        self._shapes = [translation.shapes[name] for name in variables]
        self._sizes = [
            sort.capacity.at({}) if isinstance(sort, BoundedSetSort) else None
            for sort in variables.values()
        ]
        self._known: list[set[Any]] = [set() for _ in variables]
        self.found: list[State] = []

    def goes_on(self) -> bool:
        """Tell whether more states are gathered."""
        return len(self.found) < _MOST

    def is_wanted(self, state: State) -> bool:
        """Gather a state that there is no room for, and make that."""
        grown = False
        for place, value in enumerate(state):
            if value in self._known[place]:
                continue
            self._known[place].add(value)
            shape = d.join(self._shapes[place], d.shape_of(value))
            if shape != self._shapes[place]:
                self._shapes[place] = shape
                grown = True
            size = self._sizes[place]
            if size is not None and len(value) > size:
                self._sizes[place] = len(value)
                grown = True
        if grown:
            self.found.append(state)
        return grown
