"""Binders bind their own variable, however deep they nest and wherever a term is reused.

Formulas are written with positions instead of names ("the variable of the outermost binder"),
evaluated directly, and compared with what the readings say of the term that Python functions
with the same parameter name at every level build.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from bmc.lang import (
    Integer,
    Term,
)
from bmc.lang.build import (
    choose,
    conj,
    disj,
    exists,
    filtered,
    first,
    forall,
    last,
    mapping,
    member,
    size,
)
from bmc.lang.sorts import BOOL
from bmc.layout.domain import Domains, Value
from bmc.readings.expand import Expander
from bmc.readings.value import Environment, Evaluator
from bmc.readings.value.evaluator import RULES, Evaluation
from tests.semantics.outcomes import Leaves, outcome, python
from tests.strategies import Draw, draws, effort

SORT = Integer("Position", 0, 2)
VALUES = (0, 1, 2)
BINDERS = ("forall", "exists", "last", "first", "count", "filter", "lambda", "choose", "over set")


@dataclass(frozen=True)
class Formula:
    """``op`` over parts; ``data`` are numbers and positions of variables, outermost first."""

    op: str
    parts: tuple[Formula, ...] = ()
    data: tuple[int, ...] = ()


def formulas() -> st.SearchStrategy[Formula]:
    """A formula without variables of a context."""
    return draws().map(lambda draw: _binder(draw, 0, 4))


def _formula(draw: Draw, scope: int, fuel: int) -> Formula:
    kind = draw.one_of(("compare", "binder", "binder", "join", "closed")) if fuel > 0 else "compare"
    match kind:
        case "binder":
            return _binder(draw, scope, fuel)
        case "closed":
            return Formula("closed", (_binder(draw, 0, fuel - 1),))
        case "join":
            parts = tuple(_formula(draw, scope, fuel - 1) for _ in range(draw.number(1, 2)))
            return Formula(draw.one_of(("and", "nor")), parts)
    places = draw.number(0, scope - 1), draw.number(0, scope - 1)
    return Formula(draw.one_of(("le", "eq")), (), (*places, draw.number(-1, 1)))


def _binder(draw: Draw, scope: int, fuel: int) -> Formula:
    op = draw.one_of(BINDERS)
    parts = [_formula(draw, scope + 1, fuel - 1)]
    if op == "over set":
        parts.append(_formula(draw, scope + 1, fuel - 2))
    return Formula(op, tuple(parts), (draw.number(0, 2),))


def directly(formula: Formula, scope: tuple[int, ...] = ()) -> bool:
    """The truth of a formula, with the values of the variables in scope."""
    match formula:
        case Formula("le", _, (i, j, k)):
            return scope[i] <= scope[j] + k
        case Formula("eq", _, (i, j, k)):
            return scope[i] == scope[j] + k
        case Formula("and", parts):
            return all(directly(p, scope) for p in parts)
        case Formula("nor", parts):
            return not any(directly(p, scope) for p in parts)
        case Formula("closed", (part,)):
            return directly(part)
    body, *rest = formula.parts
    (k,) = formula.data
    found = [v for v in VALUES if directly(body, (*scope, v))]
    match formula.op:
        case "forall":
            return len(found) == len(VALUES)
        case "exists":
            return bool(found)
        case "last":
            return max(found, default=-1) == k
        case "first":
            return min(found, default=-1) == k
        case "count":
            return len(found) == k
        case "choose":
            return min([*found, 2]) == k
        case "over set":
            return all(directly(rest[0], (*scope, v)) for v in found)
    return k in found


class Builder:
    """Builds the terms of formulas. Closed parts are built first, outside of all binders."""

    def __init__(self, formula: Formula) -> None:
        self.closed: dict[Formula, Term] = {}
        for part in reversed(list(_closed_parts(formula))):
            self.closed[part] = self.build(part, ())

    def build(self, formula: Formula, scope: tuple[Term, ...]) -> Term:
        """The term, with the variables in scope."""
        match formula:
            case Formula("le", _, (i, j, k)):
                return scope[i] <= scope[j] + k
            case Formula("eq", _, (i, j, k)):
                return scope[i] == scope[j] + k
            case Formula("and", parts):
                return conj(*(self.build(p, scope) for p in parts))
            case Formula("nor", parts):
                return ~disj(*(self.build(p, scope) for p in parts))
            case Formula("closed", (part,)):
                return self.closed[part]
        return self._binder(formula, scope)

    def _binder(self, formula: Formula, scope: tuple[Term, ...]) -> Term:
        body, *rest = formula.parts
        (k,) = formula.data
        match formula.op:
            case "forall":
                return forall(SORT, lambda x: self.build(body, (*scope, x)))
            case "exists":
                return exists(SORT, lambda x: self.build(body, (*scope, x)))
            case "last":
                return last(SORT, lambda x: self.build(body, (*scope, x)), -1) == k
            case "first":
                return first(SORT, lambda x: self.build(body, (*scope, x)), -1) == k
            case "choose":
                return choose(SORT, lambda x: (x == 2) | self.build(body, (*scope, x))) == k
            case "lambda":
                truths = mapping(SORT, lambda x: self.build(body, (*scope, x)), BOOL)
                return truths[k] == True  # noqa: E712 (it builds a term)
        found = filtered(SORT, lambda x: self.build(body, (*scope, x)))
        if formula.op == "over set":
            return forall(found, lambda x: self.build(rest[0], (*scope, x)))
        return size(found) == k if formula.op == "count" else member(k, found)


def _closed_parts(formula: Formula) -> Iterator[Formula]:
    if formula.op == "closed":
        yield formula.parts[0]
    for part in formula.parts:
        yield from _closed_parts(part)


@effort(200)
@given(formulas())
def test_nested_binders_do_not_capture(formula: Formula) -> None:
    term = Builder(formula).build(formula, ())
    assert not term.free
    domains = Domains({})
    assert Evaluator(domains).evaluate(term, {}) == directly(formula)
    leaves = Leaves(domains)
    expanded = Expander(leaves.shapes, {}).expand(term)
    assert outcome(leaves, BOOL, expanded, python) == directly(formula)


@effort(100)
@given(formulas())
def test_equal_construction_gives_the_identical_term(formula: Formula) -> None:
    assert Builder(formula).build(formula, ()) is Builder(formula).build(formula, ())


def test_a_loop_is_evaluated_once_for_what_it_reads() -> None:
    """In another loop's body, and in another term that is asked for at the same state."""
    evaluated = []
    exists_rule = RULES["exists"]

    def counted(run: Evaluation, term: Term, env: Environment) -> Value:
        evaluated.append(term)
        return exists_rule(run, term, env)

    inner = exists(SORT, lambda y: y == 1)
    outer = forall(SORT, lambda x: disj(x == 2, inner))
    each = forall(SORT, lambda x: exists(SORT, lambda y: y == x))
    with patch.dict(RULES, {"exists": counted}):
        here = Evaluator(Domains({})).at({})
        assert here.run(outer, {}) is True
        assert here.run(conj(inner, inner), {}) is True
        assert len(evaluated) == 1
        assert here.run(each, {}) is True
        assert len(evaluated) == 1 + len(VALUES)
