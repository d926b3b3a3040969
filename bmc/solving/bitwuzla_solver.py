"""Bitwuzla: the second opinion. Integers are bit-vectors, two's complement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import monotonic
from typing import Any

import bitwuzla
from bitwuzla import Kind

from bmc.readings.circuit import Node
from bmc.solving.interface import WIDTH, Answer, Handle, Solver, require_width

# Read from the package's text: an inquiry makes solvers by the hundred.
_VERSION = version("bitwuzla")
_KINDS = {
    "not": Kind.NOT,
    "and": Kind.AND,
    "or": Kind.OR,
    "iff": Kind.EQUAL,
    "eq": Kind.EQUAL,
    "le": Kind.BV_SLE,
    "ite": Kind.ITE,
    "add": Kind.BV_ADD,
    "sub": Kind.BV_SUB,
}


@dataclass
class _Clock:
    """Says when the library has to stop.

    It knows nothing of the solver: the library holds it where Python's collector does not look, so
    a solver that it led back to would stay for ever.
    """

    end: float | None = None
    interrupted: bool = False

    def expired(self) -> bool:
        # An exception that leaves a callback is lost in the library, so it is raised again later.
        try:
            return self.end is not None and monotonic() > self.end
        except KeyboardInterrupt:
            self.interrupted = True
            return True


class BitwuzlaSolver(Solver):
    """Bitwuzla with incremental solving under assumptions."""

    name = "bitwuzla"

    def __init__(self) -> None:
        self.version = _VERSION
        self._terms = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        # It goes over all assertions again at each of thousands of small questions: without it
        # they take a third of the time.
        options.set(bitwuzla.Option.PREPROCESS, False)
        self._solver = bitwuzla.Bitwuzla(self._terms, options)
        self._bool = self._terms.mk_bool_sort()
        self._vector = self._terms.mk_bv_sort(WIDTH)
        self._clock = _Clock()
        self._solver.configure_terminator(self._clock.expired)

    def boolean(self) -> Handle:
        """A fresh Bool variable."""
        return self._terms.mk_const(self._bool)

    def integer(self, low: int, high: int) -> Handle:
        """A fresh bit-vector of just enough bits, widened and shifted into its range."""
        require_width(low, high)
        bits = max(1, (high - low).bit_length())
        raw = self._terms.mk_const(self._terms.mk_bv_sort(bits))
        if high - low != 2**bits - 1:
            span = self._terms.mk_bv_value(self._terms.mk_bv_sort(bits), high - low)
            self._solver.assert_formula(self._terms.mk_term(Kind.BV_ULE, [raw, span]))
        wide = self._terms.mk_term(Kind.BV_ZERO_EXTEND, [raw], [WIDTH - bits])
        return self._terms.mk_term(Kind.BV_ADD, [wide, self.number(low)]) if low else wide

    def constant(self, value: bool) -> Handle:
        """TRUE or FALSE."""
        return self._terms.mk_true() if value else self._terms.mk_false()

    def number(self, value: int) -> Handle:
        """A bit-vector constant."""
        require_width(value, value)
        return self._terms.mk_bv_value(self._vector, value)

    def apply(self, op: str, node: Node, args: Sequence[Handle]) -> Handle:
        """An operator of the circuit."""
        require_width(node.low, node.high)
        return self._terms.mk_term(_KINDS[op], list(args))

    def add(self, formula: Handle) -> None:
        """Assert for good."""
        self._solver.assert_formula(formula)

    def at_most_one(self, formulas: Sequence[Handle]) -> None:
        """Assert that no two hold."""
        for i, one in enumerate(formulas):
            for other in formulas[i + 1 :]:
                self.clause(self.negation(one), self.negation(other))

    def check(
        self,
        assumptions: Sequence[Handle] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
    ) -> Answer:
        """Ask bitwuzla; it looks at the clock by itself."""
        self._clock.end = None if timeout is None else monotonic() + timeout
        answer: Any = self._solver.check_sat(*assumptions)
        if self._clock.interrupted:
            raise KeyboardInterrupt
        if answer == bitwuzla.Result.SAT:
            return Answer.SAT
        return Answer.UNSAT if answer == bitwuzla.Result.UNSAT else Answer.UNKNOWN

    def value(self, handle: Handle) -> int:
        """A handle's number in the last model."""
        term = self._solver.get_value(handle)
        if term.sort().is_bool():
            return int(bool(term.value()))
        number = int(str(term.value(10)))
        return number - 2**WIDTH if number >= 2 ** (WIDTH - 1) else number

    def any(self, formulas: Sequence[Handle]) -> Handle:
        """Disjunction."""
        if not formulas:
            return self.constant(False)
        if len(formulas) == 1:
            return formulas[0]
        return self._terms.mk_term(Kind.OR, list(formulas))

    def negation(self, formula: Handle) -> Handle:
        """Negation."""
        return self._terms.mk_term(Kind.NOT, [formula])

    def equal(self, left: Handle, right: Handle, boolean: bool) -> Handle:
        """Equality."""
        return self._terms.mk_term(Kind.EQUAL, [left, right])
