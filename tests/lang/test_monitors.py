"""A monitor follows a protocol in its own state, and the protocol cannot depend on it."""

from typing import Any

import pytest

from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.lang import (
    BOOL,
    Expr,
    LanguageError,
    Monitor,
    Protocol,
    SetSort,
    State,
    Step,
    Suite,
    Variable,
    action,
    empty,
    insert,
    invariant,
    ite,
    member,
    one_of,
)
from bmc.lang.describe import model_of
from bmc.lang.errors import DependsOnMonitor
from tests.lang.test_protocol import Node


@action()
def Init(self: Protocol, s: Step) -> None:
    s.up = empty(SetSort(Node))
    s.rose = empty(SetSort(Node))
    s.twice = False


@action(node=Node)
def Rise(self: Protocol, s: Step, node: Expr) -> None:
    s.require(~member(node, s.up))
    s.twice = s.twice | member(node, s.rose)
    s.rose = insert(s.rose, node)
    s.up = insert(s.up, node)


@action(node=Node)
def Fall(self: Protocol, s: Step, node: Expr) -> None:
    s.require(member(node, s.up))
    s.up = empty(SetSort(Node))


UP = Variable(SetSort(Node), "who is up")
ROSE = Monitor(SetSort(Node), "who ever rose")
TWICE = Monitor(BOOL, "whether one rose twice")


def watched(*actions: Any, **members: Any) -> type[Protocol]:
    """Who rises and falls, with monitors; or with other actions and members."""
    taken = {one.name: one for one in actions or (Rise, Fall)}
    declared = {"up": UP, "rose": ROSE, "twice": TWICE, "Init": Init, **members}
    return type("Watched", (Protocol,), {**declared, **taken, "Next": one_of(*taken.values())})


@invariant("Nobody rises twice.")
def Once(m: Protocol, s: State) -> Expr:
    return ~s.twice


def test_an_exploration_counts_what_monitors_remember() -> None:
    suite = Suite("watched", watched(), "", (Once,))
    assert suite.model(ghosts=False).ghosts == frozenset()
    found = explore(Task(suite, {}, ("Once",)))
    # Each node is up, was up, or neither; one rose twice wherever any rose at all.
    assert found.distinct_states == 9 + 8
    assert len(found.violations["Once"]) == 4


def test_one_monitor_may_read_another() -> None:
    assert list(model_of(watched()).variables) == ["up", "rose", "twice"]


@action(node=Node)
def guarded(self: Protocol, s: Step, node: Expr) -> None:
    s.require(~member(node, s.rose))
    s.up = insert(s.up, node)


@action(node=Node)
def assigning(self: Protocol, s: Step, node: Expr) -> None:
    s.up = ite(s.twice, s.up, insert(s.up, node))


@action(node=ROSE)
def choosing(self: Protocol, s: Step, node: Expr) -> None:
    s.up = insert(s.up, node)


@pytest.mark.parametrize(
    ("wrong", "what"), [(guarded, "rose"), (assigning, "twice"), (choosing, "rose")]
)
def test_an_action_cannot_depend_on_a_monitor(wrong: Any, what: str) -> None:
    with pytest.raises(DependsOnMonitor, match=f"{wrong.name} depends on {what}, .* Variable"):
        model_of(watched(wrong))


def test_a_constraint_cannot_depend_on_a_monitor() -> None:
    def bounded(self: Protocol, s: State) -> Expr:
        return ~s.twice

    with pytest.raises(DependsOnMonitor, match="Constraint depends on twice"):
        model_of(watched(Constraint=bounded))


def test_a_subclass_can_make_a_variable_of_it() -> None:
    with pytest.raises(DependsOnMonitor):
        model_of(watched(guarded))
    assert model_of(watched(guarded, rose=Variable(SetSort(Node)))).actions


def test_it_is_a_failure_of_the_language() -> None:
    assert issubclass(DependsOnMonitor, LanguageError)
