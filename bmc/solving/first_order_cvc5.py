"""cvc5 on first-order formulas: the judge of ground instances, and a hint where to find them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import cvc5
from cvc5 import Kind

from bmc.readings.quantified.clauses import Universal
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


class _Translation:
    """First-order expressions as cvc5 terms, remembered."""

    def __init__(self) -> None:
        self.manager = cvc5.TermManager()
        self._terms: dict[Expression, Any] = {}
        self._symbols: dict[Symbol, Any] = {}
        self._sorts: dict[LogicSort, Any] = {}

    def _sort(self, sort: LogicSort) -> Any:
        match sort.kind:
            case "Bool":
                return self.manager.getBooleanSort()
            case "Int":
                return self.manager.getIntegerSort()
        if sort not in self._sorts:
            self._sorts[sort] = self.manager.mkUninterpretedSort(sort.identity)
        return self._sorts[sort]

    def _symbol(self, symbol: Symbol) -> Any:
        if symbol not in self._symbols:
            sort = self._sort(symbol.sort)
            if symbol.domain:
                sort = self.manager.mkFunctionSort([self._sort(s) for s in symbol.domain], sort)
            self._symbols[symbol] = self.manager.mkConst(sort, symbol.name)
        return self._symbols[symbol]

    def __call__(self, whole: Expression) -> Any:
        for node in subterms(whole):
            if node not in self._terms:
                self._terms[node] = self._translated(node)
        return self._terms[whole]

    def _translated(self, node: Expression) -> Any:
        manager = self.manager
        if node.op == "var":
            number, name = node.data
            return manager.mkVar(self._sort(node.sort), f"{name}{number}")
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


class GroundChecker:
    """Decides whether quantifier-free formulas can be satisfied together."""

    def __init__(self) -> None:
        self._translate = _Translation()

    def check(self, formulas: Iterable[Expression], seconds: float | None) -> Answer:
        """SAT or UNSAT of the formulas together, UNKNOWN when time runs out."""
        solver = cvc5.Solver(self._translate.manager)
        solver.setLogic("QF_UFLIA")
        if seconds is not None:
            solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
        for formula in formulas:
            solver.assertFormula(self._translate(formula))
        answer = solver.checkSat()
        if answer.isUnsat():
            return Answer.UNSAT
        return Answer.SAT if answer.isSat() else Answer.UNKNOWN


def quantified_core(formulas: Sequence[Universal], milliseconds: int) -> list[Universal] | None:
    """Universal formulas that contradict each other, found by cvc5's own instantiation.

    None when the solver gives up or a model exists. It is a hint and no proof.
    """
    translate = _Translation()
    solver = cvc5.Solver(translate.manager)
    solver.setLogic("UFLIA")
    solver.setOption("produce-unsat-cores", "true")
    solver.setOption("tlimit-per", str(milliseconds))
    asserted: dict[Any, Universal] = {}
    for universal in formulas:
        body = translate(universal.matrix)
        if universal.variables:
            bound = [translate(v) for v in universal.variables]
            listed = translate.manager.mkTerm(Kind.VARIABLE_LIST, *bound)
            body = translate.manager.mkTerm(Kind.FORALL, listed, body)
        asserted[body] = universal
        solver.assertFormula(body)
    if not solver.checkSat().isUnsat():
        return None
    return [asserted[term] for term in solver.getUnsatCore()]
