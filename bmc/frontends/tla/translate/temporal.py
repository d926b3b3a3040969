"""Temporal properties and fairness of a specification as claims of the liveness engines.

Fairness names actions of the model where it can: where `A` of `WF_v(A)` is made of disjuncts of the
next-state relation as they stand there, for all their choices or for each one apart
(`\\A p \\in S : WF_v(Step(p))`), and `v` is all variables. Else it says by formulas in which states
`<<A>>_v` is enabled, and which steps it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.behaviour import variables_of
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.excerpt import on_one_line
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.survey import reached
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.atoms import Atom, atoms_of
from bmc.frontends.tla.translate.enabled import enabled
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.model import Source
from bmc.lang.substitution import TermSubstitution
from bmc.lang.temporal import (
    Condition,
    Fairness,
    FairSteps,
    Formula,
    Not,
    Now,
    TemporalProperty,
    always,
    both,
    either_of,
    entails,
    eventually,
    every_step,
    happens,
    leads_to,
    never,
)
from bmc.lang.terms import Term


@dataclass(frozen=True)
class Leaf:
    """A disjunct of the next-state relation, and the model's actions that it became."""

    node: c.Expression
    context: Context
    actions: tuple[str, ...]


Disjuncts = Callable[[c.Expression, Context], Iterator[tuple[c.Expression, Context]]]
"""The disjuncts of an action, each with what its names mean."""


