"""Literals: what can be said of the parts of a state in one comparison, and its negation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bmc.analysis.mining.vocabulary import Reading
from bmc.lang.build import empty, everything, is_case, is_none, member
from bmc.lang.by_parts import ByParts
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.lang.terms import Expr, Term, term_of


@dataclass(frozen=True)
class Literal(ByParts):
    """A formula about parts of a state, which has a value where ``guards`` hold."""

    formula: Term
    guards: tuple[Term, ...]
    weight: int

    @property
    def negated(self) -> Literal:
        """The opposite, under the same guards."""
        return Literal(opposite(self.formula), self.guards, self.weight)


def opposite(formula: Term) -> Term:
    """The negation, as a person writes it: ``a < b`` of ``b <= a``."""
    match formula.op:
        case "not":
            return formula.args[0]
        case "le":
            return term_of(formula.args[1] < formula.args[0])
        case "lt":
            return term_of(formula.args[1] <= formula.args[0])
    return term_of(~formula)


def literals(known: Sequence[Reading], most: int) -> tuple[Literal, ...]:
    """At most ``most`` literals over what can be read, the shallowest first, each once.

    Of a literal and its negation only one is listed.
    """
    found: dict[Term, Literal] = {}
    for literal in (*_single(known), *_paired(known)):
        if literal.formula not in found and opposite(literal.formula) not in found:
            found[literal.formula] = literal
    ranked = sorted(found.values(), key=lambda literal: literal.weight)
    return tuple(ranked[:most])


def _single(known: Sequence[Reading]) -> Iterator[Literal]:
    for part in known:
        term, sort = part.term, part.sort
        bound = term.op == "bound_variable"
        match sort:
            case BoolSort():
                yield _literal(term, part)
            case EnumSort(_, values):
                for value in values:
                    yield _literal(term == value, part)
            case OptionSort():
                yield _literal(is_none(term), part)
            case VariantSort(_, cases):
                for tag, _ in cases:
                    yield _literal(is_case(term, tag), part)
            case SetSort(element):
                yield _literal(term == empty(sort), part)
                yield _literal(term == everything(element), part)
            case SequenceSort():
                yield _literal(term == empty(sort), part)
            case IntSort() if not bound and sort.low is not None and not sort.low.coefficients:
                yield _literal(term == sort.low.constant, part)
            case IntSort() | Scalarset() | RecordSort() | MapSort():
                pass
            case _ if isinstance(sort, AnySet):
                pass
            case _:
                unknown_sort(sort)


def _paired(known: Sequence[Reading]) -> Iterator[Literal]:
    for one, other in combinations(known, 2):
        a, b = one.sort, other.sort
        if isinstance(a, SetSort) != isinstance(b, SetSort):
            inside, whole = (other, one) if isinstance(a, SetSort) else (one, other)
            if isinstance(whole.sort, SetSort) and _base(inside.sort) == whole.sort.element:
                yield _literal(member(inside.term, whole.term), inside, whole)
        elif isinstance(a, IntSort) and isinstance(b, IntSort):
            yield from _integers(one, other)
        elif _base(a) == _base(b) and _comparable(_base(a)):
            if isinstance(a, SetSort):
                yield _literal(one.term <= other.term, one, other)
                yield _literal(other.term <= one.term, one, other)
            if not _holds(one, other):
                yield _literal(one.term == other.term, one, other)


def _integers(one: Reading, other: Reading) -> Iterator[Literal]:
    if one.sort.name != other.sort.name and not _counted(one, other):
        return
    a, b = one.term, other.term
    yield _literal(a == b, one, other)
    yield _literal(a <= b, one, other)
    yield _literal(b <= a, one, other)
    if "bound_variable" not in (a.op, b.op):
        yield _literal(a + 1 == b, one, other)
        yield _literal(b + 1 == a, one, other)


def _counted(one: Reading, other: Reading) -> bool:
    """Whether one is the length of a sequence and the other could be a place in it."""
    for length, place in ((one, other), (other, one)):
        if length.term.op == "size" and isinstance(place.sort, IntSort) and place.sort.bounded:
            sort = length.term.args[0].sort
            if isinstance(sort, SequenceSort) and place.sort.high == sort.capacity:
                return True
    return (
        one.term.op == other.term.op == "size" and one.term.args[0].sort == other.term.args[0].sort
    )


def _holds(one: Reading, other: Reading) -> bool:
    """Whether one is the value of the other, an option."""
    return any(
        a.term.op == "the" and a.term.args[0] is b.term for a, b in ((one, other), (other, one))
    )


def _base(sort: Sort) -> Sort:
    return sort.inner if isinstance(sort, OptionSort) else sort


def _comparable(sort: Sort) -> bool:
    return isinstance(
        sort, EnumSort | Scalarset | SetSort | RecordSort | MapSort | BoolSort | IntSort
    )


def _literal(formula: Expr, *parts: Reading) -> Literal:
    guards: dict[Term, None] = {}
    for part in parts:
        guards |= dict.fromkeys(part.guards)
    return Literal(term_of(formula), tuple(guards), sum(part.weight + 1 for part in parts))
