"""Sets as comprehensions, whose binders stay binders; intervals and filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import count, integer_sort, listable
from bmc.frontends.tla.lazy_sets import LARGEST_SET
from bmc.frontends.tla.translate.kinds import (
    NotSymmetric,
    Untranslatable,
    describe,
    is_set,
    negation,
    of_sets,
    unending,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Comprehension,
    Conditional,
    Described,
    Formula,
    FunctionSpace,
    FunctionValue,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    RecordValue,
    TupleSpace,
    TupleValue,
    Undefined,
    concrete,
    endless,
)
from bmc.frontends.tla.translate.quantifiers import MOST_LISTED, Quantifiers
from bmc.lang import build
from bmc.lang.sorts import (
    BOOL,
    BoundedSetSort,
    KeyedSetSort,
    MapSort,
    SetSort,
    Sort,
)
from bmc.lang.terms import Term


class Comprehensions(Quantifiers):
    """Makes comprehensions of sets."""

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
            case Undefined():
                # Whether it has a member has no value either.
                return Comprehension((Part((), lambda b: (self.undefined(BOOL), UNDEFINED)),))
        raise unending(value)

    def _of_term(self, value: Term, name: str) -> Comprehension:
        viewed = self.view(value, SetSort, KeyedSetSort, BoundedSetSort)
        if not isinstance(viewed, Term) or not is_set(viewed):
            raise Untranslatable(f"{describe(value)} is used as a set")
        return Comprehension((Part(((name, viewed),), lambda b: (True, self.row(b[0])), viewed),))

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
        """Return a part of a set with members only where a condition holds.

        What it runs over is read there only: the case that a record is not has no value.
        """

        def body(b: list[Term]) -> tuple[Formula, Lazy]:
            guard, element = part.body(b)
            return self.all_of((condition, guard)), element

        def read_there(domain: Sort | Term) -> Sort | Term:
            if not isinstance(domain, Term) or not self.is_partial(domain):
                return domain
            empty = self.coerce(frozenset(), domain.sort)
            return build.ite(self.term(condition), domain, empty)

        return Part(tuple((name, read_there(one)) for name, one in part.domains), body)

    def _of_power_set(self, value: PowerSet, name: str) -> Comprehension:
        if endless(value.base):
            raise unending(value)
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
        if not isinstance(value.domain, frozenset) or self.touches_scalarset(value.domain):
            return self._of_whole_functions(value, name)
        keys = v.ordered(value.domain)
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

    def _of_whole_functions(self, value: FunctionSpace, name: str) -> Comprehension:
        """Return functions as they are, where their arguments cannot be listed one by one.

        They vary, or are members of a scalarset.
        """
        sort = self.layout.sort(self.members(value), name)
        few = isinstance(sort, MapSort) and listable(sort) and count(sort) <= MOST_LISTED
        if few and not self.layout.tabled(sort):
            whole = Part(((name, sort),), lambda b: (self.member(b[0], value), b[0]))
            return Comprehension((whole,))
        if isinstance(value.domain, frozenset):
            raise NotSymmetric(next(iter(self.layout.scalarsets)))
        raise Untranslatable("functions of a domain that varies are too many to run over")

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
                return graph.get(key, UNDEFINED)
            items = list(graph.items())
            found = items[-1][1]
            for k, image in reversed(items[:-1]):
                found = self.conditional(self.equal(key, k), image, found)
            return found

        return FunctionValue(frozenset(graph), value)

    def interval(self, low: Lazy, high: Lazy, name: str = "i") -> Lazy:
        """Return ``low .. high``."""
        if isinstance(low, int) and isinstance(high, int) and high - low < LARGEST_SET:
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

        return Comprehension((Part(((name, sort),), body),), isinstance(low, int) and low == 1)

    def filtered(self, members: Lazy, test: Callable[[Lazy], Formula], name: str) -> Lazy:
        """Return ``{x \\in members : test(x)}``."""
        if endless(members):
            return Described(lambda x: self.all_of((self.member(x, members), test(x))))

        def kept(part: Part) -> Part:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, element = part.body(b)
                if guard is False:
                    return False, element
                passed = test(element)
                if tested_first and isinstance(passed, Term) and not self.is_partial(passed):
                    return self.all_of((passed, guard)), element
                return self.all_of((guard, passed)), element

            return Part(part.domains, body)

        # What a choice has to be by itself leaves few of many subsets, whatever the set is.
        tested_first = isinstance(members, PowerSet)
        parts = self.comprehension(members, name).parts
        return of_sets(Comprehension(tuple(kept(p) for p in parts)), (members,))


def _word(key: Any) -> str:
    return "".join(ch if ch.isalnum() else "_" for ch in v.show(key))
