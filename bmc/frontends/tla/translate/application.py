"""Application and domains, and what the parts of the algebra of functions ask of each other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from bmc.frontends.tla import values as v
from bmc.frontends.tla.forms import (
    IMAGE,
    ITEM,
    NoFit,
    count,
    is_image,
    is_tuple,
    listable,
    partial,
)
from bmc.frontends.tla.translate.collections import Collections
from bmc.frontends.tla.translate.constant_sets import NotConstant, Undetermined
from bmc.frontends.tla.translate.constants import RecursiveValue
from bmc.frontends.tla.translate.kinds import (
    NotSymmetric,
    Untranslatable,
    graph_of,
    integer,
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
    SequenceValue,
    Undefined,
    concrete,
)
from bmc.lang import build
from bmc.lang.sort_parts import symmetric_parts
from bmc.lang.sorts import (
    MapSort,
    OptionSort,
    RecordSort,
    SequenceSort,
    VariantSort,
)
from bmc.lang.terms import Term, field, select

MOST_CASES = 256
"""The most values of an argument that a recursive function is worked out at."""


def is_narrowed(function: Term) -> bool:
    """Tell whether a function was updated with a number that its sort may have no room for."""
    # Each function that was updated is met twice or more often where updates follow each other.
    met: set[int] = set()
    waiting = [function]
    while waiting:
        one = waiting.pop()
        if one.uid in met:
            continue
        met.add(one.uid)
        match one.op:
            case "ite":
                waiting += one.args[1:]
            case "store" | "with_field":
                held = _image(one.args[-1])
                if held.op == "narrow":
                    return True
                waiting += (held, one.args[0])
    return False


def widened(held: Term) -> Term:
    """Return what was written, before it was brought to the sort of its place."""
    held = _image(held)
    return held.args[0] if held.op == "narrow" else held


def _image(held: Term) -> Term:
    """Return the image that is stored in a function of varying domain; else what is stored."""
    if held.op == "some" and held.args[0].op == "record" and is_image(held.args[0].sort):
        return held.args[0].args[0]
    return held


class Application(Collections):
    """Applies functions; its parts are a file for each construct."""

    def function(self, value: Lazy) -> Lazy:
        """Return the function that a term is where it is one."""
        return self.view(value, MapSort, RecordSort, SequenceSort)

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
            return self._worked_out_at(function, key)
        graph = graph_of(function)
        if graph is not None:
            return self._from_graph(graph, key)
        if isinstance(function, Term):
            if is_narrowed(function):
                return self._from_written(function, key)
            return self._from_term(function, key)
        return UNDEFINED

    def _worked_out_at(self, function: RecursiveValue, key: Lazy) -> Lazy:
        """Return a constant function, whose domain has no end, at what varies among few values.

        Among these it has no value where its recursion does not end.
        """
        if concrete(key):
            try:
                return function.at(key)
            except Undetermined:
                return UNDEFINED
        graph: dict[Any, Lazy] = {}
        for one in v.ordered(self.values_of(key)):
            with suppress(NotConstant, Undetermined, RecursionError):
                graph[one] = function.at(one)
        return self._from_graph(graph, key)

    def values_of(self, key: Lazy) -> frozenset[Any]:
        """Return all values that an argument of a recursive function can have, where they are few.

        Raises NotSymmetric where they are interchangeable, and Untranslatable where they are many.
        """
        sort = self.layout.sort(self.shape(key), "x")
        for scalarset in symmetric_parts(sort):
            raise NotSymmetric(scalarset)
        if not listable(sort) or count(sort) > MOST_CASES:
            raise Untranslatable("a recursive function is applied to what has too many values")
        return frozenset(self.layout.decode(k, sort) for k in self.layout.domains.values(sort))

    def _from_written(self, function: Term, key: Lazy) -> Lazy:
        """Return what an updated function has somewhere, before its sort narrows it.

        A value that the sort has no room for is that value all the same where it is read: a guard
        behind the update may exclude the step.
        """
        match function.op:
            case "ite":
                condition, then, otherwise = function.args
                before = self.applied(otherwise, key)
                if then.op == "store" and then.args[0] is otherwise:
                    after = self._from_store(then, key, before)
                else:
                    after = self.applied(then, key)
                return self.conditional(condition, after, before)
            case "store":
                return self._from_store(function, key, self.applied(function.args[0], key))
            case "with_field":
                whole, held = function.args
                assert isinstance(function.sort, RecordSort)
                name = f"{ITEM}{key}" if is_tuple(function.sort) else key
                if not isinstance(key, str | int):
                    return self._from_term(function, key)
                return widened(held) if name == function.data else self.applied(whole, key)
            case _:
                return self._from_term(function, key)

    def _from_store(self, function: Term, key: Lazy, before: Lazy) -> Lazy:
        _, at, held = function.args
        here = self._same_place(key, at)
        if isinstance(here, bool):
            return widened(held) if here else before
        return self.conditional(here, widened(held), before)

    def _same_place(self, key: Lazy, at: Term) -> Formula:
        if self.other_form(key, at.sort):
            return self.equal(key, at)
        try:
            asked = self.coerce(key, at.sort)
        except NoFit:
            return False
        if asked is at:
            return True
        if concrete(key) and not at.free and at.op in ("narrow", "enum"):
            named = at if at.op == "enum" else at.args[0]
            if named.op in ("enum", "int"):
                return False
        return self.equal(key, self.row(at))

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
        surely = self._is_among(key, graph)
        first = items[0][1] if items else UNDEFINED
        if surely and all(concrete(i) and concrete(first) and same(i, first) for _, i in items):
            return first
        found: Lazy = UNDEFINED
        for k, image in reversed(items):
            if surely and isinstance(found, Undefined) and image is items[-1][1]:
                found = image
                continue
            found = self.conditional(self.equal(key, k), image, found)
        return found

    def _is_among(self, key: Lazy, arguments: Collection[Any]) -> bool:
        """Tell whether all that an argument can be is listed, so that no more has to be asked."""
        kinds = self.shape(key)
        if kinds.records or kinds.functions or kinds.elements or kinds.sequences or kinds.empty:
            return False
        numbers = kinds.integers
        if numbers is not None and numbers.high - numbers.low >= len(arguments):
            return False
        listed: set[Any] = {*kinds.atoms, *(v.boolean(t) for t in kinds.truths)}
        if numbers is not None:
            listed.update(range(numbers.low, numbers.high + 1))
        return listed <= set(arguments)

    def applied_within(self, function: Lazy, key: Lazy) -> Lazy:
        """Return ``function[key]`` as a text asks for it: its argument may be outside the domain.

        Terms and what is listed have no value there by themselves; what a formula gives for every
        argument has one, and the formula does not know where the domain ends.
        """
        if isinstance(function, Conditional):
            return self.conditional(
                function.condition,
                self.applied_within(function.then, key),
                self.applied_within(function.otherwise, key),
            )
        if isinstance(function, FunctionValue):
            inside = self.member(key, function.domain)
        elif isinstance(function, SequenceValue):
            inside = self.all_of((self.at_most(1, key), self.at_most(key, function.length)))
        else:
            return self.applied(function, key)
        if inside is False:
            return UNDEFINED
        return self.conditional(inside, self.applied(function, key), UNDEFINED)

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
                    if self.other_form(key, sort.key):
                        return self._from_graph(self._listed(function, sort), key)
                    image = select(function, self.coerce(key, sort.key))
                    return image if partial(sort) is None else field(build.the(image), IMAGE)
                case RecordSort():
                    return self._field(function, sort, key)
                case SequenceSort():
                    return build.at(function, integer(self.number(key)) - 1)
        except NoFit:
            return UNDEFINED
        return UNDEFINED

    def _listed(self, function: Term, sort: MapSort) -> dict[Any, Lazy]:
        keys = [self.layout.decode(k, sort.key) for k in self.layout.domains.values(sort.key)]
        return {k: self._from_term(function, k) for k in keys}

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
                            lambda b: (build.is_some(select(function, b[0])), self.row(b[0])),
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

    @abstractmethod
    def sequence(self, value: Lazy) -> SequenceValue:
        """Return a value as a sequence by its positions."""

    @abstractmethod
    def plus(self, left: Lazy, right: Lazy, sign: int = 1) -> Lazy:
        """Return ``left + right``, or with ``sign`` -1 ``left - right``."""
