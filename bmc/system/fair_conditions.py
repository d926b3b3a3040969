"""Fairness as formulas of a state: where an action is enabled, and where a branch changes it.

``<<A>>_vars`` is a step of ``A`` that changes something and stays inside the state constraint. What
a history remembers is no part of it: a step that changes nothing else changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bmc.lang.build import FALSE, TRUE, conj, disj
from bmc.lang.by_parts import ByParts
from bmc.lang.enabled import possible
from bmc.lang.model import Action, Model
from bmc.lang.sorts import BOOL, MapSort, Sort
from bmc.lang.state import Branch, state_variable
from bmc.lang.substitution import substituted
from bmc.lang.temporal import Condition, FairSteps, Specification, name_of_argument
from bmc.lang.terms import Term, make


@dataclass(frozen=True)
class FairCondition(ByParts):
    """A fairness condition over a model, one for each choice of ``variables``.

    ``enabled`` is a formula of the state and of ``variables``; ``declared`` are the model's without
    its ghosts.
    """

    fairness: Condition
    variables: tuple[Term, ...]
    enabled: Term
    declared: Mapping[str, Sort]

    def flags(self) -> Sort:
        """Return the sort of a truth value for each choice."""
        sort: Sort = BOOL
        for variable in reversed(self.variables):
            sort = MapSort(variable.sort, sort)
        return sort

    def flag(self, flags: Term) -> Term:
        """Return the truth value of the choice ``variables``."""
        for variable in self.variables:
            assert isinstance(flags.sort, MapSort)
            flags = make("select", (flags, variable), flags.sort.value)
        return flags

    def collected(self, flag: Term) -> Term:
        """Return the flags with a truth value that may speak of ``variables``."""
        for variable in reversed(self.variables):
            flag = make("lambda", (variable, flag), MapSort(variable.sort, flag.sort))
        return flag

    def everywhere(self, formula: Term) -> Term:
        """Return that a formula holds for each choice."""
        for variable in reversed(self.variables):
            formula = make("forall", (variable, formula), BOOL)
        return formula

    def taken(self, action: Action, branch: Branch) -> Term:
        """Return whether a branch of an action, when it is taken, takes the condition's action."""
        if isinstance(self.fairness, FairSteps):
            return self._of_step(self.fairness, branch)
        if action.name not in self.fairness.actions:
            return FALSE
        own = {argument.name: argument.variable for argument in action.arguments}
        same = (
            make("eq", (variable, own[name]), BOOL)
            for name, variable in zip(self.fairness.per, self.variables, strict=True)
        )
        return conj(*same, changes(self.declared, branch))

    def read(self, branch: Branch | None) -> Iterator[Term]:
        """Yield what is true of a step (without a branch: of a state) if this has a value there.

        That is nothing of the model's own actions, which are read where they are taken.
        """
        if isinstance(self.fairness, FairSteps):
            said = self.enabled if branch is None else self._of_step(self.fairness, branch)
            yield self.everywhere(disj(said, make("not", (said,), BOOL)))

    def _of_step(self, fairness: FairSteps, branch: Branch) -> Term:
        chosen = dict(zip(fairness.arguments, self.variables, strict=True))
        step = substituted(fairness.step, {**afterwards(self.declared, branch), **chosen})
        return conj(changes(self.declared, branch), step)


def fair_conditions(model: Model, specification: Specification) -> tuple[FairCondition, ...]:
    """Return a specification's conditions over a model that it was checked against."""
    return tuple(_condition(model, one) for one in specification.fairness)


def declared(model: Model) -> dict[str, Sort]:
    """Return the variables of a model without its ghosts, whose changes nobody is fair to."""
    return {name: sort for name, sort in model.variables.items() if name not in model.ghosts}


def changes(variables: Mapping[str, Sort], branch: Branch) -> Term:
    """Return whether a branch, when it is taken, changes one of the variables."""
    changed = []
    for name, value in branch.updates.items():
        before = state_variable(name, value.sort)
        if name in variables and value is not before:
            changed.append(make("not", (make("eq", (before, value), BOOL),), BOOL))
    return disj(*changed)


def afterwards(variables: Mapping[str, Sort], branch: Branch) -> dict[Term, Term]:
    """Return the value of each primed variable where a branch is taken."""
    return {
        state_variable(name, sort, primed=True): branch.updates.get(
            name, state_variable(name, sort)
        )
        for name, sort in variables.items()
    }


def _condition(model: Model, fairness: Condition) -> FairCondition:
    if isinstance(fairness, FairSteps):
        own = {one: _each(name_of_argument(one), one.sort) for one in fairness.arguments}
        enabled = substituted(fairness.enabled, own)
        return FairCondition(fairness, tuple(own.values()), enabled, declared(model))
    actions = [action for action in model.actions if action.name in fairness.actions]
    sorts = {one.name: one.variable.sort for one in actions[0].arguments}
    # Argument `c` of the action is another variable than the condition's `c`.
    variables = {name: _each(name, sorts[name]) for name in fairness.per}
    enabled = disj(*(_enabled(model, a, b, variables) for a in actions for b in a.branches))
    return FairCondition(fairness, tuple(variables.values()), enabled, declared(model))


def _each(name: str, sort: Sort) -> Term:
    return make("bound_variable", (), sort, (-1, f"each {name}"))


def _enabled(model: Model, action: Action, branch: Branch, chosen: dict[str, Term]) -> Term:
    guards = (*branch.guards, changes(declared(model), branch), _inside_afterwards(model, branch))
    given = {a.variable: chosen[a.name] for a in action.arguments if a.name in chosen}
    return substituted(possible(action, guards, chosen), given)


def _inside_afterwards(model: Model, branch: Branch) -> Term:
    if model.constraint is TRUE:
        return TRUE
    return substituted(
        model.constraint,
        {state_variable(name, model.variables[name]): v for name, v in branch.updates.items()},
    )
