"""How far a text is searched for what guessed bounds have no room for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla import gathering, samples
from bmc.frontends.tla.load import load
from bmc.frontends.tla.oracle import wandering
from bmc.frontends.tla.oracle.machine import Machine, State
from bmc.frontends.tla.oracle.search import Search

GRID = """---- MODULE Grid ----
EXTENDS Naturals
VARIABLES x, y, n
Init == x = 0 /\\ y = 0 /\\ n = 0
Next == \\/ x < 16 /\\ x' = x + 1 /\\ UNCHANGED <<y, n>>
        \\/ y < 16 /\\ y' = y + 1 /\\ UNCHANGED <<x, n>>
        \\/ x + y = 8 /\\ n < x * x /\\ n' = n + x /\\ UNCHANGED <<x, y>>
Small == x <= 30
====
"""


def test_of_numbers_the_text_is_searched_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than half of the time of a text with bags went into it, and it told of two numbers."""
    monkeypatch.setattr(samples, "_NEAR", 2)
    monkeypatch.setattr(samples, "_WALKS", 0)
    monkeypatch.setattr(wandering, "QUIET", 10)
    monkeypatch.setattr(gathering, "_KNOWN", 100)
    (tmp_path / "Grid.tla").write_text(GRID)
    (tmp_path / "Grid.cfg").write_text("INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE")
    asked = 0
    wanted = gathering._Room.is_wanted

    def counted(room: gathering._Room, state: State) -> bool:
        nonlocal asked
        asked += 1
        return wanted(room, state)

    monkeypatch.setattr(gathering._Room, "is_wanted", counted)
    states = Search(Machine(load(tmp_path / "Grid.tla"))).run().distinct
    searched = []
    for less in (1, gathering._OF_NUMBERS):
        monkeypatch.setattr(gathering, "_OF_NUMBERS", less)
        asked = 0
        assert run(["explore", str(tmp_path / "Grid.tla"), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["complete"], found["distinct_states"]) == (True, states), found
        searched.append(asked)
    assert searched[1] < searched[0]
