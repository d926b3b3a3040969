"""Temporal claims and fairness in TLA+."""

from __future__ import annotations

from typing import assert_never

from bmc.lang.build import TRUE
from bmc.lang.model import Action, Argument, Model
from bmc.lang.temporal import Both, Fairness, Formula, Not, Now, Taken, Until
from bmc.reports.exports.tla.errors import NoTla
from bmc.reports.exports.tla.sorts import ATOM
from bmc.reports.exports.tla.terms import Terms


def formula(stated: Formula, terms: Terms) -> str:
    """Return a temporal formula. Raises NoTla for *until*, which TLA+ has not."""
    match stated:
        case Now(term):
            return terms.show(term, ATOM)
        case Taken(term):
            return f"<<{terms.show(term)}>>_vars"
        case Not(Until(Now(true), Taken(term))) if true is TRUE and term.op == "not":
            return f"[][{terms.show(term.args[0])}]_vars"
        case Until(Now(true), Taken(term)) if true is TRUE:
            return f"<><<{terms.show(term)}>>_vars"
        case Not(Until(Now(true), Not(Not(Both(premise, Not(Until(Now(also), goal))))))) if (
            true is TRUE and also is TRUE
        ):
            return f"({formula(premise, terms)} ~> {formula(goal, terms)})"
        case Not(Until(Now(true), Not(inner))) if true is TRUE:
            return f"[]({formula(inner, terms)})"
        case Not(inner):
            return f"~({formula(inner, terms)})"
        case Both(left, right):
            return f"({formula(left, terms)} /\\ {formula(right, terms)})"
        case Until(Now(true), right) if true is TRUE:
            return f"<>({formula(right, terms)})"
        case Until():
            raise NoTla("TLA+ has no `until`")
        case _:
            assert_never(stated)


def fair(condition: Fairness, model: Model, called: dict[str, str], terms: Terms) -> str:
    """Return a fairness condition; ``called`` is what the module calls each action."""
    actions = [one for one in model.actions if one.name in condition.actions]
    per = [a for a in actions[0].arguments if a.name in condition.per]
    with terms.scope((a.name, a.variable) for a in per) as outer:
        fixed = dict(zip((a.name for a in per), outer, strict=True))
        taken = [_taken(one, fixed, called, terms) for one in actions]
        sign = "SF" if condition.strong else "WF"
        body = f"{sign}_vars(" + " \\/ ".join(taken) + ")"
        bounds = [f"{fixed[a.name]} \\in {terms.sorts.of(a.variable.sort, 6)}" for a in per]
        return f"\\A {', '.join(bounds)} : {body}" if bounds else body


def _taken(one: Action, fixed: dict[str, str], called: dict[str, str], terms: Terms) -> str:
    free = [a for a in one.arguments if a.name not in fixed]
    with terms.scope((a.name, a.variable) for a in free) as names:
        given = fixed | dict(zip((a.name for a in free), names, strict=True))
        arguments = ", ".join(given[a.name] for a in one.arguments)
        text = f"{called[one.name]}({arguments})" if one.arguments else called[one.name]
        bounds = ", ".join(f"{given[a.name]} \\in {domain(a, terms)}" for a in free)
        return f"(\\E {bounds} : {text})" if bounds else text


def domain(chosen: Argument, terms: Terms) -> str:
    """Return the set that an action's choice is made from."""
    if chosen.collection is not None:
        return terms.show(chosen.collection, 6)
    return terms.sorts.of(chosen.variable.sort, 6)
