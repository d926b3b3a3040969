"""What an expander forgets changes nothing but how long it takes."""

from __future__ import annotations

import pytest

from bmc.cli.shared.catalogue import find
from bmc.lang.protocol import parameters_of
from bmc.readings.expand import expander
from bmc.system.transition import TransitionSystem

PARAMETERS = {"elasticsearch": (2, 1, 1, 2), "kafka-transactions": (1, 2, 1, 1, 1, 0)}


def grounded(name: str) -> TransitionSystem:
    suite = find(name)
    named = [parameter.name for parameter in parameters_of(suite.protocol)]
    return TransitionSystem(
        suite.model(ghosts=False), dict(zip(named, PARAMETERS[name], strict=True))
    )


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_system_is_the_same_whatever_was_forgotten(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expander, "_REMEMBERED", 1 << 40)
    whole = grounded(name)
    monkeypatch.setattr(expander, "_REMEMBERED", 0)
    forgetful = grounded(name)
    assert len(forgetful.circuit) == len(whole.circuit)
    assert len(forgetful.rules) == len(whole.rules)
    for one, other in zip(forgetful.rules, whole.rules, strict=True):
        assert (one.action, one.arguments, one.branch) == (
            other.action,
            other.arguments,
            other.branch,
        )
        assert (one.guard.uid, one.overflow.uid) == (other.guard.uid, other.overflow.uid)
        assert {i: node.uid for i, node in one.updates.items()} == {
            i: node.uid for i, node in other.updates.items()
        }


def test_what_one_rule_alone_needs_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was remembered of 145,719 rules was half of what their system took."""
    monkeypatch.setattr(expander, "_REMEMBERED", 1 << 40)
    whole = grounded("elasticsearch").expander
    monkeypatch.setattr(expander, "_REMEMBERED", 200)
    forgetful = grounded("elasticsearch").expander
    assert whole.remembered > 2 * forgetful.remembered
