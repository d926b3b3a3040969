"""Formulas, and what the parts of the algebra of values ask of each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import integer_sort
from bmc.frontends.tla.layout import Layout
from bmc.frontends.tla.translate.constants import Constants
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    describe,
    integer,
    is_integer,
    is_truth,
    negation,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Conditional,
    Formula,
    Lazy,
    Undefined,
    concrete,
)
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
    BoolSort,
    IntSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    Sort,
)
from bmc.lang.terms import Term, field, make

PARTIAL = ("at", "choose", "lookup", "payload", "tail", "take", "the")
"""Operators whose value may be missing. A number that left its sort has left the model's bounds."""

_KEYS = ("inject", "ite", "narrow", "record", "some")
"""What an argument of a function is made of where it is brought to the sort of the domain."""


def narrowed_keys(term: Term) -> list[Term]:
    """Return what narrows the argument that a term applies a function to.

    A number that leaves the sort of a domain leaves no bounds: the function has no value there.
    """
    if term.op != "select":
        return []
    found, waiting = [], [term.args[1]]
    while waiting:
        one = waiting.pop()
        if one.op == "narrow":
            found.append(one)
        elif one.op in _KEYS:
            waiting += one.args
    return found


def decided(formula: Formula) -> bool | None:
    """Return the truth that a formula has wherever it has one; None where that is not known."""
    return formula if isinstance(formula, bool) else _decided(formula, {})


def _decided(formula: Term, known: dict[Term, bool | None]) -> bool | None:
    """Return what decides a formula; formulas share parts, and each is asked once."""
    if formula not in known:
        known[formula] = _decided_by_parts(formula, known)
    return known[formula]


def _decided_by_parts(formula: Term, known: dict[Term, bool | None]) -> bool | None:
    match formula.op:
        case "eq" if formula.args[0] is formula.args[1]:
            return True
        case "not":
            inner = _decided(formula.args[0], known)
            return None if inner is None else not inner
        case "and" | "or":
            unit = formula.op == "and"
            parts = (_decided(one, known) for one in formula.args)
            return next((d for d in parts if d is not unit), unit)
        case "implies":
            premise, conclusion = (_decided(one, known) for one in formula.args)
            if premise is False or conclusion is True:
                return True
            return conclusion if premise else None
        case "forall" | "exists":
            every = formula.op == "forall"
            return every if _decided(formula.args[-1], known) is every else None
    return None


