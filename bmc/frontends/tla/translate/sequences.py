"""Sequences: their operators, their equality, and a value as one."""

from __future__ import annotations

from collections.abc import Callable

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import NoFit, integer_sort, is_image, is_tuple, partial
from bmc.frontends.tla.translate.application import Application
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    describe,
    graph_of,
    integer,
    is_sequence,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Comprehension,
    Conditional,
    Formula,
    FunctionValue,
    Lazy,
    Part,
    SequenceValue,
    Undefined,
)
from bmc.lang import build
from bmc.lang.sorts import (
    BoundedSetSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
)
from bmc.lang.terms import Term, make

MOST_SORTED = 12
"""The most elements that are sorted where they vary: of each three it is asked how they stand."""


def _once(at: Callable[[Lazy], Lazy]) -> Callable[[Lazy], Lazy]:
    """Return the elements of a sequence, each made once; of a fold's there are two ways to each."""
    made: dict[int, Lazy] = {}

    def found(position: Lazy) -> Lazy:
        if not isinstance(position, int):
            return at(position)
        if position not in made:
            made[position] = at(position)
        return made[position]

    return found


class Sequences(Application):
    """Makes sequences of sequences."""

    def sequence(self, value: Lazy) -> SequenceValue:
        """Return a value as a sequence by its positions."""
        value = self.view(value, SequenceSort, RecordSort, MapSort)
        match value:
            case SequenceValue():
                return value
            case Conditional():
                then, otherwise = self.sequence(value.then), self.sequence(value.otherwise)
                condition = value.condition
                return SequenceValue(
                    self.conditional(condition, then.length, otherwise.length),
                    _once(lambda i: self.conditional(condition, then.at(i), otherwise.at(i))),
                    max(then.longest, otherwise.longest),
                )
            case Term() if isinstance(value.sort, SequenceSort):
                most = value.sort.capacity.at({})
                return SequenceValue(build.size(value), lambda i: self.applied(value, i), most)
            case Undefined():
                return SequenceValue(self.undefined(integer_sort(0, 1)), lambda i: UNDEFINED, 0)
            case FunctionValue():
                length = self._last(value.domain)
                return SequenceValue(length, value.value, self.range(length)[1])
        graph = graph_of(value)
        if graph is None and isinstance(value, Term):
            domain = self.domain_of(value)
            if isinstance(domain, frozenset) and v.is_interval_from_one(domain):
                return SequenceValue(len(domain), lambda i: self.applied(value, i), len(domain))
            if isinstance(value.sort, MapSort) and isinstance(value.sort.key, IntSort):
                return self._of_a_map(value, value.sort.key, domain)
        if graph is None or not v.is_interval_from_one(frozenset(graph)):
            raise Untranslatable(f"{describe(value)} is used as a sequence")
        held = graph
        return SequenceValue(len(held), lambda i: self._from_graph(held, i), len(held))

    def _of_a_map(self, value: Term, key: IntSort, domain: Lazy | None) -> SequenceValue:
        """Return a function of numbers as a sequence; without a length where it is none."""
        _, most = self.layout.domains.range(key)
        assert domain is not None
        return SequenceValue(self._last(domain), lambda i: self.applied(value, i), max(most, 0))

    def _last(self, domain: Lazy) -> Lazy:
        """Return the n of which a set is 1..n; without a value where it is no such set."""
        number = self.cardinality(domain)
        if isinstance(domain, Comprehension) and domain.from_one:
            return number
        return self.where(self.equal_sets(domain, self.interval(1, number)), number)

    def length(self, value: Lazy) -> Lazy:
        """Return ``Len(value)``; a string is a sequence of letters."""
        return len(value) if isinstance(value, str) else self.sequence(value).length

    def appended(self, sequence: Lazy, element: Lazy) -> Lazy:
        """Return ``Append(sequence, element)``."""
        if isinstance(sequence, tuple):
            return self.tuple_of([*sequence, element])
        s = self.sequence(sequence)
        if isinstance(s.length, int):
            return self.tuple_of([*(s.at(i) for i in range(1, s.length + 1)), element])
        length = s.length
        following = integer(length) + 1
        base = self.view(sequence, SequenceSort)

        def native(sort: Sort) -> Term | None:
            if not isinstance(base, Term) or base.sort != sort:
                return None
            assert isinstance(sort, SequenceSort)
            return build.append(base, self.coerce(element, sort.element))

        return SequenceValue(
            following,
            lambda i: self.conditional(self.equal(i, following), element, s.at(i)),
            s.longest + 1,
            native,
        )

    def concatenated(self, left: Lazy, right: Lazy) -> Lazy:
        """Return ``left \\o right``."""
        a, b = self.sequence(left), self.sequence(right)
        if isinstance(a.length, int) and isinstance(b.length, int):
            return self.tuple_of(
                [a.at(i) for i in range(1, a.length + 1)]
                + [b.at(i) for i in range(1, b.length + 1)]
            )
        total = self.plus(a.length, b.length)

        def at(i: Lazy) -> Lazy:
            first = self.at_most(i, a.length)
            if first is True:
                return a.at(i)
            second = b.at(self.plus(i, a.length, -1))
            return second if first is False else self.conditional(first, a.at(i), second)

        return SequenceValue(total, at, a.longest + b.longest)

    def head(self, value: Lazy) -> Lazy:
        """Return ``Head(value)``."""
        viewed = self.view(value, SequenceSort, RecordSort, MapSort)
        if isinstance(viewed, Term) and isinstance(viewed.sort, SequenceSort):
            return self.applied(viewed, 1)
        return self.applied_within(self.sequence(viewed), 1)

    def tail(self, value: Lazy) -> Lazy:
        """Return ``Tail(value)``."""
        viewed = self.view(value, SequenceSort, RecordSort, MapSort)
        if isinstance(viewed, Term) and isinstance(viewed.sort, SequenceSort):
            return build.tail(viewed)
        s = self.sequence(viewed)
        if isinstance(s.length, int):
            if s.length == 0:
                return UNDEFINED
            return self.tuple_of([s.at(i) for i in range(2, s.length + 1)])
        length = self.where(self.at_most(1, s.length), self.plus(s.length, 1, -1))
        return SequenceValue(length, lambda i: s.at(self.plus(i, 1)), max(0, s.longest - 1))

    def sub_sequence(self, value: Lazy, first: Lazy, last: Lazy) -> Lazy:
        """Return ``SubSeq(value, first, last)``."""
        s = self.sequence(value)
        first, last = self.number(first), self.number(last)
        if isinstance(first, int) and isinstance(last, int) and isinstance(s.length, int):
            if first > last:
                return ()
            if first < 1 or last > s.length:
                return UNDEFINED
            return self.tuple_of([s.at(i) for i in range(first, last + 1)])
        (low, _), (_, high) = self.range(first), self.range(last)
        longest = max(0, min(s.longest, high - low + 1))
        count = self.plus(self.plus(last, 1), first, -1)
        some = self.at_most(first, last)
        inside = self.all_of((self.at_most(1, first), self.at_most(last, s.length)))
        length = self.where(
            self.settled(True, s.length),
            self.conditional(some, self.where(inside, count), 0),
        )
        return SequenceValue(length, lambda i: s.at(self.plus(self.plus(i, first), 1, -1)), longest)

    def selected(self, value: Lazy, test: Callable[[Lazy], Formula]) -> Lazy:
        """Return ``SelectSeq(value, test)``."""
        s = self.sequence(value)
        kept: list[tuple[Formula, Lazy]] = []
        for i in range(1, s.longest + 1):
            inside = self.at_most(i, s.length)
            if inside is False:
                break
            kept.append((self.all_of((inside, test(s.at(i)))), s.at(i)))
        counts: list[Lazy] = []
        total: Lazy = 0
        for condition, _ in kept:
            total = self.plus(total, self.conditional(condition, 1, 0))
            counts.append(total)

        def at(i: Lazy) -> Lazy:
            found: Lazy = UNDEFINED
            for (condition, element), number in reversed(list(zip(kept, counts, strict=True))):
                here = self.all_of((condition, self.equal(number, i)))
                found = self.conditional(here, element, found)
            return found

        total = self.where(self.settled(True, s.length), total)
        return SequenceValue(total, at, len(kept))

    def sorted_by(self, value: Lazy, less: Callable[[Lazy, Lazy], Formula]) -> Lazy:
        """Return ``SortSeq(value, less)``: each element is put in from the right, as TLC does.

        Of two elements that were put in none passes the other later, so which of them is first is
        one formula, whether `less` is an order or not.
        """
        s = self.sequence(value)
        inside: list[Formula] = []
        for i in range(1, s.longest + 1):
            if (here := self.at_most(i, s.length)) is False:
                break
            inside.append(here)
        if len(inside) > MOST_SORTED:
            raise Untranslatable(
                f"SortSeq of more than {MOST_SORTED} elements that vary is not translated"
            )
        elements = [s.at(i + 1) for i in range(len(inside))]
        before: dict[tuple[int, int], Formula] = {}
        for i, one in enumerate(elements):
            smaller = [less(one, elements[j]) for j in range(i)]
            for j in range(i):
                # It is asked of what is right of an element first: where it ends there, no further.
                passes = [
                    self.implied(before[j, k], lambda k=k: smaller[k])  # type: ignore[misc]  # noqa: B023
                    for k in range(i)
                    if k != j
                ]
                passed = self.all_of([inside[i], *passes, smaller[j]])
                before[i, j], before[j, i] = passed, self.negated(passed)
        places: list[Lazy] = []
        for i in range(len(elements)):
            place: Lazy = 1
            for j in range(len(elements)):
                if j != i:
                    first = self.all_of((inside[j], before[j, i]))
                    place = self.plus(place, self.conditional(first, 1, 0))
            places.append(place)

        def at(position: Lazy) -> Lazy:
            found: Lazy = UNDEFINED
            for here, place, element in reversed(list(zip(inside, places, elements, strict=True))):
                taken = self.all_of((here, self.equal(place, position)))
                found = self.conditional(taken, element, found)
            return found

        # Also of a sorted sequence's length there is nothing to say where the order has no value.
        read = self.settled(True, *(self.value(one) for one in before.values()))
        return SequenceValue(self.where(read, s.length), at, len(elements))

    def equal_sequences(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two sequences are the same."""
        a, b = self.sequence(left), self.sequence(right)
        parts = [self.equal(a.length, b.length)]
        if parts[0] is False:
            return False
        for i in range(1, min(a.longest, b.longest) + 1):
            inside = self.at_most(i, a.length)
            if inside is False:
                break
            parts.append(self.implied(inside, lambda i=i: self.equal(a.at(i), b.at(i))))  # type: ignore[misc]
        return self.all_of(parts)

    def coerce_sequence(self, value: Lazy, sort: SequenceSort) -> Term:
        if not (is_sequence(value) or isinstance(value, FunctionValue | Term)):
            raise NoFit(f"{describe(value)} is no {sort}")
        try:
            s = self.sequence(value)
        except Untranslatable:
            raise NoFit(f"{describe(value)} is no {sort}") from None
        made = None if s.native is None else s.native(sort)
        if made is not None:
            return made
        found = build.empty(sort)
        for i in range(1, s.longest + 1):
            inside = self.at_most(i, s.length)
            if inside is False:
                break
            try:
                longer = build.append(found, self.coerce(s.at(i), sort.element))
            except NoFit:
                if inside is True:
                    raise
                # It may be shorter than that; where it is not, there is no room for it.
                return build.ite(self.term(inside), self.undefined(sort), found)
            found = longer if inside is True else build.ite(self.term(inside), longer, found)
        return found

    def coerce_structure(self, value: Term, sort: Sort) -> Term:
        mine = value.sort
        match sort:
            case SequenceSort():
                if isinstance(mine, SequenceSort | MapSort | RecordSort):
                    return self.coerce_sequence(value, sort)
            case MapSort() if isinstance(mine, MapSort | SequenceSort | RecordSort):
                domain = self.domain_of(value)
                if partial(sort) is None:
                    self.require_domain(domain, sort)
                function = FunctionValue(domain, lambda k: self.applied(value, k), "k")
                return self._coerce_map(function, sort)
            case RecordSort() if isinstance(mine, MapSort) and self._are_fields(mine, sort):
                parts = [self.coerce(self.applied(value, n), part) for n, part in sort.fields]
                return make("record", parts, sort)
            case SetSort() | KeyedSetSort() | BoundedSetSort():
                if isinstance(mine, SetSort | KeyedSetSort | BoundedSetSort):
                    return self._coerce_set_of_other_sort(value, sort)
        raise NoFit(f"{mine} into {sort}")

    def _are_fields(self, function: MapSort, sort: RecordSort) -> bool:
        """Tell whether functions that all have the same arguments are records of a sort."""
        key = function.key
        if not isinstance(key, EnumSort) or partial(function) or is_tuple(sort) or is_image(sort):
            return False
        return set(self.layout.enums[key]) == {name for name, _ in sort.fields}

    def _coerce_set_of_other_sort(
        self, value: Term, sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        def element(b: list[Term]) -> tuple[Formula, Lazy]:
            return True, self.row(b[0])

        part = Part((("x", value),), element)
        return self.coerce_set(Comprehension((part,)), sort)
