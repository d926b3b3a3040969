"""z3: integers as bit-vectors wide enough for every intermediate result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bmc.readings.circuit import Node
from bmc.solving.interface import WIDTH, Answer, Handle, Solver, require_width
from bmc.solving.z3_library import z3

_NO_LIMIT = 4294967295


class Z3Solver(Solver):
    """z3's finite-domain solver (QF_FD)."""

    name = "z3"

    def __init__(self) -> None:
        self.version = z3.get_version_string()
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._count = 0
        self._model: Any = None

    def _fresh(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def boolean(self) -> Handle:
        """A fresh Bool variable."""
        return z3.Bool(self._fresh(), self._context)

    def integer(self, low: int, high: int) -> Handle:
        """A fresh bit-vector of just enough bits, widened and shifted into its range."""
        require_width(low, high)
        bits = max(1, (high - low).bit_length())
        raw = z3.BitVec(self._fresh(), bits, self._context)
        if high - low != 2**bits - 1:
            self._solver.add(z3.ULE(raw, high - low))
        wide = z3.ZeroExt(WIDTH - bits, raw)
        return wide + low if low else wide

    def constant(self, value: bool) -> Handle:
        """TRUE or FALSE."""
        return z3.BoolVal(value, self._context)

    def number(self, value: int) -> Handle:
        """A bit-vector constant."""
        require_width(value, value)
        return z3.BitVecVal(value, WIDTH, self._context)

    def apply(self, op: str, node: Node, args: Sequence[Handle]) -> Handle:
        """An operator of the circuit."""
        require_width(node.low, node.high)
        match op:
            case "not":
                return z3.Not(args[0])
            case "and":
                return z3.And(*args)
            case "or":
                return z3.Or(*args)
            case "iff" | "eq":
                return args[0] == args[1]
            case "le":
                return args[0] <= args[1]
            case "ite":
                return z3.If(args[0], args[1], args[2])
            case "add":
                return args[0] + args[1]
        return args[0] - args[1]

    def add(self, formula: Handle) -> None:
        """Assert for good."""
        self._solver.add(formula)

    def at_most_one(self, formulas: Sequence[Handle]) -> None:
        """Assert that no two hold."""
        if len(formulas) > 1:
            self._solver.add(z3.AtMost(*formulas, 1))

    def check(
        self,
        assumptions: Sequence[Handle] = (),
        timeout: float | None = None,
        conflicts: int | None = None,
    ) -> Answer:
        """Ask z3; its own interruption by the user is raised again."""
        limit = 0 if timeout is None else max(1, int(timeout * 1000))
        self._solver.set("timeout", limit or _NO_LIMIT)
        self._solver.set("max_conflicts", _NO_LIMIT if conflicts is None else conflicts)
        answer = self._solver.check(*assumptions)
        if answer == z3.sat:
            self._model = self._solver.model()
            return Answer.SAT
        if answer == z3.unsat:
            return Answer.UNSAT
        if "interrupted from keyboard" in self._solver.reason_unknown():
            raise KeyboardInterrupt
        return Answer.UNKNOWN

    def value(self, handle: Handle) -> int:
        """A handle's number in the last model."""
        result = self._model.eval(handle, model_completion=True)
        if z3.is_bool(result):
            return int(z3.is_true(result))
        return int(result.as_signed_long())

    def any(self, formulas: Sequence[Handle]) -> Handle:
        """Disjunction."""
        if not formulas:
            return self.constant(False)
        return z3.Or(*formulas) if len(formulas) > 1 else formulas[0]

    def negation(self, formula: Handle) -> Handle:
        """Negation."""
        return z3.Not(formula)

    def equal(self, left: Handle, right: Handle, boolean: bool) -> Handle:
        """Equality."""
        return left == right
