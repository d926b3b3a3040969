"""Actions and initial predicates as branches: arguments, guards and updates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.abstract import domain as d
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.forms import NoFit
from bmc.frontends.tla.translate.asked import without_repeated
from bmc.frontends.tla.translate.constant_sets import NotConstant
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.formulas import decided
from bmc.frontends.tla.translate.kinds import NotSymmetric, Untranslatable, element_of
from bmc.frontends.tla.translate.lazy import (
    Formula,
    FunctionSpace,
    Lazy,
    Part,
    PowerSet,
    RecordSpace,
    TupleSpace,
)
from bmc.frontends.tla.translate.merging import many_choices, merged
from bmc.frontends.tla.translate.normal_form import NormalForm, Way
from bmc.frontends.tla.translate.one_point import Taken
from bmc.frontends.tla.translate.surely import Surely
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.errors import LanguageError
from bmc.lang.model import Argument
from bmc.lang.sorts import BOOL, Sort, require_enumerable
from bmc.lang.state import state_variable
from bmc.lang.terms import Term

MOST_LISTED = 256
"""The most members of a product, or of a set of sets or functions, that are taken one by one."""


class Actions(NormalForm[Context]):
    """Takes actions apart into branches."""

    def __init__(self, expressions: Expressions) -> None:
        super().__init__()
        self.expressions = expressions
        self._surely = Surely(expressions.is_partial)
        self.is_enabled = False
        """Whether it is only asked if there is a step: to any state, also one outside the sorts."""
        self._ended: list[Context] = []
        """Where a guard is never true, behind others that are read and may have no value."""

    def branches(self, node: c.Expression, context: Context | None = None) -> Iterator[Taken]:
        """Yield every branch of an action.

        One whose last guard is FALSE leads nowhere: in its other guards is what TLC reads.
        """
        start = context if context is not None else Context({})
        outer, self._ended = self._ended, []
        found: list[Context] = []
        ends: list[int] = []
        try:
            for one in self.steps(node, start):
                found.append(one)
                ends.append(len(self._ended))
            ended = self._ended
        except Untranslatable as problem:
            # Of what is only worked out where it is read nobody nearer has known the place.
            raise TlaUnsupported(node.span, str(problem), "") from None
        finally:
            self._ended = outer
        # ENABLED reads ways until one can be taken; of a step TLC reads all, in whatever order.
        at = 0
        for i, one in enumerate(found):
            if self.is_enabled:
                yield from self._leading_nowhere(
                    ended[at : ends[i]], [*found[: i + 1], *ended[:at]]
                )
                at = ends[i]
            kept = {} if self.is_enabled else one.updates
            updates = {n: self._term(n, value, node) for n, value in kept.items()}
            yield Taken(one.arguments, without_repeated(one.guards), updates)
        yield from self._leading_nowhere(ended[at:], [*found, *ended[:at]])

    def _leading_nowhere(self, ended: list[Context], others: list[Context]) -> Iterator[Taken]:
        """Yield what reads the guards that end an action, unless others read them as well."""
        for one in _not_repeated(ended, others):
            yield Taken(one.arguments, (*without_repeated(one.guards), build.FALSE), self._same())

    def _same(self) -> dict[str, Term]:
        """Return updates, for what is never taken, that change nothing."""
        sorts = self.expressions.sorts.items()
        if self.initial:
            return {name: self.expressions.undefined(sort) for name, sort in sorts}
        return {name: state_variable(name, sort) for name, sort in sorts}

    def _term(self, name: str, value: Lazy, node: c.Expression) -> Term:
        sort = self.expressions.sorts[name]
        try:
            return self.expressions.coerce(value, sort)
        except NoFit:
            # No state that is reached has this value, as far as its sort is right: like any value
            # outside its sort it is an event of the model, which proofs exclude.
            return self.expressions.undefined(sort)
        except (Untranslatable, LanguageError) as problem:
            raise TlaUnsupported(
                node.span,
                f"the value that {name} gets does not fit its sort {sort}: {problem}",
                "",
            ) from None

    def environment(self, context: Context) -> Mapping[c.Binding, Any]:
        return context.environment

    def within(self, context: Context, environment: Mapping[c.Binding, Any]) -> Context:
        return replace(context, environment=environment)

    def guarded(self, node: c.Expression, context: Context, positive: bool) -> Iterator[Context]:
        formula = self.expressions.formula_of(node, context)
        yield from self._under(formula if positive else self.expressions.negated(formula), context)

    def without_arm(self, context: Context) -> None:
        nothing = self.expressions.undefined(BOOL)
        self._ended.append(replace(context, guards=(*context.guards, nothing)))

    def alternative(
        self, node: c.Expression, context: Context, positive: bool
    ) -> Iterator[Context]:
        if decided(self.expressions.formula_of(node, context)) is not (not positive):
            yield from self.guarded(node, context, positive)

    def either(
        self,
        condition: c.Expression,
        then: Way[Context],
        otherwise: Way[Context],
        context: Context,
    ) -> Iterator[Context]:
        if self.initial or not many_choices(context.arguments, self.expressions.layout):
            yield from super().either(condition, then, otherwise, context)
            return
        found = [
            (inner, end)
            for way, holds in ((then, True), (otherwise, False))
            for inner in self.alternative(condition, context, holds)
            for end in way(inner)
        ]
        if len(found) == 2 and found[0][0] is not found[1][0]:
            formula = self.expressions.formula_of(condition, context)
            one = merged(self.expressions, formula, found[0], found[1], context)
            if one is not None:
                yield one
                return
        yield from (end for _, end in found)

    def _under(self, formula: Formula, context: Context) -> Iterator[Context]:
        if formula is True:
            yield context
            return
        if formula is not False:
            assert isinstance(formula, Term)
            if _is_chosen(formula, context.arguments):
                yield context
                return
            context = replace(context, guards=self._and_guards(context.guards, formula))
        if decided(formula) is not False:
            yield context
        else:
            self._may_end(context)

    def _may_end(self, context: Context) -> None:
        """Take note that nothing may follow guards, which are read all the same."""
        if read := self._until_read(context.guards):
            self._ended.append(replace(context, guards=read))

    def _and_guards(self, guards: tuple[Term, ...], formula: Term) -> tuple[Term, ...]:
        """Return guards and a formula's parts but those that surely are true behind the others."""
        for part in formula.args if formula.op == "and" else (formula,):
            if decided(part) is not True or not self._surely.has_value(part, guards):
                guards = (*guards, part)
        return guards

    def _until_read(self, guards: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the guards up to the last that may be without a value."""
        for end in range(len(guards), 0, -1):
            if not self._surely.has_value(guards[end - 1], guards[: end - 1]):
                return guards[:end]
        return ()

    def assigned(self, context: Context, name: str) -> bool:
        return name in context.updates

    def _reads(self, node: c.Expression, context: Context) -> Formula:
        try:
            return self.expressions.reads(node, context)
        except Untranslatable as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

    def assign(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        (inside,) = self._under(self._reads(node, context), context)
        yield from self._assign(name, node, inside)

    def _assign(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        if name in context.updates:
            value = self.expressions.value_of(node, context)
            formula = self.expressions.equal(context.updates[name], value)
            yield from self._under(formula, context)
            return
        value = self.expressions.value_of(node, context)
        sort = None if self.is_enabled else self.expressions.sorts.get(name)
        if sort is None:
            # Whatever it is: it is no state of the model, but of ENABLED or of a composition.
            yield replace(context, updates={**context.updates, name: value})
            return
        try:
            self.expressions.coerce(value, sort)
        except NoFit:
            pass
        except (Untranslatable, LanguageError) as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        # Not brought to its sort yet: where a later conjunct reads it primed and is false of it,
        # there is no step that could leave the bounds.
        yield replace(context, updates={**context.updates, name: value})

    def assign_one_of(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        members = self.expressions.value_of(node, context)
        (inside,) = self._under(self._reads(node, context), context)
        for value, inner in self._choices(members, name, node, inside):
            yield replace(inner, updates={**inner.updates, name: value})

    def without(self, names: frozenset[str], context: Context) -> Context:
        return replace(
            context, updates={n: one for n, one in context.updates.items() if n not in names}
        )

    def keep(self, name: str, node: c.Expression, context: Context) -> Iterator[Context]:
        before = state_variable(name, self.expressions.sorts[name])
        if name in context.updates:
            yield from self._under(self.expressions.equal(context.updates[name], before), context)
            return
        yield replace(context, updates={**context.updates, name: before})

    def chosen(self, bounds: tuple[c.Bound, ...], context: Context) -> Iterator[Context]:
        domains = [self.expressions.domain(b, context) for b in bounds]
        (within,) = self._under(self.expressions.of_bounds(bounds, context, listed=True), context)

        def inside(at: int, inner: Context) -> Iterator[Context]:
            if at == len(bounds):
                yield inner
                return
            bound = bounds[at]
            name = bound.variables[0].name
            assert bound.domain is not None
            for value, taken in self._choices(domains[at], name, bound.domain, inner):
                yield from inside(at + 1, self.expressions.binding(bound, value, taken))

        yield from inside(0, within)

    def _choices(
        self, members: Lazy, name: str, node: c.Expression, context: Context
    ) -> Iterator[tuple[Lazy, Context]]:
        """Yield the values of a set's members, each with the arguments that choose it."""
        try:
            parts = self.expressions.comprehension(members, name).parts
        except Untranslatable as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None
        if not parts or any(_is_drawn_from(domain) for part in parts for _, domain in part.domains):
            # Where the set is empty there is no choice under which the guards would be read.
            self._may_end(context)
        for part in parts:
            arguments = list(context.arguments)
            guards = list(context.guards)
            variables: list[Term] = []
            for wanted, domain in part.domains:
                sort = domain if isinstance(domain, Sort) else element_of(domain)
                itself = len(part.domains) == 1 and _is_what_is_chosen(part, wanted, sort)
                called = unused(name if itself else wanted, arguments)
                variable = build.argument(called, sort)
                collection = None if isinstance(domain, Sort) else domain
                guard = None
                if collection is not None and not _is_drawn_from(collection):
                    guard, collection = build.member(variable, collection), None
                if collection is None:
                    self._require_listed(sort, node)
                arguments.append(Argument(called, variable, collection))
                variables.append(variable)
                if guard is not None:
                    guards.append(guard)
            inner = replace(context, arguments=tuple(arguments), guards=tuple(guards))
            try:
                guard_of, element = part.body(variables)
            except Untranslatable as problem:
                raise TlaUnsupported(node.span, str(problem), "") from None
            for taken in self._under(guard_of, inner):
                yield element, taken

    def _require_listed(self, sort: Sort, node: c.Expression) -> None:
        try:
            require_enumerable(sort, "a choice", sets=True)
        except LanguageError as problem:
            raise TlaUnsupported(node.span, str(problem), "") from None

    def each(
        self, bounds: tuple[c.Bound, ...], context: Context, *, spaces: bool = False
    ) -> list[Context]:
        """With ``spaces`` the members of products and sets of sets or functions are listed too."""
        found = [context]
        for bound in bounds:
            listed = self._listed if spaces else self.expressions.domain
            members = listed(bound, context)
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

    def require_names(self, bounds: tuple[c.Bound, ...], context: Context) -> None:
        layout = self.expressions.layout
        for bound in bounds:
            members = self._listed(bound, context)
            if isinstance(members, frozenset):
                for atom in d.possible_atoms(d.shape_of(members)):
                    if (owner := layout.owner(atom)) is not None:
                        raise NotSymmetric(owner)

    def _listed(self, bound: c.Bound, context: Context) -> Lazy:
        """Return the set that a bound ranges over, with its members where they are constants."""
        members = self.expressions.domain(bound, context)
        if isinstance(members, PowerSet | FunctionSpace | RecordSpace | TupleSpace):
            with suppress(NotConstant):
                listed = frozenset(self.expressions.constants.members(members))
                return listed if len(listed) <= MOST_LISTED else members
        return members

    def bound_argument(self, node: c.Expression, context: Context, of_step: bool) -> Any:
        return self.expressions.argument(node, context, of_step)


def _is_drawn_from(domain: Sort | Term) -> bool:
    """Tell whether a choice is made from the members alone that a variable has in a state."""
    return isinstance(domain, Term) and domain.op == "variable" and not domain.free


def _is_chosen(formula: Term, arguments: tuple[Argument, ...]) -> bool:
    """Tell whether a formula is that an argument is in the set that it was chosen from."""
    if formula.op != "member":
        return False
    one, members = formula.args
    return any(x.variable is one and x.collection is members for x in arguments)


def _not_repeated(ended: list[Context], taken: list[Context]) -> Iterator[Context]:
    """Yield the contexts that read more than any other does."""
    for at, one in enumerate(ended):
        others = (*taken, *ended[:at], *(x for x in ended[at + 1 :] if not _reads_all(one, x)))
        if not any(_reads_all(other, one) for other in others):
            yield one


def _reads_all(other: Context, one: Context) -> bool:
    """Tell whether a context reads all that another one does, under the same choices."""
    *before, last = one.guards
    if other.arguments != one.arguments or len(other.guards) <= len(before):
        return False
    alike = all(a is b for a, b in zip(before, other.guards, strict=False))
    return alike and _without_not(last) is _without_not(other.guards[len(before)])


def _without_not(guard: Term) -> Term:
    return guard.args[0] if guard.op == "not" else guard


def _is_what_is_chosen(part: Part, wanted: str, sort: Sort) -> bool:
    """Whether the only variable of a part is the member itself, as that of a filter is."""
    variable = build.argument(wanted, sort)
    _, element = part.body([variable])
    return element is variable


def unused(name: str, arguments: Iterable[Argument]) -> str:
    """Return a name that none of the arguments has: the given one, or it with a number."""
    taken = {a.name for a in arguments}
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
