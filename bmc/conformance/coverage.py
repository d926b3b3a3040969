"""Which guards an execution exercises: where each of them is what refuses a step.

A guard that decides in no state of a run was not tried by it: the run says nothing of a system that
forgot that guard.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bmc.conformance.rules import CompiledBranch, Rules
from bmc.evidence.sources import variables_of
from bmc.lang.errors import BoundTooSmall, SortError
from bmc.lang.guards import DecidingGuard
from bmc.lang.model import Action, Argument
from bmc.lang.terms import Term
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState, Environment

MOST_CHOICES = 2_000
"""Choices of an action's arguments that are looked at in one state."""


class TooManyChoices(Exception):
    """An action has more choices of arguments in a state than are looked at."""


@dataclass(frozen=True)
class GuardCoverage:
    """What was seen of guards: ``decided`` has the line before each that refused a step, if any.

    ``never`` are those that refused none, ``partly`` those of them of which not every state was
    looked at, for there were too many choices of arguments.
    """

    decided: Mapping[str, int | None]
    never: tuple[str, ...]
    partly: frozenset[str]


class GuardWatch:
    """Looks for guards that decide, in one state after the other, until each was seen."""

    def __init__(self, rules: Rules, guards: Sequence[DecidingGuard]) -> None:
        self._rules = rules
        self._guards = guards
        self._decided: dict[str, int | None] = {}
        self._partly: set[str] = set()
        self._branches = [
            watched
            for name, action in {guard.action.name: guard.action for guard in guards}.items()
            for watched in _branches(action, [one for one in guards if one.action.name == name])
        ]

    def look(self, before: ConcreteState | None, state: ConcreteState, line: int | None) -> None:
        """Look at a state that follows ``before``, after the event of ``line``."""
        changed = {n for n, v in state.items() if before is None or before[n] is not v}
        for watched in list(self._branches):
            if before is not None and changed.isdisjoint(watched.read):
                continue
            last = max(watched.open)
            try:
                found = deciding(self._rules, watched.action, watched.branch, state, last)
            except TooManyChoices:
                self._partly.update(watched.open.values())
                continue
            for position in found & watched.open.keys():
                self._decided.setdefault(watched.open.pop(position), line)
            if not watched.open:
                self._branches.remove(watched)

    def found(self) -> GuardCoverage:
        """Return what was seen so far."""
        never = tuple(one.name for one in self._guards if one.name not in self._decided)
        return GuardCoverage(
            dict(self._decided), never, frozenset(self._partly.intersection(never))
        )


@dataclass(frozen=True)
class _WatchedBranch:
    """A branch of which some guards, by their positions in it, were not seen to decide."""

    action: Action
    branch: int
    read: frozenset[str]
    open: dict[int, str]


def _branches(action: Action, guards: Iterable[DecidingGuard]) -> list[_WatchedBranch]:
    """The branches of an action, each with those of its guards that stand in none before it."""
    opened: dict[int, dict[int, str]] = {}
    for guard in guards:
        branch, position = guard.places[0]
        opened.setdefault(branch, {})[position] = guard.name
    drawn = [a.collection for a in action.arguments if a.collection is not None]
    return [
        _WatchedBranch(
            action,
            branch,
            frozenset(variables_of(chain(action.branches[branch].guards, drawn))),
            places,
        )
        for branch, places in opened.items()
    ]


def deciding(
    rules: Rules, action: Action, branch: int, state: ConcreteState, last: int
) -> set[int]:
    """Return the positions, up to ``last``, of the guards of a branch that decide in a state.

    For some choice of the action's arguments such a guard is false, and those before it are true.
    Raises TooManyChoices.
    """
    variables, branches = rules.action(action)
    choices = _Choices(rules, variables, state)
    return choices.deciding(branches[branch], last) if choices.there else set()


class _Choices:
    """The choices of an action's arguments in a state; ``there`` tells whether there are any."""

    def __init__(
        self, rules: Rules, variables: Mapping[Term, Argument], state: ConcreteState
    ) -> None:
        self._rules = rules
        self._state = state
        self._variables = variables
        self._drawn: dict[Term, Sequence[Value]] = {}
        try:
            for variable, argument in variables.items():
                if argument.collection is not None:
                    held = rules.collection(argument.collection)(state, None)
                    self._drawn[variable] = tuple(held)
            self.there = all(self._number(variable) for variable in variables)
        except BoundTooSmall:
            self.there = False

    def deciding(self, branch: CompiledBranch, last: int) -> set[int]:
        """Return the positions of the guards of a branch that decide, up to ``last``."""
        found: set[int] = set()
        environments: list[Environment] = [{}]
        chosen: set[Term] = set()
        for position, guard in enumerate(branch.guards[: last + 1]):
            fixed = None
            for variable in guard.reads:
                if variable in chosen:
                    continue
                fixes = variable in guard.fixes and variable not in self._drawn
                if fixes and all(v in chosen or v is variable for v in guard.reads):
                    fixed = variable
                else:
                    environments = self._chosen(environments, variable)
                    chosen.add(variable)
            kept: list[Environment] = []
            for env in environments:
                try:
                    if fixed is not None:
                        reads, value_of = guard.fixes[fixed]
                        value = value_of(self._state, None, *[env[v] for v in reads])
                        there = self._rules.interpreter.domains.contains(fixed.sort, value)
                        if there:
                            kept.append({**env, fixed: value})
                        if not there or self._number(fixed) > 1:
                            found.add(position)
                    elif guard.holds(self._state, None, *[env[v] for v in guard.reads]):
                        kept.append(env)
                    else:
                        found.add(position)
                except BoundTooSmall:
                    continue
            if fixed is not None:
                chosen.add(fixed)
            environments = kept
        return found

    def _number(self, variable: Term) -> int:
        if variable in self._drawn:
            return len(self._drawn[variable])
        try:
            return self._rules.interpreter.domains.number(variable.sort)
        except SortError:
            # Nobody could list them.
            return MOST_CHOICES + 1

    def _chosen(self, environments: list[Environment], variable: Term) -> list[Environment]:
        if not environments:
            return []
        if len(environments) * self._number(variable) > MOST_CHOICES:
            raise TooManyChoices
        values = self._drawn.get(variable)
        if values is None:
            values = self._rules.interpreter.domains.values(variable.sort)
        return [{**env, variable: value} for env in environments for value in values]
