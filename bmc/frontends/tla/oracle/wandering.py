"""Walks that go where something new is met: arguments of functions, and members of sets."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Set

from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import TlaError

from .machine import State
from .search import Search

LENGTH = 12
"""Steps of a walk."""

RECENT = 40
"""How many of the states that were new last most walks begin at one of."""

QUIET, MOST = 4_000, 30_000
"""States whose steps are taken: so many without anything new, and in all."""

TOO_MANY = 1_000
"""Arguments of one function beyond which walks go no further: no model has places for them all."""


def wander(
    search: Search,
    starts: Iterable[State],
    is_new: Callable[[State], bool],
    goes_on: Callable[[], bool],
) -> None:
    """Walk from where something new was met last, mostly, until nothing is for so many states.

    ``is_new`` is asked of every state that a walk begins at or comes by; ``goes_on`` tells whether
    more is wanted. The same specification gives the same walks.
    """
    chance = random.Random(0)
    pool = list(dict.fromkeys(starts))
    for state in pool:
        is_new(state)
    taken = quiet = 0
    while pool and quiet < QUIET and taken < MOST and goes_on():
        recent = chance.random() < 0.7
        state = chance.choice(pool[-RECENT:] if recent else pool)
        for _ in range(LENGTH):
            taken, quiet = taken + 1, quiet + 1
            try:
                after = search.successors(state)
            except TlaError:
                break
            fresh = [one for one in after if is_new(one)]
            if fresh:
                pool += fresh
                quiet = 0
            if not after or not goes_on():
                break
            state = chance.choice(after)


def arguments_met(
    search: Search,
    starts: Iterable[State],
    places: Mapping[int, Set[v.Value]],
    most: int = TOO_MANY,
) -> tuple[frozenset[v.Value], ...]:
    """Return the arguments of the functions, or the members of the sets, at some places of states.

    ``places`` have those that are known already, and they are among what is returned. The states
    are those that walks come by. A walk begins where something was met for the first time, mostly
    at one of the last such states: messages that few behaviours send are met so, and random walks
    from the initial state hardly meet them. It is a guess all the same. The same specification
    gives the same. Where they are more than ``most``, some are missing.
    """
    met = tuple(set(known) for known in places.values())

    def is_new(state: State) -> bool:
        found = False
        for place, known in zip(places, met, strict=True):
            arguments = held(state[place]) - known
            found = found or bool(arguments)
            known.update(arguments)
        return found

    wander(search, starts, is_new, lambda: all(len(known) <= most for known in met))
    return tuple(frozenset(known) for known in met)


def held(value: v.Value) -> Set[v.Value]:
    """Return the members of a set, or the arguments of a function."""
    if isinstance(value, frozenset):
        return value
    return v.graph_of(value).keys() if isinstance(value, tuple) else frozenset()
