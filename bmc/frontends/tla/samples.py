"""Samples of the states that a text reaches: what guesses of its sorts are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, overload

from .core import Expression, Node
from .errors import TlaLimit
from .oracle.code import Code
from .oracle.errors import EvaluationError, EvaluationLimit
from .oracle.limits import Rounds
from .oracle.machine import Machine, State
from .oracle.search import Search
from .oracle.wandering import TOO_MANY, arguments_met
from .specification import Specification

_SEARCHING, _WALKING = 100_000, 100_000
"""Rounds of loops in the evaluation of samples: some seconds where rounds are long."""

_NEAR = 1_000
"""The most states next to the initial ones."""

_STARTS = 20_000
"""The most initial states that are listed: of millions none was met within the limits of work."""

_WALKS, _LENGTH = 25, 40

MANY = 512
"""The most members of a variable that is a set that a model has a bit for each of."""

_WANDERING = 2_000_000
"""Rounds of loops in the search for the arguments that functions come to have."""


class Samples(Sequence[Mapping[str, Any]]):
    """Reachable states of the text, searched for when they are first asked for.

    They are those next to the initial states, in the order of their distance, and random walks
    where these are not all. They are a guess: whatever they suggest is proven with everything
    else. They are the same on every machine, so that layouts and fingerprints are: work is
    limited, not time.
    """

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.folded: dict[Node, Code] = {}
        """The constants that the text's machines have worked out."""
        self._more: tuple[Mapping[str, Any], ...] = ()
        self._arguments: dict[str, frozenset[Any]] = {}
        self._members: dict[str, frozenset[Any]] = {}
        self._before: dict[str, frozenset[Any]] = {}
        self.slack = 0
        """How much further than the samples guesses go: twice as far each time they fell short."""

    def and_more(self, states: Iterable[State]) -> Samples:
        """Return these samples and further reachable states, the values in the variables' order."""
        found = Samples(self.specification)
        found.folded = self.folded
        found.__dict__["_found"] = self._found
        names = [variable.name for variable in self.specification.variables]
        added = (dict(zip(names, state, strict=True)) for state in states)
        found._more = (*self._more, *added)
        found.slack = 2 * self.slack or 1
        found._before = self._before | self._arguments | self._members
        return found

    def arguments(self, names: frozenset[str]) -> Mapping[str, frozenset[Any]]:
        """Return what variables that are functions of varying domain are defined at.

        TlaLimit where that is too many for a place for each.
        """
        wanted = sorted(names - self._arguments.keys())
        if wanted:
            for name, found in zip(wanted, self._met(wanted, TOO_MANY), strict=True):
                self._require_few(name, found)
                self._arguments[name] = found
        return self._arguments

    def members(self, names: frozenset[str]) -> Mapping[str, frozenset[Any]]:
        """Return what variables that are sets have as members; nothing where that is too many."""
        wanted = sorted(names - self._members.keys())
        if wanted:
            for name, found in zip(wanted, self._met(wanted, MANY), strict=True):
                self._members[name] = found if len(found) <= MANY else frozenset()
        return self._members

    def _met(self, names: Sequence[str], most: int) -> Sequence[frozenset[Any]]:
        listed = [variable.name for variable in self.specification.variables]
        rounds = Rounds()
        machine = Machine(self.specification, rounds, folded=self.folded)
        starts = [tuple(state[name] for name in listed) for state in self]
        with machine.limited(None), rounds.limited(_WANDERING):
            places = {listed.index(n): self._before.get(n, frozenset()) for n in names}
            return arguments_met(Search(machine), starts, places, most)

    def undenied(self, formulas: Sequence[Expression]) -> tuple[Expression, ...]:
        """Return those of some state formulas that are true in each sample.

        What was met last is looked at first; what the limit of work leaves open counts as true.
        """
        names = [variable.name for variable in self.specification.variables]
        rounds = Rounds()
        machine = Machine(self.specification, rounds, folded=self.folded)
        left = dict.fromkeys(formulas)
        with machine.limited(None), suppress(EvaluationLimit), rounds.limited(_WALKING):
            for sample in reversed(self):
                state = tuple(sample[name] for name in names)
                for formula in tuple(left):
                    if not _holds(machine, formula, state):
                        del left[formula]
        return tuple(left)

    def _require_few(self, name: str, met: frozenset[Any]) -> None:
        if len(met) > TOO_MANY:
            (span,) = (one.span for one in self.specification.variables if one.name == name)
            raise TlaLimit(
                span,
                f"walks met more than {TOO_MANY:,} values that {name} is defined at, and a model "
                "has a place for each of them",
                "make the constants of the configuration smaller",
            )

    @property
    def first(self) -> Sequence[Mapping[str, Any]]:
        """The samples that there were before some fell short."""
        return self._found[0]

    @property
    def complete(self) -> bool:
        """Whether these are all the states that the text reaches."""
        return self._found[1] and not self._more

    @cached_property
    def _found(self) -> tuple[list[Mapping[str, Any]], bool]:
        names = [variable.name for variable in self.specification.variables]
        rounds = Rounds()
        machine = Machine(self.specification, rounds, folded=self.folded)
        search = Search(machine, starts=_STARTS)
        found: dict[State, None] = {}
        complete = False
        with machine.limited(None):
            try:
                with rounds.limited(_SEARCHING):
                    for state in search.breadth_first():
                        found[state] = None
                        if len(found) == _NEAR:
                            break
                    else:
                        complete = search.knows_all_starts
            except EvaluationLimit:
                pass
            except EvaluationError:
                # A step without a value is told by the search of the model, with the path to it.
                if not found:
                    raise
            try:
                with rounds.limited(_WALKING):
                    for seed in range(0 if complete else _WALKS):
                        _add_walk(found, search.walk(seed, _LENGTH))
            except EvaluationLimit:
                pass
        return [dict(zip(names, state, strict=True)) for state in found], complete

    def __len__(self) -> int:
        return len(self._found[0]) + len(self._more)

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return [*self._found[0], *self._more][at]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        yield from self._found[0]
        yield from self._more


def _holds(machine: Machine, formula: Expression, state: State) -> bool:
    try:
        return machine.holds(formula, state)
    except EvaluationLimit:
        raise
    except EvaluationError:
        return False


def _add_walk(found: dict[State, None], walk: Iterator[State]) -> None:
    """Add the states of a walk, up to one whose steps have no value."""
    try:
        for state in walk:
            found[state] = None
    except EvaluationLimit:
        raise
    except EvaluationError:
        return
