"""Axioms about sizes of sets, shown by those who use them.

An axiom speaks of finitely many sets and single elements. They cut everything into regions (two
sets into four), and all that the axiom can say of them is how many elements regions have: a size is
a sum over the regions of a set, "some element in both" says that a sum is not 0, and an element is
a set of size 1. So it holds of all finite sets, of whatever size, exactly when no choice of numbers
of 0 or more contradicts it, which is linear arithmetic (the cardinality part of BAPA: Kuncak,
Nguyen and Rinard, *Deciding Boolean algebra with Presburger arithmetic*, JAR 2006). Two solvers are
asked, and the axiom is evaluated besides on all sets of few elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from bmc.evidence.certificate import CertificateError
from bmc.evidence.certify import NotDecided
from bmc.readings.quantified.counting import StatedAxiom
from bmc.readings.quantified.formulas import (
    Expression,
    LogicSort,
    Symbol,
    and_,
    app,
    eq,
    le,
    linear,
    lt,
    not_,
    number,
    or_,
    total,
)
from bmc.solving.first_order_cvc5 import GroundChecker
from bmc.solving.first_order_z3 import GroundSolver, Z3Terms
from bmc.solving.interface import Answer

MOST_ELEMENTS = 3
"""Axioms are evaluated on all sets of so many elements, and of fewer."""

_SECONDS = 20.0

Region = frozenset[Expression]
"""Elements that are in just these sets, and are just these elements."""


@dataclass(frozen=True)
class ShownAxiom:
    """An axiom that was shown to hold of all finite sets: its name, and what it says."""

    name: str
    says: str


def require_true(axioms: Iterable[StatedAxiom]) -> tuple[ShownAxiom, ...]:
    """Show that axioms hold of all finite sets.

    Raises CertificateError for one that does not, or that is no statement about regions;
    NotDecided when a solver gives up.
    """
    found = []
    for one in axioms:
        for elements in range(1, MOST_ELEMENTS + 1):
            failure = counterexample(one, elements)
            if failure is not None:
                raise CertificateError(f"the axiom {one.name} is false {failure}")
        _require_of_all_sizes(one)
        found.append(ShownAxiom(one.name, one.axiom.says))
    return tuple(found)


def _require_of_all_sizes(axiom: StatedAxiom) -> None:
    against = contradiction(axiom)
    answers = {"cvc5": GroundChecker().check(against, _SECONDS)}
    solver = GroundSolver(Z3Terms(), int(1000 * _SECONDS))
    for formula in against:
        solver.add(formula)
    said = solver.check()
    answers["z3"] = Answer.UNKNOWN if said is None else Answer.SAT if said else Answer.UNSAT
    for name, answer in answers.items():
        match answer:
            case Answer.SAT:
                raise CertificateError(f"the axiom {axiom.name} is false of some sets, says {name}")
            case Answer.UNKNOWN:
                raise NotDecided(f"{name} gave up on the axiom {axiom.name}")


def contradiction(axiom: StatedAxiom) -> list[Expression]:
    """Return formulas of linear arithmetic that have a solution exactly when the axiom is false."""
    regions = _Regions(axiom)
    return [*regions.facts, not_(regions.read(axiom.body))]


class _Regions:
    """The numbers of elements in the regions that sets and elements cut everything into."""

    def __init__(self, axiom: StatedAxiom) -> None:
        self.axiom = axiom
        self.cutting = (*axiom.sets, *axiom.elements)
        self.regions: dict[Region, Expression] = {}
        for sides in product((False, True), repeat=len(self.cutting)):
            inside = frozenset(c for c, side in zip(self.cutting, sides, strict=True) if side)
            name = "!region" + "".join("01"[side] for side in sides)
            self.regions[inside] = app(Symbol(name, (), LogicSort("Int")))
        self.facts = [le(number(0), count) for count in self.regions.values()]
        for one in axiom.elements:
            self.facts.append(eq(self._within(one), number(1)))

    def _within(self, *several: Expression) -> Expression:
        """How many elements all of these sets share."""
        return self._number(lambda region: region.issuperset(several))

    def _number(self, wanted: Callable[[Region], bool]) -> Expression:
        return total((1, count) for region, count in self.regions.items() if wanted(region))

    def read(self, formula: Expression) -> Expression:
        """What a formula over sets and elements says, said of the numbers."""
        match formula.op:
            case "true" | "false":
                return formula
            case "and":
                return and_(*(self.read(a) for a in formula.args))
            case "or":
                return or_(*(self.read(a) for a in formula.args))
            case "not":
                return not_(self.read(formula.args[0]))
            case "le":
                return le(self._term(formula.args[0]), self._term(formula.args[1]))
            case "lt":
                return lt(self._term(formula.args[0]), self._term(formula.args[1]))
            case "exists":
                bound, body = formula.args
                return le(number(1), self._number(lambda region: self._of(body, bound, region)))
            case "forall":
                bound, body = formula.args
                missed = self._number(lambda region: not self._of(body, bound, region))
                return le(missed, number(0))
            case "app" if formula.data == self.axiom.words.membership:
                return le(number(1), self._within(*map(self._known, formula.args)))
            case "eq":
                return le(number(1), self._within(*map(self._known, formula.args)))
        raise _not_about_regions(self.axiom)

    def _term(self, term: Expression) -> Expression:
        words = self.axiom.words
        constant, factors = linear(term)
        parts = []
        for one, factor in factors.items():
            if one.op == "app" and one.data == words.cardinality:
                parts.append((factor, self._within(self._known(one.args[0]))))
            elif one is words.all and words.whole:
                parts.append((factor, self._within()))
            else:
                raise _not_about_regions(self.axiom)
        return total(parts, constant)

    def _of(self, body: Expression, bound: Expression, region: Region) -> bool:
        """Whether an element of a region has what a quantifier says of it."""
        match body.op:
            case "true" | "false":
                return body.op == "true"
            case "and":
                return all(self._of(a, bound, region) for a in body.args)
            case "or":
                return any(self._of(a, bound, region) for a in body.args)
            case "not":
                return not self._of(body.args[0], bound, region)
            case "app" if body.data == self.axiom.words.membership and body.args[0] is bound:
                return self._known(body.args[1]) in region
            case "eq" if bound in body.args:
                (other,) = (a for a in body.args if a is not bound)
                return self._known(other) in region
        raise _not_about_regions(self.axiom)

    def _known(self, cutting: Expression) -> Expression:
        if cutting not in self.cutting:
            raise _not_about_regions(self.axiom)
        return cutting


def _not_about_regions(axiom: StatedAxiom) -> CertificateError:
    return CertificateError(f"the axiom {axiom.name} says more than sizes of regions can decide")


def counterexample(axiom: StatedAxiom, elements: int) -> str | None:
    """Return sets of so many elements for which the axiom is false, None when there are none."""
    members = range(elements)
    subsets = [frozenset(m for m in members if bits >> m & 1) for bits in range(1 << elements)]
    variables = (*axiom.sets, *axiom.elements)
    choices = [subsets] * len(axiom.sets) + [list(members)] * len(axiom.elements)
    for chosen in product(*choices):
        values = dict(zip(variables, chosen, strict=True))
        if not _Finite(axiom, elements).value(axiom.body, values):
            shown = ", ".join(_shown(v) for v in chosen)
            return f"of {elements} elements, not of {shown}"
    return None


def _shown(value: Any) -> str:
    return (
        f"{{{', '.join(map(str, sorted(value)))}}}" if isinstance(value, frozenset) else f"{value}"
    )


@dataclass(frozen=True)
class _Finite:
    """The axiom's symbols where there are so many elements, and sets are sets."""

    axiom: StatedAxiom
    elements: int

    def value(self, node: Expression, values: Mapping[Expression, Any]) -> Any:
        match node.op:
            case "true" | "false":
                return node.op == "true"
            case "int":
                return node.data
            case "var":
                return values[node]
            case "and":
                return all(self.value(a, values) for a in node.args)
            case "or":
                return any(self.value(a, values) for a in node.args)
            case "exists" | "forall":
                bound, body = node.args
                found = (self.value(body, {**values, bound: m}) for m in range(self.elements))
                return any(found) if node.op == "exists" else all(found)
        args = [self.value(a, values) for a in node.args]
        words = self.axiom.words
        match node.op:
            case "not":
                return not args[0]
            case "eq":
                return args[0] == args[1]
            case "le":
                return args[0] <= args[1]
            case "lt":
                return args[0] < args[1]
            case "sum":
                constant, factors = node.data
                return constant + sum(f * a for f, a in zip(factors, args, strict=True))
            case "app" if node.data == words.membership:
                return args[0] in args[1]
            case "app" if node.data == words.cardinality:
                return len(args[0])
            case "app" if node.data == words.number and words.whole:
                return self.elements
        raise _not_about_regions(self.axiom)
