"""The states of a protocol by brute force, and what is true of them, by the blind evaluator.

A step is one action, one choice of its arguments and one disjunct whose guards hold, read in their
order. What has no value in an enabled step (or in a guard that is read, or in the state constraint
of the state after) leaves the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bmc.lang.model import Action, Argument, Model
from bmc.lang.properties import Kind, Property
from bmc.lang.state import Branch
from tests.campaign.reference import Environment, NoValue, Reference, State, Value


class TooMany(Exception):
    """The protocol has more states or steps than are worth looking at."""


class NothingToCheck(Exception):
    """No initial state satisfies Init and the state constraint, or Init leaves the bounds."""


Frozen = tuple[Value, ...]
"""A state: the variables' values in order of declaration."""


@dataclass
class Found:
    """All reachable states.

    ``levels`` by distance from the start; ``steps`` are all pairs of states, by the distance of
    the second if the step were appended to a shortest path to the first. ``overflow`` is the
    least depth from which an enabled action leaves the bounds, with the ``(action, number)`` of
    the disjuncts that do so anywhere.
    """

    levels: list[list[Frozen]] = field(default_factory=list)
    steps: list[tuple[int, Frozen, Frozen]] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    overflow: int | None = None
    beyond: set[tuple[str, int]] = field(default_factory=set)


class Machine:
    """A model at parameter values."""

    def __init__(self, model: Model, parameters: Mapping[str, int]) -> None:
        self.model = model
        self.world = Reference(parameters)
        self.names = tuple(model.variables)

    def state(self, frozen: Frozen) -> State:
        """A state by the names of its variables."""
        return dict(zip(self.names, frozen, strict=True))

    def explore(self, most_states: int, most_steps: int) -> Found:
        """Every reachable state. What leaves the bounds is no step, and the search goes on.

        Raises NothingToCheck where there is no start, TooMany beyond the limits.
        """
        found = Found()
        try:
            starts = [after for _, _, after in self._after(self.model.initial, {})]
        except NoValue as event:
            raise NothingToCheck(str(event)) from None
        level = list(dict.fromkeys(starts))
        if not level:
            raise NothingToCheck("no initial state")
        known = set(level)
        while level:
            found.levels.append(level)
            following: dict[Frozen, None] = {}
            for frozen in level:
                for after in self._successors(frozen, found):
                    found.steps.append((len(found.levels), frozen, after))
                    if after not in known:
                        known.add(after)
                        following[after] = None
                if len(known) > most_states or len(found.steps) > most_steps:
                    raise TooMany
            level = list(following)
        return found

    def _successors(self, frozen: Frozen, found: Found) -> Iterator[Frozen]:
        before = self.state(frozen)
        for action in self.model.actions:
            for number, branch in enumerate(action.branches):
                for env in self._choices(action.arguments, before):
                    try:
                        after = self._take(branch, env, before)
                    except NoValue:
                        found.beyond.add((action.name, number))
                        if found.overflow is None:
                            found.overflow = len(found.levels) - 1
                        continue
                    if after is not None:
                        found.taken[action.name] = found.taken.get(action.name, 0) + 1
                        yield after

    def _after(self, action: Action, before: State) -> Iterator[tuple[int, Environment, Frozen]]:
        for env in self._choices(action.arguments, before):
            for number, branch in enumerate(action.branches):
                after = self._take(branch, env, before)
                if after is not None:
                    yield number, env, after

    def _choices(self, arguments: Sequence[Argument], before: State) -> Iterator[Environment]:
        chosen: list[Environment] = [{}]
        for argument in arguments:
            if argument.collection is None:
                options = self.world.values(argument.variable.sort)
            else:
                options = list(self.world.value(argument.collection, before))
            chosen = [{**env, argument.variable: value} for env in chosen for value in options]
        yield from chosen

    def _take(self, branch: Branch, env: Environment, before: State) -> Frozen | None:
        for guard in branch.guards:
            if not self.world.value(guard, before, None, env):
                return None
        new = {n: self.world.value(t, before, None, env) for n, t in branch.updates.items()}
        after = {name: new[name] if name in new else before[name] for name in self.names}
        if not self.world.value(self.model.constraint, after):
            return None
        return tuple(after[name] for name in self.names)

    def fails_at(self, stated: Property, found: Found) -> int | None:
        """The number of steps to the nearest violation of a property; None where it holds.

        A property that has no value does not hold.
        """
        if stated.kind is Kind.STEP_INVARIANT:
            seen: dict[tuple[Frozen, Frozen], bool] = {}
            for depth, one, other in found.steps:
                if (one, other) not in seen:
                    seen[one, other] = self.holds(stated, self.state(one), self.state(other))
                if not seen[one, other]:
                    return depth
            return None
        for depth, level in enumerate(found.levels):
            if not all(self.holds(stated, self.state(frozen)) for frozen in level):
                return depth
        return None

    def holds(self, stated: Property, before: State, after: State | None = None) -> bool:
        """Whether every instance of a property holds in a state (or step)."""
        chosen: list[Environment] = [{}]
        for one in stated.arguments:
            values = self.world.values(one.sort)
            chosen = [{**env, one: value} for env in chosen for value in values]
        try:
            held = [self.world.value(stated.body, before, after, env) for env in chosen]
        except NoValue:
            return False
        return all(held)
