"""Glucose through python-sat: the second opinion on proofs of many clauses.

Integers are binary numbers here, two's complement, made of gates (Tseitin, 1968). Nothing of the
order encoding is used, with which CaDiCaL finds proofs, and Glucose descends from another solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Any

import pysat
from pysat.solvers import Glucose4

from bmc.readings.circuit import Node
from bmc.solving.core_solver import limited
from bmc.solving.interface import WIDTH, Answer, Handle, Solver, SolverError, require_width

_TRUE = 1
_SLICE = 2000
"""Conflicts after which it looks at the clock."""

Number = tuple[int, ...]
"""The literals of its bits, the least first; the last one is the sign."""


class GlucoseSolver(Solver):
    """Glucose 4.1, incremental under assumptions."""

    name = "glucose"

    def __init__(self) -> None:
        self.version = f"4.1 (python-sat {pysat.__version__})"
        self._solver = Glucose4(incr=False)
        self._last = _TRUE
        self._solver.add_clause([_TRUE])
        self._gates: dict[tuple[int, ...], int] = {}
        self._model: list[int] = []

    def boolean(self) -> Handle:
        """A fresh variable's literal."""
        self._last += 1
        return self._last

    def integer(self, low: int, high: int) -> Handle:
        """Fresh bits, just enough, for what it exceeds ``low`` by."""
        require_width(low, high)
        above = [self.boolean() for _ in range((high - low).bit_length())]
        self.add(self._ordered(zip(above, _bits(high - low), strict=False)))
        whole = (*above, *[-_TRUE] * (WIDTH - len(above)))
        return self._sum(whole, self.number(low), -_TRUE)

    def constant(self, value: bool) -> Handle:
        """The literal that is always (or never) true."""
        return _TRUE if value else -_TRUE

    def number(self, value: int) -> Handle:
        """A number of constant bits."""
        require_width(value, value)
        return _bits(value)

    def apply(self, op: str, node: Node, args: Sequence[Any]) -> Handle:
        """An operator of the circuit as gates. Raises SolverError for one that it does not know."""
        require_width(node.low, node.high)
        match op:
            case "not":
                return -args[0]
            case "and":
                return self._both(args)
            case "or":
                return self.any(args)
            case "iff":
                return self._alike(args[0], args[1])
            case "eq":
                return self.equal(args[0], args[1], boolean=False)
            case "le":
                return self._at_most(args[0], args[1])
            case "ite":
                return tuple(self._either(args[0], a, b) for a, b in zip(*args[1:], strict=True))
            case "add":
                return self._sum(args[0], args[1], -_TRUE)
            case "sub":
                return self._sum(args[0], tuple(-bit for bit in args[1]), _TRUE)
        raise SolverError(f"there are no gates for {op!r}")

    def _both(self, literals: Sequence[int]) -> int:
        """Return a literal that says that all hold. Of equal gates there is one."""
        inputs = set(literals) - {_TRUE}
        if any(-literal in inputs for literal in inputs) or -_TRUE in inputs:
            return -_TRUE
        if len(inputs) < 2:
            return next(iter(inputs), _TRUE)
        key = tuple(sorted(inputs))
        if key not in self._gates:
            output = self._gates[key] = self.boolean()
            self._solver.add_clause([output, *(-literal for literal in key)])
            for literal in key:
                self._solver.add_clause([literal, -output])
        return self._gates[key]

    def _either(self, condition: int, then: int, otherwise: int) -> int:
        if then == otherwise:
            return then
        return -self._both([-self._both([condition, then]), -self._both([-condition, otherwise])])

    def _alike(self, left: int, right: int) -> int:
        return self._either(left, right, -right)

    def _at_most(self, left: Number, right: Number) -> int:
        # A sign counts the other way round.
        pairs = [*zip(left[:-1], right[:-1], strict=True), (right[-1], left[-1])]
        return self._ordered(pairs)

    def _ordered(self, pairs: Iterable[tuple[int, int]]) -> int:
        """Return that one number is at most another: the last pair of bits that differ says so."""
        found = _TRUE
        for a, b in pairs:
            found = self._either(self._alike(a, b), found, b)
        return found

    def _sum(self, left: Number, right: Number, carry: int) -> Number:
        found = []
        for a, b in zip(left, right, strict=True):
            differ = -self._alike(a, b)
            found.append(-self._alike(differ, carry))
            carry = self._either(differ, carry, a)
        return tuple(found)

    def add(self, formula: Handle) -> None:
        """Assert a literal."""
        self._solver.add_clause([formula])

    def clause(self, *formulas: Handle) -> None:
        """Assert that one holds, without a gate."""
        self._solver.add_clause(list(formulas) or [-_TRUE])

    def at_most_one(self, formulas: Sequence[Handle]) -> None:
        """Assert that no two hold."""
        for place, one in enumerate(formulas):
            for other in formulas[:place]:
                self.clause(-one, -other)

    def check(
        self,
        assumptions: Sequence[Handle] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
    ) -> Answer:
        """Ask Glucose, which is stopped now and then to look at the clock."""
        end = None if timeout is None else monotonic() + timeout
        left = conflicts
        while end is None or monotonic() < end:
            budget = _SLICE if left is None else min(_SLICE, left)
            self._solver.conf_budget(budget)
            found = limited(self._solver, assumptions)
            if found:
                self._model = self._solver.get_model() or []
                return Answer.SAT
            if found is not None:
                return Answer.UNSAT
            if left is not None:
                left -= budget
                if not left:
                    break
        return Answer.UNKNOWN

    def value(self, handle: Handle) -> int:
        """A literal's or a number's value in the last model."""
        if isinstance(handle, tuple):
            bits = [self._holds(bit) << place for place, bit in enumerate(handle)]
            return sum(bits[:-1]) - bits[-1]
        return self._holds(handle)

    def _holds(self, literal: int) -> int:
        # A model says nothing of variables behind the last one that a clause speaks of.
        place = abs(literal) - 1
        positive = place < len(self._model) and self._model[place] > 0
        return int(positive == (literal > 0))

    def any(self, formulas: Sequence[Handle]) -> Handle:
        """Disjunction."""
        return -self._both([-formula for formula in formulas])

    def negation(self, formula: Handle) -> Handle:
        """Negation."""
        return -formula

    def equal(self, left: Any, right: Any, boolean: bool) -> Handle:
        """Equality of literals, or of all bits of two numbers."""
        if boolean:
            return self._alike(left, right)
        return self._both([self._alike(a, b) for a, b in zip(left, right, strict=True)])


def _bits(value: int) -> Number:
    return tuple(_TRUE if value >> place & 1 else -_TRUE for place in range(WIDTH))
