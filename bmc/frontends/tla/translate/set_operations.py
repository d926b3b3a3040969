"""Union, difference and the like, cardinality, and sets as terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bmc.frontends.tla.abstract.amounts import product_of
from bmc.frontends.tla.forms import NoFit, count, listable
from bmc.frontends.tla.translate.constant_sets import NotConstant
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    capacity,
    element_of,
    integer,
    is_set,
    named,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Comprehension,
    Conditional,
    Described,
    Formula,
    FunctionSpace,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    TupleSpace,
    endless,
)
from bmc.frontends.tla.translate.orbits import Pattern, patterns_of
from bmc.frontends.tla.translate.quantifiers import MOST_LISTED, Quantifiers
from bmc.lang import build
from bmc.lang.bounds import Bound
from bmc.lang.sorts import (
    BoundedSetSort,
    KeyedSetSort,
    RecordSort,
    Scalarset,
    SetSort,
    Sort,
)
from bmc.lang.terms import Term, field, make, term_of

MOST_SLOTS = 64
"""The most members of a set in slots that is made to be counted."""


class SetOperations(Quantifiers):
    """Makes sets of sets, and terms of sets."""

    def union(self, left: Lazy, right: Lazy) -> Lazy:
        """Return ``left \\union right``."""
        if isinstance(left, frozenset) and isinstance(right, frozenset):
            return left | right
        if endless(left) or endless(right):
            return Described(lambda x: self.any_of((self.member(x, left), self.member(x, right))))
        left, right = self.as_set(left), self.as_set(right)
        parts = (*self.comprehension(left).parts, *self.comprehension(right).parts)
        return Comprehension(parts)

    def intersection(self, left: Lazy, right: Lazy) -> Lazy:
        """Return ``left \\intersect right``."""
        if isinstance(left, frozenset) and isinstance(right, frozenset):
            return left & right
        found = self._native("intersection", left, right)
        if found is not None:
            return found
        if endless(left) or (not isinstance(left, Term) and isinstance(right, Term)):
            left, right = right, left
        return self.filtered(left, lambda x: self.member(x, right), "x")

    def difference(self, left: Lazy, right: Lazy) -> Lazy:
        """Return ``left \\ right``."""
        if isinstance(left, frozenset) and isinstance(right, frozenset):
            return left - right
        found = self._native("difference", left, right)
        if found is None:
            found = self._removed(left, right)
        if found is not None:
            return found
        return self.filtered(left, lambda x: self.negated(self.member(x, right)), "x")

    def _native(self, op: Any, left: Lazy, right: Lazy) -> Term | None:
        """Return the operation on two sets with a bit an element of one sort."""
        left, right = self.as_set(left), self.as_set(right)
        for one in (left, right):
            if not isinstance(one, Term) or not isinstance(one.sort, SetSort):
                continue
            sort = one.sort
            try:
                pair = []
                for side in (left, right):
                    if isinstance(side, Term) and side.sort == sort:
                        pair.append(side)
                    elif self._plain(side) and self._safely_coerced(side, sort):
                        pair.append(self.coerce(side, sort))
                    else:
                        return None
                return make(op, pair, sort)
            except NoFit:
                return None
        return None

    def _removed(self, left: Lazy, right: Lazy) -> Term | None:
        """Return a set of records without some that are listed and of its sort."""
        left = self.as_set(left)
        if not isinstance(left, Term) or not (
            isinstance(left.sort, KeyedSetSort | BoundedSetSort) or self.layout.tabled(left.sort)
        ):
            return None
        if not isinstance(right, Comprehension) or any(p.domains for p in right.parts):
            return None
        found = left
        for part in right.parts:
            guard, element = part.body([])
            number = self.number_of(element, element_of(left))
            if guard is not True or number is None:
                return None
            found = build.remove(found, number)
        return found

    def _plain(self, value: Lazy) -> bool:
        """Tell whether a set is a list of elements or of whole sets, without conditions."""
        if isinstance(value, frozenset):
            return True
        return isinstance(value, Comprehension) and all(
            not p.domains or p.whole is not None for p in value.parts
        )

    def flattened(self, value: Lazy) -> Lazy:
        """Return ``UNION value``."""
        if isinstance(value, frozenset):
            return frozenset().union(*value) if all(map(is_set, value)) else UNDEFINED
        parts: list[Part] = []
        for outer in self.comprehension(value, "s").parts:
            variables = [
                self.probe(n, s if isinstance(s, Sort) else element_of(s), 10 + i)
                for i, (n, s) in enumerate(outer.domains)
            ]
            _, element = outer.body(variables)
            if not outer.domains:
                guard, _ = outer.body([])
                if endless(element):
                    others = self.flattened(Comprehension(tuple(self._others(value, outer))))
                    return self._described(guard, element, others)
                inner = self.comprehension(element)
                parts.extend(p if guard is True else self._where(p, guard) for p in inner.parts)
                continue
            joined = self._parts_of_each(outer, variables, element)
            if joined is not None:
                parts.extend(joined)
                continue
            sort = self.layout.sort(self.members(element), "x")
            parts.append(Part((("x", sort),), self._in_some(outer)))
        return Comprehension(tuple(parts))

    def _parts_of_each(
        self, outer: Part, variables: list[Term], element: Lazy
    ) -> list[Part] | None:
        """Return the union of the sets that a part has as parts of their own members.

        None where what the inner sets run over depends on which of them it is.
        """
        inner = self.comprehension(element).parts
        domains = [domain for part in inner for _, domain in part.domains]
        if any(isinstance(d, Term) and not d.free.isdisjoint(variables) for d in domains):
            return None
        first = len(outer.domains)

        def joined(at: int) -> Part:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, members = outer.body(b[:first])
                parts = self.comprehension(members).parts
                if [len(one.domains) for one in parts] != [len(one.domains) for one in inner]:
                    raise Untranslatable("a union of sets that are put together in several ways")
                within, member = parts[at].body(b[first:])
                return self.all_of((guard, within)), member

            return Part((*outer.domains, *inner[at].domains), body)

        return [joined(at) for at in range(len(inner))]

    def _described(self, guard: Formula, element: Lazy, others: Lazy) -> Described:
        def test(x: Lazy) -> Formula:
            inside = self.all_of((guard, self.member(x, element)))
            return self.any_of((inside, self.member(x, others)))

        return Described(test)

    def _others(self, value: Lazy, without: Part) -> list[Part]:
        return [p for p in self.comprehension(value, "s").parts if p is not without]

    def _in_some(self, outer: Part) -> Callable[[list[Term]], tuple[Formula, Lazy]]:
        def body(b: list[Term]) -> tuple[Formula, Lazy]:
            (x,) = b
            return self._quantified(outer, lambda s: self.member(x, s), True), x

        return body

    def cardinality(self, value: Lazy) -> Lazy:
        """Return ``Cardinality(value)``."""
        if isinstance(value, frozenset):
            return len(value)
        if isinstance(value, PowerSet | FunctionSpace | RecordSpace | TupleSpace):
            try:
                return len(self.constants.members(value))
            except NotConstant:
                raise Untranslatable("the size of a product of sets that vary") from None
        if isinstance(value, Conditional):
            then, otherwise = self.cardinality(value.then), self.cardinality(value.otherwise)
            return build.ite(value.condition, integer(then), integer(otherwise))
        value = self.as_set(value)
        if isinstance(value, Term):
            return build.size(value)
        element = self._selected_from(value) or self.layout.sort(self.members(value), "x")
        if listable(element) and count(element) <= MOST_LISTED:
            return build.size(self.coerce(value, SetSort(element)))
        most = sum(self._most(part) for part in self.comprehension(value).parts)
        if most > MOST_SLOTS:
            raise Untranslatable("the set whose members are counted has too many possible ones")
        return build.size(self.coerce(value, BoundedSetSort(element, Bound(most))))

    def _most(self, part: Part) -> int:
        """Return the most members that a part of a set has."""
        domains = (domain for _, domain in part.domains)
        return product_of(
            count(one) if isinstance(one, Sort) else capacity(one.sort, self.layout)
            for one in domains
        )

    def coerce_set(self, value: Lazy, sort: Sort) -> Term:
        assert isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort)
        found = build.empty(sort)
        whole = isinstance(value, frozenset) and isinstance(sort, SetSort)
        if whole and self._covers(sort.element, value) and len(value) == count(sort.element):
            return build.everything(sort.element)
        if whole and isinstance(sort.element, RecordSort) and self.touches_scalarset(value):
            patterns = patterns_of(value, sort.element, self.layout)
            if patterns is not None:
                return self._of_patterns(patterns, sort.element)
        parts = self.comprehension(value).parts
        if not isinstance(sort, SetSort):
            # What is a set already comes first: adding to it one by one is less than the reverse.
            parts = tuple(sorted(parts, key=lambda p: not _from_a_set(p)))
        for part in parts:
            found = self._joined(found, part, sort)
        return found

    def _of_patterns(self, patterns: list[Pattern], sort: RecordSort) -> Term:
        def fits(x: Term) -> Term:
            return build.disj(*(build.conj(*self._alike(x, sort, one)) for one in patterns))

        return build.filtered(sort, fits)

    def _alike(self, x: Term, sort: RecordSort, pattern: Pattern) -> Iterator[Term]:
        for at, (name, kind) in enumerate(sort.fields):
            if not isinstance(kind, Scalarset):
                yield term_of(field(x, name) == self.coerce(pattern[at], kind))
                continue
            for before, (other, its) in enumerate(sort.fields[:at]):
                if its == kind:
                    here, there = field(x, name), field(x, other)
                    alike = pattern[at] == pattern[before]
                    yield term_of(here == there if alike else here != there)

    def _joined(
        self, found: Term, part: Part, sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        blank = found.op == "empty"
        if isinstance(part.whole, Term) and part.whole.sort == sort:
            return part.whole if blank else term_of(found | part.whole)
        whole = part.whole if isinstance(part.whole, Sort) else None
        if isinstance(sort, SetSort) and whole == sort.element:
            return build.everything(sort.element)
        if not part.domains:
            guard, element = part.body([])
            if guard is False:
                return found
            added = build.insert(found, self.coerce(element, sort.element))
            return added if guard is True else build.ite(self.term(guard), added, found)
        if isinstance(sort, SetSort) and not self._one_by_one(part, sort.element):
            made = build.filtered(
                sort.element, named(part.domains[0][0], lambda x: self.term(self._kept(x, part)))
            )
            made = self.checked(made, Comprehension((part,)), sort.element)
            return made if blank else term_of(found | made)
        return self._joined_slots(found, part, sort)

    def _one_by_one(self, part: Part, sort: Sort) -> bool:
        """Tell whether a part is what its variables make, one choice of them after the other.

        Each choice makes one element then. Asked of each value whether some choice makes it, there
        are as many questions as pairs of a value and a choice. What has no place is found so only.
        """
        domains = [domain for _, domain in part.domains]
        sorts = [one if isinstance(one, Sort) else element_of(one) for one in domains]
        if any(isinstance(one, Scalarset) for one in sorts):
            return False
        probes = [self.probe(f"x{i}", one, 60 + i) for i, one in enumerate(sorts)]
        _, element = part.body(probes)
        if any(element is one or self.number_of(element, sort) is one for one in probes):
            return False
        try:
            self.coerce(element, sort)
            return self.fits(element, sort) is True
        except NoFit:
            return False

    def _kept(self, element: Term, part: Part) -> Formula:
        """Return ``element \\in part``, for each value that the element can have.

        A selection of a set's own members is asked of the element alone, not of all of them for
        each: together they are read at the same members.
        """
        own = _domain_of_members(part)
        if own is not None and element_of(own) == element.sort:
            guard, selected = part.body([element])
            if selected is self.row(element):
                return self.all_of((build.member(element, own), guard))
        return self._in_part(self.row(element), part)

    def _selected_from(self, value: Lazy) -> Sort | None:
        """Return the sort of the members that a set selects from sets, None if it makes others."""
        sorts: set[Sort] = set()
        for part in self.comprehension(value).parts:
            own = _domain_of_members(part)
            if own is None:
                return None
            probe = self.probe("x", element_of(own), 80)
            if part.body([probe])[1] is not self.row(probe):
                return None
            sorts.add(element_of(own))
        return sorts.pop() if len(sorts) == 1 else None

    def _joined_slots(
        self, found: Term, part: Part, sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        """Add the elements of a part one choice of its variables at a time."""
        made = self._in_turn(part, 0, [], sort)
        return made if found.op == "empty" else term_of(found | made)

    def _in_turn(
        self, part: Part, at: int, bound: list[Term], sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        """Return what a part adds for each choice of its variables from the one at a place on."""
        if at == len(part.domains):
            return self._one_if(part, bound, sort)
        name, domain = part.domains[at]

        def inner(x: Term) -> Term:
            return self._in_turn(part, at + 1, [*bound, x], sort)

        return build.union_of(domain, named(name, inner), sort)

    def _one_if(
        self, part: Part, bound: list[Term], sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        guard, element = part.body(bound)
        if guard is False:
            return build.empty(sort)
        one = build.insert(build.empty(sort), self.coerce(element, sort.element))
        return one if guard is True else build.ite(self.term(guard), one, build.empty(sort))


def _domain_of_members(part: Part) -> Term | None:
    """Return the set, with a bit for each value, that a part's one variable runs over."""
    if len(part.domains) != 1:
        return None
    domain = part.domains[0][1]
    return domain if isinstance(domain, Term) and isinstance(domain.sort, SetSort) else None


def _from_a_set(part: Part) -> bool:
    return bool(part.domains) and isinstance(part.domains[0][1], Term)
