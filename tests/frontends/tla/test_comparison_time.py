"""How long a translation is compared with its text: less where all was explored in less."""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bmc.engines.confirmation import NEAR, confirmed
from bmc.engines.explicit import explore
from bmc.engines.task import Task
from bmc.frontends.tla.origin import Text
from bmc.frontends.tla.suite import suite_of
from bmc.system.transition import TransitionSystem

CLOCK = """---- MODULE M ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 5
Inv == x < 5
====
"""


@pytest.mark.parametrize(
    ("taken", "proof", "each", "without"),
    [
        (0.1, 0.1, 0.25, 2.0),
        (1.6, 1.6, 0.4, 2.0),
        (60.0, 20.0, 1.0, 2.0),
        (0.1, 100.0, 2.5, 5.0),
        (60.0, 9000.0, 10.0, 20.0),
    ],
)
def test_what_a_proof_takes_is_what_its_comparison_may(
    taken: float,
    proof: float,
    each: float,
    without: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "M.tla").write_text(CLOCK)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    task = Task(suite_of("M", tmp_path / "M.tla"), {}, ("Inv",))
    found = explore(task)
    given: list[float] = []

    def compare(text: Text, seconds: float, states: int | None = None, more: bool = False) -> str:
        assert states == (NEAR if not given else None)
        given.append(seconds)
        return ""

    def compare_at(
        text: Text, states: Sequence[Mapping[str, Any]], seconds: float, more: bool = False
    ) -> None:
        assert len(states) == 5
        given.append(seconds)

    monkeypatch.setattr(Text, "compare", compare)
    monkeypatch.setattr(Text, "compare_at", compare_at)
    monkeypatch.setattr(time, "process_time", lambda: taken)
    verdicts = tuple(replace(one, seconds=proof) for one in found.verdicts())
    confirmed(task, verdicts, found.reached)
    assert given == [each, each]
    confirmed(task, verdicts)
    assert given[2:] == [without]


def test_states_are_decoded_as_far_as_the_time_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "M.tla").write_text(CLOCK)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    suite = suite_of("M", tmp_path / "M.tla")
    assert suite.origin is not None
    reached = explore(Task(suite, {}, ("Inv",))).reached
    assert sorted(state["x"] for state in reached) == [0, 1, 2, 3, 4]
    assert pickle.loads(pickle.dumps(reached)) == tuple(reached)
    decoded: list[object] = []
    plain = TransitionSystem.decode

    def counted(self: TransitionSystem, numbers: Sequence[int]) -> Mapping[str, Any]:
        decoded.append(numbers)
        return plain(self, numbers)

    monkeypatch.setattr(TransitionSystem, "decode", counted)
    suite.origin.compare_at(reached, 0.0)
    assert len(decoded) <= 1
