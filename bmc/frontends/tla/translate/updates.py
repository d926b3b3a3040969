"""EXCEPT, @@ and equality of functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.forms import NoFit, is_tuple, partial
from bmc.frontends.tla.translate.application import Application
from bmc.frontends.tla.translate.kinds import (
    equation,
    fields_of,
    graph_of,
    names_of,
)
from bmc.frontends.tla.translate.lazy import (
    COPIES,
    UNDEFINED,
    Conditional,
    Formula,
    FunctionValue,
    Lazy,
    SequenceValue,
)
from bmc.lang import build
from bmc.lang.sorts import (
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    VariantSort,
)
from bmc.lang.terms import Term, make, select


def _before(function: Term) -> Term:
    """Return the function that one with the same domain was made of by EXCEPT."""
    while function.op == "ite":
        _, then, otherwise = function.args
        if then.op != "store" or then.args[0] is not otherwise:
            break
        function = otherwise
    return function


class Updates(Application):
    """Changes functions and compares them."""

    def updated(self, function: Lazy, path: list[Lazy], value: Callable[[Lazy], Lazy]) -> Lazy:
        """Return ``[function EXCEPT !path = value(@)]``.

        Where the sort of the function may have no room for what is new in the copy, the copy is
        read as it is written, and a term of that sort only where one is wanted.
        """
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
            return self._updated_term(function, function, key, rest, value)
        if isinstance(function, COPIES) and function.native is not None:
            return self._updated_term(function.native, function, key, rest, value)
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
        return UNDEFINED if graph is None else self._updated_graph(graph, key, rest, value)

    def _updated_graph(
        self, graph: dict[Any, Lazy], key: Lazy, rest: list[Lazy], value: Callable[[Lazy], Lazy]
    ) -> Lazy:
        changed: dict[Any, Lazy] = {}
        for k, image_of in graph.items():
            here = self.equal(key, k)
            if here is False:
                changed[k] = image_of
            else:
                changed[k] = self.conditional(here, self.updated(image_of, rest, value), image_of)
        return self.tabled(changed)

    def _updated_term(
        self,
        function: Term,
        read: Lazy,
        key: Lazy,
        rest: list[Lazy],
        value: Callable[[Lazy], Lazy],
    ) -> Lazy:
        """Return the copy of a function; ``read`` is the function as it is written."""
        sort = function.sort
        match sort:
            case OptionSort():
                held = build.the(function)
                return self._updated_term(held, held, key, rest, value)
            case MapSort():
                if isinstance(key, Conditional):
                    return self.conditional(
                        key.condition,
                        self._updated_term(function, read, key.then, rest, value),
                        self._updated_term(function, read, key.otherwise, rest, value),
                    )
                return self._updated_map(function, read, key, rest, value)
            case RecordSort():
                return self._with_field(function, read, key, rest, value)
            case SequenceSort():
                return self.updated(self.sequence(function), [key, *rest], value)
            case VariantSort():
                return self._updated_cases(function, sort, [key, *rest], value)
        return UNDEFINED

    def _updated_map(
        self,
        function: Term,
        read: Lazy,
        key: Lazy,
        rest: list[Lazy],
        value: Callable[[Lazy], Lazy],
    ) -> Lazy:
        """Return the map with a new value; as it is where the argument is outside its domain."""
        sort = function.sort
        assert isinstance(sort, MapSort)
        if self.other_form(key, sort.key):
            listed = FunctionValue(self.domain_of(read), lambda k: self.applied(read, k), "k")
            return self.updated(listed, [key, *rest], value)
        inside = self.fits(key, sort.key)
        if inside is False:
            return read
        try:
            at = self.coerce(key, sort.key)
        except NoFit:
            return read
        new = self.updated(self.applied(read, key), rest, value)
        optional = partial(sort)
        image = sort.value if optional is None else optional.image
        try:
            held = self.coerce(new, image)
        except NoFit:
            return self._replaced(read, key, new)
        if optional is not None:
            entry = make("record", (held,), optional.entry)
            held = make("some", (entry,), optional.option)
            inside = self.all_of((inside, build.is_some(select(_before(function), at))))
        stored = self.conditional(inside, make("store", (function, at, held), sort), function)
        if read is function and self.has_room(image, new):
            return stored
        return self._replaced(read, key, new, stored)

    def _replaced(
        self, read: Lazy, key: Lazy, new: Lazy, native: Term | None = None
    ) -> FunctionValue:
        """Return a map with a value that its sort may have no room for."""
        return FunctionValue(
            self.domain_of(read),
            lambda k: self.conditional(self.equal(k, key), new, self.applied(read, k)),
            "k",
            native,
        )

    def _with_field(
        self,
        record: Term,
        read: Lazy,
        key: Lazy,
        rest: list[Lazy],
        value: Callable[[Lazy], Lazy],
    ) -> Lazy:
        sort, parts = record.sort, fields_of(read)
        assert isinstance(sort, RecordSort)
        assert parts is not None
        if isinstance(key, int) and is_tuple(sort):
            key = str(key)
        if not isinstance(key, str):
            graph = {int(n): p for n, p in parts.items()} if is_tuple(sort) else parts
            return self._updated_graph(graph, key, rest, value)
        if key not in parts:
            return read
        new = self.updated(parts[key], rest, value)
        at = names_of(sort)[key]
        part = dict(sort.fields)[at]
        try:
            native = make("with_field", (record, self.coerce(new, part)), sort, at)
        except NoFit:
            native = None
        if native is not None and read is record and self.has_room(part, new):
            return native
        held: dict[str, Lazy] = {**parts, key: new}
        found = self.tuple_of(list(held.values())) if is_tuple(sort) else self.record(held)
        return replace(found, native=native) if isinstance(found, COPIES) else found

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
        if isinstance(left, Conditional):
            then, otherwise = self.merged(left.then, right), self.merged(left.otherwise, right)
            return self.conditional(left.condition, then, otherwise)
        if isinstance(right, Conditional):
            then, otherwise = self.merged(left, right.then), self.merged(left, right.otherwise)
            return self.conditional(right.condition, then, otherwise)
        first, second = self.domain_of(left), self.domain_of(right)
        if first is None or second is None:
            return UNDEFINED
        for one, other in ((left, right), (right, left)):
            if _is_sequence(one) and not _is_sequence(other):
                # Beside other functions it is <<>> as a rule, and adds no number to their names.
                nothing = self.equal(build.size(one), 0)
                merged = self._merged(left, right, first, second)
                return self.conditional(nothing, other, merged)
        return self._merged(left, right, first, second)

    def _merged(self, left: Lazy, right: Lazy, first: Lazy, second: Lazy) -> Lazy:
        """Return ``left @@ right`` of functions with these domains."""
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

        for one, other in ((first, second), (second, first)):
            if isinstance(one, frozenset) and self._names_among(other, one):
                return self.tabled({name: value(name) for name in v.ordered(one)})
        return FunctionValue(self.union(first, second), value, "k")

    def _names_among(self, domain: Lazy, names: frozenset[Any]) -> bool:
        """Tell whether a domain is surely one of these names of a record's fields."""
        listed = self.members(names)
        if not all(isinstance(name, str) for name in names):
            return False
        return d.join(listed, self.members(domain)) == listed

    def equal_functions(self, left: Lazy, right: Lazy) -> Formula:
        """Return whether two functions have the same domain and the same values."""
        for one, other in ((left, right), (right, left)):
            if not isinstance(one, Term) or isinstance(one.sort, RecordSort):
                continue
            if not isinstance(other, Term) and self.has_room(one.sort, other):
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


def _is_sequence(function: Lazy) -> TypeGuard[Term]:
    return isinstance(function, Term) and isinstance(function.sort, SequenceSort)
