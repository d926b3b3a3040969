"""A model at given parameters as a transition system over scalar variables."""

from __future__ import annotations

import gc
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from bmc.lang.errors import BmcError, BoundTooSmall
from bmc.lang.model import Action, Model
from bmc.lang.properties import Kind, Property
from bmc.lang.sorts import Sort
from bmc.lang.state import Branch
from bmc.layout.affordable import require_affordable
from bmc.layout.domain import Domains, Value
from bmc.layout.inhabited import require_states
from bmc.layout.layouts import flat
from bmc.layout.renaming import representatives
from bmc.readings.changed import differing
from bmc.readings.circuit import Circuit, Node, Substitution, evaluate, scalars_read
from bmc.readings.expand import Expander
from bmc.readings.shapes import Shape, Shapes, is_bool
from bmc.readings.single import compact
from bmc.readings.value import ConcreteState
from bmc.system.choices import ArgumentChoices, ChosenArguments


@contextmanager
def _without_collections() -> Iterator[None]:
    """Grounding makes many objects and no cycles: looking for cycles took a third of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_FEW = 1_000
"""Choices of Init's arguments that are expanded with the rest."""


class NoInitialState(BmcError):
    """No state satisfies Init and the state constraint: every statement would hold vacuously."""


class GhostTooSmall(BoundTooSmall):
    """A history leaves its sorts where it begins, so there is no model beside it."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar of the state: the circuit variable ``index``, with its range."""

    index: int
    boolean: bool
    low: int
    high: int
    variable: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A ground instance of one branch of an action.

    ``updates`` gives the new node of every leaf (by index) that the rule can change; all other
    leaves stay. ``overflow`` holds where taking the rule leaves the model's bounds (a partial
    operator has no value): there the model, not the protocol, is at fault. Where the guard does
    not hold, that can only be because it has no value itself: ``unguarded`` says where. An argument
    out of a set in the state has no value of its own: ``members`` has what stands at its place.
    """

    action: str
    arguments: Mapping[str, Value]
    branch: int
    guard: Node
    overflow: Node
    unguarded: Node
    updates: Mapping[int, Node]
    members: Mapping[str, Shape]


@dataclass(frozen=True, slots=True)
class Instance:
    """A ground instance of a property: its arguments' values and the formula.

    ``holds`` is false wherever the formula has no value.
    """

    property: str
    arguments: tuple[Value, ...]
    holds: Node


class _Variables(dict[tuple[str, bool], Shape]):
    """The variables' shapes. One after a step is made when a term speaks of it: few do."""

    def __init__(self, state: Mapping[str, Shape], primed: Callable[[Shape], Shape]) -> None:
        super().__init__({(name, False): shape for name, shape in state.items()})
        self._primed = primed

    def __missing__(self, key: tuple[str, bool]) -> Shape:
        name, primed = key
        if not primed:
            raise KeyError(key)
        shape = self[key] = self._primed(self[name, False])
        return shape


def beyond_initial_bounds(initial: Action, variable: str = "a variable") -> BoundTooSmall:
    """Return the error of an initial state that the model has no room for."""
    return BoundTooSmall(
        f"{initial.source}: Init gives {variable} a value outside its sort, or one for which the "
        "state constraint has no value: enlarge the sort, or the bound that it was given, or "
        "choose larger parameters"
    )


