"""Sets: comprehensions whose binders stay binders, quantifiers, membership, set algebra, CHOOSE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.layout import NoFit, count, integer_sort, listable
from bmc.frontends.tla.translate.algebra import (
    Algebra,
    NotSymmetric,
    Untranslatable,
    describe,
    element_of,
    equation,
    fields_of,
    integer,
    is_integer,
    is_sequence,
    is_set,
    named,
    names_of,
    negation,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Conditional,
    Described,
    Formula,
    FunctionSpace,
    FunctionValue,
    Infinite,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    RecordValue,
    SequenceSpace,
    TupleSpace,
    TupleValue,
    concrete,
    endless,
)
from bmc.frontends.tla.translate.one_point import without_binder
from bmc.lang import build
from bmc.lang.sorts import (
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
    symmetric_parts,
)
from bmc.lang.terms import Term, make, term_of

MOST_LISTED = 4096
"""The most values of a sort that a quantifier runs over where a set has no other description."""


class Collections(Algebra):
    """Sets of every kind."""

    # Comprehensions.

    def comprehension(self, value: Lazy, name: str = "x") -> Comprehension:
        """Return a set as a union of parts."""
        match value:
            case Comprehension():
                return value
            case Term():
                return self._of_term(value, name)
            case frozenset():
                return self._of_constant(value, name)
            case Conditional():
                then = self.comprehension(value.then, name)
                otherwise = self.comprehension(value.otherwise, name)
                return Comprehension(
                    (
                        *(self._where(p, value.condition) for p in then.parts),
                        *(self._where(p, negation(value.condition)) for p in otherwise.parts),
                    )
                )
            case PowerSet():
                return self._of_power_set(value, name)
            case RecordSpace() | TupleSpace():
                return self._of_product(value)
            case FunctionSpace():
                return self._of_functions(value, name)
        raise Untranslatable(f"{describe(value)} has no end, so nothing can run over its members")

    def _of_term(self, value: Term, name: str) -> Comprehension:
        viewed = self.view(value, SetSort, KeyedSetSort, BoundedSetSort)
        if not isinstance(viewed, Term) or not is_set(viewed):
            raise Untranslatable(f"{describe(value)} is used as a set")
        return Comprehension((Part(((name, viewed),), lambda b: (True, b[0]), viewed),))

    def _of_constant(self, value: frozenset[Any], name: str) -> Comprehension:
        parts: list[Part] = []
        rest = set(value)
        for sort, members in self.layout.scalarsets.items():
            inside = [m for m in members if m in rest]
            if inside and len(inside) < len(members):
                raise NotSymmetric(sort)
            if inside:
                rest -= set(members)
                parts.append(Part(((name, sort),), lambda b: (True, b[0]), sort))
        numbers = sorted(one for one in rest if isinstance(one, int))
        if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
            rest -= set(numbers)
            sort_of = integer_sort(numbers[0], numbers[-1])
            parts.append(Part(((name, sort_of),), lambda b: (True, b[0]), sort_of))
        if rest == v.BOOLEANS:
            parts.extend(self._single(one) for one in v.ordered(v.BOOLEANS))
            rest = set()
        atoms = frozenset(one for one in rest if isinstance(one, str | v.ModelValue))
        known = self.layout.known_enum(atoms)
        if known is not None and len(atoms) > 1:
            rest -= atoms
            parts.append(Part(((name, known),), lambda b: (True, b[0]), known))
        parts.extend(self._single(one) for one in v.in_order(rest))
        return Comprehension(tuple(parts))

    def _single(self, value: Lazy) -> Part:
        return Part((), lambda b: (True, value))

    def listed(self, values: list[Lazy]) -> Lazy:
        """Return ``{values}``."""
        if all(concrete(one) for one in values):
            return frozenset(values)
        return Comprehension(tuple(self._single(one) for one in values))

    def _where(self, part: Part, condition: Formula) -> Part:
        def body(b: list[Term]) -> tuple[Formula, Lazy]:
            guard, element = part.body(b)
            return self.all_of((condition, guard)), element

        return Part(part.domains, body)

    def _of_power_set(self, value: PowerSet, name: str) -> Comprehension:
        shape = self.members(value.base)
        element = self.layout.sort(shape, name)
        sort = SetSort(element)

        def body(b: list[Term]) -> tuple[Formula, Lazy]:
            return self.subset(b[0], value.base), b[0]

        return Comprehension((Part(((name, sort),), body),))

    def _of_product(self, value: RecordSpace | TupleSpace) -> Comprehension:
        if isinstance(value, RecordSpace):
            named_sets = list(value.fields.items())
        else:
            named_sets = [(f"x{i}", s) for i, s in enumerate(value.factors, 1)]
        made: list[tuple[tuple[Any, ...], Callable[[list[Term]], tuple[Formula, list[Lazy]]]]]
        made = [((), lambda b: (True, []))]
        for name, members in named_sets:
            following: list[Any] = []
            for domains, before in made:
                for part in self.comprehension(members, name).parts:

                    def body(
                        b: list[Term],
                        before: Callable[[list[Term]], tuple[Formula, list[Lazy]]] = before,
                        part: Part = part,
                        cut: int = len(domains),
                    ) -> tuple[Formula, list[Lazy]]:
                        g, held = before(b[:cut])
                        h, element = part.body(b[cut:])
                        return self.all_of((g, h)), [*held, element]

                    following.append(((*domains, *part.domains), body))
            made = following

        def finished(
            before: Callable[[list[Term]], tuple[Formula, list[Lazy]]],
        ) -> Callable[[list[Term]], tuple[Formula, Lazy]]:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, held = before(b)
                if isinstance(value, RecordSpace):
                    names = [n for n, _ in named_sets]
                    return guard, self.record(dict(zip(names, held, strict=True)))
                return guard, self.tuple_of(held)

            return body

        return Comprehension(tuple(Part(domains, finished(f)) for domains, f in made))

    def record(self, fields: dict[str, Lazy]) -> Lazy:
        """Return a record."""
        if all(concrete(p) for p in fields.values()):
            return v.function(fields)
        return RecordValue(fields)

    def tuple_of(self, parts: list[Lazy]) -> Lazy:
        """Return a tuple."""
        if all(concrete(p) for p in parts):
            return tuple(parts)
        return TupleValue(tuple(parts))

    def _of_functions(self, value: FunctionSpace, name: str) -> Comprehension:
        if not isinstance(value.domain, frozenset):
            raise Untranslatable("functions of a domain that varies are too many to run over")
        keys = v.ordered(value.domain)
        if self.touches_scalarset(value.domain):
            raise NotSymmetric(next(iter(self.layout.scalarsets)))
        images = self.comprehension(value.codomain, name).parts
        if len(images) == 1:
            (image,) = images
        else:
            sort = self.layout.sort(self.members(value.codomain), name)
            image = Part(((name, sort),), lambda b: (self.member(b[0], value.codomain), b[0]))
        width = len(image.domains)
        domains = tuple((f"{n}_{_word(k)}", s) for k in keys for n, s in image.domains)

        def body(b: list[Term]) -> tuple[Formula, Lazy]:
            guards, held = [], {}
            for i, key in enumerate(keys):
                guard, element = image.body(b[i * width : (i + 1) * width])
                guards.append(guard)
                held[key] = element
            return self.all_of(guards), self.tabled(held)

        return Comprehension((Part(domains, body),))

    def tabled(self, graph: dict[Any, Lazy]) -> Lazy:
        """Return the function with this graph."""
        if all(concrete(p) for p in graph.values()):
            return v.function(graph)
        if all(isinstance(k, str) for k in graph):
            return RecordValue({str(k): p for k, p in graph.items()})
        if v.is_interval_from_one(frozenset(graph)):
            return TupleValue(tuple(graph[i] for i in range(1, len(graph) + 1)))

        def value(key: Lazy) -> Lazy:
            if concrete(key):
                return graph[key]
            items = list(graph.items())
            found = items[-1][1]
            for k, image in reversed(items[:-1]):
                found = self.conditional(self.equal(key, k), image, found)
            return found

        return FunctionValue(frozenset(graph), value)

    def interval(self, low: Lazy, high: Lazy, name: str = "i") -> Lazy:
        """Return ``low .. high``."""
        if isinstance(low, int) and isinstance(high, int):
            return v.interval(low, high)
        least, most = self.range(low)[0], self.range(high)[1]
        if most < least:
            return frozenset()
        sort = integer_sort(least, most)
        low, high = self.number(low), self.number(high)

        def body(b: list[Term]) -> tuple[Formula, Lazy]:
            above = True if isinstance(low, int) else self.at_most(low, b[0])
            below = True if isinstance(high, int) else self.at_most(b[0], high)
            return self.all_of((above, below)), b[0]

        return Comprehension((Part(((name, sort),), body),))

    def filtered(self, members: Lazy, test: Callable[[Lazy], Formula], name: str) -> Lazy:
        """Return ``{x \\in members : test(x)}``."""
        if endless(members):
            return Described(lambda x: self.all_of((self.member(x, members), test(x))))

        def kept(part: Part) -> Part:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, element = part.body(b)
                if guard is False:
                    return False, element
                return self.all_of((guard, test(element))), element

            return Part(part.domains, body)

        parts = self.comprehension(members, name).parts
        return Comprehension(tuple(kept(p) for p in parts))

    # Integers.

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
            return True
        if a + less > high:
            return False
        x, y = integer(left), integer(right)
        return term_of(x < y if strict else x <= y)

    # Quantifiers.

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
                return found
            if found is some and isinstance(domain, Sort):
                return found
            return without_binder(quantified) if some else quantified

        return inside(0, [])

    # Membership and inclusion.

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
                parts = {str(i): s for i, s in enumerate(members.factors, 1)}
                return self._in_product(element, parts)
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
            return all(isinstance(a, str) for a in kinds.atoms) and kinds.integers is None
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
            return True if members.name == "Int" else self.at_most(0, element)
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

    def _in_product(self, element: Lazy, sets: dict[str, Lazy]) -> Formula:
        if isinstance(element, Term):
            sort = element.sort
            if isinstance(sort, OptionSort):
                inner = self._in_product(build.the(element), sets)
                return self.all_of((build.is_some(element), inner)) if inner is not False else False
            if isinstance(sort, VariantSort):
                parts = []
                for tag, _ in sort.cases:
                    inner = self._in_product(build.payload(element, tag), sets)
                    if inner is not False:
                        parts.append(self.all_of((build.is_case(element, tag), inner)))
                return self.any_of(parts)
        held = fields_of(element)
        if held is None or set(held) != set(sets):
            return False
        return self.all_of(self.member(held[n], s) for n, s in sets.items())

    def _in_term(self, element: Lazy, members: Term) -> Formula:
        viewed = self.as_set(members)
        if not isinstance(viewed, Term):
            raise Untranslatable(f"{describe(members)} is used as a set")
        sort = element_of(viewed)
        try:
            inside = self.fits(element, sort)
            if inside is False:
                return False
            return self.all_of((inside, build.member(self.coerce(element, sort), viewed)))
        except NoFit:
            return False

    def fits(self, element: Lazy, sort: Sort) -> Formula:
        """Return when a value can be brought to a sort; where it cannot, it is in no such set."""
        if isinstance(element, Term):
            return self._term_fits(element, sort)
        if isinstance(sort, IntSort) and is_integer(element):
            low, high = self.layout.domains.range(sort)
            return self.all_of((self.at_most(low, element), self.at_most(element, high)))
        held = fields_of(element)
        if held is None:
            return True
        if isinstance(sort, OptionSort):
            return self.fits(element, sort.inner)
        if isinstance(sort, RecordSort) and set(held) == set(names_of(sort)):
            sorts = dict(sort.fields)
            return self.all_of(self.fits(held[n], sorts[at]) for n, at in names_of(sort).items())
        if isinstance(sort, VariantSort):
            for _, part in sort.cases:
                if isinstance(part, RecordSort) and set(held) == set(names_of(part)):
                    return self.fits(element, part)
        return True

    def _term_fits(self, element: Term, sort: Sort) -> Formula:
        mine = element.sort
        if mine == sort or isinstance(sort, VariantSort):
            return True
        if isinstance(mine, OptionSort) and not isinstance(sort, OptionSort):
            inner = self.fits(build.the(element), sort)
            some = False if inner is False else self.all_of((build.is_some(element), inner))
            none = self.layout.none[mine]
            if d.join(self.layout.shape(sort), d.shape_of(none)) == self.layout.shape(sort):
                return self.any_of((build.is_none(element), some))
            return some
        if isinstance(mine, VariantSort):
            return self._in_cases(element, lambda part: self.fits(part, sort))
        if isinstance(sort, OptionSort):
            none = self.layout.none[sort]
            if isinstance(mine, OptionSort):
                inner = self.fits(build.the(element), sort.inner)
                same_none = same(self.layout.none[mine], none)
                return self.any_of((build.is_none(element), inner)) if same_none else True
            return self.any_of((self.equal(element, none), self.fits(element, sort.inner)))
        match mine, sort:
            case IntSort(), IntSort():
                low, high = self.layout.domains.range(sort)
                return self.all_of((self.at_most(low, element), self.at_most(element, high)))
            case EnumSort(), EnumSort():
                others = self.layout.enums[sort]
                inside = [a for a in self.layout.enums[mine] if a in others]
                if len(inside) == len(mine.values):
                    return True
                return self.any_of(self.equal(element, a) for a in inside)
            case RecordSort(), RecordSort() if set(names_of(mine)) == set(names_of(sort)):
                held, sorts = fields_of(element), dict(sort.fields)
                assert held is not None
                return self.all_of(
                    self.fits(held[n], sorts[at]) for n, at in names_of(sort).items()
                )
            case _ if type(mine) is type(sort):
                return True
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
        if concrete(left) and isinstance(right, frozenset):
            return bool(left <= right)
        if isinstance(left, Term) and isinstance(left.sort, SetSort):
            if isinstance(right, frozenset) and self._covers(left.sort.element, right):
                return True
            if isinstance(right, frozenset | Term):
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
            return set(self.layout.domains.values(sort)) <= members
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
        return self.all_of((self.subset(left, right), self.subset(right, left)))

    def _safely_coerced(self, value: Lazy, sort: SetSort) -> bool:
        """Tell whether every member surely is a value of the sort."""
        mine = self.members(value)
        room = self.layout.shape(sort.element)
        return d.join(room, mine) == room

    # Set algebra.

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
            return frozenset().union(*value)
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
            sort = self.layout.sort(self.members(element), "x")

            parts.append(Part((("x", sort),), self._in_some(outer)))
        return Comprehension(tuple(parts))

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
            return len(self.constants.members(value))
        if isinstance(value, Conditional):
            then, otherwise = self.cardinality(value.then), self.cardinality(value.otherwise)
            return build.ite(value.condition, integer(then), integer(otherwise))
        value = self.as_set(value)
        if isinstance(value, Term):
            return build.size(value)
        element = self.layout.sort(self.members(value), "x")
        if not listable(element) or count(element) > MOST_LISTED:
            raise Untranslatable("the set whose members are counted has too many possible ones")
        return build.size(self.coerce(value, SetSort(element)))

    def chosen(self, members: Lazy, name: str, test: Callable[[Lazy], Formula]) -> Lazy:
        """Return ``CHOOSE name \\in members : test(name)``."""
        sort = self.layout.sort(self.members(members), name)
        owner = next((s for s in _scalarsets(sort)), None)
        if owner is not None:
            raise NotSymmetric(owner)
        if not listable(sort) or count(sort) > MOST_LISTED:
            raise Untranslatable("CHOOSE from a set with too many possible members")
        return build.choose(
            sort,
            named(name, lambda x: self.term(self.all_of((self.member(x, members), test(x))))),
        )

    # Into sorts.

    def coerce_set(self, value: Lazy, sort: Sort) -> Term:
        assert isinstance(sort, SetSort | KeyedSetSort | BoundedSetSort)
        found = build.empty(sort)
        whole = isinstance(value, frozenset) and isinstance(sort, SetSort)
        if whole and self._covers(sort.element, value) and len(value) == count(sort.element):
            return build.everything(sort.element)
        for part in self.comprehension(value).parts:
            found = self._joined(found, part, sort)
        return found

    def _joined(
        self, found: Term, part: Part, sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        blank = found.op == "empty"
        if isinstance(part.whole, Term) and part.whole.sort == sort:
            return part.whole if blank else term_of(found | part.whole)
        if isinstance(sort, SetSort) and part.whole == sort.element:
            return build.everything(sort.element)
        if not part.domains:
            guard, element = part.body([])
            if guard is False:
                return found
            added = build.insert(found, self.coerce(element, sort.element))
            return added if guard is True else build.ite(self.term(guard), added, found)
        if isinstance(sort, SetSort):
            made = build.filtered(
                sort.element, named(part.domains[0][0], lambda x: self.term(self._in_part(x, part)))
            )
            return made if blank else term_of(found | made)
        return self._joined_slots(found, part, sort)

    def _joined_slots(self, found: Term, part: Part, sort: KeyedSetSort | BoundedSetSort) -> Term:
        """Add the elements of a part one choice of its variables at a time."""
        name, domain = part.domains[0]
        if len(part.domains) == 1 and isinstance(domain, Sort):

            def body(x: Term) -> Term:
                return self._one_if(part, [x], sort)

            made = build.union_of(domain, named(name, body), sort)
            return made if found.op == "empty" else term_of(found | made)
        if len(part.domains) == 1 and isinstance(domain, Term):
            held = domain.sort
            if isinstance(held, KeyedSetSort):

                def by_key(key: Term) -> Term:
                    record = build.lookup(domain, key)
                    added = self._one_if(part, [build.the(record)], sort)
                    return build.ite(build.is_some(record), added, build.empty(sort))

                made = build.union_of(held.key_sort, named(name, by_key), sort)
                return made if found.op == "empty" else term_of(found | made)
            if isinstance(held, SetSort):

                def by_element(x: Term) -> Term:
                    added = self._one_if(part, [x], sort)
                    return build.ite(build.member(x, domain), added, build.empty(sort))

                made = build.union_of(held.element, named(name, by_element), sort)
                return made if found.op == "empty" else term_of(found | made)
        raise Untranslatable("a set of messages in slots is filtered or mapped")

    def _one_if(self, part: Part, bound: list[Term], sort: KeyedSetSort | BoundedSetSort) -> Term:
        guard, element = part.body(bound)
        if guard is False:
            return build.empty(sort)
        one = build.insert(build.empty(sort), self.coerce(element, sort.element))
        return one if guard is True else build.ite(self.term(guard), one, build.empty(sort))

    # What functions add.

    def domain_of(self, function: Lazy) -> Lazy | None:
        """Return the domain of a function; None where the value is none."""
        raise NotImplementedError

    def applied(self, function: Lazy, key: Lazy) -> Lazy:
        """Return ``function[key]``."""
        raise NotImplementedError

    def in_sequences(self, element: Lazy, members: SequenceSpace) -> Formula:
        """Return whether a value is a sequence over a set."""
        if not is_sequence(element):
            return False
        domain = self.domain_of(element)
        return self.forall(
            domain, "i", lambda i: self.member(self.applied(element, i), members.base)
        )


def _scalarsets(sort: Sort) -> list[Scalarset]:
    return sorted(symmetric_parts(sort), key=lambda s: s.name)


def _word(key: Any) -> str:
    return "".join(ch if ch.isalnum() else "_" for ch in v.show(key))


__all__ = ["Collections", "MapSort", "SequenceSort", "TupleValue"]
