"""Expanding a term: what runs the rules, and the table that they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bmc.lang.by_parts import ByParts
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
from bmc.readings.positions import Positions
from bmc.readings.shapes import Member, Shape, Shapes


@dataclass(frozen=True, slots=True)
class Expanded:
    """A shape and where it is defined."""

    shape: Shape
    defined: Node


Environment = Mapping[Term, Shape]


@dataclass(frozen=True)
class Sieve(ByParts):
    """At which places of a set a condition can be true, and where it is defined at the others.

    ``asked``, that some element satisfies it, is held so that it is the same term when it is made
    again.
    """

    asked: Term
    left: Sequence[int]
    elsewhere: Node


_REMEMBERED = 1 << 15
"""Parts of shapes from which on what was not asked for lately is forgotten, once a rule is done. Of
as many rules as a set has possible elements, each needs most of it alone."""


_DEAR = ("forall", "exists")
"""Operators whose few results cost most: what they are is kept."""


class Expander:
    """Expands terms over given shapes of the state's variables.

    ``variables`` maps ``(name, primed)`` to the shape of a variable. Results are remembered
    by term and by the shapes of the term's free bound variables: for good where there are none.
    """

    def __init__(self, shapes: Shapes, variables: Mapping[tuple[str, bool], Shape]) -> None:
        self.shapes = shapes
        self.positions = Positions(shapes)
        self.circuit: Circuit = shapes.circuit
        self.domains: Domains = shapes.domains
        self.variables = variables
        self._kept: dict[tuple[object, ...], Expanded] = {}
        self._recent: dict[tuple[object, ...], Expanded] = {}
        self._older: dict[tuple[object, ...], Expanded] = {}
        self._parts = 0
        self.sieves: dict[tuple[object, ...], Sieve] = {}
        self._free: dict[int, tuple[Term, ...]] = {}
        # By the identity of a shape, which is held beside so that it stays its own.
        self._identities: dict[int, tuple[Shape, object]] = {}

    def expand(self, term: Term, environment: Environment | None = None) -> Expanded:
        """The shape of ``term`` and where it is defined."""
        env = environment or {}
        key = self.key(term, env)
        known = self._kept if len(key) == 1 or term.op in _DEAR else self._recent
        found = known.get(key)
        if found is None:
            found = self._older.get(key) or RULES[term.op](self, term, env)
            known[key] = found
            self._parts += len(found.shape) if isinstance(found.shape, tuple) else 1
        return found

    def key(self, term: Term, env: Environment) -> tuple[object, ...]:
        """Return what a term's expansion depends on: it and the shapes of its free variables."""
        free = self._free.get(term.uid)
        if free is None:
            free = self._free[term.uid] = tuple(sorted(term.free, key=lambda v: v.uid))
        if not free:
            return (term.uid,)
        shapes = [env.get(v) for v in free]
        return (term.uid, *[self._identity(one) for one in shapes if one is not None])

    @property
    def remembered(self) -> int:
        """Return how many terms' expansions are remembered."""
        return len(self._kept) + len(self._recent) + len(self._older)

    def forget(self) -> None:
        """Forget what has not been asked for lately, once much is remembered."""
        if self._parts > _REMEMBERED:
            self._older, self._recent, self._parts = self._recent, {}, 0
            self._identities.clear()

    def settle(self) -> None:
        """Forget what rules needed once all are made, if there was too much to remember it all."""
        if self._older:
            self._older, self._recent, self._parts = {}, {}, 0
            self._identities.clear()

    def _identity(self, shape: Shape) -> object:
        if isinstance(shape, Node):
            return shape.uid
        known = self._identities.get(id(shape))
        if known is None:
            known = self._identities[id(shape)] = shape, tuple(map(self._identity, shape))
        return known[1]

    def total(self, shape: Shape) -> Expanded:
        """A shape that is defined everywhere."""
        return Expanded(shape, self.circuit.true)

    def all(self, term: Term, env: Environment) -> tuple[list[Shape], Node]:
        """The shapes of all arguments, and where all are defined."""
        parts = [self.expand(child, env) for child in term.args]
        return [p.shape for p in parts], self.circuit.all(p.defined for p in parts)

    def elements(self, term: Term, env: Environment) -> list[Environment]:
        """The environments in which a binder over all values of a sort reads its body."""
        variable = term.args[0]
        return [{**env, variable: shape} for shape in self.shapes.constants(variable.sort)]

    def members(self, sort: Sort, shape: Shape) -> Iterable[Member]:
        """The possible elements of a set: (is it in, its shape)."""
        if not isinstance(sort, AnySet):
            raise LanguageError(f"{sort} has no elements: it is no set")
        return self.shapes.members(sort, shape).values()

    def fits(self, sort: IntSort, node: Node) -> Node:
        """That an integer lies in a sort's range."""
        low, high = self.domains.range(sort)
        c = self.circuit
        return c.and_(c.le(c.number(low), node), c.le(node, c.number(high)))


Rule = Callable[[Expander, Term, Environment], Expanded]
RULES: dict[OperatorName, Rule] = {}


def rule(*ops: OperatorName) -> Callable[[Rule], Rule]:
    """Register how operators expand."""

    def register(function: Rule) -> Rule:
        for op in ops:
            RULES[op] = function
        return function

    return register
