"""Members and subsets of sets, of listed ones and of those that are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.forms import NoFit
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    describe,
    element_of,
    equation,
    integer,
    is_function,
    is_integer,
    is_sequence,
    is_set,
    negation,
    parts_of,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Conditional,
    Described,
    Formula,
    FunctionSpace,
    Infinite,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    SequenceSpace,
    TupleSpace,
    Undefined,
    concrete,
)
from bmc.frontends.tla.translate.quantifiers import MOST_LISTED, Quantifiers
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    OptionSort,
    Scalarset,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term, term_of

SPACES = PowerSet | FunctionSpace | RecordSpace | TupleSpace | SequenceSpace | Infinite
"""Sets whose members have one kind: what may be of several is looked at case by case."""


class Membership(Quantifiers):
    """Says what is a member or a subset of what."""

    def member(self, element: Lazy, members: Lazy) -> Formula:
        """Return ``element \\in members``."""
        if isinstance(element, Conditional):
            return self.any_of(
                (
                    self.all_of((element.condition, self.member(element.then, members))),
                    self.all_of(
                        (negation(element.condition), self.member(element.otherwise, members))
                    ),
                )
            )
        if isinstance(element, Undefined):
            return self.undefined(BOOL)
        if isinstance(members, SPACES) and isinstance(element, Term):
            found = self._by_case(element, lambda part: self.member(part, members))
            if found is not None:
                return found
        match members:
            case Conditional():
                return self.any_of(
                    (
                        self.all_of((members.condition, self.member(element, members.then))),
                        self.all_of(
                            (negation(members.condition), self.member(element, members.otherwise))
                        ),
                    )
                )
            case Infinite():
                return self._in_infinite(element, members)
            case Described():
                return members.test(element)
            case PowerSet():
                element = self.as_set(element)
                return self.subset(element, members.base) if is_set(element) else False
            case FunctionSpace():
                return self._in_functions(element, members)
            case RecordSpace():
                return self._in_product(element, dict(members.fields))
            case TupleSpace():
                return self._in_product(element, dict(enumerate(members.factors, 1)))
            case SequenceSpace():
                return self.in_sequences(element, members)
            case Term():
                return self._in_term(element, members)
            case frozenset() if concrete(element):
                return element in members
        return self.any_of(self._in_part(element, p) for p in self.comprehension(members).parts)

    def as_set(self, value: Lazy) -> Lazy:
        """Return the set that a term is where it is one."""
        return self.view(value, SetSort, KeyedSetSort, BoundedSetSort)

    def _in_infinite(self, element: Lazy, members: Infinite) -> Formula:
        if concrete(element):
            return self.constants.contains(members, element)
        if members.name == "Any":
            return True
        kinds = self.shape(element)
        if members.name == "STRING":
            strings = [a for a in kinds.atoms if isinstance(a, str)]
            if len(strings) == len(kinds.atoms):
                return bool(strings)
            return self.any_of(self.equal(element, a) for a in sorted(strings))
        others = d.Shape(
            kinds.truths,
            None,
            kinds.atoms,
            kinds.records,
            kinds.functions,
            kinds.elements,
            kinds.sequences,
        )
        if others.empty:
            if members.name == "Int":
                return self.settled(True, element)
            return self.at_most(0, element)
        if kinds.integers is None:
            return False
        low = kinds.integers.low if members.name != "Nat" else max(0, kinds.integers.low)
        return self.member(element, v.interval(low, kinds.integers.high))

    def _in_functions(self, element: Lazy, members: FunctionSpace) -> Formula:
        domain = self.domain_of(element)
        if domain is None:
            return False
        same_domain = self.equal_sets(domain, members.domain)
        if same_domain is False:
            return False
        everywhere = self.forall(
            members.domain, "k", lambda k: self.member(self.applied(element, k), members.codomain)
        )
        return self.all_of((same_domain, everywhere))

    def _by_case(self, value: Term, test: Callable[[Lazy], Formula]) -> Formula | None:
        """Return a test of what an option or a variant is, case by case; None for other terms."""
        sort = value.sort
        if isinstance(sort, OptionSort):
            none = self.layout.none.get(sort)
            absent = False if none is None else test(none)
            present = test(build.the(value))
            return self.any_of(
                (
                    False if absent is False else self.all_of((build.is_none(value), absent)),
                    False if present is False else self.all_of((build.is_some(value), present)),
                )
            )
        if isinstance(sort, VariantSort):
            return self._in_cases(value, test)
        return None

    def _in_product(self, element: Lazy, sets: dict[Any, Lazy]) -> Formula:
        held = parts_of(element)
        if held is not None:
            if set(held) != set(sets):
                return False
            return self.all_of(self.member(held[n], s) for n, s in sets.items())
        # A sequence may be a tuple, and a function one or a record.
        domain = self.domain_of(element) if is_function(element) else None
        if domain is None:
            return False
        same_domain = self.equal_sets(domain, frozenset(sets))
        if same_domain is False:
            return False
        return self.all_of(
            (same_domain, *(self.member(self.applied(element, n), s) for n, s in sets.items()))
        )

    def _in_term(self, element: Lazy, members: Term) -> Formula:
        viewed = self.as_set(members)
        if not isinstance(viewed, Term):
            raise Untranslatable(f"{describe(members)} is used as a set")
        sort = element_of(viewed)
        if self.other_form(element, sort):
            return self.exists(viewed, "x", lambda x: self.equal(element, x))
        try:
            inside = self.fits(element, sort)
            if inside is False:
                return False
            return self.all_of((inside, build.member(self.coerce(element, sort), viewed)))
        except NoFit:
            return False

    def _in_part(self, element: Lazy, part: Part) -> Formula:
        if isinstance(part.whole, Term):
            return self._in_term(element, part.whole)
        if isinstance(part.whole, IntSort):
            return self._in_interval(element, part.whole)
        if isinstance(part.whole, Scalarset | EnumSort):
            return self._in_atoms(element, part.whole)
        if len(part.domains) == 1 and isinstance(part.domains[0][1], IntSort):
            sort = part.domains[0][1]
            probe = self.probe("x", sort, 70)
            _, found = part.body([probe])
            if found is probe:
                inside = self._in_interval(element, sort)
                if inside is False:
                    return False
                number = self.number(element)
                guard, _ = part.body([integer(number)])
                return self.all_of((inside, guard))
        return self._quantified(part, lambda e: self.equal(element, e), True)

    def _in_interval(self, element: Lazy, sort: IntSort) -> Formula:
        low, high = self.layout.domains.range(sort)
        if isinstance(element, int):
            return low <= element <= high
        if is_integer(element):
            return self.all_of((self.at_most(low, element), self.at_most(element, high)))
        if isinstance(element, Term) and isinstance(element.sort, OptionSort):
            none = self.layout.none[element.sort]
            inner = self._in_interval(build.the(element), sort)
            inside = self.all_of((build.is_some(element), inner)) if inner is not False else False
            if isinstance(none, int) and low <= none <= high:
                return self.any_of((build.is_none(element), inside))
            return inside
        return self._in_cases(element, lambda part: self._in_interval(part, sort))

    def _in_atoms(self, element: Lazy, sort: Scalarset | EnumSort) -> Formula:
        members = (
            self.layout.scalarsets[sort] if isinstance(sort, Scalarset) else self.layout.enums[sort]
        )
        if concrete(element):
            return element in members
        if isinstance(element, Term):
            if element.sort == sort:
                return True
            if isinstance(element.sort, OptionSort):
                none = self.layout.none[element.sort]
                inner = self._in_atoms(build.the(element), sort)
                some = self.all_of((build.is_some(element), inner)) if inner is not False else False
                if any(same(none, m) for m in members):
                    return self.any_of((build.is_none(element), some))
                return some
            if isinstance(element.sort, EnumSort) and isinstance(sort, EnumSort):
                mine = self.layout.enums[element.sort]
                inside = [a for a in mine if a in members]
                if len(inside) == len(mine):
                    return True
                return self.any_of(self.equal(element, a) for a in inside)
        return self._in_cases(element, lambda part: self._in_atoms(part, sort))

    def _in_cases(self, element: Lazy, test: Callable[[Term], Formula]) -> Formula:
        if not isinstance(element, Term) or not isinstance(element.sort, VariantSort):
            return False
        parts = []
        for tag, _ in element.sort.cases:
            inner = test(build.payload(element, tag))
            if inner is not False:
                parts.append(self.all_of((build.is_case(element, tag), inner)))
        return self.any_of(parts)

    def subset(self, left: Lazy, right: Lazy) -> Formula:
        """Return ``left \\subseteq right``."""
        left = self.as_set(left)
        if concrete(left) and not isinstance(left, frozenset):
            return self.undefined(BOOL)
        if isinstance(left, frozenset) and isinstance(right, frozenset):
            return bool(left <= right)
        if isinstance(left, Term) and isinstance(left.sort, SetSort):
            if isinstance(right, frozenset) and self._covers(left.sort.element, right):
                return self.settled(True, left)
            if isinstance(right, frozenset | Term) and self._safely_coerced(right, left.sort):
                try:
                    return term_of(left <= self.coerce(right, left.sort))
                except NoFit:
                    pass
        return self.forall(left, "x", lambda x: self.member(x, right))

    def _covers(self, sort: Sort, members: frozenset[Any]) -> bool:
        if isinstance(sort, Scalarset):
            return set(self.layout.scalarsets[sort]) <= members
        if isinstance(sort, EnumSort):
            return set(self.layout.enums[sort]) <= members
        if isinstance(sort, IntSort):
            return set(map(self.layout.decoder(sort), self.layout.domains.values(sort))) <= members
        return False

    def equal_sets(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two sets have the same members."""
        if isinstance(left, frozenset) and isinstance(right, frozenset):
            return left == right
        if isinstance(left, FunctionSpace | Infinite) or isinstance(
            right, FunctionSpace | Infinite
        ):
            raise Untranslatable("sets of functions are compared")
        for one, other in ((left, right), (right, left)):
            if isinstance(one, frozenset) and not one:
                return self.negated(self.exists(other, "x", lambda _: True))
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Term) and isinstance(one.sort, SetSort):
                if isinstance(other, Term) and other.sort == one.sort:
                    return equation(one, other)
                try:
                    if self._safely_coerced(other, one.sort):
                        return equation(one, self.coerce(other, one.sort))
                except NoFit:
                    pass
        if isinstance(left, Term) and isinstance(right, Term) and left.sort == right.sort:
            return equation(left, right)
        # What is chosen from many is not listed where it is only asked for a member; here it is.
        listed = [one for one in (left, right) if isinstance(one, Comprehension)]
        read = [self.settled(True, self.exists(one, "x", lambda _: True)) for one in listed]
        return self.all_of((*read, self.subset(left, right), self.subset(right, left)))

    def _safely_coerced(self, value: Lazy, sort: SetSort) -> bool:
        """Tell whether every member surely is a value of the sort."""
        mine = self.members(value)
        room = self.layout.shape(sort.element)
        return d.join(room, mine) == room and not self.layout.tabled(sort)

    def in_sequences(self, element: Lazy, members: SequenceSpace) -> Formula:
        """Return whether a value is a sequence over a set."""
        domain = self.domain_of(element) if is_function(element) else None
        if domain is None:
            return False
        from_one = is_sequence(element) or self._is_from_one(domain)
        if from_one is False:
            return False
        everywhere = self.forall(
            domain, "i", lambda i: self.member(self.applied(element, i), members.base)
        )
        return self.all_of((from_one, everywhere))

    def _is_from_one(self, domain: Lazy) -> Formula:
        """Return whether a set is 1..n for some n."""
        if isinstance(domain, frozenset):
            return v.is_interval_from_one(domain)
        numbers = self.members(domain).integers
        most = 0 if numbers is None else numbers.high
        if most > MOST_LISTED:
            raise Untranslatable("the functions that may be sequences have too many domains")
        return self.any_of(
            self.equal_sets(domain, v.interval(1, n)) for n in range(max(0, most) + 1)
        )
