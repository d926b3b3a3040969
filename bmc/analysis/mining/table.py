"""The truth of literals in sampled states, for every choice of the bound variables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bmc.analysis.mining.literals import Literal, literals
from bmc.analysis.mining.vocabulary import Variables, readings
from bmc.engines.packed.formulas import Formulas
from bmc.engines.packed.packing import Packing, Rows
from bmc.layout.domain import Value
from bmc.readings.circuit import Node
from bmc.system.transition import TransitionSystem

Truth = NDArray[np.bool_]

_DEEPEST = 4
_LITERALS = 320
_BINDINGS = 256


class LiteralTable:
    """The literals over one choice of bound variables, as formulas of a system.

    ``bindings`` are the values of the variables, every choice of them (or as many, at even
    distances, as are worth looking at).
    """

    def __init__(self, system: TransitionSystem, packing: Packing, bound: Variables) -> None:
        self.bound = bound
        known = readings(system.model, bound, _DEEPEST)
        self.literals = literals(known, _LITERALS)
        every = list(product(*(system.domains.values(v.sort) for v in bound)))
        self.bindings = every[:: -(-len(every) // _BINDINGS)]
        self._system = system
        nodes: dict[int, int] = {}
        unique: list[Node] = []
        places = np.zeros((2, len(self.literals), len(self.bindings)), np.intp)
        for b, binding in enumerate(self.bindings):
            for a, literal in enumerate(self.literals):
                for kind, node in enumerate(self._nodes(literal, binding)):
                    if node.uid not in nodes:
                        nodes[node.uid] = len(unique)
                        unique.append(node)
                    places[kind, a, b] = nodes[node.uid]
        self._formulas = Formulas(packing, unique)
        self._places = places

    def _nodes(self, literal: Literal, binding: Sequence[Value]) -> tuple[Node, Node]:
        """Where the literal has a value and holds, and where it has one and does not."""
        system = self._system
        pairs = zip(self.bound, binding, strict=True)
        environment = {v: system.shapes.constant(v.sort, x) for v, x in pairs}
        there = system.circuit.true
        for guard in literal.guards:
            read = system.expander.expand(guard, environment)
            there = system.circuit.and_(there, read.defined, read.shape)
        read = system.expander.expand(literal.formula, environment)
        there = system.circuit.and_(there, read.defined)
        return system.circuit.and_(there, read.shape), system.circuit.and_(
            there, system.circuit.not_(read.shape)
        )

    def truth(self, rows: Rows) -> Truth:
        """An array of shape (2, literals, bindings, states): that a literal holds, and that its
        negation does; neither where it has no value."""
        values = self._formulas.evaluate(rows)
        found: Truth = values[self._places]
        return found

    def literal(self, number: int, negated: bool) -> Literal:
        """A literal by its place, or its negation."""
        one = self.literals[number]
        return one.negated if negated else one
