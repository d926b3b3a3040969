"""Functions that are defined by a value for each argument, and EXCEPT."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla import values as v
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.translate.application import MOST_CASES
from bmc.frontends.tla.translate.constant_sets import NotConstant, Undetermined
from bmc.frontends.tla.translate.constants import RecursiveValue
from bmc.frontends.tla.translate.kinds import of_sets
from bmc.frontends.tla.translate.lazy import (
    UNDEFINED,
    Formula,
    FunctionValue,
    Lazy,
    TupleSpace,
    Undefined,
    concrete,
    constant,
)
from bmc.frontends.tla.translate.operations import _fields
from bmc.frontends.tla.translate.reading import Reading
from bmc.frontends.tla.translate.translator import Context
from bmc.frontends.tla.translate.unrolling import DEEPEST


class FunctionLiterals(Reading):
    """Translates function literals, recursive ones too."""

    def _function(self, node: c.FunctionLiteral, context: Context) -> Lazy:
        domains = [self.domain(b, context) for b in node.bounds]
        if len(domains) == 1:
            (bound,) = node.bounds
            domain = domains[0]

            def value_at(key: Lazy) -> Lazy:
                return self.value_read(node.body, self.binding(bound, key, context))

            if isinstance(domain, frozenset):
                if _fields(domain):
                    return self.record({k: value_at(k) for k in v.ordered(domain)})
                if self.is_unrolled(node.body, domain):
                    return self.tabled({k: value_at(k) for k in v.ordered(domain)})
            return of_sets(FunctionValue(domain, value_at, bound.variables[0].name), domains)
        listed: Lazy = TupleSpace(tuple(domains))
        if all(isinstance(s, frozenset) for s in domains):
            listed = self._listed_if_few(listed)

        def value(key: Lazy) -> Lazy:
            inner = context
            for i, bound in enumerate(node.bounds, 1):
                inner = self.binding(bound, self.applied(key, i), inner)
            return self.value_read(node.body, inner)

        return of_sets(FunctionValue(listed, value, node.bounds[0].variables[0].name), domains)

    def is_unrolled(self, body: c.Expression, members: Lazy) -> bool:
        if not isinstance(members, frozenset) or not 0 < len(members) <= MOST_CASES:
            return False
        return bool(self.recursions.of(body)) and not self.touches_scalarset(members)

    def _recursive_function(self, node: c.RecursiveFunction, context: Context) -> Lazy:
        """Return `f[x \\in S] == body`, unrolled at the arguments that it is asked for."""
        domains = [self.domain(b, context) for b in node.bounds]
        domain: Lazy = domains[0] if len(domains) == 1 else TupleSpace(tuple(domains))
        if constant(domain):
            domain = self._listed_if_few(domain)
        known: dict[Any, Lazy] = {}
        running: set[Any] = set()
        plain = self._without_state(node, context)

        def at(key: Any) -> Lazy:
            if key not in known and not self._may_hold(domain, key):
                known[key] = UNDEFINED
            if key not in known and plain is not None:
                try:
                    image = plain.at(key)
                    inside = self.all_of(self.member(k, domain) for k in plain.reads(key) - {key})
                    known[key] = self.conditional(inside, image, UNDEFINED)
                except (NotConstant, Undetermined, RecursionError):
                    known[key] = UNDEFINED
            if key not in known:
                if key in running or len(running) > DEEPEST:
                    raise TlaUnsupported(node.span, "this recursion does not end", "")
                running.add(key)
                inner = replace(context, environment={**context.environment, node.itself: function})
                parts = (key,) if len(node.bounds) == 1 else key
                for bound, part in zip(node.bounds, parts, strict=True):
                    inner = self.binding(bound, part, inner)
                known[key] = self.value_read(node.body, inner)
                running.discard(key)
            return known[key]

        def value(key: Lazy) -> Lazy:
            if concrete(key):
                return at(key)
            keys = domain if isinstance(domain, frozenset) else self.values_of(key)
            found: Lazy | None = None
            for one in reversed(v.ordered(keys)):
                here = self.equal(key, one)
                if here is not False:
                    image = at(one)
                    if found is None:
                        found = image
                    elif isinstance(found, Undefined):
                        found = self.where(here, image)
                    elif isinstance(image, Undefined):
                        found = self.where(self.negated(here), found)
                    else:
                        found = self.conditional(here, image, found)
            return UNDEFINED if found is None else found

        function = FunctionValue(domain, value, node.bounds[0].variables[0].name)
        return function

    def _listed_if_few(self, domain: Lazy) -> Lazy:
        """Return a constant set with its members; as it is where they are too many or endless."""
        try:
            found: Lazy = self.constants.listed(domain)
        except NotConstant:
            return domain
        return found

    def _may_hold(self, domain: Lazy, key: Any) -> bool:
        """Tell whether a constant may be a member of what a recursive function runs over."""
        if constant(domain):
            with suppress(NotConstant):
                return self.constants.contains(domain, key)
        if isinstance(domain, TupleSpace):
            places = v.interval(1, len(domain.factors))
            return isinstance(key, tuple) and v.members_of(key) == places
        return True

    def recurring(self, node: c.RecursiveFunction, context: Context) -> Formula:
        function = self.value_of(node, context)
        if not isinstance(function, FunctionValue):
            return True
        if not isinstance(function.domain, frozenset) or self.touches_scalarset(function.domain):
            return self._valued_everywhere(function)
        return self.all_of(self.of_value(function.value(x)) for x in v.ordered(function.domain))

    def _valued_everywhere(self, function: FunctionValue) -> Formula:
        return self.forall(function.domain, "x", lambda x: self.of_value(function.value(x)))

    def _without_state(self, node: c.RecursiveFunction, context: Context) -> RecursiveValue | None:
        """Return the function on constants where only its domain depends on the state."""
        if level(node.body) > Level.CONSTANT:
            return None
        bound = {b for one in node.bounds for b in one.variables}
        env: dict[c.Binding, Any] = {}
        for binding in self.free.of(node.body) - bound - {node.itself}:
            held = context.environment.get(binding)
            if held is None or not constant(held):
                return None
            env[binding] = held
        return RecursiveValue(self.constants, node, env, anywhere=True)

    def _except(self, node: c.Except, context: Context) -> Lazy:
        found = self.value_of(node.function, context)
        for update in node.updates:
            found = self.changed_at(found, update, self.path(update, context), context)
        return found

    def path(self, update: c.Update, context: Context) -> list[Lazy]:
        found: list[Lazy] = []
        for step in update.path:
            if isinstance(step, c.FieldStep):
                found.append(step.name)
            else:
                keys = [self.value_of(a, context) for a in step.arguments]
                found.append(keys[0] if len(keys) == 1 else self.tuple_of(keys))
        return found

    def changed_at(
        self, function: Lazy, update: c.Update, path: list[Lazy], context: Context
    ) -> Lazy:
        def value(old: Lazy) -> Lazy:
            inner = {**context.environment, update.at: old}
            return self.value_of(update.value, replace(context, environment=inner))

        return self.updated(function, path, value)
