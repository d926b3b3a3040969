"""CaDiCaL through python-sat: formulas as clauses, integers in the order encoding.

A conjunction is a gate of any width, defined by clauses (Tseitin, 1968); equal gates are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pysat
from pysat.solvers import Cadical195

from bmc.layout.affordable import require_narrow
from bmc.readings.circuit import Node
from bmc.readings.order import TRUE, OrderEncoding, Unary, bound_pairs
from bmc.solving.core_solver import limited
from bmc.solving.interface import Answer, Handle, Solver

LONG = 128
"""Literals from which on a gate stands for an alternative that many clauses share."""


class SatSolver(Solver, OrderEncoding):
    """CaDiCaL 1.9.5. It cannot be interrupted, so a time limit holds between calls only.

    With another ``engine`` of python-sat's interface (or one that only keeps the clauses) this is
    the translation alone.
    """

    name = "cadical"
    interruptible = False

    def __init__(self, engine: Any = None) -> None:
        self.version = f"1.9.5 (python-sat {pysat.__version__})"
        self._solver = Cadical195() if engine is None else engine
        self._last = TRUE
        self._solver.add_clause([TRUE])
        self._gates: dict[tuple[int, ...], int] = {}
        self._model: list[int] = []

    @property
    def variables(self) -> int:
        """How many variables there are; they are numbered from 1."""
        return self._last

    def _fresh(self) -> int:
        self._last += 1
        return self._last

    def reserve(self, count: int) -> int:
        """The first of so many fresh variables that follow each other."""
        first = self._last + 1
        self._last += count
        return first

    def add_clauses(self, clauses: list[list[int]]) -> None:
        """Assert clauses of literals."""
        self._solver.append_formula(clauses, no_return=True)

    def boolean(self) -> Handle:
        """A fresh variable's literal."""
        return self._fresh()

    def integer(self, low: int, high: int) -> Handle:
        """A fresh chain of literals. Raises TooLarge for more of them than can be made."""
        require_narrow(high - low + 1)
        bits = tuple(self._fresh() for _ in range(high - low))
        for below, above in pairwise(bits):
            self._solver.add_clause([-above, below])
        return Unary(low, bits)

    def constant(self, value: bool) -> Handle:
        """The literal that is always (or never) true."""
        return TRUE if value else -TRUE

    def number(self, value: int) -> Handle:
        """A chain without literals."""
        return Unary(value, ())

    def conjunction(self, literals: Sequence[int]) -> int:
        """A literal equivalent to the conjunction; equal gates are shared."""
        kept = sorted({lit for lit in literals if lit != TRUE})
        if -TRUE in kept or any(-lit in kept for lit in kept if lit < 0):
            return -TRUE
        if not kept:
            return TRUE
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

    def apply(self, op: str, node: Node, args: Sequence[Handle]) -> Handle:
        """An operator of the circuit as gates."""
        return self.gate(op, args)

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

    def check(
        self,
        assumptions: Sequence[Handle] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
    ) -> Answer:
        """Ask CaDiCaL, whose answer is definite unless conflicts or time were used up before."""
        if timeout is not None and timeout <= 0:
            return Answer.UNKNOWN
        if conflicts is not None:
            self._solver.conf_budget(conflicts)
        found = limited(self._solver, assumptions)
        if found:
            self._model = self._solver.get_model() or []
            return Answer.SAT
        return Answer.UNKNOWN if found is None else Answer.UNSAT

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
        return self.disjunction(formulas)

    def negation(self, formula: Handle) -> Handle:
        """Negation."""
        return -formula

    def equal(self, left: Any, right: Any, boolean: bool) -> Handle:
        """Equality of literals or of integers."""
        return self.same(left, right) if boolean else self.same_number(left, right)

    def add_equal(self, left: Any, right: Any, boolean: bool, unless: Sequence[Handle]) -> None:
        """Assert literal by literal that two handles are equal unless one of these holds.

        A step says of every scalar what it is after each rule: a gate for each of these
        equalities would be a third of all variables, and nobody asks what it is.
        """
        pairs = [(left, right)] if boolean else bound_pairs(left, right)
        # Many rules that write a wide number are named once, not with each of its literals.
        long = len(pairs) * len(unless) > LONG
        excused = [self.disjunction(unless)] if long else unless
        for a, b in pairs:
            self._add_clause(*excused, -a, b)
            self._add_clause(*excused, a, -b)

    def _add_clause(self, *literals: int) -> None:
        """Assert a clause whose literals may be constants, or opposites."""
        kept = set(literals)
        if TRUE not in kept and not any(-literal in kept for literal in kept):
            self._solver.add_clause(sorted(kept - {-TRUE}, key=abs) or [-TRUE])