class Temporal:
    """Translates what a specification says of behaviours.

    ``atoms`` takes the formulas of which claims and fairness are made, as far as the text can be
    asked for their values, and ``texts`` are those that conditions are quoted from.
    """

    def __init__(
        self,
        expressions: Expressions,
        actions: Actions,
        leaves: Sequence[Leaf],
        split: Disjuncts,
        free: Mapping[str, frozenset[str]],
        atoms: list[Atom],
        texts: Mapping[str, str],
    ) -> None:
        self.expressions = expressions
        self.actions = actions
        self.leaves = leaves
        self.split = split
        self.free = free
        """The arguments of each action of the model that range over a sort."""
        self.atoms = atoms
        self.texts = texts
        self._domains: dict[Term, c.Expression | None] = {}
        """The constant sets that choices are taken from."""
        self._local: set[c.Definition] = set()
        """The definitions of each LET around what was translated."""

    def claim(self, name: str, node: c.Expression, specification: str) -> TemporalProperty:
        """Return a claim about a specification's behaviours. Raises TlaUnsupported."""
        context = Context({})
        body = _unfolded(node)
        while isinstance(body, c.Quantifier) and body.kind is c.Quantification.FORALL:
            chosen = self._chosen(body, context)
            if chosen is None:
                break
            context, body = chosen, _unfolded(body.body)
        formula = self.formula(body, context)
        source = Source(node.span.file, node.span.line)
        variables = tuple(one.variable for one in context.arguments)
        return TemporalProperty(name, variables, formula, "", specification, source)

    def _chosen(self, node: c.Quantifier, context: Context) -> Context | None:
        """Return the context of one free choice for each bound variable, if there is such."""
        found = self._opened(node.bounds, context)
        if len(found) != 1 or found[0].guards:
            return None
        return None if any(a.collection is not None for a in found[0].arguments) else found[0]

    def _opened(self, bounds: tuple[c.Bound, ...], context: Context) -> list[Context]:
        found = list(self.actions.chosen(bounds, context))
        for bound in bounds:
            values: list[Any] = [inner.environment[bound.variables[0]] for inner in found]
            # Of members of several kinds each choice is from a part of the set, not from all of it.
            whole = len(set(map(id, values))) == 1 and not any(inner.guards for inner in found)
            if whole and isinstance(values[0], Term) and self._is_plain(bound):
                self._domains[values[0]] = bound.domain
        return found

    def _is_plain(self, bound: c.Bound) -> bool:
        domain = bound.domain
        if bound.is_tuple or domain is None or level(domain) > Level.CONSTANT:
            return False
        return not self.actions.free.of(domain)

    def formula(self, node: c.Expression, context: Context) -> Formula:
        """Return a temporal formula. Raises TlaUnsupported."""
        if level(node) <= Level.STATE:
            return Now(self._state(node, context))
        match node:
            case c.Builtin():
                return self._connective(node, context)
            case c.Always(operand=operand) if not _of_steps(operand):
                return always(self.formula(operand, context))
            case c.Eventually(operand=operand) if not _of_steps(operand):
                return eventually(self.formula(operand, context))
            case c.Always(operand=operand):
                step = _unfolded(operand)
                if isinstance(step, c.AngleAction):
                    raise _refused(node, "[]<<A>>_v, which TLA+ has not,")
                return every_step(self._step(step, context))
            case c.Eventually(operand=operand):
                step = _unfolded(operand)
                if isinstance(step, c.BoxAction):
                    raise _refused(node, "<>[A]_v, which TLA+ has not,")
                return happens(self._step(step, context))
            case c.Fairness():
                enabled, step_of = self._enabled(node, context), self._step(_angle(node), context)
                goes_on = happens(step_of)
                if node.kind is c.FairnessKind.STRONG:
                    return either_of(eventually(never(Now(enabled))), always(goes_on))
                return always(either_of(eventually(Not(Now(enabled))), goes_on))
            case c.Let(definitions=definitions, body=body):
                self._local.update(definitions)
                return self.formula(body, context)
            case c.If(condition=condition, then=then, otherwise=otherwise):
                asked = self.formula(condition, context)
                return both(
                    entails(asked, self.formula(then, context)),
                    either_of(asked, self.formula(otherwise, context)),
                )
            case c.LeadsTo(before=before, after=after):
                return leads_to(self.formula(before, context), self.formula(after, context))
            case c.Call(definition=definition, arguments=arguments) if not definition.is_recursive:
                inner = self.actions.entered(definition, arguments, context)
                return self.formula(definition.body, inner)
            case c.Quantifier(bounds=bounds, body=body, kind=kind):
                _require_constant(bounds)
                self.actions.require_names(bounds, context)
                parts = [self.formula(body, one) for one in self._each(bounds, context)]
                return both(*parts) if kind is c.Quantification.FORALL else either_of(*parts)
            case _:
                raise _refused(node, "this temporal formula", _MEANT)

    def _each(self, bounds: tuple[c.Bound, ...], context: Context) -> list[Context]:
        try:
            return self.actions.each(bounds, context, spaces=True)
        except TlaUnsupported as problem:
            # Of actions it is advised to assign a variable as a whole, which no claim does.
            raise TlaUnsupported(
                problem.span,
                "a temporal formula for each member of a set that is not constant, or of a large "
                "one, is not checked: quantify over constants, and say in it who is a member",
            ) from problem

    def _connective(self, node: c.Builtin, context: Context) -> Formula:
        parts = [self.formula(one, context) for one in node.arguments]
        match node.operator:
            case O.AND:
                return both(*parts)
            case O.OR:
                return either_of(*parts)
            case O.NOT:
                return Not(parts[0])
            case O.IMPLIES:
                return entails(parts[0], parts[1])
            case O.EQUIVALENT:
                return both(entails(parts[0], parts[1]), entails(parts[1], parts[0]))
            case _:
                raise _refused(node, "this temporal formula", _MEANT)

    def _state(self, node: c.Expression, context: Context) -> Term:
        term = self.expressions.term(self.expressions.formula_of(node, context))
        return self._noted(Atom(node, term, of_step=False), context)

    def _step(self, node: c.Expression, context: Context) -> Term:
        """Return a formula of a step as one that reads primed variables."""
        if isinstance(node, c.AngleAction):
            node = _changing(node)
        self.expressions.relation = True
        try:
            term = self.expressions.term(self.expressions.formula_of(node, context))
        finally:
            self.expressions.relation = False
        return self._noted(Atom(node, term, of_step=True), context)

    def _noted(self, made: Atom, context: Context) -> Term:
        free = self.actions.free.of(made.node)
        if around := tuple(one for one in reached([made.node]) if one in self._local):
            made = replace(made, node=c.Let(made.node.span, around, made.node))
        self.atoms += atoms_of(made, free, context, self._domains)
        return made.term

    def _enabled(self, node: c.Fairness, context: Context) -> Term:
        """Return that a step `<<A>>_v` is possible. Raises TlaUnsupported."""
        if node.guard is not None:
            return self._state(node.guard, context)
        term = self.expressions.term(enabled(self.actions, _angle(node), context))
        asked = c.Enabled(node.span, _angle(node))
        return self._noted(Atom(asked, term, of_step=False), context)

    def fairness(
        self, node: c.Expression, variables: frozenset[str], by_steps: bool
    ) -> Iterator[Condition]:
        """Yield the conditions that a conjunct of the specification is. Raises TlaUnsupported.

        With ``by_steps`` no condition names actions of the model.
        """
        yield from self._fairness(node, Context({}), frozenset() if by_steps else variables)

    def _fairness(
        self, node: c.Expression, context: Context, variables: frozenset[str]
    ) -> Iterator[Condition]:
        match node:
            case c.Builtin(operator=O.AND, arguments=parts):
                for part in parts:
                    yield from self._fairness(part, context, variables)
            case c.Call(definition=definition, arguments=arguments) if not definition.is_recursive:
                inner = self.actions.entered(definition, arguments, context)
                yield from self._fairness(definition.body, inner, variables)
            case c.Quantifier(bounds=bounds, body=body, kind=c.Quantification.FORALL):
                for bound in bounds:
                    # It is drawn in the first state, and means the same ones for ever.
                    if bound.domain is not None and level(bound.domain) > Level.CONSTANT:
                        raise _refused(bound.domain, "fairness for each member of what varies")
                for inner in self._opened(bounds, context):
                    yield from self._fairness(body, inner, variables)
            case c.Let(definitions=definitions, body=body):
                self._local.update(definitions)
                yield from self._fairness(body, context, variables)
            case c.Builtin(operator=O.IMPLIES, arguments=(premise, inner)) if (
                level(premise) <= Level.CONSTANT
            ):
                for chosen in self.actions.guarded(premise, context, True):
                    yield from self._fairness(inner, chosen, variables)
            case c.Fairness():
                named = None
                whole = variables and self._is_all(variables, node.subscript, context)
                if node.guard is None and whole:
                    named = self._of_actions(node, context)
                yield self._of_steps(node, context) if named is None else named
            case _:
                # In the message, since a note on what is not checked shows no hint.
                raise TlaUnsupported(
                    node.span,
                    "a conjunct of the specification that is neither fairness nor steps is not "
                    "taken: leave it out there, and state it as the premise of each PROPERTY that "
                    "needs it (premise => claim)",
                )

    def _is_all(self, variables: frozenset[str], subscript: c.Expression, context: Context) -> bool:
        """Tell whether a subscript changes with any variable, and has a value in every state.

        TLC finds the values of all its parts, also of `f[at]` in `<<vars, f[at]>>`.
        """
        every = variables <= set(variables_of(subscript))
        return every and self.expressions.reads(subscript, context) is True

    def _of_steps(self, node: c.Fairness, context: Context) -> FairSteps:
        guards = [*context.guards]
        inner = replace(context, guards=())
        possible = build.conj(*guards, self._enabled(node, inner))
        taken = build.conj(*guards, self._step(_angle(node), inner))
        arguments = tuple(one.variable for one in context.arguments)
        strong = node.kind is c.FairnessKind.STRONG
        return FairSteps(strong, arguments, possible, taken, on_one_line(node.span, self.texts))

    def _of_actions(self, node: c.Fairness, outer: Context) -> Fairness | None:
        """Return the condition by the model's actions; None where it is none of theirs."""
        named: dict[str, None] = {}
        per: set[tuple[str, ...]] = set()
        for leaf, context in self.split(node.action, outer):
            alike = [(known, self._alike(known, leaf, context, outer)) for known in self.leaves]
            fitting = [(known, names) for known, names in alike if names is not None]
            if not fitting:
                return None
            for known, names in fitting:
                named.update(dict.fromkeys(known.actions))
                per.add(names)
        if len(per) > 1 or any(len(names) != len(outer.arguments) for names in per) or not named:
            return None
        each = per.pop()
        # A choice that the state decides (`Pass(p) == holder = p /\\ …`) is none of the model's.
        if any(not self.free[action].issuperset(each) for action in named):
            return None
        return Fairness(node.kind is c.FairnessKind.STRONG, tuple(named), each)

    def _alike(
        self, one: Leaf, node: c.Expression, context: Context, outer: Context
    ) -> tuple[str, ...] | None:
        """Return which of a disjunct's choices the outer ones are; None if it is another one."""
        if one.node is not node:
            return None
        mine = {a.variable: a.name for a in one.context.arguments if a.collection is None}
        theirs = {a.variable for a in context.arguments if a.collection is None}
        renamed: dict[Term, Term] = {}
        for binding in self.actions.free.of(node):
            here: Any = one.context.environment.get(binding)
            there: Any = context.environment.get(binding)
            if _is_choice(here, mine) and _is_choice(there, theirs):
                if here.sort != there.sort or renamed.setdefault(here, there) is not there:
                    return None
            elif isinstance(here, Term) or isinstance(there, Term) or not _same(here, there):
                return None
        guards = tuple(map(TermSubstitution(renamed), one.context.guards))
        if guards != context.guards:
            return None
        fixed = [a.variable for a in outer.arguments]
        named = {there: mine[here] for here, there in renamed.items()}
        return tuple(named[variable] for variable in fixed if variable in named)


