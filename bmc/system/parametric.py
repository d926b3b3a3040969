"""A model at no particular parameters: what has to be proven, as first-order conditions.

The state after a step is a substitution: no variable is primed, and nothing says what stays. A
condition is a set of closed formulas that must contradict each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from bmc.lang.model import Action, Argument, Model
from bmc.lang.properties import WITHIN_BOUNDS, Kind, Property
from bmc.lang.sorts import BitSet, KeyedSetSort, Sort
from bmc.lang.state import Branch
from bmc.lang.terms import Term
from bmc.readings.quantified.clauses import Universal, axioms, sizes, universals
from bmc.readings.quantified.clauses import goals as split
from bmc.readings.quantified.counting import NamedSet, SetWords, StatedAxiom, axioms_about
from bmc.readings.quantified.formulas import TRUE, Expression, Symbol, and_, implies, not_
from bmc.readings.quantified.fresh import fresh
from bmc.readings.quantified.reader import Reader, name_of, truth_of
from bmc.readings.quantified.structures import NotQuantified, Structure
from bmc.readings.quantified.vocabulary import Symbols

BOUNDS = WITHIN_BOUNDS
"""The goal that an action's values exist and lie in their sorts."""

INITIAL = "!Init"
"""What conditions on the initial states have for an action; no action has this name."""

TYPES = "!types"
PARAMETERS = "!parameters"
CONSTRAINT = "!constraint"
SIZES = "!sizes"
GIVEN = (TYPES, PARAMETERS, CONSTRAINT, SIZES)
"""Hypotheses that are no lemmas: they hold of every state by what a state is."""


@dataclass(frozen=True, order=True)
class Name:
    """What a condition says: ``goal`` after one branch of ``action`` (:data:`INITIAL` for the
    initial states), or in every state that satisfies the hypotheses when there is no action."""

    goal: str
    action: str = ""
    branch: int = 0

    def __str__(self) -> str:
        if not self.action:
            return f"{self.goal}, implied"
        case = f" (case {self.branch + 1})" if self.branch else ""
        if self.action == INITIAL:
            return f"{self.goal} initially{case}"
        return f"{self.goal} after {self.action}{case}"


@dataclass(frozen=True)
class ProofObligation:
    """``given`` and the hypotheses imply each of ``goals``, whose negations these are."""

    name: Name
    given: tuple[Universal, ...]
    goals: tuple[tuple[Universal, ...], ...]


State = Mapping[str, Structure]


def state_variable(vocabulary: Symbols, name: str, sort: Sort) -> Structure:
    """A variable of the state as uninterpreted functions; NotQuantified where it has no reading."""
    try:
        vocabulary.require_inhabited(sort)
        found = fresh(sort, name)
        vocabulary.well_formed(sort, found)
        return found
    except NotQuantified as error:
        raise NotQuantified(error.why, f"variable {name}") from None


