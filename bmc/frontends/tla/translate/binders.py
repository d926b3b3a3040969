"""Quantifiers, CHOOSE and sets with binders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.translate.kinds import of_sets, unending
from bmc.frontends.tla.translate.lazy import (
    Comprehension,
    Formula,
    Lazy,
    Part,
    may_be_endless,
)
from bmc.frontends.tla.translate.reading import Reading
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.terms import Term


class Binders(Reading):
    """Translates what binds variables."""

    def domain(self, bound: c.Bound, context: Context) -> Lazy:
        """Return the set that a bound variable runs over."""
        if bound.domain is None:
            raise TlaUnsupported(
                bound.variables[0].span, "a bound variable without a set", "write x \\in S"
            )
        return self.value_of(bound.domain, context)

    def binding(self, bound: c.Bound, value: Lazy, context: Context) -> Context:
        """Return the context in which the bound variables have a value."""
        inner = dict(context.environment)
        if bound.is_tuple:
            for i, one in enumerate(bound.variables, 1):
                inner[one] = self.applied(value, i)
        else:
            inner[bound.variables[0]] = value
        return replace(context, environment=inner)

    def _quantifier(
        self, node: c.Quantifier, bounds: tuple[c.Bound, ...], context: Context
    ) -> Formula:
        domains = [self.domain(b, context) for b in bounds]
        binder = self.exists if node.kind is c.Quantification.EXISTS else self.forall

        def inside(at: int, inner: Context) -> Formula:
            if at == len(bounds):
                return self.formula_of(node.body, inner)
            bound = bounds[at]
            name = bound.variables[0].name
            return binder(
                domains[at], name, lambda x: inside(at + 1, self.binding(bound, x, inner))
            )

        found = inside(0, context)
        return self.all_of((self.of_bounds(bounds, context, listed=True), found))

    def _choose(self, node: c.Choose, context: Context) -> Lazy:
        members = self.domain(node.bound, context)
        return self.chosen(
            members,
            node.bound.variables[0].name,
            lambda x: self.formula_of(node.body, self.binding(node.bound, x, context)),
        )

    def _set_map(self, node: c.SetMap, context: Context) -> Lazy:
        made: list[tuple[tuple[Any, ...], Callable[[list[Term]], tuple[Formula, Context]]]]
        made = [((), lambda b: (True, context))]
        for bound in node.bounds:
            members = self.domain(bound, context)
            if may_be_endless(members):
                raise unending(members)
            following: list[Any] = []
            for domains, before in made:
                for part in self.comprehension(members, bound.variables[0].name).parts:

                    def body(
                        b: list[Term],
                        before: Callable[[list[Term]], tuple[Formula, Context]] = before,
                        part: Part = part,
                        cut: int = len(domains),
                        bound: c.Bound = bound,
                    ) -> tuple[Formula, Context]:
                        g, inner = before(b[:cut])
                        h, element = part.body(b[cut:])
                        return self.all_of((g, h)), self.binding(bound, element, inner)

                    following.append(((*domains, *part.domains), body))
            made = following

        def finished(
            before: Callable[[list[Term]], tuple[Formula, Context]],
        ) -> Callable[[list[Term]], tuple[Formula, Lazy]]:
            def body(b: list[Term]) -> tuple[Formula, Lazy]:
                guard, inner = before(b)
                return guard, self.value_of(node.element, inner)

            return body

        mapped = Comprehension(tuple(Part(domains, finished(f)) for domains, f in made))
        return of_sets(mapped, [self.domain(one, context) for one in node.bounds])
