"""A model at given parameters: its states, initial states and steps, as symbolic values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bmc.evidence.independent import binders, collections, scalars, structures
from bmc.evidence.independent.collections import collection, guarded
from bmc.evidence.independent.formula import Formula, Formulas
from bmc.evidence.independent.reading import RULES, Environment, Reading, State
from bmc.evidence.independent.universe import Universe
from bmc.evidence.independent.values import Keyed, Value
from bmc.lang.model import Action, Argument, Model
from bmc.lang.operator_table import OPERATORS, require_rules
from bmc.lang.properties import Property
from bmc.lang.sorts import KeyedSetSort
from bmc.lang.state import Branch

# The files of rules fill the table when they are imported.
__all__ = ["Machine", "Move", "binders", "collections", "scalars", "structures"]

require_rules("independent", RULES, OPERATORS)


@dataclass(frozen=True)
class Move:
    """One branch of an action, for some arguments.

    ``taken`` is the condition under which it leads to ``after``; ``leaves`` that under which it
    is enabled and something in it has no value (or under which its guard has none).
    """

    action: str
    taken: Formula
    leaves: Formula
    after: State


class Machine:
    """The states and steps of a model at one choice of parameters, in ``most`` formulas."""

    def __init__(
        self, model: Model, parameters: Mapping[str, int], most: int | None = None
    ) -> None:
        self.model = model
        self.formulas = Formulas(most)
        self.universe = Universe(self.formulas, parameters)
        self._readings: dict[int, Reading] = {}

    def any_state(self) -> tuple[State, list[Formula]]:
        """Return a state of which nothing is known, and the facts that make it one.

        It has a value of its sort in each variable, and satisfies the state constraint.
        """
        facts: list[Formula] = []
        state = {n: self.universe.unknown(s, n, facts) for n, s in self.model.variables.items()}
        facts.append(self.reading(state).holds(self.model.constraint, {}))
        return state, facts

    def reading(self, state: State) -> Reading:
        """Return the reading of terms in a state, always the same one."""
        found = self._readings.get(id(state))
        if found is None or found.state is not state:
            found = self._readings[id(state)] = Reading(self.universe, state)
        return found

    def starts(self) -> list[Move]:
        """Return the branches of Init."""
        return list(self._moves(self.model.initial, {}, ""))

    def moves(self, state: State, prefix: str = "") -> list[Move]:
        """Return the branches of all actions, with unknown arguments."""
        return [m for a in self.model.actions for m in self._moves(a, state, prefix)]

    def ground_moves(self, state: State) -> Iterator[Move]:
        """Return the branches of all actions for all arguments."""
        reading = self.reading(state)
        for action in self.model.actions:
            for present, env in self._choices(action.arguments, reading):
                for branch in action.branches:
                    yield self._move(action, branch, reading, present, env)

    def within(self, state: State) -> Formula:
        """Return the condition that every variable has a value of its sort."""
        pairs = ((s, state[n]) for n, s in self.model.variables.items())
        return self.formulas.all(self.universe.inside(s, value) for s, value in pairs)

    def everywhere(self, stated: Property, reading: Reading) -> Formula:
        """Return the condition that all instances of a property are defined and hold."""
        f = self.formulas
        listed = [self.universe.listed(a.sort) for a in stated.arguments]
        uids = [a.uid for a in stated.arguments]
        return f.all(
            reading.holds(stated.body, dict(zip(uids, values, strict=True)))
            for values in product(*listed)
        )

    def somewhere_not(self, stated: Property, reading: Reading) -> Formula:
        """Return the condition that an unknown instance of a property fails or has no value."""
        f = self.formulas
        facts: list[Formula] = []
        env: dict[int, Value] = {}
        for argument in stated.arguments:
            name = f"{stated.name}.{argument.data[1]}"  # type: ignore[index]
            env[argument.uid] = self.universe.unknown(argument.sort, name, facts)
        return f.all((*facts, f.negation(reading.holds(stated.body, env))))

    def _moves(self, action: Action, state: State, prefix: str) -> Iterator[Move]:
        reading = self.reading(state)
        facts: list[Formula] = []
        env: dict[int, Value] = {}
        for argument in action.arguments:
            name = f"{prefix}{action.name}.{argument.name}"
            env[argument.variable.uid] = self._chosen(argument, reading, name, facts)
        present = self.formulas.all(facts)
        for branch in action.branches:
            yield self._move(action, branch, reading, present, env)

    def _chosen(
        self, argument: Argument, reading: Reading, name: str, facts: list[Formula]
    ) -> Value:
        """Return an unknown value of an argument; that it may be chosen goes to ``facts``."""
        f, universe = self.formulas, self.universe
        sort = argument.variable.sort
        if argument.collection is None:
            return universe.unknown(sort, name, facts)
        held = collection(reading.read(argument.collection, {}).value)
        options = guarded(reading, argument.collection.sort, held)
        if isinstance(held, Keyed):
            # The record under an unknown key: fewer unknowns than a record that must be in the set.
            keyed = argument.collection.sort
            assert isinstance(keyed, KeyedSetSort)
            key = universe.unknown(keyed.key_sort, f"{name}.{keyed.key}", facts)
            hits = [universe.same(one, key) for one in universe.listed(keyed.key_sort)]
        else:
            place = f.integer(f"{name}@", 0, max(0, len(options) - 1))
            hits = [f.same(place, f.number(i)) for i in range(len(options))]
        facts.append(f.any(f.both(hit, o[0]) for hit, o in zip(hits, options, strict=True)))
        if not options:
            return universe.void(sort)
        chosen = options[-1][1]
        for hit, (_, value) in reversed(list(zip(hits, options, strict=True))[:-1]):
            chosen = universe.choose(hit, value, chosen)
        return chosen

    def _choices(
        self, arguments: Sequence[Argument], reading: Reading
    ) -> Iterator[tuple[Formula, Environment]]:
        options: list[Sequence[tuple[Formula, Value]]] = []
        for argument in arguments:
            if argument.collection is None:
                values = self.universe.listed(argument.variable.sort)
                options.append([(self.formulas.true, value) for value in values])
            else:
                held = reading.read(argument.collection, {}).value
                options.append(guarded(reading, argument.collection.sort, held))
        for chosen in product(*options):
            env = {a.variable.uid: v for a, (_, v) in zip(arguments, chosen, strict=True)}
            yield self.formulas.all(there for there, _ in chosen), env

    def _move(
        self,
        action: Action,
        branch: Branch,
        reading: Reading,
        present: Formula,
        env: Environment,
    ) -> Move:
        f = self.formulas
        enabled, guard_defined = present, f.true
        for guard in branch.guards:
            if enabled is f.false:
                break
            defined, holds = reading.truth(guard, env)
            guard_defined = f.both(guard_defined, f.implies(enabled, defined))
            enabled = f.both(enabled, holds)
        enabled = f.both(guard_defined, enabled)
        if enabled is f.false:
            return Move(action.name, f.false, f.negation(guard_defined), reading.state)
        entered = {n: reading.read(term, env) for n, term in branch.updates.items()}
        after = {**reading.state, **{n: part.value for n, part in entered.items()}}
        judged, inside = self.reading(after).truth(self.model.constraint, {})
        defined = f.all((*(part.defined for part in entered.values()), judged))
        leaves = f.any((f.negation(guard_defined), f.both(enabled, f.negation(defined))))
        return Move(action.name, f.all((enabled, defined, inside)), leaves, after)
