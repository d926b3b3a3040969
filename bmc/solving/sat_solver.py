"""CaDiCaL through python-sat: formulas as clauses, integers in the order encoding.

An integer of range ``low .. high`` is the list of literals "at least low+1", …, "at least
high", each implying the one before (Crawford and Baker, 1994; Tamura et al., *Compiling finite
linear CSP into SAT*, 2009). Adding a constant shifts ``low`` and costs nothing, and a comparison
is a clause a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pysat
from pysat.solvers import Cadical195

from bmc.readings.circuit import Node
from bmc.solving.interface import Answer, Handle, Solver


@dataclass(frozen=True)
class Unary:
    """An integer; ``bits[j]`` is the literal of "at least low + 1 + j"."""

    low: int
    bits: tuple[int, ...]

    @property
    def high(self) -> int:
        """The greatest value."""
        return self.low + len(self.bits)


class SatSolver(Solver):
    """CaDiCaL 1.9.5. It cannot be interrupted, so a time limit holds between calls only.

    With another ``engine`` of python-sat's interface (or one that only keeps the clauses) this is
    the translation alone.
    """

    name = "cadical"

    def __init__(self, engine: Any = None) -> None:
        self.version = f"1.9.5 (python-sat {pysat.__version__})"
        self._solver = Cadical195() if engine is None else engine
        self._last = 1
        self._true = 1
        self._solver.add_clause([1])
        self._gates: dict[tuple[int, ...], int] = {}
        self._model: list[int] = []

    @property
    def variables(self) -> int:
        """How many variables there are; they are numbered from 1."""
        return self._last

    def _fresh(self) -> int:
        self._last += 1
        return self._last

    def boolean(self) -> Handle:
        """A fresh variable's literal."""
        return self._fresh()

    def integer(self, low: int, high: int) -> Handle:
        """A fresh chain of literals."""
        bits = tuple(self._fresh() for _ in range(high - low))
        for below, above in pairwise(bits):
            self._solver.add_clause([-above, below])
        return Unary(low, bits)

    def constant(self, value: bool) -> Handle:
        """The literal that is always (or never) true."""
        return self._true if value else -self._true

    def number(self, value: int) -> Handle:
        """A chain without literals."""
        return Unary(value, ())

    def at_least(self, number: Unary, bound: int) -> int:
        """The literal of ``number >= bound``."""
        if bound <= number.low:
            return self._true
        return -self._true if bound > number.high else number.bits[bound - number.low - 1]

    def conjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to the conjunction; equal gates are shared."""
        kept = sorted({lit for lit in literals if lit != self._true})
        if -self._true in kept or any(-lit in kept for lit in kept if lit < 0):
            return -self._true
        if not kept:
            return self._true
        if len(kept) == 1:
            return kept[0]
        key = tuple(kept)
        gate = self._gates.get(key)
        if gate is None:
            gate = self._gates[key] = self._fresh()
            for lit in kept:
                self._solver.add_clause([-gate, lit])
            self._solver.add_clause([gate, *(-lit for lit in kept)])
        return gate

    def _or(self, literals: Sequence[int]) -> int:
        return -self.conjunction([-lit for lit in literals])

    def _iff(self, a: int, b: int) -> int:
        return self.conjunction([self._or([-a, b]), self._or([a, -b])])

    def _mux(self, condition: int, then: int, otherwise: int) -> int:
        if then == otherwise:
            return then
        return self.conjunction([self._or([-condition, then]), self._or([condition, otherwise])])

    def apply(self, op: str, node: Node, args: Sequence[Handle]) -> Handle:
        """An operator of the circuit as gates."""
        match op:
            case "not":
                return -args[0]
            case "and":
                return self.conjunction(args)
            case "or":
                return self._or(args)
            case "iff":
                return self._iff(args[0], args[1])
            case "eq":
                return self.equal(args[0], args[1], boolean=False)
            case "le":
                return self._le(args[0], args[1])
            case "ite":
                return self._ite(args[0], args[1], args[2])
            case "add":
                return self._sum(args[0], args[1])
        right = args[1]
        negated = Unary(-right.high, tuple(-bit for bit in reversed(right.bits)))
        return self._sum(args[0], negated)

    def _le(self, a: Unary, b: Unary) -> int:
        bounds = range(min(a.low, b.low) + 1, max(a.high, b.high) + 1)
        return self.conjunction(
            [self._or([-self.at_least(a, v), self.at_least(b, v)]) for v in bounds]
        )

    def _ite(self, condition: int, then: Unary, otherwise: Unary) -> Unary:
        low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
        return Unary(
            low,
            tuple(
                self._mux(condition, self.at_least(then, v), self.at_least(otherwise, v))
                for v in range(low + 1, high + 1)
            ),
        )

    def _sum(self, a: Unary, b: Unary) -> Unary:
        if not a.bits or not b.bits:
            return Unary(a.low + b.low, a.bits or b.bits)
        low, high = a.low + b.low, a.high + b.high
        bits = []
        for total in range(low + 1, high + 1):
            ways = [
                self.conjunction([self.at_least(a, x), self.at_least(b, total - x)])
                for x in range(a.low, a.high + 1)
            ]
            bits.append(self._or(ways))
        return Unary(low, tuple(bits))

    def add(self, formula: Handle) -> None:
        """Assert a literal."""
        self._solver.add_clause([formula])

    def clause(self, *formulas: Handle) -> None:
        """Assert a clause of literals, without a gate."""
        self._solver.add_clause(list(formulas))

    def at_most_one(self, formulas: Sequence[Handle]) -> None:
        """Assert that no two hold, by a chain of "one of the first n holds" (Sinz, 2005)."""
        seen: int | None = None
        for literal in formulas:
            if seen is None:
                seen = literal
                continue
            self._solver.add_clause([-seen, -literal])
            following = self._fresh()
            self._solver.add_clause([-seen, following])
            self._solver.add_clause([-literal, following])
            seen = following

    def check(self, assumptions: Sequence[Handle] = (), timeout: float | None = None) -> Answer:
        """Ask CaDiCaL, whose answer is always definite."""
        if self._solver.solve(assumptions=list(assumptions)):
            self._model = self._solver.get_model() or []
            return Answer.SAT
        return Answer.UNSAT

    def core(self) -> frozenset[int]:
        """Assumptions that suffice for the last UNSAT; not always the fewest."""
        return frozenset(self._solver.get_core() or ())

    def _holds(self, literal: int) -> bool:
        index = abs(literal) - 1
        positive = index < len(self._model) and self._model[index] > 0
        return positive == (literal > 0)

    def value(self, handle: Handle) -> int:
        """A handle's number in the last model."""
        if isinstance(handle, Unary):
            return handle.low + sum(self._holds(bit) for bit in handle.bits)
        return int(self._holds(handle))

    def any(self, formulas: Sequence[Handle]) -> Handle:
        """Disjunction."""
        return self._or(formulas)

    def negation(self, formula: Handle) -> Handle:
        """Negation."""
        return -formula

    def equal(self, left: Any, right: Any, boolean: bool) -> Handle:
        """Equality of literals or of integers."""
        if boolean:
            return self._iff(left, right)
        bounds = range(min(left.low, right.low) + 1, max(left.high, right.high) + 1)
        return self.conjunction(
            [self._iff(self.at_least(left, v), self.at_least(right, v)) for v in bounds]
        )
