"""Order of numbers, quantifiers, and what the parts of the algebra of sets ask of each other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from bmc.frontends.tla.forms import integer_sort
from bmc.frontends.tla.translate.algebra import Algebra
from bmc.frontends.tla.translate.kinds import (
    integer,
    named,
)
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Conditional,
    Formula,
    Lazy,
    Part,
)
from bmc.frontends.tla.translate.one_point import without_binder
from bmc.lang import build
from bmc.lang.sorts import (
    IntSort,
    SetSort,
    Sort,
)
from bmc.lang.terms import Term, term_of

MOST_LISTED = 4096
"""The most values of a sort that a quantifier runs over where a set has no other description."""


class Quantifiers(Algebra):
    """Compares numbers and quantifies over sets; its parts are a file for each construct."""

    def number(self, value: Lazy) -> Lazy:
        """Return a value as an integer."""
        if isinstance(value, int):
            return value
        if isinstance(value, Conditional):
            then, otherwise = self.number(value.then), self.number(value.otherwise)
            return build.ite(value.condition, integer(then), integer(otherwise))
        viewed = self.view(value, IntSort)
        if isinstance(viewed, Term) and isinstance(viewed.sort, IntSort):
            return viewed
        return self.undefined(integer_sort(0, 1))

    def at_most(self, left: Lazy, right: Lazy, strict: bool = False) -> Formula:
        """Return ``left <= right``, or ``left < right``."""
        left, right = self.number(left), self.number(right)
        less = 1 if strict else 0
        (a, b), (low, high) = self.range(left), self.range(right)
        if b + less <= low:
            return self.settled(True, left, right)
        if a + less > high:
            return self.settled(False, left, right)
        x, y = integer(left), integer(right)
        return term_of(x < y if strict else x <= y)

    def exists(self, members: Lazy, name: str, body: Callable[[Lazy], Formula]) -> Formula:
        """Return ``\\E name \\in members : body(name)``."""
        return self.any_of(
            self._quantified(p, body, True) for p in self.comprehension(members, name).parts
        )

    def forall(self, members: Lazy, name: str, body: Callable[[Lazy], Formula]) -> Formula:
        """Return ``\\A name \\in members : body(name)``."""
        return self.all_of(
            self._quantified(p, body, False) for p in self.comprehension(members, name).parts
        )

    def _quantified(self, part: Part, body: Callable[[Lazy], Formula], some: bool) -> Formula:
        def inside(at: int, bound: list[Term]) -> Formula:
            if at == len(part.domains):
                guard, element = part.body(bound)
                if some:
                    return False if guard is False else self.all_of((guard, body(element)))
                return self.implied(guard, lambda: body(element))
            name, domain = part.domains[at]
            settled: list[Formula] = []

            def under(x: Term) -> Term:
                found = inside(at + 1, [*bound, x])
                settled.append(found)
                return self.term(found)

            binder = build.exists if some else build.forall
            quantified = binder(domain, named(name, under))
            (found,) = settled
            if found is (not some):
                return self.settled(found, domain)
            if found is some and isinstance(domain, Sort):
                return found
            return without_binder(quantified, self.is_partial) if some else quantified

        return inside(0, [])

    @abstractmethod
    def domain_of(self, function: Lazy) -> Lazy | None:
        """Return the domain of a function; None where the value is none."""

    @abstractmethod
    def applied(self, function: Lazy, key: Lazy) -> Lazy:
        """Return ``function[key]``."""

    @abstractmethod
    def comprehension(self, value: Lazy, name: str = "x") -> Comprehension:
        """Return a set as a union of parts."""

    @abstractmethod
    def _where(self, part: Part, condition: Formula) -> Part: ...

    @abstractmethod
    def filtered(self, members: Lazy, test: Callable[[Lazy], Formula], name: str) -> Lazy:
        """Return ``{x \\in members : test(x)}``."""

    @abstractmethod
    def member(self, element: Lazy, members: Lazy) -> Formula:
        """Return ``element \\in members``."""

    @abstractmethod
    def as_set(self, value: Lazy) -> Lazy:
        """Return the set that a term is where it is one."""

    @abstractmethod
    def fits(self, element: Lazy, sort: Sort) -> Formula:
        """Return when a value can be brought to a sort; where it cannot, it is in no such set."""

    @abstractmethod
    def other_form(self, element: Lazy, sort: Sort) -> bool:
        """Tell whether a value may equal one of a sort that writes it in another way."""

    @abstractmethod
    def _in_part(self, element: Lazy, part: Part) -> Formula: ...

    @abstractmethod
    def _in_cases(self, element: Lazy, test: Callable[[Term], Formula]) -> Formula: ...

    @abstractmethod
    def subset(self, left: Lazy, right: Lazy) -> Formula:
        """Return ``left \\subseteq right``."""

    @abstractmethod
    def _covers(self, sort: Sort, members: frozenset[Any]) -> bool: ...

    @abstractmethod
    def _safely_coerced(self, value: Lazy, sort: SetSort) -> bool:
        """Tell whether every member surely is a value of the sort."""