class TransitionSystem:
    """``init``, rules, constraint and ground properties of a model.

    Circuit variables ``0 .. n-1`` are the scalars of the state (:attr:`leaves`), ``n .. 2n-1``
    the same after a step (only step invariants read those). Unary scalars, such as a record's
    key inside a keyed set, are derived and are not leaves.

    Raises LanguageError when a term cannot be expanded, EmptySort when a variable has no value.
    """

    @_without_collections()
    def __init__(self, model: Model, parameters: Mapping[str, int]) -> None:
        self.model = model
        self.parameters = dict(parameters)
        self.domains = Domains(parameters)
        require_affordable(model, self.parameters, wide=True)
        require_states(model.variables, self.parameters)
        self.circuit = Circuit()
        self.shapes = Shapes(self.circuit, self.domains)
        self._leaves: list[Leaf] = []
        self.state: dict[str, Shape] = {}
        for name, sort in model.variables.items():
            self.state[name] = self._declare(name, sort)
        self.leaves = tuple(self._leaves)
        self._after = Substitution(self.circuit, self._after_step)
        self.expander = Expander(self.shapes, _Variables(self.state, self._primed))
        self.well_formed = self.circuit.all(
            self.shapes.well_formed(sort, self.state[name])
            for name, sort in model.variables.items()
        )
        self._constraint = self.expander.expand(model.constraint)
        self.constraint = self.circuit.and_(self._constraint.defined, self._constraint.shape)
        if self._starts_are_few():
            self.starts  # noqa: B018  # The circuit numbers its nodes in the order they are made.
        self.rules = tuple(r for action in model.actions for r in self._rules(action))
        self.expander.settle()
        if self._starts_are_few():
            self.initial  # noqa: B018

    @cached_property
    def starts(self) -> tuple[tuple[Node, dict[int, Node]], ...]:
        """For each choice of Init its condition, and what it gives each leaf.

        BoundTooSmall for one that is outside of its sort.
        """
        return tuple(self._starts())

    @cached_property
    def initial(self) -> Node:
        """Init, with the state constraint. Raises BoundTooSmall."""
        return self.initially(range(len(self.leaves)))

    def _starts_are_few(self) -> bool:
        """Whether Init is expanded with everything else: some have a million choices."""
        init = self.model.initial
        values = (self.domains.number(one.variable.sort) for one in init.arguments)
        return len(init.branches) * prod(values) <= _FEW

    @property
    def sort_conditions(self) -> tuple[Node, ...]:
        """The conditions whose conjunction ``well_formed`` is."""
        return self.well_formed.args if self.well_formed.op == "and" else (self.well_formed,)

    def well_formed_in(self, cone: Container[int]) -> Node:
        """Return the conditions of the sorts that speak of leaves of a cone."""
        return self.circuit.all(
            condition
            for condition in self.sort_conditions
            if all(index in cone for index in scalars_read([condition]))
        )

    @property
    def within_bounds(self) -> Node:
        """That no rule enabled in this state leaves the model's bounds."""
        return self.circuit.not_(self.circuit.any(r.overflow for r in self.rules))

    def _declare(self, name: str, sort: Sort) -> Shape:
        def make(boolean: bool, low: int, high: int) -> Node:
            index = len(self._leaves)
            self._leaves.append(Leaf(index, boolean, low, high, name))
            return self._variable(index, boolean, low, high)

        return self.shapes.fresh(sort, make)

    def _variable(self, index: int, boolean: bool, low: int, high: int) -> Node:
        if boolean:
            return self.circuit.variable(index)
        return self.circuit.integer_variable(index, low, high)

    def _primed(self, shape: Shape) -> Shape:
        """The shape over the scalars after a step, which are numbered behind those before it."""
        if isinstance(shape, Node):
            return self._after(shape)
        return tuple(self._primed(part) for part in shape)

    def _after_step(self, scalar: Node) -> Node:
        leaf = self.leaves[scalar.data]
        return self._variable(leaf.index + len(self.leaves), leaf.boolean, leaf.low, leaf.high)

    def _guard(self, branch: Branch, choice: ChosenArguments) -> tuple[Node, Node]:
        c = self.circuit
        holds, defined = choice.present, c.true
        for guard in branch.guards:
            part = self.expander.expand(guard, choice.environment)
            defined = c.and_(defined, c.needed(holds, part.defined))
            holds = c.and_(holds, part.shape)
            if holds is c.false:
                break
        return holds, defined

    def _rules(self, action: Action) -> Iterator[Rule]:
        c = self.circuit
        told: set[tuple[object, ...]] = set()
        choices = ArgumentChoices(self.expander, action)
        for choice in choices:
            for number in choice.branches:
                branch = action.branches[number]
                guard, defined = self._guard(branch, choice)
                if guard is c.false:
                    # What is never taken only says where its guard has no value, and says it once;
                    # of rules that renamings make of each other each is there.
                    said = (number, *choices.symmetric(choice), defined)
                    if defined is c.true or said in told:
                        continue
                    told.add(said)
                unguarded = c.not_(defined)
                taken = {} if guard is c.false else branch.updates
                updates: dict[int, Node] = {}
                entered: dict[str, Shape] = {}
                for name, term in taken.items():
                    after = self.expander.expand(term, choice.environment)
                    entered[name] = after.shape
                    defined = c.and_(defined, c.needed(guard, after.defined))
                    self._collect(self.state[name], after.shape, updates)
                defined = c.and_(defined, c.implies(guard, self._judged(entered)))
                overflow = c.not_(defined)
                members = {
                    one.name: choice.environment[one.variable]
                    for one in action.arguments
                    if one.collection is not None
                }
                yield Rule(
                    action.name,
                    choice.known,
                    number,
                    guard,
                    overflow,
                    unguarded,
                    compact(updates),
                    compact(members),
                )
            self.expander.forget()

    def _judged(self, entered: Mapping[str, Shape]) -> Node:
        """That the constraint has a value in the state with these new values of variables."""
        if self._constraint.defined is self.circuit.true:
            return self.circuit.true
        variables = {(n, False): s for n, s in {**self.state, **entered}.items()}
        return Expander(self.shapes, variables).expand(self.model.constraint).defined

    def _collect(self, before: Shape, after: Shape, updates: dict[int, Node]) -> None:
        if before is after:
            return
        if isinstance(before, Node):
            if before.op in ("var", "ivar"):
                updates[before.data] = after
        else:
            for old, new in differing(before, after):
                self._collect(old, new, updates)

    def _starts(self) -> Iterator[tuple[Node, dict[int, Node]]]:
        c = self.circuit
        action = self.model.initial
        for choice in ArgumentChoices(self.expander, action):
            for branch in (action.branches[number] for number in choice.branches):
                guard, defined = self._guard(branch, choice)
                values: dict[int, Node] = {}
                entered: dict[str, Shape] = {}
                for name in self.model.variables:
                    start = self.expander.expand(branch.updates[name], choice.environment)
                    entered[name] = start.shape
                    fits = c.implies(guard, start.defined)
                    if fits is not c.true and name in self.model.ghosts:
                        raise GhostTooSmall(
                            f"the history gives {name} an initial value outside its sort: enlarge "
                            "the sort, or leave lemmas and history out with --no-lemmas"
                        )
                    if fits is not c.true:
                        raise beyond_initial_bounds(action, name)
                    self._collect(self.state[name], start.shape, values)
                if c.and_(defined, c.implies(guard, self._judged(entered))) is not c.true:
                    raise beyond_initial_bounds(action)
                if guard is not c.false:
                    yield guard, values

    def initially(self, cone: Container[int]) -> Node:
        """Return Init, with the state constraint, as far as it speaks of the leaves of a cone."""
        c = self.circuit
        starts = []
        for guard, values in self.starts:
            equal = [self._leaf_equals(i, node) for i, node in values.items() if i in cone]
            starts.append(c.and_(guard, *equal))
        return c.and_(self.constraint, c.any(starts))

    def _leaf_equals(self, index: int, node: Node) -> Node:
        return self.shapes.equal(self.leaf_node(index), node)

    def leaf_node(self, index: int) -> Node:
        """The circuit variable of a leaf, before the step."""
        leaf = self.leaves[index]
        return self._variable(index, leaf.boolean, leaf.low, leaf.high)

    def instances(self, stated: Property) -> tuple[Instance, ...]:
        """All ground instances of a property, in the order of its arguments' values."""
        domains = [self.domains.values(a.sort) for a in stated.arguments]
        return tuple(self.instance(stated, values) for values in product(*domains))

    def instance(self, stated: Property, values: Sequence[Value]) -> Instance:
        """One ground instance of a property."""
        pairs = list(zip(stated.arguments, values, strict=True))
        env = {a: self.shapes.constant(a.sort, v) for a, v in pairs}
        body = self.expander.expand(stated.body, env)
        holds = self.circuit.and_(body.defined, body.shape)
        return Instance(stated.name, tuple(values), holds)

    def representatives(self, stated: Property) -> tuple[Instance, ...]:
        """One instance from each orbit under renaming of scalarset members.

        The system is symmetric in its scalarsets (the language has no constants of them), so
        an orbit holds inductively as soon as one of its instances does.
        """
        return tuple(
            self.instance(stated, values)
            for values in representatives(self.domains, stated.arguments)
        )

    def encode(self, state: ConcreteState) -> list[int]:
        """A concrete state as the numbers of its leaves."""
        numbers = [0] * len(self.leaves)
        for name, sort in self.model.variables.items():
            scalars = flat(self.shapes.layouts.encode(sort, state[name]))
            for node, number in zip(self._scalars[name], scalars, strict=True):
                if node.op in _LEAVES:
                    numbers[node.data] = number
        return numbers

    def decode(self, numbers: Sequence[int]) -> ConcreteState:
        """The concrete state whose leaves have these numbers."""
        state = {}
        for name, sort in self.model.variables.items():
            scalars = self._scalars[name]
            if name in self._computed:
                values = evaluate(scalars, numbers)
            else:
                values = [int(numbers[n.data]) if n.op in _LEAVES else n.data for n in scalars]
            state[name] = self.shapes.layouts.decode(sort, iter(values))
        return state

    @cached_property
    def _scalars(self) -> Mapping[str, Sequence[Node]]:
        """The scalars of each variable, in the order of its layout."""
        return {name: list(self.shapes.leaves(shape)) for name, shape in self.state.items()}

    @cached_property
    def _computed(self) -> frozenset[str]:
        """The variables with a scalar that is no leaf and no constant, as where a key stands."""
        plain = _LEAVES | {"const", "num"}
        return frozenset(n for n, of in self._scalars.items() if any(x.op not in plain for x in of))


_LEAVES = frozenset({"var", "ivar"})


__all__ = ["Instance", "Kind", "Leaf", "Rule", "TransitionSystem", "is_bool"]
