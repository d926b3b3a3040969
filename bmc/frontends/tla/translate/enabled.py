"""Whether a step can be taken, as a formula over the state before it."""

from __future__ import annotations

from dataclasses import replace

from bmc.frontends.tla import core as c
from bmc.frontends.tla.translate.actions import Actions
from bmc.frontends.tla.translate.lazy import Formula
from bmc.frontends.tla.translate.one_point import one_point, substituted
from bmc.frontends.tla.translate.translator import Context
from bmc.lang import build
from bmc.lang.model import Argument
from bmc.lang.terms import Term


def possible(arguments: tuple[Argument, ...], guards: tuple[Term, ...]) -> Term:
    """Return that there are arguments under which the guards hold."""

    def over(at: int, environment: dict[Term, Term]) -> Term:
        if at == len(arguments):
            return build.conj(*(substituted(g, environment, {}) for g in guards))
        argument = arguments[at]

        def body(x: Term) -> Term:
            return over(at + 1, {**environment, argument.variable: x})

        body.binds = argument.name  # type: ignore[attr-defined]
        domain = argument.collection if argument.collection is not None else argument.variable.sort
        return build.exists(domain, body)

    return over(0, {})


def enabled(actions: Actions, node: c.Expression, context: Context) -> Formula:
    """Return ENABLED of an action: some way to take it has guards that hold."""
    inner = replace(context, arguments=(), guards=(), updates={}, primed=False)
    ways = []
    for taken in actions.branches(node, inner):
        found = one_point(taken)
        ways.append(possible(found.arguments, found.guards))
    return actions.expressions.any_of(ways)
