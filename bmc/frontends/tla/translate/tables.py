"""Functions and sets that have no place for each possible argument or member: messages.

Such a function is a map from numbers, such a set one of numbers. A number stands for an argument
that was met in samples, and ``row(k)`` is that argument, a conditional over ``k`` that folds to a
constant where ``k`` is one.
An argument that was not met has no number: a step that makes a function be defined there has no
value, which is proven never to happen, like a number beyond the bounds of its sort. So it is with
a member of a set.
"""

from __future__ import annotations

from typing import Any

from bmc.frontends.tla.forms import NoFit
from bmc.frontends.tla.translate.formulas import Formulas
from bmc.frontends.tla.translate.kinds import equation, named
from bmc.frontends.tla.translate.lazy import Formula, Lazy, Part, concrete
from bmc.lang import build
from bmc.lang.sorts import IntSort, Sort
from bmc.lang.terms import Term, literal, make


class Tables(Formulas):
    """Goes from numbers to what they stand for, and back."""

    def row(self, key: Term) -> Term:
        """Return what a map's key stands for: itself, unless its sort is that of a table."""
        if not isinstance(key.sort, IntSort) or key.sort not in self.layout.tables:
            return key
        found = self._rows.get(key)
        if found is None:
            table = self.layout.tables[key.sort]
            leaves = [self.coerce(one, table.row) for one in table.rows]
            found = self._rows[key] = self.picked(key, leaves)
            if len(leaves) > 1:
                self._numbers[found] = key
        return found

    def picked(self, key: Term, leaves: list[Term], start: int = 0) -> Term:
        if len(leaves) == 1:
            return leaves[0]
        middle = (len(leaves) + 1) // 2
        here = make("le", (key, literal(start + middle - 1)), build.TRUE.sort)
        then = self.picked(key, leaves[:middle], start)
        return make(
            "ite", (here, then, self.picked(key, leaves[middle:], start + middle)), then.sort
        )

    def numbered(self, value: Lazy, sort: IntSort) -> Term:
        """Return the number of a value; NoFit where it surely has none."""
        table = self.layout.tables[sort]
        if isinstance(value, Term):
            if value.sort == sort:
                return value
            known = self._numbers.get(value)
            if known is not None:
                return self._renumbered(known, sort)
        if concrete(value):
            if value not in table.places:
                raise NoFit("it is none of the arguments that were met")
            return make("narrow", (literal(table.places[value]),), sort)
        # As one structure it is made once, not part by part for each row; a value that the rows'
        # sort has no room for is in no row, and so without a number as well.
        made = self.coerce(value, table.row)
        return build.choose(sort, named("k", lambda k: equation(self.row(k), made)))

    def number_of(self, value: Lazy, sort: Sort) -> Term | None:
        """Return a term that is of a sort, or whose number in a table is; None for other values."""
        if not isinstance(value, Term) or value.sort == sort:
            return value if isinstance(value, Term) else None
        known = self._numbers.get(value)
        return known if known is not None and known.sort == sort else None

    def is_numbered(self, value: Lazy, sort: IntSort) -> Formula:
        """Return whether a value has a number."""
        table = self.layout.tables[sort]
        if isinstance(value, Term) and value.sort == sort:
            return True
        known = self._numbers.get(value) if isinstance(value, Term) else None
        if known is not None:
            here = [one in table.places for one in self._rows_of(known)]
            return all(here) or self.picked(known, [self.term(one) for one in here])
        if concrete(value):
            return value in table.places
        return build.exists(sort, named("k", lambda k: self.term(self.equal(self.row(k), value))))

    def _renumbered(self, key: Term, sort: IntSort) -> Term:
        """Return the number that what a number stands for has in another table."""
        if key.sort == sort:
            return key
        places = self.layout.tables[sort].places
        listed = self._rows_of(key)
        if not any(one in places for one in listed):
            raise NoFit("it is none of the arguments that were met")
        nothing = self.undefined(sort)
        leaves = [
            make("narrow", (literal(places[one]),), sort) if one in places else nothing
            for one in listed
        ]
        return self.picked(key, leaves)

    def _rows_of(self, key: Term) -> tuple[Any, ...]:
        assert isinstance(key.sort, IntSort)
        return self.layout.tables[key.sort].rows

    def same_rows(self, left: Lazy, right: Lazy) -> Formula | None:
        """Return the equation of two values by their numbers; None where they have none."""
        for one, other in ((left, right), (right, left)):
            key = self._numbers.get(one) if isinstance(one, Term) else None
            if key is None:
                continue
            assert isinstance(key.sort, IntSort)
            again = self._numbers.get(other) if isinstance(other, Term) else None
            if again is not None and again.sort == key.sort:
                return equation(key, again)
            if concrete(other):
                place = self.layout.tables[key.sort].places.get(other)
                return self.settled(False, key) if place is None else equation(key, literal(place))
        return None

    def are_rows(self, part: Part, sort: Sort) -> bool:
        """Tell whether the members of a part of a set are what keys of a sort stand for."""
        bound = [
            make("bound_variable", (), one, (-200 - i, n))
            for i, (n, one) in enumerate(part.domains)
            if isinstance(one, Sort)
        ]
        if len(bound) != len(part.domains):
            return False
        _, element = part.body(bound)
        key = self._numbers.get(element) if isinstance(element, Term) else None
        return key is not None and key.sort == sort