class ParametricSystem:
    """The conditions under which ``invariants`` are inductive and imply ``claims``.

    :attr:`hypotheses` maps the names of invariants, and :data:`GIVEN`, to universal formulas over
    the state before a step. Raises NotQuantified, with the place, for what cannot be read.
    """

    def __init__(
        self, model: Model, invariants: Sequence[Property], claims: Sequence[Property]
    ) -> None:
        self.model = model
        if any(p.name == BOUNDS for p in (*invariants, *claims)):
            raise NotQuantified(f"{BOUNDS} is a name of bmc's own: rename the property")
        self.invariants = {p.name: p for p in invariants}
        self.claims = {p.name: p for p in claims}
        self.vocabulary = Symbols({p.name: p.low for p in model.parameters})
        self.state: State = {
            name: state_variable(self.vocabulary, name, sort)
            for name, sort in model.variables.items()
        }
        self.actions = {a.name: a for a in model.actions}
        self.sets: dict[Symbol, NamedSet] = {}
        self.counted: dict[SetWords, None] = {}
        self.hypotheses: dict[str, tuple[Universal, ...]] = {
            TYPES: universals(self.typed(self.state), TYPES),
            PARAMETERS: universals(and_(*self.vocabulary.facts()), PARAMETERS),
            CONSTRAINT: self._assumed(CONSTRAINT, self._constraint),
        }
        for stated in self.invariants.values():
            self.hypotheses[stated.name] = self._assumed(
                stated.name, partial(_stated, stated=stated)
            )
        self.hypotheses[SIZES] = sizes(self.sets.values())

    def _assumed(self, origin: str, read: Callable[[Reader], Expression]) -> tuple[Universal, ...]:
        reader = self._reader(self.state, origin)
        found = universals(read(reader), origin)
        self.sets |= reader.sets
        self.counted |= dict.fromkeys(one.words for one in reader.sets.values())
        return (*found, *axioms(reader.definitions, f"{origin}!definition"))

    def _constraint(self, reader: Reader) -> Expression:
        try:
            return reader.holds(self.model.constraint)
        except NotQuantified as error:
            raise NotQuantified(error.why, "the state constraint") from None

    def _reader(self, state: State, scope: str, after: State | None = None) -> Reader:
        variables = {(n, False): s for n, s in state.items()}
        variables |= {(n, True): s for n, s in (after or {}).items()}
        return Reader(self.vocabulary, variables, scope)

    def typed(self, state: State) -> Expression:
        """That the variables of a state have values of their sorts."""
        sorts = self.model.variables
        return and_(*(self.vocabulary.well_formed(sorts[n], s) for n, s in state.items()))

    def names(self) -> Iterator[Name]:
        """Every condition there is."""
        for action in (self.model.initial, *self.model.actions):
            called = INITIAL if action is self.model.initial else action.name
            for branch in range(len(action.branches)):
                yield Name(BOUNDS, called, branch)
                for name in self.invariants:
                    yield Name(name, called, branch)
        for name, stated in self.claims.items():
            if name in self.invariants:
                continue
            if stated.kind is not Kind.STEP_INVARIANT:
                yield Name(name)
                continue
            for action in self.model.actions:
                for branch in range(len(action.branches)):
                    yield Name(name, action.name, branch)

    def check_readable(self, stated: Property) -> None:
        """NotQuantified unless a property can be read, of any step if it is of steps."""
        _stated(self._reader(self.state, "!goal", self.state), stated)

    def check_terms(self, terms: Iterable[Term], arguments: Sequence[Term]) -> None:
        """NotQuantified unless terms over some arguments can be read."""
        reader = self._reader(self.state, "!goal")
        env = {one: fresh(one.sort, f"!arg.{name_of(one)}") for one in arguments}
        for term in terms:
            reader.read(term, env)

    def check_action(self, action: Action) -> None:
        """NotQuantified, with its place, unless an action can be read."""
        before = {} if action is self.model.initial else self.state
        try:
            reader = self._reader(before, "!step")
            env, _ = self._arguments(action.arguments, reader)
            for branch in action.branches:
                _Taken(self, reader, env, branch, before).inside()
        except NotQuantified as error:
            raise error.at(action.name, action.source) from None

    def allowed(self, name: Name) -> tuple[Universal, ...]:
        """The hypotheses of a condition: initial states follow from no other state."""
        if name.action == INITIAL:
            return self.hypotheses[PARAMETERS]
        return tuple(u for found in self.hypotheses.values() for u in found)

    def axioms(self) -> dict[str, StatedAxiom]:
        """The axioms about sizes in the hypotheses and in the conditions built so far, by name."""
        return {axiom.name: axiom for words in self.counted for axiom in axioms_about(words)}

    def build(self, name: Name) -> ProofObligation:
        """A condition by its name."""
        if not name.action:
            reader = self._reader(self.state, "!goal")
            parts = [_stated(reader, self.claims[name.goal])]
            return self._condition(name, [], (), parts, reader)
        action = self.model.initial if name.action == INITIAL else self.actions[name.action]
        try:
            return self._step(name, action)
        except NotQuantified as error:
            raise error.at(action.name, action.source) from None

    def _step(self, name: Name, action: Action) -> ProofObligation:
        before = {} if name.action == INITIAL else self.state
        reader = self._reader(before, "!step")
        env, ranges = self._arguments(action.arguments, reader)
        branch = action.branches[name.branch]
        taken = _Taken(self, reader, env, branch, before)
        if name.goal == BOUNDS:
            judge = self._reader(taken.after, "!goal")
            fits = [*taken.defined, *taken.inside()]
            fits.append(implies(taken.guard, judge.read(self.model.constraint).defined))
            return self._condition(name, ranges, (reader,), fits, judge)
        judge = self._reader(taken.after, "!after")
        admitted = [*ranges, taken.guard, *taken.defined, self._constraint(judge)]
        stated = self.invariants.get(name.goal) or self.claims[name.goal]
        if stated.kind is Kind.STEP_INVARIANT:
            goal = self._reader(before, "!goal", taken.after)
        else:
            goal = self._reader(taken.after, "!goal")
        parts = [_stated(goal, stated)]
        return self._condition(name, admitted, (reader, judge), parts, goal)

    def _condition(
        self,
        name: Name,
        assumed: Sequence[Expression],
        readers: Sequence[Reader],
        wanted: Sequence[Expression],
        judge: Reader,
    ) -> ProofObligation:
        given = list(universals(and_(*assumed), "!step"))
        counted: dict[Symbol, NamedSet] = {}
        for reader in (*readers, judge):
            given += axioms(reader.definitions, f"{reader.scope}!definition")
            counted |= reader.sets
        self.counted |= dict.fromkeys(one.words for one in counted.values())
        known = () if name.action == INITIAL else self.hypotheses[SIZES]
        given += [u for u in sizes(counted.values()) if u.name not in {k.name for k in known}]
        parts: dict[Expression, None] = {}
        for goal in wanted:
            parts |= dict.fromkeys(split(goal))
        negated = tuple(universals(not_(part), "!goal") for part in parts)
        return ProofObligation(name, tuple(given), negated)

    def _arguments(
        self, arguments: Sequence[Argument], reader: Reader
    ) -> tuple[dict[Term, Structure], list[Expression]]:
        env: dict[Term, Structure] = {}
        ranges: list[Expression] = []
        words = self.vocabulary
        for one in arguments:
            sort, name = one.variable.sort, f"!arg.{one.name}"
            words.require_inhabited(sort)
            if one.collection is None:
                env[one.variable] = fresh(sort, name)
                ranges.append(words.well_formed(sort, env[one.variable]))
                continue
            held, kind = reader.read(one.collection).value, one.collection.sort
            match kind:
                case KeyedSetSort():
                    key = fresh(kind.key_sort, name)
                    slot = held(key)
                    ranges += [words.well_formed(kind.key_sort, key), slot.present]
                    env[one.variable] = slot.content
                case _ if isinstance(kind, BitSet):
                    chosen = fresh(kind.element, name)
                    ranges += [words.well_formed(kind.element, chosen), held(chosen)]
                    env[one.variable] = chosen
                case _:
                    raise NotQuantified(
                        f"{one.name} is chosen from {one.collection!r}, which holds a number of "
                        "elements: a cardinality"
                    )
        return env, ranges


