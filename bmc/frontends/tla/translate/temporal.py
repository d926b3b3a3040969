"""Temporal properties and fairness of a specification as claims of the liveness engines.

A fairness condition names actions of the model, so `WF_v(A)` is translated where A is made of
disjuncts of the next-state relation as they stand there, for all their choices or for each one
apart (`\\A p \\in S : WF_v(Step(p))`), and `v` is all variables. Everything else is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.errors import TlaUnsupported
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.operators import Operator as O
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.expressions import Expressions
from bmc.frontends.tla.translate.one_point import substituted
from bmc.frontends.tla.translate.translator import Context
from bmc.lang.model import Argument, Source
from bmc.lang.temporal import (
    Fairness,
    Formula,
    Not,
    Now,
    TemporalProperty,
    always,
    both,
    either_of,
    entails,
    eventually,
    leads_to,
)
from bmc.lang.terms import Term

SPECIFICATION = "Spec"
"""The name of the specification that temporal claims are made under."""


@dataclass(frozen=True)
class Leaf:
    """A disjunct of the next-state relation, and the model's actions that it became."""

    node: c.Expression
    context: Context
    actions: tuple[str, ...]


Disjuncts = Callable[[c.Expression, Context], Iterator[tuple[c.Expression, Context]]]
"""The disjuncts of an action, each with what its names mean."""


class Temporal:
    """Translates what a specification says of behaviours."""

    def __init__(
        self, expressions: Expressions, actions: Actions, leaves: Sequence[Leaf], split: Disjuncts
    ) -> None:
        self.expressions = expressions
        self.actions = actions
        self.leaves = leaves
        self.split = split

    def claim(self, name: str, node: c.Expression) -> TemporalProperty:
        """Return a claim about behaviours. Raises TlaUnsupported."""
        context = Context({})
        arguments: tuple[Argument, ...] = ()
        body = _unfolded(node)
        while isinstance(body, c.Quantifier) and body.kind is c.Quantification.FORALL:
            chosen = self._chosen(body, context)
            if chosen is None:
                break
            context, body = chosen, _unfolded(body.body)
            arguments = context.arguments
        formula = self.formula(body, Context(context.environment))
        source = Source(node.span.file, node.span.line)
        variables = tuple(one.variable for one in arguments)
        return TemporalProperty(name, variables, formula, "", SPECIFICATION, source)

    def _chosen(self, node: c.Quantifier, context: Context) -> Context | None:
        """Return the context of one free choice for each bound variable, if there is such."""
        found = list(self.actions.chosen(node.bounds, context))
        if len(found) != 1 or found[0].guards:
            return None
        return None if any(a.collection is not None for a in found[0].arguments) else found[0]

    def formula(self, node: c.Expression, context: Context) -> Formula:
        """Return a temporal formula. Raises TlaUnsupported."""
        if level(node) <= Level.STATE:
            return Now(self.expressions.term(self.expressions.formula_of(node, context)))
        match node:
            case c.Builtin():
                return self._connective(node, context)
            case c.Always(operand=operand) if not _of_steps(operand):
                return always(self.formula(operand, context))
            case c.Eventually(operand=operand) if not _of_steps(operand):
                return eventually(self.formula(operand, context))
            case c.LeadsTo(before=before, after=after):
                return leads_to(self.formula(before, context), self.formula(after, context))
            case c.Call(definition=definition, arguments=arguments) if not definition.is_recursive:
                inner = self.actions.entered(definition, arguments, context)
                return self.formula(definition.body, inner)
            case c.Quantifier(bounds=bounds, body=body, kind=kind):
                parts = [self.formula(body, one) for one in self.actions.each(bounds, context)]
                return both(*parts) if kind is c.Quantification.FORALL else either_of(*parts)
            case _:
                raise _refused(node, "this temporal formula")

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
                raise _refused(node, "this temporal formula")

    def fairness(self, node: c.Expression, variables: frozenset[str]) -> Iterator[Fairness]:
        """Yield the conditions that a conjunct of the specification is. Raises TlaUnsupported."""
        yield from self._fairness(node, Context({}), variables)

    def _fairness(
        self, node: c.Expression, context: Context, variables: frozenset[str]
    ) -> Iterator[Fairness]:
        match node:
            case c.Builtin(operator=O.AND, arguments=parts):
                for part in parts:
                    yield from self._fairness(part, context, variables)
            case c.Call(definition=definition, arguments=arguments) if not definition.is_recursive:
                inner = self.actions.entered(definition, arguments, context)
                yield from self._fairness(definition.body, inner, variables)
            case c.Quantifier(bounds=bounds, body=body, kind=c.Quantification.FORALL):
                for inner in self.actions.chosen(bounds, context):
                    yield from self._fairness(body, inner, variables)
            case c.Fairness():
                if node.hidden is not None:
                    # A guard of fairness is ENABLED, which hides what stands for the variable.
                    what = "fairness in an instance of a module with a variable"
                    raise _refused(node, f"{what} {node.hidden} that has no variable of its own")
                if not variables <= set(_mentioned(node.subscript)):
                    raise _refused(node.subscript, "fairness with a subscript of some variables")
                yield self._condition(node, context)
            case _:
                raise _refused(node, "this conjunct of the specification")

    def _condition(self, node: c.Fairness, outer: Context) -> Fairness:
        named: dict[str, None] = {}
        per: set[tuple[str, ...]] = set()
        for leaf, context in self.split(node.action, outer):
            alike = [(known, self._alike(known, leaf, context, outer)) for known in self.leaves]
            fitting = [(known, names) for known, names in alike if names is not None]
            if not fitting:
                raise _refused(node.action, "fairness of what is no disjunct of the next states")
            for known, names in fitting:
                named.update(dict.fromkeys(known.actions))
                per.add(names)
        if len(per) > 1 or any(len(names) != len(outer.arguments) for names in per) or not named:
            raise _refused(node.action, "fairness for each choice of an action that lacks it")
        return Fairness(node.kind is c.FairnessKind.STRONG, tuple(named), per.pop())

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
        guards = tuple(substituted(guard, renamed, {}) for guard in one.context.guards)
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


def _mentioned(node: c.Expression) -> Iterator[str]:
    """Yield the variables of which a subscript is the tuple."""
    match node:
        case c.VariableRef(name=name):
            yield name
        case c.TupleLiteral(elements=elements):
            for one in elements:
                yield from _mentioned(one)
        case c.Call(definition=definition, arguments=()):
            yield from _mentioned(definition.body)


def _refused(node: c.Expression, what: str) -> TlaUnsupported:
    return TlaUnsupported(node.span, f"{what} is not checked", "")