class Formulas(ABC):
    """Makes formulas; its parts are a file for each construct."""

    def __init__(self, layout: Layout, constants: Constants) -> None:
        self.layout = layout
        self.constants = constants
        self._ranges: dict[Term, tuple[int, int]] = {}
        """Between which numbers integer terms are: terms share parts, which are asked once."""
        self._partial: dict[Term, bool] = {}
        """Which terms may be without a value, of those that were asked for."""
        self._rows: dict[Term, Term] = {}
        self._numbers: dict[Term, Term] = {}

    def term(self, formula: Formula) -> Term:
        """Return a formula as a term."""
        if isinstance(formula, bool):
            return build.TRUE if formula else build.FALSE
        return formula

    def all_of(self, parts: Iterable[Formula]) -> Formula:
        """Return the conjunction, read from left to right; it says each conjunct once."""
        kept: list[Term] = []
        for part in parts:
            if part is False:
                return self._unless_undefined(kept, False)
            if part is not True:
                assert isinstance(part, Term)
                kept.extend(part.args if part.op == "and" else (part,))
        return build.conj(*dict.fromkeys(kept)) if kept else True

    def any_of(self, parts: Iterable[Formula]) -> Formula:
        """Return the disjunction, read from left to right; it says each disjunct once."""
        kept: list[Term] = []
        for part in parts:
            if part is True:
                return self._unless_undefined(kept, True)
            if part is not False:
                assert isinstance(part, Term)
                kept.extend(part.args if part.op == "or" else (part,))
        return build.disj(*dict.fromkeys(kept)) if kept else False

    def _unless_undefined(self, before: list[Term], decided: bool) -> Formula:
        """Return what a part decides; the parts before it are read first, and may have no value."""
        if not any(self.is_partial(one) for one in before):
            return decided
        joined = build.disj if decided else build.conj
        return joined(*before, self.term(decided))

    def negated(self, part: Formula) -> Formula:
        """Return the negation."""
        if isinstance(part, bool):
            return not part
        return part.args[0] if part.op == "not" else negation(part)

    def implied(self, premise: Formula, conclusion: Callable[[], Formula]) -> Formula:
        """Return the implication; the conclusion is made where the premise can hold."""
        if premise is False:
            return True
        found = conclusion()
        if premise is True:
            return found
        if found is True:
            return self.settled(True, premise)
        if found is False:
            return self.negated(premise)
        assert isinstance(premise, Term)
        assert isinstance(found, Term)
        return build.implies(premise, found)

    def settled(self, truth: bool, *operands: Lazy) -> Formula:
        """Return a truth that the operands' sorts decide; without a value where one has none."""
        have = self.all_of(map(self._has_value, operands))
        return have if truth else self.negated(have)

    def _has_value(self, operand: Lazy) -> Formula:
        match operand:
            case Term():
                return make("eq", (operand, operand), BOOL) if self.is_partial(operand) else True
            case Undefined():
                return self.undefined(BOOL)
            case Conditional():
                then, otherwise = map(self._has_value, (operand.then, operand.otherwise))
                if then is True and otherwise is True:
                    return self._has_value(operand.condition)
                unless = self.negated(operand.condition)
                ways = (operand.condition, lambda: then), (unless, lambda: otherwise)
                return self.all_of(self.implied(condition, way) for condition, way in ways)
        return True

    def where(self, condition: Formula, value: Lazy) -> Lazy:
        """Return a value; without one where the condition is false."""
        if condition is True:
            return value
        none = self.undefined(integer_sort(*self.range(value))) if is_integer(value) else UNDEFINED
        return self.conditional(condition, value, none)

    def is_partial(self, term: Term) -> bool:
        """Tell whether a term may be without a value."""
        waiting = [term]
        while waiting:
            one = waiting[-1]
            if one in self._partial:
                waiting.pop()
                continue
            unknown = [a for a in one.args if a not in self._partial]
            itself = one.op in PARTIAL or any(map(self._may_leave, narrowed_keys(one)))
            if itself or not unknown:
                self._partial[one] = itself or any(self._partial[a] for a in one.args)
                waiting.pop()
            else:
                waiting.extend(unknown)
        return self._partial[term]

    def _may_leave(self, narrowed: Term) -> bool:
        """Tell whether a number may be none of the sort that it is narrowed to."""
        assert isinstance(narrowed.sort, IntSort)
        low, high = self.layout.domains.range(narrowed.sort)
        try:
            least, most = self.range(narrowed.args[0])
        except Untranslatable:
            return True
        return least < low or most > high

    def formula(self, value: Lazy) -> Formula:
        """Return a value of BOOLEAN as a formula."""
        match value:
            case bool():
                return value
            case v.Boolean():
                return value.truth
            case Conditional():
                return self.any_of(
                    (
                        self.all_of((value.condition, self.formula(value.then))),
                        self.all_of((negation(value.condition), self.formula(value.otherwise))),
                    )
                )
            case Term():
                found = self.view(value, BoolSort)
                if isinstance(found, Term):
                    return found
            case Undefined():
                return self.undefined(BOOL)
        raise Untranslatable(f"{describe(value)} is used as a truth value")

    def value(self, formula: Formula) -> Lazy:
        """Return a formula as a value of BOOLEAN."""
        return v.boolean(formula) if isinstance(formula, bool) else formula

    def undefined(self, sort: Sort) -> Term:
        """Return a term without a value, of a sort."""
        if isinstance(sort, IntSort) and not sort.bounded:
            sort = integer_sort(0, 1)
        if isinstance(sort, OptionSort):
            inside = RecordSort("Undefined", (("value", sort),))
            return field(make("the", (make("none", (), OptionSort(inside)),), inside), "value")
        return make("the", (make("none", (), OptionSort(sort)),), sort)

    def conditional(self, condition: Formula, then: Lazy, otherwise: Lazy) -> Lazy:
        """Return IF condition THEN then ELSE otherwise."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        alike = concrete(then) and concrete(otherwise) and same(then, otherwise)
        if then is otherwise or alike:
            if not self.is_partial(condition):
                return then
            if not isinstance(then, Term | v.Boolean | int):
                return Conditional(condition, then, otherwise)
        if is_truth(then) and is_truth(otherwise):
            a, b = self.formula(then), self.formula(otherwise)
            if isinstance(a, bool) and isinstance(b, bool) and a is not b:
                return self.value(condition if a else negation(condition))
            return build.ite(condition, self.term(a), self.term(b))
        if is_integer(then) and is_integer(otherwise):
            return build.ite(condition, integer(then), integer(otherwise))
        if isinstance(then, Term) and isinstance(otherwise, Term) and then.sort == otherwise.sort:
            return build.ite(condition, then, otherwise)
        return Conditional(condition, then, otherwise)

    @abstractmethod
    def coerce_set(self, value: Lazy, sort: Sort) -> Term:
        """Return a set as a term."""

    @abstractmethod
    def row(self, key: Term) -> Term:
        """Return what a map's key stands for: itself, unless its sort is that of a table."""

    @abstractmethod
    def picked(self, key: Term, leaves: list[Term], start: int = 0) -> Term:
        """Return the one of these terms at the place that a number says, from ``start`` on."""

    @abstractmethod
    def numbered(self, value: Lazy, sort: IntSort) -> Term:
        """Return the number of a value; NoFit where it surely has none."""

    @abstractmethod
    def number_of(self, value: Lazy, sort: Sort) -> Term | None:
        """Return a term that is of a sort, or whose number in a table is; None for other values."""

    @abstractmethod
    def same_rows(self, left: Lazy, right: Lazy) -> Formula | None:
        """Return the equation of two values by their numbers; None where they have none."""

    @abstractmethod
    def checked(self, made: Term, members: Lazy, sort: Sort) -> Term:
        """Return what was made of a set's members; without a value where the sort lacks one."""

    @abstractmethod
    def coerce_sequence(self, value: Lazy, sort: SequenceSort) -> Term:
        """Return a sequence as a term."""

    @abstractmethod
    def coerce_structure(self, value: Term, sort: Sort) -> Term:
        """Return a map, sequence or set of one sort as one of another, a map as a record."""

    @abstractmethod
    def interval(self, low: Lazy, high: Lazy, name: str = "i") -> Lazy:
        """Return ``low .. high``."""

    @abstractmethod
    def equal_sets(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two sets have the same members."""

    @abstractmethod
    def equal_sequences(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two sequences are the same."""

    @abstractmethod
    def equal_functions(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two functions have the same domain and the same values."""

    @abstractmethod
    def member(self, element: Lazy, members: Lazy) -> Formula:
        """Return ``element \\in members``."""

    @abstractmethod
    def range(self, value: Lazy) -> tuple[int, int]:
        """Return the least and the greatest that an integer can be."""

    @abstractmethod
    def view(self, value: Lazy, *kinds: type[Sort]) -> Lazy:
        """Return a term's part of one of these kinds: an option's value, a variant's payload."""

    @abstractmethod
    def coerce(self, value: Lazy, sort: Sort) -> Term:
        """Return a value as a term of exactly this sort; NoFit where it surely is none."""

    @abstractmethod
    def touches_scalarset(self, value: Any) -> bool:
        """Tell whether a TLA+ value has members of a scalarset in it."""

    @abstractmethod
    def equal(self, left: Lazy, right: Lazy) -> Formula:
        """Return the equation; values of different kinds differ."""
