"""States that guessed sorts have no room for: all that are met nearby, not the first one alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from bmc.lang.sorts import BoundedSetSort, IntSort, MapSort, SetSort, Sort

from .abstract import domain as d
from .errors import TlaError
from .oracle.errors import EvaluationLimit
from .oracle.limits import Rounds
from .oracle.machine import Machine, State
from .oracle.search import Search
from .oracle.wandering import held, wander
from .samples import Samples
from .translate.model import Translation

_ROUNDS = 300_000
"""Rounds of loops in the evaluation of walks."""

_REACHED, _BEHIND = 250_000, 2_000_000
"""Rounds of loops in the breadth-first search up to the end of the path that left the bounds, and
behind it. What is not reached in so many was explored faster than the text can be searched, and
there is too much of it to go several times as far: models are made anew instead."""

_OF_NUMBERS = 10
"""How many times less of it is searched where only numbers and lengths are guessed. An end that
fell short goes further by itself; of members and arguments each has to be met."""

FURTHER = 8
"""How many times as many states the search looks at as there are up to the end of the path that
left the bounds. An exploration that leaves them again has as many more behind it, so models are
made anew as often as the logarithm of the number of states says."""

_KNOWN = 40_000
"""States in a row behind the path that there is room for already, after which the search ends: to
look at them took the text as long as a model takes that is made anew."""

_MOST = 200
"""States that are gathered at most."""


def beyond(
    samples: Samples, translation: Translation, last: State, after: Sequence[State]
) -> list[State]:
    """Return reachable states that the translation has no room for, and each more than the others.

    The path that left its bounds ends in ``last``, from where ``after`` are a step away. Walks
    begin at the samples and, mostly, at those of ``after`` that there is no room for; a
    breadth-first search goes on behind ``last``. The same specification and states give the same.
    """
    rounds = Rounds()
    search = Search(Machine(samples.specification, rounds, folded=samples.folded))
    room = _Room(translation)
    starts = [*(tuple(sample.values()) for sample in samples), *after]
    with search.machine.limited(None):
        with rounds.limited(_ROUNDS), suppress(EvaluationLimit):
            wander(search, starts, room.is_wanted, room.goes_on)
        # A step that has no value ends the search: what it met so far is room enough to tell of it.
        with suppress(TlaError, EvaluationLimit):
            _look_near(search, last, rounds, room)
    return room.found


def _look_near(search: Search, last: State, rounds: Rounds, room: _Room) -> None:
    """Look at states, nearer ones first: `FURTHER` times as many as there are up to the last."""
    states, number, known = search.breadth_first(), 0, 0
    less = 1 if room.lists else _OF_NUMBERS
    with rounds.limited(_REACHED // less):
        for state in states:
            number += 1
            room.is_wanted(state)
            if not room.goes_on():
                return
            if state == last:
                break
    with rounds.limited(_BEHIND // less):
        for state in islice(states, (FURTHER - 1) * number):
            known = 0 if room.is_wanted(state) else known + 1
            if known > _KNOWN // less or not room.goes_on():
                return


class _Room:
    """What the variables' values are in a translation, and in the states that were gathered."""

    def __init__(self, translation: Translation) -> None:
        variables = translation.model.variables
        self._shapes = [translation.shapes[name] for name in variables]
        self._sizes = [
            sort.capacity.at({}) if isinstance(sort, BoundedSetSort) else None
            for sort in variables.values()
        ]
        self._listed = [_listed(translation, sort) for sort in variables.values()]
        self._known: list[set[Any]] = [set() for _ in variables]
        self.found: list[State] = []

    @property
    def lists(self) -> bool:
        """Whether members or arguments are guessed, and not numbers and lengths alone."""
        return any(one is not None for one in (*self._sizes, *self._listed))

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
            listed = self._listed[place]
            if listed is not None and (met := held(value) - listed):
                listed |= met
                grown = True
            size = self._sizes[place]
            if size is not None and len(value) > size:
                self._sizes[place] = len(value)
                grown = True
        if grown:
            self.found.append(state)
        return grown


def _listed(translation: Translation, sort: Sort) -> set[Any] | None:
    """Return the members or the arguments that a variable has a place for each of, if they were
    met and not worked out."""
    element = sort.element if isinstance(sort, SetSort) else None
    key = sort.key if isinstance(sort, MapSort) else element
    table = translation.layout.tables.get(key) if isinstance(key, IntSort) else None
    return None if table is None else set(table.rows)
