"""What is to be covered: actions, guards or witnesses, each as a formula over states.

An action is covered by an execution that takes it, a witness by one that comes to such a state. A
guard is covered by a state in which it decides: for some choice of the action's arguments the
guards before it hold and it does not, so that a system that forgets it goes wrong there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from bmc.lang.build import disj
from bmc.lang.by_parts import ByParts
from bmc.lang.enabled import possible
from bmc.lang.errors import BmcError, UnknownName, suggest
from bmc.lang.guards import guards_of
from bmc.lang.model import Action, Model, Source
from bmc.lang.properties import Kind, Property, PropertyDeclaration
from bmc.lang.ready import ReadyProperty
from bmc.lang.sorts import BOOL
from bmc.lang.suite import Suite
from bmc.lang.terms import Term, make


class Cover(Enum):
    """What the executions are to cover."""

    ACTIONS = "actions"
    GUARDS = "guards"
    WITNESSES = "witnesses"


class NothingToCover(BmcError):
    """The protocol has none of what is to be covered."""


def cover_named(name: str) -> Cover:
    """Return what a name asks to cover. Raises UnknownName."""
    known = [one.value for one in Cover]
    if name not in known:
        raise UnknownName(f"there is no cover {name!r}: {suggest(name, known)}")
    return Cover(name)


@dataclass(frozen=True)
class Goal(ByParts):
    """One thing to cover: ``formula`` is true of a state where it is, for some ``arguments``.

    They are looked at one by one: a choice for which it has no value says nothing of the others.

    Of an action that is the state before it; ``refused`` are the guards of which the last one is
    false, empty unless the goal is a guard.
    """

    name: str
    formula: Term
    action: Action | None = None
    refused: tuple[Term, ...] = ()
    arguments: tuple[Term, ...] = ()


def goals_of(suite: Suite, model: Model, cover: Cover) -> tuple[Goal, ...]:
    """Return all goals of a kind, in the order of the protocol. Raises NothingToCover."""
    match cover:
        case Cover.ACTIONS:
            found = [Goal(action.name, _enabled(action), action) for action in model.actions]
        case Cover.GUARDS:
            found = [
                Goal(one.name, one.formula, one.action, one.refused)
                for one in guards_of(suite, model)
            ]
        case Cover.WITNESSES:
            found = [_witness(suite, declared, model) for declared in suite.declared(Kind.WITNESS)]
        case _:
            assert_never(cover)
    if not found:
        raise NothingToCover(
            f"{suite.name} has no {cover.value}: cover something else, or declare some"
        )
    return tuple(found)


def _witness(suite: Suite, declared: PropertyDeclaration, model: Model) -> Goal:
    stated = suite.describe(declared, model)
    return Goal(stated.name, stated.body, arguments=stated.arguments)


def _enabled(action: Action) -> Term:
    return disj(*(possible(action, branch.guards) for branch in action.branches))


def stated_goal(goal: Goal, kind: Kind) -> PropertyDeclaration:
    """Return a goal as a property: a witness, or an invariant that is false where it is reached."""
    witness = kind is Kind.WITNESS
    body = goal.formula if witness else make("not", (goal.formula,), BOOL)
    return ReadyProperty(
        Property(goal.name, kind, goal.arguments, body, goal.name, "", Source("", 0))
    )
