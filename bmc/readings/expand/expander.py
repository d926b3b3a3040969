"""Expanding a term: what runs the rules, and the table that they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bmc.lang.errors import LanguageError
from bmc.lang.operator_table import OperatorName
from bmc.lang.sorts import (
    AnySet,
    IntSort,
    Sort,
)
from bmc.lang.terms import Term
from bmc.layout.domain import Domains
from bmc.readings.circuit import Circuit, Node
from bmc.readings.shapes import Shape, Shapes


@dataclass(frozen=True)
class Expanded:
    """A shape and where it is defined."""

    shape: Shape
    defined: Node


Environment = Mapping[Term, Shape]


Element = tuple[Node, Environment]
"""What a binder runs over: whether it is an element at all, and the environment that has it."""


class Expander:
    """Expands terms over given shapes of the state's variables.

    ``variables`` maps ``(name, primed)`` to the shape of a variable. Results are remembered
    by term and by the shapes of the term's free bound variables.
    """

    def __init__(self, shapes: Shapes, variables: Mapping[tuple[str, bool], Shape]) -> None:
        self.shapes = shapes
        self.circuit: Circuit = shapes.circuit
        self.domains: Domains = shapes.domains
        self.variables = dict(variables)
        self._memory: dict[tuple[object, ...], Expanded] = {}

    def expand(self, term: Term, environment: Environment | None = None) -> Expanded:
        """The shape of ``term`` and where it is defined."""
        env = environment or {}
        free = sorted(term.free, key=lambda v: v.uid)
        key = (term, *(_identity(env[v]) for v in free if v in env))
        found = self._memory.get(key)
        if found is None:
            found = self._memory[key] = RULES[term.op](self, term, env)
        return found

    def total(self, shape: Shape) -> Expanded:
        """A shape that is defined everywhere."""
        return Expanded(shape, self.circuit.true)

    def all(self, term: Term, env: Environment) -> tuple[list[Shape], Node]:
        """The shapes of all arguments, and where all are defined."""
        parts = [self.expand(child, env) for child in term.args]
        return [p.shape for p in parts], self.circuit.all(p.defined for p in parts)

    def elements(self, term: Term, env: Environment) -> tuple[list[Element], Node]:
        """What a binder runs over: (is it an element, the environment with it), and definedness."""
        variable = term.args[0]
        if len(term.args) == 3 and term.op in ("forall", "exists"):
            collection = self.expand(term.args[1], env)
            found = self.members(term.args[1].sort, collection.shape)
            return [(c, {**env, variable: s}) for c, s in found], collection.defined
        listed: list[Element] = [
            (self.circuit.true, {**env, variable: shape})
            for shape in self.shapes.constants(variable.sort)
        ]
        return listed, self.circuit.true

    def members(self, sort: Sort, shape: Shape) -> Iterator[tuple[Node, Shape]]:
        """The possible elements of a set: (is it in, its shape)."""
        if not isinstance(sort, AnySet):
            raise LanguageError(f"{sort} has no elements: it is no set")
        return self.shapes.members(sort, shape)

    def at_key(self, sort: Sort, key: Shape) -> list[Node]:
        """For each value of a listable sort, in order: whether ``key`` is it."""
        position = self.shapes.position(sort, key)
        if position is None:
            return [self.shapes.equal(key, value) for value in self.shapes.constants(sort)]
        count = len(self.domains.values(sort))
        return [self.circuit.constant(i == position) for i in range(count)]

    def fits(self, sort: IntSort, node: Node) -> Node:
        """That an integer lies in a sort's range."""
        low, high = self.domains.range(sort)
        c = self.circuit
        return c.and_(c.le(c.number(low), node), c.le(node, c.number(high)))


def _identity(shape: Shape) -> object:
    return shape.uid if isinstance(shape, Node) else tuple(_identity(part) for part in shape)


Rule = Callable[[Expander, Term, Environment], Expanded]
RULES: dict[OperatorName, Rule] = {}


def rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    """Register how operators expand."""

    def register(function: Rule) -> Rule:
        for op in ops:
            RULES[op] = function
        return function

    return register
