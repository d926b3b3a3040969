"""What is known where a term is read: the formulas that hold there, and how large its numbers are.

Ends of ranges stay polynomials of the parameters, and one is at most another if it is so at all
values that the parameters may take: the text that is written has the parameters as its constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bmc.lang.bounds import Bound
from bmc.lang.operator_table import BINDERS, OVER_SETS
from bmc.lang.sorts import BOOL, BoundedSetSort, IntSort, SequenceSort
from bmc.lang.terms import Term, make

Extents = Mapping[str, tuple[int, int]]
"""The least and the greatest value of each parameter."""
_MOST_ENDS = 6
"""Ends of a range that are kept, of all that facts give."""
_ZERO, _ONE = Bound(0), Bound(1)


class _AtMost(NamedTuple):
    """``low + gap <= high``."""

    low: Term
    high: Term
    gap: int


class Facts:
    """Formulas that hold, and terms that have been read before and so have a value."""

    def __init__(
        self,
        extents: Extents,
        formulas: frozenset[Term] = frozenset(),
        read: frozenset[Term] = frozenset(),
        is_supposed: bool = False,
    ) -> None:
        self.extents = extents
        self.formulas = formulas
        self.read = read
        self._is_supposed = is_supposed
        self._order = [fact for one in formulas for fact in _compared(one)]
        self._more: dict[tuple[Term, bool], Facts] = {}
        self._ends: dict[tuple[Term, bool], list[Bound]] = {}

    def where(self, formula: Term, holds: bool = True) -> Facts:
        """Return what is known where a formula has been read, and holds or does not."""
        found = self._more.get((formula, holds))
        if found is None:
            parts = frozenset(_parts(formula, holds))
            read = frozenset(one for part in (formula, *parts) for one in _read(part))
            found = Facts(self.extents, self.formulas | parts, self.read | read)
            self._more[formula, holds] = found
        return found

    def inside(self, variable: Term) -> Facts:
        """Return what is known in a binder, whose variable nothing outside speaks of."""
        if not any(variable in one.free for one in (*self.formulas, *self.read)):
            return self
        formulas, read = (
            frozenset(one for one in some if variable not in one.free)
            for some in (self.formulas, self.read)
        )
        return Facts(self.extents, formulas, read)

    def holds(self, formula: Term) -> bool:
        return formula in self.formulas

    def is_false(self, formula: Term) -> bool:
        return _negated(formula) in self.formulas

    def fits(self, number: Term, sort: IntSort) -> bool:
        """Tell whether an integer is surely in the range of a sort."""
        low, high = sort.range()
        return self.is_at_least(number, low) and any(
            self._at_most(one, high) for one in self.highs(number)
        )

    def is_at_least(self, number: Term, low: Bound) -> bool:
        """Tell whether an integer is surely no less than that."""
        return any(self._at_most(low, one) for one in self.lows(number))

    def has_at_most(self, number: Bound, *collections: Term) -> bool:
        """Tell whether sets or sequences surely have no more members together than that."""
        found = [_ZERO]
        for one in collections:
            found = self._sums(found, self.highs(size_of(one)))
        return any(self._at_most(one, number) for one in found)

    def _at_most(self, left: Bound, right: Bound) -> bool:
        """Tell whether it is so at all values of the parameters."""
        rest = right - left
        least = rest.constant
        for names, factor in rest.coefficients:
            low = high = 1
            for name in names:
                first, last = self.extents.get(name, (0, 0))
                if first < 0 or name not in self.extents:
                    return False
                low, high = low * first, high * last
            least += factor * (low if factor > 0 else high)
        return least >= 0

    def lows(self, number: Term) -> list[Bound]:
        """Return numbers that an integer is surely not below."""
        return self._ends_of(number, upper=False)

    def highs(self, number: Term) -> list[Bound]:
        """Return numbers that an integer is surely not above."""
        return self._ends_of(number, upper=True)

    def _ends_of(self, number: Term, upper: bool) -> list[Bound]:
        found = self._ends.get((number, upper))
        if found is None:
            # Facts may lead back here, as of two that are equal: the sort's own end does then.
            self._ends[number, upper] = _of_sort(number, upper)
            found = self._plain(number, upper)
            base, more = _split(number)
            if base is not None:
                found += [one + more for one in self._told(base, upper)]
                for other in self._different(base):
                    if any(one == other + more for one in found):
                        found.append(other + more + (-1 if upper else 1))
            found = self._ends[number, upper] = list(dict.fromkeys(found))[:_MOST_ENDS]
        return found

    def _told(self, base: Term, upper: bool) -> Iterator[Bound]:
        """Yield what the facts say of a term that is no sum."""
        for fact in self._order:
            near, far = (fact.low, fact.high) if upper else (fact.high, fact.low)
            same, more = _split(near)
            if same is base:
                gap = -fact.gap if upper else fact.gap
                yield from (one - more + gap for one in self._plain(far, upper))

    def _different(self, base: Term) -> Iterator[Bound]:
        for one in self.formulas:
            if one.op == "not" and one.args[0].op == "eq":
                left, right = map(_split, one.args[0].args)
                for (same, more), (nothing, value) in ((left, right), (right, left)):
                    if same is base and nothing is None:
                        yield value - more

    def _plain(self, number: Term, upper: bool) -> list[Bound]:
        """Return the ends that a term's own form and sort give."""
        return [*_of_sort(number, upper), *self._by_form(number, upper)][:_MOST_ENDS]

    def _by_form(self, number: Term, upper: bool) -> list[Bound]:
        match number.op, number.args:
            case (("int" | "bound"), ()):
                return [_constant(number)]
            case "narrow", (inner,):
                return list(self._ends_of(inner, upper))
            case "add", (a, b):
                return self._sums(self._ends_of(a, upper), self._ends_of(b, upper))
            case "sub", (a, b):
                less = [one * -1 for one in self._ends_of(b, not upper)]
                return self._sums(self._ends_of(a, upper), less)
            case "mul", (a, b) if all(self.is_at_least(one, _ZERO) for one in (a, b)):
                ends = self._ends_of(b, upper)
                return [one * other for one in self._ends_of(a, upper) for other in ends]
            case "div", (a, b) if self.is_at_least(a, _ZERO) and self.is_at_least(b, _ONE):
                return list(self.highs(a)) if upper else [_ZERO]
            case "mod", (_, b) if self.is_at_least(b, _ONE):
                return [one - 1 for one in self.highs(b)] if upper else [_ZERO]
            case "ite", (condition, then, otherwise):
                first = self._supposing(condition, True)._ends_of(then, upper)
                second = self._supposing(condition, False)._ends_of(otherwise, upper)
                return [
                    wider
                    for a in first
                    for b in second
                    if (wider := self._wider(a, b, upper)) is not None
                ]
            case "last" | "first", (_, _, otherwise) if number.sort != otherwise.sort:
                return []
            case "size", (whole,):
                return self._sizes(whole, upper)
        return []

    def _supposing(self, condition: Term, holds: bool) -> Facts:
        """Return what is known in a branch; no more than here in a branch's branch."""
        if self._is_supposed:
            return self
        found = self.where(condition, holds)
        return Facts(self.extents, found.formulas, found.read, is_supposed=True)

    def _wider(self, a: Bound, b: Bound, upper: bool) -> Bound | None:
        if self._at_most(a, b):
            return b if upper else a
        return (a if upper else b) if self._at_most(b, a) else None

    def _sums(self, some: Iterable[Bound], others: Iterable[Bound]) -> list[Bound]:
        return [a + b for a in some for b in list(others)]

    def _sizes(self, whole: Term, upper: bool) -> list[Bound]:
        sort, found = whole.sort, [] if upper else [_ZERO]
        if upper and isinstance(sort, SequenceSort | BoundedSetSort):
            found.append(sort.capacity)
        match whole.op, whole.args:
            case "empty", ():
                return [_ZERO]
            case "append", (inner, _):
                return [*(one + 1 for one in self._ends_of(size_of(inner), upper)), *found]
            case "tail", (inner,):
                return [*(one - 1 for one in self._ends_of(size_of(inner), upper)), *found]
            case "take", (_, length):
                return [*self._ends_of(length, upper), *found]
            case "insert", (inner, _) if upper:
                return [*(one + 1 for one in self.highs(size_of(inner))), *found]
            case "remove", (inner, _) if upper:
                return [*self.highs(size_of(inner)), *found]
            case "union", (a, b) if upper:
                return [*self._sums(self.highs(size_of(a)), self.highs(size_of(b))), *found]
        return found


