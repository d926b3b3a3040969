"""When an action can be taken: its guards at some choice of its arguments, as a formula."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bmc.lang.build import conj, disj
from bmc.lang.model import Action, Model
from bmc.lang.sorts import BOOL
from bmc.lang.terms import Term, make


def possible(action: Action, guards: Iterable[Term], given: Collection[str] = ()) -> Term:
    """Return that formulas hold at some choice of an action's arguments.

    The arguments of the names ``given`` are not chosen: they stay free.
    """
    formula = conj(*guards)
    for argument in reversed(action.arguments):
        if argument.name not in given:
            drawn_from = () if argument.collection is None else (argument.collection,)
            formula = make("exists", (argument.variable, *drawn_from, formula), BOOL)
    return formula


def some_step(model: Model) -> Term:
    """Return that some action can be taken, perhaps to a state outside the state constraint."""
    return disj(*(possible(a, b.guards) for a in model.actions for b in a.branches))
