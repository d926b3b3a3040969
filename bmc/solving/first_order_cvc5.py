"""cvc5 on ground first-order formulas: the second opinion on what z3's models led to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cvc5
from cvc5 import Kind

from bmc.readings.quantified.formulas import Expression, LogicSort, Symbol, subterms
from bmc.solving.interface import Answer

_OPERATORS = {
    "not": Kind.NOT,
    "and": Kind.AND,
    "or": Kind.OR,
    "iff": Kind.EQUAL,
    "eq": Kind.EQUAL,
    "le": Kind.LEQ,
    "lt": Kind.LT,
    "ite": Kind.ITE,
}


def name() -> str:
    """The solver with its version."""
    return f"cvc5 {cvc5.__version__}"


class GroundChecker:
    """Decides whether quantifier-free formulas can be satisfied together."""

    def __init__(self) -> None:
        self._manager = cvc5.TermManager()
        self._terms: dict[Expression, Any] = {}
        self._symbols: dict[Symbol, Any] = {}
        self._sorts: dict[LogicSort, Any] = {}

    def check(self, formulas: Iterable[Expression], seconds: float | None) -> Answer:
        """SAT or UNSAT of the formulas together, UNKNOWN when time runs out."""
        solver = cvc5.Solver(self._manager)
        solver.setLogic("QF_UFLIA")
        if seconds is not None:
            solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
        for formula in formulas:
            solver.assertFormula(self._term(formula))
        answer = solver.checkSat()
        if answer.isUnsat():
            return Answer.UNSAT
        return Answer.SAT if answer.isSat() else Answer.UNKNOWN

    def _sort(self, sort: LogicSort) -> Any:
        match sort.kind:
            case "Bool":
                return self._manager.getBooleanSort()
            case "Int":
                return self._manager.getIntegerSort()
        if sort not in self._sorts:
            self._sorts[sort] = self._manager.mkUninterpretedSort(sort.identity)
        return self._sorts[sort]

    def _symbol(self, symbol: Symbol) -> Any:
        if symbol not in self._symbols:
            sort = self._sort(symbol.sort)
            if symbol.domain:
                sort = self._manager.mkFunctionSort([self._sort(s) for s in symbol.domain], sort)
            self._symbols[symbol] = self._manager.mkConst(sort, symbol.name)
        return self._symbols[symbol]

    def _term(self, whole: Expression) -> Any:
        for node in subterms(whole):
            if node not in self._terms:
                self._terms[node] = self._translated(node)
        return self._terms[whole]

    def _translated(self, node: Expression) -> Any:
        manager = self._manager
        args = [self._terms[a] for a in node.args]
        match node.op:
            case "true" | "false":
                return manager.mkBoolean(node.op == "true")
            case "int":
                return manager.mkInteger(node.data)
            case "app":
                declared = self._symbol(node.data)
                return manager.mkTerm(Kind.APPLY_UF, declared, *args) if args else declared
            case "sum":
                constant, factors = node.data
                parts = [
                    a if f == 1 else manager.mkTerm(Kind.MULT, manager.mkInteger(f), a)
                    for f, a in zip(factors, args, strict=True)
                ]
                if constant:
                    parts.append(manager.mkInteger(constant))
                return manager.mkTerm(Kind.ADD, *parts) if len(parts) > 1 else parts[0]
        return manager.mkTerm(_OPERATORS[node.op], *args)
