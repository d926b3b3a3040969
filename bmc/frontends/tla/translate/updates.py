"""EXCEPT, @@ and equality of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.forms import NoFit, is_tuple, partial
from bmc.frontends.tla.translate.application import Application
from bmc.frontends.tla.translate.kinds import (
    Untranslatable,
    equation,
    fields_of,
    graph_of,
    names_of,
)
from bmc.frontends.tla.translate.lazy import (
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
    Sort,
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
                return self._updated_map(function, sort, key, rest, value)
            case RecordSort():
                return self._with_field(function, sort, key, rest, value)
            case SequenceSort():
                sequence = self.sequence(function)
                assert isinstance(sequence, SequenceValue)
                return self.updated(sequence, [key, *rest], value)
            case VariantSort():
                return self._updated_cases(function, sort, [key, *rest], value)
        return UNDEFINED

    def _updated_map(
        self,
        function: Term,
        sort: MapSort,
        key: Lazy,
        rest: list[Lazy],
        value: Callable[[Lazy], Lazy],
    ) -> Lazy:
        """Return the map with a new value; as it is where the argument is outside its domain."""
        if self.other_form(key, sort.key):
            listed = FunctionValue(
                self.domain_of(function), lambda k: self.applied(function, k), "k"
            )
            return self.updated(listed, [key, *rest], value)
        inside = self.fits(key, sort.key)
        if inside is False:
            return function
        try:
            at = self.coerce(key, sort.key)
        except NoFit:
            return function
        new = self.updated(self.applied(function, key), rest, value)
        optional = partial(sort)
        if optional is None:
            return self.conditional(inside, self._stored(function, sort, at, new), function)
        try:
            held = make("record", (self.coerce(new, optional.image),), optional.entry)
        except NoFit:
            return self._replaced(function, key, new)
        stored = make("store", (function, at, make("some", (held,), optional.option)), sort)
        inside = self.all_of((inside, build.is_some(select(_before(function), at))))
        return self.conditional(inside, stored, function)

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
            return self._replaced(function, key, new)

    def _replaced(self, function: Term, key: Lazy, new: Lazy) -> FunctionValue:
        """Return a map with a value of another sort: it is of the sort that it is used at."""
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
        room = self.layout.shape(sort)
        if self.layout.tabled(sort):
            return False
        try:
            return d.join(room, self.shape(value)) == room
        except Untranslatable:
            return False
