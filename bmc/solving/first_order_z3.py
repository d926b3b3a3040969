"""z3 on ground formulas: asserting, models as tables, unsatisfiable cores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bmc.readings.quantified.clauses import Universal
from bmc.readings.quantified.formulas import Expression, LogicSort, Symbol
from bmc.solving.z3_library import z3

# z3's Python interface has no types.
Ast = Any


def name() -> str:
    """The solver with its version."""
    return f"z3 {z3.get_version_string()}"


class Z3Terms:
    """First-order expressions as z3 terms, remembered; one for a process."""

    def __init__(self) -> None:
        self._terms: dict[Expression, Ast] = {}
        self._symbols: dict[Symbol, Ast] = {}
        self._sorts: dict[LogicSort, Ast] = {}

    def sort(self, sort: LogicSort) -> Ast:
        """A sort; integers of every identity are one."""
        match sort.kind:
            case "Bool":
                return z3.BoolSort()
            case "Int":
                return z3.IntSort()
        if sort not in self._sorts:
            self._sorts[sort] = z3.DeclareSort(sort.identity)
        return self._sorts[sort]

    def symbol(self, symbol: Symbol) -> Ast:
        """The declaration of a symbol."""
        found = self._symbols.get(symbol)
        if found is None:
            domain = [self.sort(s) for s in symbol.domain]
            found = z3.Function(symbol.name, *domain, self.sort(symbol.sort))
            self._symbols[symbol] = found
        return found

    def __call__(self, node: Expression) -> Ast:
        """The term of an expression; variables and quantifiers are translated as well."""
        found = self._terms.get(node)
        if found is None:
            found = self._terms[node] = self._translated(node)
        return found

    def _translated(self, node: Expression) -> Ast:
        if node.op in ("forall", "exists"):
            quantify = z3.ForAll if node.op == "forall" else z3.Exists
            return quantify([self(node.args[0])], self(node.args[1]))
        args = [self(a) for a in node.args]
        match node.op:
            case "true" | "false":
                return z3.BoolVal(node.op == "true")
            case "int":
                return z3.IntVal(node.data)
            case "var":
                return z3.Const(f"{node.data[1]}!{node.data[0]}", self.sort(node.sort))
            case "app":
                declared = self.symbol(node.data)
                return declared(*args) if args else declared()
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
            case "lt":
                return args[0] < args[1]
            case "ite":
                return z3.If(args[0], args[1], args[2])
        constant, factors = node.data
        parts = [a if f == 1 else f * a for f, a in zip(factors, args, strict=True)]
        return z3.Sum(*parts, z3.IntVal(constant)) if constant else z3.Sum(*parts)


def value_of(answer: Ast) -> Any:
    """A model's value as Python has it."""
    if z3.is_int_value(answer):
        return answer.as_long()
    if z3.is_true(answer):
        return True
    if z3.is_false(answer):
        return False
    return answer.decl().name()


class GroundSolver:
    """An incremental solver of ground formulas; ``milliseconds`` limits each question."""

    def __init__(self, translation: Z3Terms, milliseconds: int) -> None:
        self.translation = translation
        self._solver = z3.SimpleSolver()
        self._solver.set("timeout", milliseconds)

    def add(self, formula: Expression) -> None:
        """Assert a ground formula."""
        self._solver.add(self.translation(formula))

    def check(self) -> bool | None:
        """Whether what is asserted can be satisfied; None when the solver gives up."""
        answer = self._solver.check()
        return None if answer == z3.unknown else answer == z3.sat

    def values(self, terms: Iterable[Expression]) -> list[Any]:
        """The values that a model of the last question gives to ground terms."""
        model = self._solver.model()
        return [value_of(model.eval(self.translation(t), model_completion=True)) for t in terms]


def core(
    translation: Z3Terms, formulas: Sequence[Expression], milliseconds: int
) -> list[int] | None:
    """Positions of formulas that contradict each other; None when the solver gives up."""
    solver = z3.SimpleSolver()
    solver.set("timeout", milliseconds)
    solver.set("core.minimize", True)
    labels = {}
    for i, formula in enumerate(formulas):
        label = z3.Bool(f"core!{i}")
        labels[label.get_id()] = (i, label)
        solver.add(z3.Implies(label, translation(formula)))
    if solver.check(*(label for _, label in labels.values())) != z3.unsat:
        return None
    return sorted(labels[label.get_id()][0] for label in solver.unsat_core())


def quantified_core(
    translation: Z3Terms, formulas: Sequence[Universal], milliseconds: int
) -> list[Universal] | None:
    """Universal formulas that contradict each other, found by z3's own instantiation.

    None when the solver gives up or a model exists. It is a hint and no proof.
    """
    solver = z3.SimpleSolver()
    solver.set("timeout", milliseconds)
    labels = []
    for i, universal in enumerate(formulas):
        label = z3.Bool(f"hypothesis!{i}")
        labels.append(label)
        body = translation(universal.matrix)
        if universal.variables:
            body = z3.ForAll([translation(v) for v in universal.variables], body)
        solver.add(z3.Implies(label, body))
    if solver.check(*labels) != z3.unsat:
        return None
    chosen = {label.get_id() for label in solver.unsat_core()}
    return [u for u, label in zip(formulas, labels, strict=True) if label.get_id() in chosen]