def size_of(collection: Term) -> Term:
    """Return how many members a set or a sequence has."""
    return make("size", (collection,), IntSort(""))


def _of_sort(number: Term, upper: bool) -> list[Bound]:
    sort = number.sort
    return [sort.range()[upper]] if isinstance(sort, IntSort) and sort.bounded else []


def _constant(number: Term) -> Bound:
    value: Any = number.data
    return value if isinstance(value, Bound) else Bound(int(value))


def _split(number: Term) -> tuple[Term | None, Bound]:
    """Return an integer as what is no sum, if there is anything, and what is added to it."""
    more = _ZERO
    while True:
        match number.op, number.args:
            case (("int" | "bound"), ()):
                return None, more + _constant(number)
            case "narrow", (inner,):
                number = inner
            case "add", (inner, other) if other.op in ("int", "bound"):
                number, more = inner, more + _constant(other)
            case "add", (other, inner) if other.op in ("int", "bound"):
                number, more = inner, more + _constant(other)
            case "sub", (inner, other) if other.op in ("int", "bound"):
                number, more = inner, more - _constant(other)
            case _:
                return number, more


def _negated(formula: Term) -> Term:
    return formula.args[0] if formula.op == "not" else make("not", (formula,), BOOL)


def _parts(formula: Term, holds: bool) -> Iterator[Term]:
    """Yield formulas that all hold where one holds, or does not."""
    match formula.op, formula.args:
        case "not", (inner,):
            yield from _parts(inner, not holds)
        case ("and", parts) if holds or len(parts) == 1:
            for part in parts:
                yield from _parts(part, holds)
        case ("or", parts) if not holds or len(parts) == 1:
            for part in parts:
                yield from _parts(part, holds)
        case "implies", (premise, conclusion) if not holds:
            yield from _parts(premise, True)
            yield from _parts(conclusion, False)
        case _:
            yield formula if holds else _negated(formula)


def _compared(formula: Term) -> Iterator[_AtMost]:
    inner, holds = (formula.args[0], False) if formula.op == "not" else (formula, True)
    if not all(isinstance(one.sort, IntSort) for one in inner.args):
        return
    match inner.op, inner.args:
        case (("lt" | "le"), (a, b)):
            strict = inner.op == "lt"
            yield _AtMost(a, b, int(strict)) if holds else _AtMost(b, a, int(not strict))
        case "eq", (a, b) if holds:
            yield _AtMost(a, b, 0)
            yield _AtMost(b, a, 0)


_READ_FIRST = frozenset({"and", "or", "implies", "ite"})


def _read(term: Term) -> Iterator[Term]:
    """Yield the terms that have been read where this one has."""
    yield term
    if term.op in BINDERS:
        if term.op in OVER_SETS and len(term.args) == 3:
            yield from _read(term.args[1])
    else:
        for part in term.args[:1] if term.op in _READ_FIRST else term.args:
            yield from _read(part)
