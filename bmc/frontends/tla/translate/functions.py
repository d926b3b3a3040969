"""Functions, records, tuples and sequences: application, EXCEPT, DOMAIN, and what `Sequences` has.

A sequence that an expression makes is its length and its elements by position; it is written down
element by element where it meets the sort of a variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.layout import IMAGE, NoFit, is_tuple, partial
from bmc.frontends.tla.translate.collections import Collections
from bmc.frontends.tla.translate.constants import RecursiveValue
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    describe,
    equation,
    fields_of,
    graph_of,
    integer,
    is_integer,
    is_sequence,
    named,
    names_of,
    same,
)
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Comprehension,
    Conditional,
    Formula,
    FunctionValue,
    Lazy,
    Part,
    RecordValue,
    SequenceValue,
    TupleValue,
    Undefined,
    concrete,
)
from bmc.lang import build
from bmc.lang.sorts import (
    BoundedSetSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    SetSort,
    Sort,
    VariantSort,
)
from bmc.lang.terms import Term, field, make, select, term_of

MOST_PAIRS = 4096
"""The most pairs of operands that a product is tabulated over."""


class Functions(Collections):
    """Functions of every kind."""

    def function(self, value: Lazy) -> Lazy:
        """Return the function that a term is where it is one."""
        return self.view(value, MapSort, RecordSort, SequenceSort)

    # Application.

    def applied(self, function: Lazy, key: Lazy) -> Lazy:
        """Return ``function[key]``; without a value outside the domain."""
        if isinstance(function, Conditional):
            return self.conditional(
                function.condition,
                self.applied(function.then, key),
                self.applied(function.otherwise, key),
            )
        if isinstance(function, FunctionValue):
            return function.value(key)
        if isinstance(function, SequenceValue):
            return function.at(key)
        if isinstance(function, RecursiveValue):
            if not concrete(key):
                raise Untranslatable("a recursive function without end is applied to a variable")
            return function.at(key)
        graph = graph_of(function)
        if graph is not None:
            return self._from_graph(graph, key)
        if isinstance(function, Term):
            return self._from_term(function, key)
        return UNDEFINED

    def _from_graph(self, graph: dict[Any, Lazy], key: Lazy) -> Lazy:
        if concrete(key):
            return graph.get(key, UNDEFINED)
        if isinstance(key, Conditional):
            return self.conditional(
                key.condition,
                self._from_graph(graph, key.then),
                self._from_graph(graph, key.otherwise),
            )
        items = list(graph.items())
        if not items:
            return UNDEFINED
        first = items[0][1]
        if all(concrete(i) and concrete(first) and same(i, first) for _, i in items):
            return first
        found: Lazy = UNDEFINED
        for k, image in reversed(items):
            if isinstance(found, Undefined) and image is items[-1][1]:
                found = image
                continue
            found = self.conditional(self.equal(key, k), image, found)
        return found

    def _from_term(self, function: Term, key: Lazy) -> Lazy:
        sort = function.sort
        if isinstance(sort, VariantSort):
            return self._from_cases(function, sort, key)
        if isinstance(sort, OptionSort):
            return self._from_term(build.the(function), key)
        if isinstance(key, Conditional):
            return self.conditional(
                key.condition,
                self._from_term(function, key.then),
                self._from_term(function, key.otherwise),
            )
        try:
            match sort:
                case MapSort():
                    image = select(function, self.coerce(key, sort.key))
                    return image if partial(sort) is None else field(build.the(image), IMAGE)
                case RecordSort():
                    return self._field(function, sort, key)
                case SequenceSort():
                    return build.at(function, integer(self.number(key)) - 1)
        except NoFit:
            return UNDEFINED
        return UNDEFINED

    def _field(self, record: Term, sort: RecordSort, key: Lazy) -> Lazy:
        if is_tuple(sort):
            parts = {i: field(record, n) for i, (n, _) in enumerate(sort.fields, 1)}
            return self._from_graph(parts, key)
        parts_by_name: dict[Any, Lazy] = {n: field(record, n) for n, _ in sort.fields}
        return self._from_graph(parts_by_name, key)

    def _from_cases(self, function: Term, sort: VariantSort, key: Lazy) -> Lazy:
        found: Lazy = UNDEFINED
        for tag, part in reversed(sort.cases):
            if not isinstance(part, MapSort | RecordSort | SequenceSort):
                continue
            missing = isinstance(part, RecordSort) and key not in {n for n, _ in part.fields}
            if isinstance(key, str) and missing:
                continue
            image = self.applied(build.payload(function, tag), key)
            if isinstance(image, Undefined):
                continue
            if isinstance(found, Undefined):
                found = image
            else:
                found = self.conditional(build.is_case(function, tag), image, found)
        return found

    # Domains.

    def domain_of(self, function: Lazy) -> Lazy | None:
        """Return ``DOMAIN function``; None where the value is no function."""
        match function:
            case FunctionValue():
                return function.domain
            case SequenceValue():
                return self.interval(1, function.length)
            case Conditional():
                then, otherwise = self.domain_of(function.then), self.domain_of(function.otherwise)
                if then is None or otherwise is None:
                    return then if otherwise is None else otherwise
                return self.conditional(function.condition, then, otherwise)
            case Term():
                return self._domain_of_term(function)
        graph = graph_of(function)
        return None if graph is None else frozenset(graph)

    def _domain_of_term(self, function: Term) -> Lazy | None:
        sort = function.sort
        match sort:
            case OptionSort():
                return self.domain_of(build.the(function))
            case SequenceSort():
                return self.interval(1, build.size(function))
            case RecordSort():
                if is_tuple(sort):
                    return v.interval(1, len(sort.fields))
                return frozenset(n for n, _ in sort.fields)
            case MapSort() if partial(sort) is not None:
                key_sort = sort.key
                return Comprehension(
                    (
                        Part(
                            (("k", key_sort),),
                            lambda b: (build.is_some(select(function, b[0])), b[0]),
                        ),
                    )
                )
            case MapSort():
                return frozenset(
                    self.layout.decode(k, sort.key) for k in self.layout.domains.values(sort.key)
                )
            case VariantSort():
                found: Lazy | None = None
                for tag, part in reversed(sort.cases):
                    if isinstance(part, MapSort | RecordSort | SequenceSort):
                        here = self.domain_of(build.payload(function, tag))
                        if found is None:
                            found = here
                        else:
                            found = self.conditional(build.is_case(function, tag), here, found)
                return found
        return None

    # EXCEPT.

    def updated(self, function: Lazy, path: list[Lazy], value: Callable[[Lazy], Lazy]) -> Lazy:
        """Return ``[function EXCEPT !path = value(@)]``."""
        if not path:
            return value(function)
        key, rest = path[0], path[1:]
        if isinstance(function, Conditional):
            return self.conditional(
                function.condition,
                self.updated(function.then, path, value),
                self.updated(function.otherwise, path, value),
            )
        if isinstance(function, Term):
            return self._updated_term(function, key, rest, value)
        if isinstance(function, FunctionValue):
            old = function

            def image(k: Lazy) -> Lazy:
                here = self.equal(k, key)
                if here is False:
                    return old.value(k)
                new = self.updated(old.value(k), rest, value)
                return self.conditional(here, new, old.value(k))

            return FunctionValue(old.domain, image, old.name)
        if isinstance(function, SequenceValue):
            sequence = function

            def at(i: Lazy) -> Lazy:
                new = self.updated(sequence.at(i), rest, value)
                return self.conditional(self.equal(i, key), new, sequence.at(i))

            return SequenceValue(sequence.length, at, sequence.longest)
        graph = graph_of(function)
        if graph is None:
            return UNDEFINED
        changed: dict[Any, Lazy] = {}
        for k, image_of in graph.items():
            here = self.equal(key, k)
            if here is False:
                changed[k] = image_of
            else:
                changed[k] = self.conditional(here, self.updated(image_of, rest, value), image_of)
        return self.tabled(changed)

    def _updated_term(
        self, function: Term, key: Lazy, rest: list[Lazy], value: Callable[[Lazy], Lazy]
    ) -> Lazy:
        sort = function.sort
        match sort:
            case OptionSort():
                return self._updated_term(build.the(function), key, rest, value)
            case MapSort():
                if isinstance(key, Conditional):
                    return self._updated_at_conditional(function, key, rest, value)
                new = self.updated(self.applied(function, key), rest, value)
                try:
                    at = self.coerce(key, sort.key)
                except NoFit:
                    return function
                optional = partial(sort)
                if optional is not None:
                    held = make("record", (self.coerce(new, optional.image),), optional.entry)
                    some = make("some", (held,), optional.option)
                    stored = make("store", (function, at, some), sort)
                    return build.ite(build.is_some(select(function, at)), stored, function)
                return self._stored(function, sort, at, new)
            case RecordSort():
                return self._with_field(function, sort, key, rest, value)
            case SequenceSort():
                sequence = self.sequence(function)
                assert isinstance(sequence, SequenceValue)
                return self.updated(sequence, [key, *rest], value)
            case VariantSort():
                return self._updated_cases(function, sort, [key, *rest], value)
        return UNDEFINED

    def _updated_at_conditional(
        self, function: Term, key: Conditional, rest: list[Lazy], value: Callable[[Lazy], Lazy]
    ) -> Lazy:
        return self.conditional(
            key.condition,
            self._updated_term(function, key.then, rest, value),
            self._updated_term(function, key.otherwise, rest, value),
        )

    def _stored(self, function: Term, sort: MapSort, key: Term, new: Lazy) -> Lazy:
        try:
            return make("store", (function, key, self.coerce(new, sort.value)), sort)
        except NoFit:
            # The new value is of another sort: it is a map of the sort that it is used at.
            return FunctionValue(
                self.domain_of(function),
                lambda k: self.conditional(self.equal(k, key), new, self.applied(function, k)),
            )

    def _with_field(
        self,
        record: Term,
        sort: RecordSort,
        key: Lazy,
        rest: list[Lazy],
        value: Callable[[Lazy], Lazy],
    ) -> Lazy:
        parts = fields_of(record)
        assert parts is not None
        if isinstance(key, int) and is_tuple(sort):
            key = str(key)
        if not isinstance(key, str):
            names: list[Any] = list(parts)
            keys = [int(n) for n in names] if is_tuple(sort) else names
            changed = {
                k: self.conditional(
                    self.equal(key, k), self.updated(parts[n], rest, value), parts[n]
                )
                for k, n in zip(keys, names, strict=True)
            }
            return self.tabled(changed)
        if key not in parts:
            return record
        new = self.updated(parts[key], rest, value)
        try:
            at = names_of(sort)[key]
            part = dict(sort.fields)[at]
            return make("with_field", (record, self.coerce(new, part)), sort, at)
        except NoFit:
            held: dict[str, Lazy] = {**parts, key: new}
            if is_tuple(sort):
                return self.tuple_of(list(held.values()))
            return self.record(held)

    def _updated_cases(
        self,
        function: Term,
        sort: VariantSort,
        path: list[Lazy],
        value: Callable[[Lazy], Lazy],
    ) -> Lazy:
        found: Lazy = function
        for tag, part in sort.cases:
            if isinstance(part, MapSort | RecordSort | SequenceSort):
                here = self.updated(build.payload(function, tag), path, value)
                found = self.conditional(build.is_case(function, tag), here, found)
        return found

    def merged(self, left: Lazy, right: Lazy) -> Lazy:
        """Return ``left @@ right``: the left one's value where both have one."""
        left, right = self.function(left), self.function(right)
        first, second = self.domain_of(left), self.domain_of(right)
        if first is None or second is None:
            return UNDEFINED
        listed = isinstance(first, frozenset) and isinstance(second, frozenset)
        if listed and not any(self.touches_scalarset(s) for s in (first, second)):
            return self.tabled(
                {
                    k: self.applied(left if k in first else right, k)
                    for k in v.ordered(first | second)
                }
            )

        def value(key: Lazy) -> Lazy:
            inside = self.member(key, first)
            if inside is True:
                return self.applied(left, key)
            if inside is False:
                return self.applied(right, key)
            return self.conditional(inside, self.applied(left, key), self.applied(right, key))

        return FunctionValue(self.union(first, second), value, "k")

    def equal_functions(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two functions have the same domain and the same values."""
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, Term) or isinstance(one.sort, RecordSort):
                continue
            if not isinstance(other, Term) and self._fits_whole(other, one.sort):
                try:
                    return equation(one, self.coerce(other, one.sort))
                except NoFit:
                    break
        first, second = self.domain_of(left), self.domain_of(right)
        if first is None or second is None:
            return False
        same_domain = self.equal_sets(first, second)
        if same_domain is False:
            return False
        values = self.forall(
            first, "k", lambda k: self.equal(self.applied(left, k), self.applied(right, k))
        )
        return self.all_of((same_domain, values))

    def _fits_whole(self, value: Lazy, sort: Sort) -> bool:
        from bmc.frontends.tla.abstract import domain as d

        room = self.layout.shape(sort)
        try:
            return d.join(room, self.shape(value)) == room
        except Untranslatable:
            return False

    # Sequences.

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
                    lambda i: self.conditional(condition, then.at(i), otherwise.at(i)),
                    max(then.longest, otherwise.longest),
                )
            case Term() if isinstance(value.sort, SequenceSort):
                most = value.sort.capacity.at({})
                return SequenceValue(build.size(value), lambda i: self.applied(value, i), most)
            case Undefined():
                return SequenceValue(0, lambda i: UNDEFINED, 0)
            case FunctionValue():
                length = self.cardinality(value.domain)
                return SequenceValue(length, value.value, self.range(length)[1])
        graph = graph_of(value)
        if graph is None and isinstance(value, Term):
            domain = self.domain_of(value)
            if isinstance(domain, frozenset) and v.is_interval_from_one(domain):
                return SequenceValue(len(domain), lambda i: self.applied(value, i), len(domain))
        if graph is None or not v.is_interval_from_one(frozenset(graph)):
            raise Untranslatable(f"{describe(value)} is used as a sequence")
        held = graph
        return SequenceValue(len(held), lambda i: self._from_graph(held, i), len(held))

    def length(self, value: Lazy) -> Lazy:
        """Return ``Len(value)``."""
        return self.sequence(value).length

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
        return self.sequence(value).at(1)

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
        return SequenceValue(
            self.plus(s.length, 1, -1), lambda i: s.at(self.plus(i, 1)), max(0, s.longest - 1)
        )

    def sub_sequence(self, value: Lazy, first: Lazy, last: Lazy) -> Lazy:
        """Return ``SubSeq(value, first, last)``."""
        s = self.sequence(value)
        first, last = self.number(first), self.number(last)
        if isinstance(first, int) and isinstance(last, int):
            if first > last:
                return ()
            return self.tuple_of([s.at(i) for i in range(first, last + 1)])
        (low, _), (_, high) = self.range(first), self.range(last)
        longest = max(0, min(s.longest, high - low + 1))
        count = self.plus(self.plus(last, 1), first, -1)
        empty = self.at_most(first, last, strict=False)
        length = self.conditional(empty, count, 0)
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

        return SequenceValue(total, at, len(kept))

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
            longer = build.append(found, self.coerce(s.at(i), sort.element))
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
            case SetSort() | KeyedSetSort() | BoundedSetSort():
                if isinstance(mine, SetSort | KeyedSetSort | BoundedSetSort):
                    return self._coerce_set_of_other_sort(value, sort)
        raise NoFit(f"{mine} into {sort}")

    def _coerce_set_of_other_sort(
        self, value: Term, sort: SetSort | KeyedSetSort | BoundedSetSort
    ) -> Term:
        def element(b: list[Term]) -> tuple[Formula, Lazy]:
            return True, b[0]

        part = Part((("x", value),), element)
        return self.coerce_set(Comprehension((part,)), sort)

    # Arithmetic.

    def plus(self, left: Lazy, right: Lazy, sign: int = 1) -> Lazy:
        """Return ``left + right``, or with ``sign`` -1 ``left - right``."""
        left, right = self.number(left), self.number(right)
        if isinstance(left, int) and isinstance(right, int):
            return left + sign * right
        if isinstance(right, int):
            if right == 0:
                return left
            assert isinstance(left, Term)
            shifted = self._shifted(left, sign * right)
            if shifted is not None:
                return shifted
        if isinstance(left, int) and left == 0 and sign == 1:
            return right
        a, b = integer(left), integer(right)
        return a + b if sign == 1 else a - b

    def _shifted(self, left: Term, by: int) -> Term | None:
        """Return ``left + by`` where ``left`` is itself a sum with a number."""
        if left.op in ("add", "sub") and left.args[1].op == "int":
            data: Any = left.args[1].data
            total = (data if left.op == "add" else -data) + by
            base = left.args[0]
            if total == 0:
                return base
            return term_of(base + total if total > 0 else base - (-total))
        return None

    def tabulated_arithmetic(
        self, left: Lazy, right: Lazy, function: Callable[[int, int], int | None]
    ) -> Lazy:
        """Return a product, quotient or remainder as a table over the operands' ranges."""
        left, right = self.number(left), self.number(right)
        if isinstance(left, int) and isinstance(right, int):
            settled = function(left, right)
            return UNDEFINED if settled is None else settled
        (a, b), (low, high) = self.range(left), self.range(right)
        if (b - a + 1) * (high - low + 1) > MOST_PAIRS:
            raise Untranslatable("the operands of this product have too many values")
        nothing = self.undefined(self._whole(a, b, low, high, function))

        def over(x: int) -> Lazy:
            return table(right, low, high, lambda y: function(x, y))

        def table(operand: Lazy, least: int, most: int, image: Callable[[int], Any]) -> Lazy:
            if isinstance(operand, int):
                return image(operand)
            found: Lazy = image(most)
            for at in range(most - 1, least - 1, -1):
                here = image(at)
                one = nothing if here is None else here
                other = nothing if found is None else found
                if isinstance(one, int) and isinstance(other, int) and one == other:
                    found = one
                    continue
                found = build.ite(self.term(self.equal(operand, at)), integer(one), integer(other))
            return found

        found = table(left, a, b, over)
        return nothing if found is None else found

    def _whole(
        self, a: int, b: int, low: int, high: int, function: Callable[[int, int], int | None]
    ) -> IntSort:
        from bmc.frontends.tla.layout import integer_sort

        values = [function(x, y) for x in range(a, b + 1) for y in range(low, high + 1)]
        numbers = [n for n in values if n is not None] or [0]
        return integer_sort(min(numbers), max(numbers))


def scaled(left: int, right: int) -> int | None:
    """Return the product."""
    return left * right


def quotient(left: int, right: int) -> int | None:
    """Return the quotient rounded down; None where the divisor is not positive, as in TLC."""
    return left // right if right > 0 else None


def remainder(left: int, right: int) -> int | None:
    """Return the remainder; None where the divisor is not positive, as in TLC."""
    return left % right if right > 0 else None


def raised(left: int, right: int) -> int | None:
    """Return the power; None of a negative exponent."""
    return int(left**right) if 0 <= right <= 64 else None


__all__ = [
    "Functions",
    "RecordValue",
    "TupleValue",
    "is_integer",
    "named",
    "quotient",
    "raised",
    "remainder",
    "scaled",
]
