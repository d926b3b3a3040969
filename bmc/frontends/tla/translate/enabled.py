"""Whether a step can be taken, as a formula over the state before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.lazy import Formula
from bmc.frontends.tla.translate.one_point import one_point
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.build import binder_depth, bound_variable
from bmc.lang.model import Argument
from bmc.lang.sorts import BOOL
from bmc.lang.substitution import TermSubstitution
from bmc.lang.terms import Term, make, subterms


def possible(arguments: tuple[Argument, ...], guards: tuple[Term, ...]) -> Term:
    """Return that there are arguments under which the guards hold.

    Their binders are of a level that no binder in the guards or around them has: `\\E p` in a guard
    may be of an operator that is given the argument `p` under another name.
    """
    inside = [_level(part) for part in subterms(guards) if part.op == "bound_variable"]
    outer: int = max(binder_depth(), *(one + 1 for one in inside), 0)
    bound = {a.variable: bound_variable(a.name, outer, a.variable.sort) for a in arguments}
    formula = build.conj(*map(TermSubstitution(bound), guards))
    for argument in reversed(arguments):
        drawn_from = () if argument.collection is None else (argument.collection,)
        formula = make("exists", (bound[argument.variable], *drawn_from, formula), BOOL)
    return formula


def _level(variable: Term) -> int:
    of_binder: Any = variable.data
    found: int = of_binder[0]
    return found


def enabled(actions: Actions, node: c.Expression, context: Context) -> Formula:
    """Return ENABLED of an action: some way to take it has guards that hold."""
    # The arguments around it are kept, so that its own have other names.
    # A state between two composed actions is what it is: the second one's guards may ask of it.
    between = {n: one for n, one in context.updates.items() if n not in actions.expressions.sorts}
    inner = replace(context, guards=(), updates=between, primed=False)
    around = len(context.arguments)
    ways = []
    expressions = actions.expressions
    # Inside of it a primed variable is what the action makes it, also where a step is asked about.
    outside = expressions.relation, actions.is_enabled
    expressions.relation, actions.is_enabled = False, True
    try:
        for taken in actions.branches(node, inner):
            inside = replace(taken, arguments=taken.arguments[around:])
            found = one_point(inside, expressions.is_partial)
            ways.append(possible(found.arguments, found.guards))
    finally:
        expressions.relation, actions.is_enabled = outside
    return expressions.any_of(ways)
