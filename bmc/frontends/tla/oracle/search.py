"""Breadth-first search and random walks over the text itself.

A configuration has TLC's meaning: a state outside of CONSTRAINT is held against the invariants, but
neither counted nor explored; ACTION_CONSTRAINT leaves steps out; a state without any step is a
deadlock; states with one VIEW are one. SYMMETRY is not used: all states are counted, TLC counts
fewer, unless asked for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from ..specification import Named
from .errors import EvaluationError, EvaluationLimit
from .machine import Machine, State, Step
from .obligations import Obligations, obligations
from .symmetry import Renaming, renamings, representative

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
    - `levels`: how many states are first reached after 0, 1, 2 … steps; of the last as many as
      were met before a search was cut short;
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


@dataclass(slots=True)
class _Memory:
    """States met and the state before each; `keys` of views and orbits, `fresh` to be explored.

    `at` is the state whose steps are being looked at.
    """

    parents: dict[State, State | None] = field(default_factory=dict)
    keys: set[State] = field(default_factory=set)
    fresh: list[State] = field(default_factory=list)
    distinct: int = 0
    at: State | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """Names of claims: a single one, or all but those that are left.

    Where there are ``failing`` claims, one without a value is added to them, and is not false.
    """

    only: str | None = None
    leaving: Set[str] = frozenset()
    failing: dict[str, EvaluationError] | None = None

    def __contains__(self, name: str) -> bool:
        return self.only in (None, name) and name not in self.leaving


class Search:
    """Explores a machine.

    `deadlock` overrides what the configuration says of deadlocks. With `symmetry` states that
    SYMMETRY renames into each other are one, as they are for TLC. `starts` is how many initial
    states `breadth_first` and `walk` know of at most, all if it is not given.
    """

    def __init__(
        self,
        machine: Machine,
        deadlock: bool | None = None,
        symmetry: bool = False,
        starts: int | None = None,
    ) -> None:
        self.machine = machine
        specification = machine.specification
        self._deadlock = specification.check_deadlock if deadlock is None else deadlock
        self._constraints = [named.expression for named in specification.constraints]
        self._action_constraints = [named.expression for named in specification.action_constraints]
        self._view = specification.view.expression if specification.view else None
        self.obligations: Obligations = obligations(specification)
        self._renamings: list[Renaming] = []
        if symmetry and specification.symmetry is not None:
            self._renamings = renamings(machine.constant(specification.symmetry.expression))
        self._of_states = self.obligations.invariants
        self._of_initial = (*self._of_states, *self.obligations.initial)
        self._left: tuple[State, list[Step]] | None = None
        self._most_starts = starts
        self._memory = _Memory()
        self.explored = Explored()
        """What `run` has found so far, which an error or an interruption leaves as it is."""

    def run(
        self,
        states: int | None = None,
        steps: int | None = None,
        told: Callable[[Explored], None] = lambda _: None,
    ) -> Explored:
        """Explore until a violation, until all is seen, or until `states` states are.

        No further than `steps` steps from an initial state; `told` gets what is known whenever a
        level begins. Raises what `Machine` raises; `explored` and `path_here` are then up to where
        it was.
        """
        machine, explored = self.machine, Explored()
        memory = self._memory = _Memory()
        self.explored = explored
        for state in machine.initial_states():
            explored.generated += 1
            explored.violation = self._admit(memory, None, state)
            explored.distinct = memory.distinct
            if explored.violation is not None:
                break
        while memory.fresh and explored.violation is None:
            level = memory.fresh
            memory.fresh = []
            explored.levels.append(len(level))
            told(explored)
            if steps is not None and len(explored.levels) > steps:
                explored.complete = False
                break
            for state in level:
                memory.at = state
                after = machine.successors(state)
                explored.generated += len(after)
                explored.violation = self._violation(memory, state, after)
                explored.distinct = memory.distinct
                if explored.violation is not None:
                    break
                if states is not None and memory.distinct >= states:
                    explored.complete = False
                    break
            if not explored.complete:
                break
        return explored

    def path_here(self) -> tuple[Step, ...]:
        """Return a shortest path to the state whose steps `run` looked at last, if there is one."""
        return () if self._memory.at is None else self._path(self._memory, self._memory.at)

    def _violation(self, memory: _Memory, state: State, after: list[State]) -> Violation | None:
        if not after and self._deadlock:
            return Violation(DEADLOCK, self._path(memory, state))
        for successor in after:
            if not self._action_constraints or self._allowed(state, successor):
                violation = self._admit(memory, state, successor)
                if violation is not None:
                    return violation
            elif (broken := self._broken(successor, first=False)) is not None:
                memory.parents.setdefault(successor, state)
                return Violation(broken, self._path(memory, successor))
            for named in self.obligations.steps:
                if not self.machine.holds_of_step(named.expression, state, successor):
                    path = (*self._path(memory, state), self._step(state, successor))
                    return Violation(named.name, path)
        return None

    def _admit(self, memory: _Memory, parent: State | None, state: State) -> Violation | None:
        """Remember a state that is new; return the claim that it breaks."""
        if state in memory.parents:
            return None
        inside = self._inside(state)
        if inside:
            key = self._key(state)
            if key in memory.keys:
                return None
            if self.merges:
                memory.keys.add(key)
            memory.distinct += 1
            memory.fresh.append(state)
        memory.parents[state] = parent
        broken = self._broken(state, first=parent is None)
        return None if broken is None else Violation(broken, self._path(memory, state))

    def breadth_first(self) -> Iterator[State]:
        """Yield every reachable state, nearer ones first; those outside of CONSTRAINT as well."""
        met = dict.fromkeys(self._begun)
        yield from met
        level = list(met)
        while level:
            following = []
            for state in level:
                if not self._inside(state):
                    continue
                for after in self.machine.successors(state):
                    if after not in met and self._allowed(state, after):
                        met[after] = None
                        following.append(after)
                        yield after
            level = following

    def walk(self, seed: int, length: int) -> Iterator[State]:
        """Yield a random walk: an initial state, then up to `length` steps within the constraints.

        The walk ends where no step is left. The same seed gives the same walk.
        """
        chance = random.Random(seed)
        if not self._starts:
            return
        state = chance.choice(self._starts)
        yield state
        for _ in range(length):
            after = self.successors(state)
            if not after:
                return
            state = chance.choice(after)
            yield state

    def successors(self, state: State) -> list[State]:
        """Return the states after one that the constraints let a step lead to, and count."""
        return [
            successor
            for successor in self.machine.successors(state)
            if self._inside(successor) and self._allowed(state, successor)
        ]

    def steps(self, state: State) -> list[Step]:
        """Return the steps out of a state that the constraints allow: none out of one outside."""
        if not self._inside(state):
            return []
        found = self.machine.steps(state)
        self._left = state, found
        if not self._action_constraints:
            return found
        return [step for step in found if self._allowed(state, step.state)]

    def false_claims(
        self,
        state: State,
        leaving: Set[str] = frozenset(),
        failing: dict[str, EvaluationError] | None = None,
    ) -> list[str]:
        """Return the claims about states that are false in this one; those left are not read.

        One without a value is added to ``failing``, with the error, which is raised without it.
        """
        return list(dict.fromkeys(self._false_of(state, _Asked(None, leaving, failing))))

    def denies(self, name: str, state: State) -> bool:
        """Return whether a claim about states is false in this one, whatever others say.

        Its steps are asked for only where it is not false by itself.
        """
        return any(True for _ in self._false_of(state, _Asked(name)))

    def _false_of(self, state: State, asked: _Asked) -> Iterator[str]:
        """Yield the claims about states that are false in this one, of those that are asked for."""
        yield from self._false_among(self.obligations.invariants, state, asked)
        if self.obligations.initial and state in self._initial:
            yield from self._false_among(self.obligations.initial, state, asked)
        if self._inside(state) and (self._deadlock or self._action_constraints):
            yield from self._false_by_steps(state, asked)

    def _false_among(self, claims: Iterable[Named], state: State, asked: _Asked) -> Iterator[str]:
        for named in claims:
            if named.name in asked and self._is_false(named, asked, state):
                yield named.name

    def _is_false(
        self, named: Named, asked: _Asked, state: State, after: State | None = None
    ) -> bool:
        try:
            if after is None:
                return not self.machine.holds(named.expression, state)
            return not self.machine.holds_of_step(named.expression, state, after)
        except EvaluationLimit:
            raise
        except EvaluationError as error:
            if asked.failing is None:
                raise
            asked.failing[named.name] = error
            return False

    @property
    def merges(self) -> bool:
        """Whether of several states that are one to VIEW or SYMMETRY `run` looks at one."""
        return self._view is not None or bool(self._renamings)

    @property
    def knows_all_starts(self) -> bool:
        """Whether `breadth_first` and `walk` know all initial states."""
        return self._most_starts is None or len(self._begun) < self._most_starts

    @cached_property
    def _begun(self) -> list[State]:
        return self.machine.initial_states(self._most_starts)

    @cached_property
    def _starts(self) -> list[State]:
        """The initial states that walks begin at."""
        return [state for state in self._begun if self._inside(state)]

    @cached_property
    def _initial(self) -> frozenset[State]:
        return frozenset(self.machine.initial_states())

    def _false_by_steps(self, state: State, asked: _Asked) -> Iterator[str]:
        """Yield what a state's steps deny: that there is one, and claims of those left out."""
        if self._left is not None and self._left[0] is state:
            after = [step.state for step in self._left[1]]
        else:
            after = self.machine.successors(state)
        if self._deadlock and not after and DEADLOCK in asked:
            yield DEADLOCK
        for successor in after:
            if self._action_constraints and not self._allowed(state, successor):
                yield from self._false_among(self.obligations.invariants, successor, asked)
                yield from self._false_of_step(state, successor, asked)

    def false_step_claims(
        self,
        before: State,
        after: State,
        leaving: Set[str] = frozenset(),
        failing: dict[str, EvaluationError] | None = None,
    ) -> list[str]:
        """Return the claims about steps that are false of this one; see :meth:`false_claims`."""
        return list(self._false_of_step(before, after, _Asked(None, leaving, failing)))

    def denies_step(self, name: str, before: State, after: State) -> bool:
        """Return whether a claim about steps is false of this one, whatever others say."""
        return any(True for _ in self._false_of_step(before, after, _Asked(name)))

    def _false_of_step(self, before: State, after: State, asked: _Asked) -> Iterator[str]:
        for named in self.obligations.steps:
            if named.name in asked and self._is_false(named, asked, before, after):
                yield named.name

    def _key(self, state: State) -> State:
        if self._view is not None:
            state = (self.machine.value(self._view, state),)
        return representative(state, self._renamings) if self._renamings else state

    def _inside(self, state: State) -> bool:
        return self.machine.first_false(self._constraints, state) is None

    def _allowed(self, before: State, after: State) -> bool:
        return all(
            self.machine.holds_of_step(formula, before, after)
            for formula in self._action_constraints
        )

    def _broken(self, state: State, first: bool) -> str | None:
        claims = self._of_initial if first else self._of_states
        at = self.machine.first_false([named.expression for named in claims], state)
        return None if at is None else claims[at].name

    def _path(self, memory: _Memory, state: State) -> tuple[Step, ...]:
        found: list[State] = []
        at: State | None = state
        while at is not None:
            found.append(at)
            at = memory.parents[at]
        found.reverse()
        steps = [Step("Initial predicate", (), found[0])]
        steps += [self._step(before, after) for before, after in pairwise(found)]
        return tuple(steps)

    def _step(self, before: State, after: State) -> Step:
        return next(step for step in self.machine.steps(before) if step.state == after)