class _Taken:
    """A branch of an action taken: its guard, the state after, and where that is defined."""

    def __init__(
        self,
        system: ParametricSystem,
        reader: Reader,
        env: Mapping[Term, Structure],
        branch: Branch,
        before: State,
    ) -> None:
        self.system = system
        self.guard: Expression = TRUE
        self.defined: list[Expression] = []
        for guard in branch.guards:
            part = reader.read(guard, env)
            self.defined.append(implies(self.guard, part.defined))
            self.guard = and_(self.guard, truth_of(part.value))
        self.entered: dict[str, Structure] = {}
        for name, term in branch.updates.items():
            found = reader.read(term, env)
            self.defined.append(implies(self.guard, found.defined))
            self.entered[name] = found.value
        self.after: State = {**before, **self.entered}

    def inside(self) -> list[Expression]:
        """That the new values are of their variables' sorts."""
        typed = self.system.typed(self.entered)
        return [implies(self.guard, p) for p in (typed.args if typed.op == "and" else (typed,))]


def _stated(reader: Reader, stated: Property) -> Expression:
    """That a property holds, for all of its arguments, where the reader stands."""
    words = reader.vocabulary

    def closed(front: dict[Term, Structure], left: Sequence[Term]) -> Expression:
        if not left:
            return reader.holds(stated.body, front)
        first, *rest = left
        return words.all_of(
            first.sort, lambda value: closed({**front, first: value}, rest), name_of(first)
        )

    try:
        return closed({}, stated.arguments)
    except NotQuantified as error:
        raise error.at(stated.name, stated.source) from None
