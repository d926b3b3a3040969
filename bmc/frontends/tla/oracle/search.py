"""Breadth-first search and random walks over the text itself.

A configuration has TLC's meaning: a state outside of CONSTRAINT is held against the invariants, but
neither counted nor explored; ACTION_CONSTRAINT leaves steps out; a state without any step is a
deadlock; states with one VIEW are one. SYMMETRY is not used: all states are counted, TLC counts
fewer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from .machine import Machine, State, Step
from .obligations import Obligations, obligations

DEADLOCK = "Deadlock"


@dataclass(frozen=True, slots=True)
class Violation:
    """A claim that fails, and a shortest path there: `steps[0]` leads to an initial state.

    For a claim about steps the last step is the one that breaks it.
    """

    property: str
    steps: tuple[Step, ...]


@dataclass(slots=True)
class Explored:
    """What a search found.

    - `distinct`: states, without those outside of CONSTRAINT;
    - `generated`: initial states and steps, each time that one was found;
    - `levels`: how many states are first reached after 0, 1, 2 … steps;
    - `violation`: the first, at the least depth; the search ends there;
    - `complete`: whether all states were seen.
    """

    distinct: int = 0
    generated: int = 0
    levels: list[int] = field(default_factory=list)
    violation: Violation | None = None
    complete: bool = True

    @property
    def depth(self) -> int:
        """The number of states on the longest of the shortest paths, as TLC counts it."""
        return len(self.levels)


class Search:
    """Explores a machine. `deadlock` overrides what the configuration says of deadlocks."""

    def __init__(self, machine: Machine, deadlock: bool | None = None) -> None:
        self._machine = machine
        specification = machine.specification
        self._deadlock = specification.check_deadlock if deadlock is None else deadlock
        self._constraints = [named.expression for named in specification.constraints]
        self._action_constraints = [named.expression for named in specification.action_constraints]
        self._view = specification.view.expression if specification.view else None
        self.obligations: Obligations = obligations(specification)
        self._of_states = self.obligations.invariants
        self._of_initial = (*self._of_states, *self.obligations.initial)

    def run(self, states: int | None = None) -> Explored:
        """Explore until a violation, until all is seen, or until `states` states are.

        Raises what `Machine` raises.
        """
        machine, explored = self._machine, Explored()
        parents: dict[State, State | None] = {}
        seen: set[State] = set()
        outside: set[State] = set()
        level: list[State] = []

        def admit(state: State, parent: State | None) -> str | None:
            """Take note of a state; return the name of the claim that it breaks."""
            key = self._key(state)
            if key in seen or state in outside:
                return None
            inside = self._inside(state)
            if inside:
                seen.add(key)
                level.append(state)
            else:
                outside.add(state)
            parents.setdefault(state, parent)
            return self._broken(state, first=parent is None)

        initial = machine.initial_states()
        explored.generated = len(initial)
        for state in initial:
            if (broken := admit(state, None)) is not None:
                explored.violation = Violation(broken, self._path(parents, state))
                explored.distinct = len(seen)
                return explored
        while level:
            explored.levels.append(len(level))
            current, level = level, []
            for state in current:
                after = machine.successors(state)
                explored.generated += len(after)
                broken = None if after or not self._deadlock else DEADLOCK
                last = state
                for successor in after:
                    allowed = not self._action_constraints or self._allowed(state, successor)
                    if allowed:
                        broken = broken or admit(successor, state)
                    elif successor not in seen:
                        broken = broken or self._broken(successor, first=False)
                        parents.setdefault(successor, state)
                    if broken is not None:
                        last = successor
                        break
                    if (wrong := self._broken_by(state, successor)) is not None:
                        path = (*self._path(parents, state), self._step(state, successor))
                        explored.violation = Violation(wrong, path)
                        explored.distinct = len(seen)
                        return explored
                if broken is not None:
                    explored.violation = Violation(broken, self._path(parents, last))
                    explored.distinct = len(seen)
                    return explored
                if states is not None and len(seen) >= states:
                    explored.distinct, explored.complete = len(seen), False
                    return explored
        explored.distinct = len(seen)
        return explored

    def walk(self, seed: int, length: int) -> Iterator[State]:
        """Yield a random walk: an initial state, then up to `length` steps within the constraints.

        The walk ends where no step is left. The same seed gives the same walk.
        """
        machine, chance = self._machine, random.Random(seed)
        initial = [state for state in machine.initial_states() if self._inside(state)]
        if not initial:
            return
        state = chance.choice(initial)
        yield state
        for _ in range(length):
            after = [
                successor
                for successor in machine.successors(state)
                if self._inside(successor) and self._allowed(state, successor)
            ]
            if not after:
                return
            state = chance.choice(after)
            yield state

    def _key(self, state: State) -> State:
        if self._view is None:
            return state
        return (self._machine.value(self._view, state),)

    def _inside(self, state: State) -> bool:
        return self._machine.first_false(self._constraints, state) is None

    def _allowed(self, before: State, after: State) -> bool:
        return all(
            self._machine.holds_of_step(formula, before, after)
            for formula in self._action_constraints
        )

    def _broken(self, state: State, first: bool) -> str | None:
        claims = self._of_initial if first else self._of_states
        at = self._machine.first_false([named.expression for named in claims], state)
        return None if at is None else claims[at].name

    def _broken_by(self, before: State, after: State) -> str | None:
        for named in self.obligations.steps:
            if not self._machine.holds_of_step(named.expression, before, after):
                return named.name
        return None

    def _path(self, parents: dict[State, State | None], state: State) -> tuple[Step, ...]:
        found: list[State] = []
        at: State | None = state
        while at is not None:
            found.append(at)
            at = parents[at]
        found.reverse()
        steps = [Step("Initial predicate", (), found[0])]
        steps += [self._step(before, after) for before, after in pairwise(found)]
        return tuple(steps)

    def _step(self, before: State, after: State) -> Step:
        return next(step for step in self._machine.steps(before) if step.state == after)
