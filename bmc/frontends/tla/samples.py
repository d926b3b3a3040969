"""Samples of the states that a text reaches: what guesses of its sorts are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, overload

from .oracle.errors import EvaluationLimit
from .oracle.limits import Rounds
from .oracle.machine import Machine, State
from .oracle.search import Search
from .specification import Specification

_SEARCHING, _WALKING = 100_000, 100_000
"""Rounds of loops in the evaluation of samples: some seconds where rounds are long."""

_WALKS, _LENGTH = 50, 40


class Samples(Sequence[Mapping[str, Any]]):
    """Reachable states of the text, searched for when they are first asked for.

    They are those next to the initial states, in the order of their distance, and random walks
    where these are not all. They are a guess: whatever they suggest is proven with everything
    else. They are the same on every machine, so that layouts and fingerprints are: work is
    limited, not time.
    """

    def __init__(self, specification: Specification) -> None:
        self.specification = specification

    @property
    def complete(self) -> bool:
        """Whether these are all the states that the text reaches."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[list[Mapping[str, Any]], bool]:
        names = [variable.name for variable in self.specification.variables]
        rounds = Rounds()
        machine = Machine(self.specification, rounds)
        search = Search(machine)
        found: dict[State, None] = {}
        complete = False
        with machine.limited(None):
            try:
                with rounds.limited(_SEARCHING):
                    for state in search.breadth_first():
                        found[state] = None
                complete = True
            except EvaluationLimit:
                pass
            try:
                with rounds.limited(_WALKING):
                    for seed in range(0 if complete else _WALKS):
                        found.update(dict.fromkeys(search.walk(seed, _LENGTH)))
            except EvaluationLimit:
                pass
        return [dict(zip(names, state, strict=True)) for state in found], complete

    def __len__(self) -> int:
        return len(self._found[0])

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self._found[0][at]
