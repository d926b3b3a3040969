"""A temporal claim under a CONSTRAINT is about the behaviours within it: of none nothing is proved.

TLC says "no error" where every fair behaviour leaves the constraint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.engines.liveness import fair_behaviour
from bmc.engines.liveness.conditions import NONE_WITHIN_LIMITS

TURNS = """---- MODULE Turns ----
EXTENDS Naturals
VARIABLES grown, turn
vars == <<grown, turn>>
Init == grown = 0 /\\ turn = 0
Grow == grown' = grown + 1 /\\ turn' = turn
Turn == turn' = 1 - turn /\\ grown' = grown
Next == Grow \\/ Turn
TurnsFairly == Init /\\ [][Next]_vars /\\ WF_vars(Turn)
GrowsFairly == Init /\\ [][Next]_vars /\\ WF_vars(Grow)
Small == grown < 3
Again == []<>(turn = 1)
Nothing == <>FALSE
Large == []<>(grown = 7)
====
"""
ENGINES = ("auto", "explicit", "monitored", "inductive")
BY_ENGINE = pytest.mark.parametrize("engine", ENGINES)

Prove = Callable[..., dict[str, object]]


@pytest.fixture
def prove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Prove:
    (tmp_path / "Turns.tla").write_text(TURNS)

    def call(specification: str, claim: str, engine: str) -> dict[str, object]:
        (tmp_path / "Turns.cfg").write_text(
            f"SPECIFICATION {specification} CONSTRAINT Small PROPERTY {claim}"
        )
        run(["prove", str(tmp_path / "Turns.tla"), "-P", claim, "--engine", engine, "--json"])
        (found,) = json.loads(capsys.readouterr().out)["results"]
        return dict(found)

    return call


@BY_ENGINE
@pytest.mark.parametrize("claim", ["Nothing", "Large", "Again"])
def test_nothing_is_proved_of_no_behaviour(prove: Prove, claim: str, engine: str) -> None:
    assert prove("GrowsFairly", claim, engine)["verdict"] == "unknown"


@pytest.mark.parametrize("engine", ["auto", "explicit", "monitored"])
def test_it_is_said_why(prove: Prove, engine: str) -> None:
    assert NONE_WITHIN_LIMITS in str(prove("GrowsFairly", "Nothing", engine)["reason"])


@pytest.mark.parametrize("engine", ["auto", "explicit", "monitored"])
def test_what_is_true_within_the_constraint_is_proved(prove: Prove, engine: str) -> None:
    assert prove("TurnsFairly", "Again", engine)["verdict"] == "proved"


def test_what_is_false_within_the_constraint_is_violated(prove: Prove) -> None:
    assert prove("TurnsFairly", "Large", "explicit")["verdict"] == "violated"


@pytest.mark.parametrize("by", ["the graph", "a lasso"])
def test_a_proof_finds_a_behaviour_within_the_constraint(
    prove: Prove, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_behaviour, "_STATES", 1 if by == "a lasso" else 10_000)
    assert prove("TurnsFairly", "Again", "monitored")["verdict"] == "proved"


def test_a_behaviour_that_nobody_finds_is_none(
    prove: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_behaviour, "_STATES", 1)
    monkeypatch.setattr(fair_behaviour, "_SECONDS", 0.0)
    assert prove("TurnsFairly", "Again", "monitored")["verdict"] == "unknown"
