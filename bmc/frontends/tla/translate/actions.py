"""Actions and initial predicates as branches: arguments, guards and updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.forms import NoFit
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.kinds import Untranslatable, element_of
from bmc.frontends.tla.translate.lazy import Formula, Lazy
from bmc.frontends.tla.translate.normal_form import NormalForm
from bmc.frontends.tla.translate.one_point import Taken
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.errors import LanguageError
from bmc.lang.model import Argument
from bmc.lang.sorts import Sort, require_enumerable
from bmc.lang.state import state_variable
from bmc.lang.terms import Term


class Actions(NormalForm[Context]):
    """Takes actions apart into branches."""

    def __init__(self, expressions: Expressions) -> None:
        super().__init__()
        self.expressions = expressions

    def branches(self, node: c.Expression, context: Context | None = None) -> Iterator[Taken]:
        """Yield every branch of an action."""
        start = context if context is not None else Context({})
        for found in self.steps(node, start):
            updates = {n: self._term(n, value, node) for n, value in found.updates.items()}
            yield Taken(found.arguments, found.guards, updates)

    def _term(self, name: str, value: Lazy, node: c.Expression) -> Term:
        try:
            return self.expressions.coerce(value, self.expressions.sorts[name])
        except (NoFit, Untranslatable, LanguageError) as problem:
            raise TlaUnsupported(
                node.span,
                f"the value that {name} gets does not fit its sort "
                f"{self.expressions.sorts[name]}: {problem}",
                "",
            ) from None

    def environment(self, context: Context) -> Mapping[c.Binding, Any]:
        return context.environment

    def within(self, context: Context, environment: Mapping[c.Binding, Any]) -> Context:
        return replace(context, environment=environment)

    def guarded(self, node: c.Expression, context: Context, positive: bool) -> Iterator[Context]:
        formula = self.expressions.formula_of(node, context)
        yield from self._under(formula if positive else self.expressions.negated(formula), context)

    def _under(self, formula: Formula, context: Context) -> Iterator[Context]:
        if formula is False:
            return
        if formula is True:
            yield context
            return
        assert isinstance(formula, Term)
        parts = formula.args if formula.op == "and" else (formula,)
        yield replace(context, guards=(*context.guards, *parts))

    def assigned(self, context: Context, name: str) -> bool:
        return name in context.updates

    def assign(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        if name in context.updates:
            value = self.expressions.value_of(node, context)
            formula = self.expressions.equal(context.updates[name], value)
            yield from self._under(formula, context)
            return
        value = self.expressions.value_of(node, context)
        sort = self.expressions.sorts[name]
        try:
            self.expressions.coerce(value, sort)
        except NoFit:
            # No state that is reached has this value, as far as its sort is right: like any value
            # outside its sort it is an event of the model, which proofs exclude.
            value = self.expressions.undefined(sort)
        except (Untranslatable, LanguageError) as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        # Not brought to its sort yet: where a later conjunct reads it primed and is false of it,
        # there is no step that could leave the bounds.
        yield replace(context, updates={**context.updates, name: value})

    def assign_one_of(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        members = self.expressions.value_of(node, context)
        for value, inner in self._choices(members, name, node, context):
            sort = self.expressions.sorts[name]
            try:
                self.expressions.coerce(value, sort)
            except NoFit:
                # It may be outside a bound that was guessed: a step to it is no step that is left
                # out, but one that leaves the model.
                value = self.expressions.undefined(sort)
            yield replace(inner, updates={**inner.updates, name: value})

    def keep(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        before = state_variable(name, self.expressions.sorts[name])
        if name in context.updates:
            yield from self._under(self.expressions.equal(context.updates[name], before), context)
            return
        yield replace(context, updates={**context.updates, name: before})

    def chosen(self, bounds: tuple[c.Bound, ...], context: Context) -> Iterator[Context]:
        domains = [self.expressions.domain(b, context) for b in bounds]

        def inside(at: int, inner: Context) -> Iterator[Context]:
            if at == len(bounds):
                yield inner
                return
            bound = bounds[at]
            name = bound.variables[0].name
            assert bound.domain is not None
            for value, taken in self._choices(domains[at], name, bound.domain, inner):
                yield from inside(at + 1, self.expressions.binding(bound, value, taken))

        yield from inside(0, context)

    def _choices(
        self, members: Lazy, name: str, node: c.Expression, context: Context
    ) -> Iterator[tuple[Lazy, Context]]:
        """Yield the values of a set's members, each with the arguments that choose it."""
        try:
            parts = self.expressions.comprehension(members, name).parts
        except Untranslatable as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        for part in parts:
            arguments = list(context.arguments)
            guards = list(context.guards)
            variables: list[Term] = []
            for wanted, domain in part.domains:
                called = _unused(wanted, arguments)
                sort = domain if isinstance(domain, Sort) else element_of(domain)
                variable = build.argument(called, sort)
                collection = None if isinstance(domain, Sort) else domain
                guard = None
                if collection is not None and collection.op != "variable":
                    guard, collection = build.member(variable, collection), None
                if collection is None:
                    self._require_listed(sort, node)
                elif collection.free:
                    guard, collection = build.member(variable, collection), None
                arguments.append(Argument(called, variable, collection))
                variables.append(variable)
                if guard is not None:
                    guards.append(guard)
            inner = replace(context, arguments=tuple(arguments), guards=tuple(guards))
            guard_of, element = part.body(variables)
            for taken in self._under(guard_of, inner):
                yield element, taken

    def _require_listed(self, sort: Sort, node: c.Expression) -> None:
        try:
            require_enumerable(sort, "a choice", sets=True)
        except LanguageError as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

    def each(self, bounds: tuple[c.Bound, ...], context: Context) -> list[Context]:
        found = [context]
        for bound in bounds:
            members = self.expressions.domain(bound, context)
            if not isinstance(members, frozenset) or self.expressions.touches_scalarset(members):
                raise TlaUnsupported(
                    bound.variables[0].span,
                    "an action for each member of a set that is not constant",
                    "assign the variable as a whole: x' = [i \\in S |-> …]",
                )
            found = [
                self.expressions.binding(bound, one, inner)
                for inner in found
                for one in self.expressions.constants.members(members)
            ]
        return found

    def bound_argument(self, node: c.Expression, context: Context, of_step: bool) -> Any:
        return self.expressions.argument(node, context, of_step)


def _unused(name: str, arguments: list[Argument]) -> str:
    taken = {a.name for a in arguments}
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