def _is_choice(held: Any, variables: Mapping[Term, str] | set[Term]) -> bool:
    return isinstance(held, Term) and held in variables


def _same(here: object, there: object) -> bool:
    return type(here) is type(there) and bool(here == there)


def _unfolded(node: c.Expression) -> c.Expression:
    while isinstance(node, c.Call) and not node.arguments and level(node) > Level.STATE:
        node = node.definition.body
    return node


def _of_steps(node: c.Expression) -> bool:
    return isinstance(_unfolded(node), c.BoxAction | c.AngleAction)


def _changing(node: c.AngleAction) -> c.Expression:
    """Return `<<A>>_v` as what TLC asks of behaviours: whether v changes, and only then A."""
    same = c.Unchanged(node.span, node.subscript)
    changes = c.Builtin(node.span, O.NOT, (same,))
    return c.Builtin(node.span, O.AND, (changes, node.action))


def _angle(node: c.Fairness) -> c.AngleAction:
    return c.AngleAction(node.span, node.action, node.subscript)


def _require_constant(bounds: tuple[c.Bound, ...]) -> None:
    for bound in bounds:
        if bound.domain is not None and level(bound.domain) > Level.CONSTANT:
            hint = "quantify over a constant set, and say in the formula who is a member"
            raise _refused(bound.domain, "a temporal formula for each member of what varies", hint)


_MEANT = "of steps write [][A]_v and <>(<<A>>_v), and join formulas by /\\, \\/, ~, => and ~>"


def _refused(node: c.Expression, what: str, hint: str = "") -> TlaUnsupported:
    return TlaUnsupported(node.span, f"{what} is not checked", hint)
