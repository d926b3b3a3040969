"""Temporal claims and fairness in TLA+."""

from __future__ import annotations

from typing import assert_never

from bmc.lang.build import TRUE
from bmc.lang.formulas import alternatives, negated
from bmc.lang.model import Action, Argument, Model
from bmc.lang.temporal import (
    Both,
    Condition,
    FairSteps,
    Formula,
    Not,
    Now,
    Taken,
    Until,
    name_of_argument,
)
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
        case Not(Until(Now(true), Taken(term))) if true is TRUE:
            return f"[][~{terms.show(term, ATOM)}]_vars"
        case Not(Until(Now(true), inner)) if true is TRUE:
            # Of `~<>~<>P` TLC says that it is violated where `[]<>P` holds.
            return f"[]({formula(negated(inner), terms)})"
        case Not(Not(inner)):
            return formula(inner, terms)
        case Not() if len(parts := alternatives(stated)) > 1:
            return "(" + " \\/ ".join(formula(part, terms) for part in parts) + ")"
        case Not(Both(premise, conclusion)):
            return f"({formula(premise, terms)} => {formula(negated(conclusion), terms)})"
        case Not(Now(term)):
            return f"~{terms.show(term, ATOM)}"
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


def fair(condition: Condition, model: Model, called: dict[str, str], terms: Terms) -> str:
    """Return a fairness condition; ``called`` is what the module calls each action."""
    if isinstance(condition, FairSteps):
        return _of_steps(condition, terms)
    actions = [one for one in model.actions if one.name in condition.actions]
    per = [a for a in actions[0].arguments if a.name in condition.per]
    with terms.scope((a.name, a.variable) for a in per) as outer:
        fixed = dict(zip((a.name for a in per), outer, strict=True))
        taken = [_taken(one, fixed, called, terms) for one in actions]
        sign = "SF" if condition.strong else "WF"
        body = f"{sign}_vars(" + " \\/ ".join(taken) + ")"
        bounds = [f"{fixed[a.name]} \\in {terms.sorts.of(a.variable.sort, 6)}" for a in per]
        return f"\\A {', '.join(bounds)} : {body}" if bounds else body


def _of_steps(condition: FairSteps, terms: Terms) -> str:
    """Return fairness of what a formula says, written out: what is enabled is taken."""
    own = [(name_of_argument(one), one) for one in condition.arguments]
    with terms.scope(own) as names:
        enabled, step = terms.show(condition.enabled, ATOM), terms.show(condition.step)
        never = f"<>[]~{enabled}" if condition.strong else f"[]<>~{enabled}"
        body = f"({never} \\/ []<><<{step}>>_vars)"
        pairs = zip(names, condition.arguments, strict=True)
        bounds = [f"{name} \\in {terms.sorts.of(one.sort, 6)}" for name, one in pairs]
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
