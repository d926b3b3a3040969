"""Fairness of actions, said again by formulas of states and steps."""

from __future__ import annotations

from dataclasses import replace

from bmc.engines.liveness.question import Question
from bmc.lang.build import conj, disj
from bmc.lang.enabled import possible
from bmc.lang.model import Action, Model
from bmc.lang.sorts import BOOL
from bmc.lang.state import Branch, state_variable
from bmc.lang.substitution import substituted
from bmc.lang.temporal import Fairness, FairSteps, Specification
from bmc.lang.terms import Term, make
from bmc.system.fair_conditions import FairCondition, fair_conditions


def said_by_formulas(question: Question) -> Question:
    """Return the question under conditions that name no action and mean the same."""
    suite = question.suite
    model = suite.model(ghosts=False)
    changed = tuple(
        Specification(one.name, tuple(_said(model, each) for each in fair_conditions(model, one)))
        for one in suite.specifications
    )
    return replace(question, suite=replace(suite, specifications=changed, rankings=()))


def _said(model: Model, one: FairCondition) -> FairSteps:
    stated = one.fairness
    assert isinstance(stated, Fairness)
    given = dict(zip(stated.per, one.variables, strict=True))
    steps = [
        _step(model, action, branch, given)
        for action in model.actions
        if action.name in stated.actions
        for branch in action.branches
    ]
    return FairSteps(stated.strong, one.variables, one.enabled, disj(*steps), f"said {stated}")


def _step(model: Model, action: Action, branch: Branch, given: dict[str, Term]) -> Term:
    sorts = model.variables
    known = {state_variable(name, sorts[name]): value for name, value in branch.updates.items()}
    same = []
    for name, sort in sorts.items():
        before, after = state_variable(name, sort), state_variable(name, sort, primed=True)
        same.append(make("eq", (after, branch.updates.get(name, before)), BOOL))
    guards = (*branch.guards, substituted(model.constraint, known), *same)
    own = {a.variable: given[a.name] for a in action.arguments if a.name in given}
    return conj(substituted(possible(action, guards, given), own))
