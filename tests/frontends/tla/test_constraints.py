"""CONSTRAINT and ACTION_CONSTRAINT: what they leave out is judged, not taken, and no deadlock."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bmc.cli.app import run
from tests.frontends.tla.models import explored, translated

STEPS = """---- MODULE Clock ----
EXTENDS Integers
CONSTANTS Most, Off
VARIABLE clock
Init == clock = 0
Next == clock < Most /\\ clock' = clock + 1
Spec == Init /\\ [][Next]_clock
Slow == clock' < 2
Small == clock < 2
Known == clock >= 0
Forward == [][clock' < 2]_clock
Both == []Known /\\ Forward
Late == clock = 1
Jump == clock = 2 /\\ clock' = 7
Goes == [](ENABLED <<Next>>_clock)
Jumps == [](ENABLED Jump => clock = 2)
Never == [](~ENABLED Jump)
Next2 == [](\\A i \\in 1..2 : clock = i => ENABLED (clock' = i + 1))
====
"""

Bmc = Callable[..., tuple[int, str]]


@pytest.fixture
def bmc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bmc:
    (tmp_path / "Clock.tla").write_text(STEPS)

    def call(command: str, config: str, *options: str) -> tuple[int, str]:
        constants = "SPECIFICATION Spec CONSTANTS Most = 3 Off = Off\n"
        (tmp_path / "Clock.cfg").write_text(constants + config)
        return run([command, str(tmp_path / "Clock.tla"), *options]), capsys.readouterr().out

    return call


def test_a_step_outside_an_action_constraint_is_judged_and_not_taken(bmc: Bmc) -> None:
    # As TLC does: it finds Small and Forward violated at 2, and no deadlock at 1.
    config = "ACTION_CONSTRAINT Slow INVARIANT Small PROPERTY Forward"
    code, said = bmc("explore", config, "--json", "--continue")
    found = {one["property"]: one["verdict"] for one in json.loads(said)["results"]}
    assert (code, json.loads(said)["distinct_states"]) == (1, 2)
    assert found == {
        "Small": "violated",
        "Forward_taken": "proved",
        "Forward_outside": "violated",
        "Deadlock": "proved",
    }


def test_a_part_of_a_property_is_judged_outside_of_an_action_constraint(bmc: Bmc) -> None:
    """The text has no claim called Both_2, and that it is false there was an internal failure."""
    for config, name in (("Slow", "Both_2_outside"), ("Known", "Both_2_taken")):
        given = f"ACTION_CONSTRAINT {config} PROPERTY Both CHECK_DEADLOCK FALSE"
        code, said = bmc("explore", given, "--json", "--continue")
        found = {one["property"]: one["verdict"] for one in json.loads(said)["results"]}
        assert (code, found.pop(name)) == (1, "violated")
        assert set(found.values()) == {"proved"}


def test_what_is_enabled_behind_a_step_outside_an_action_constraint_is_judged(bmc: Bmc) -> None:
    """As TLC does; the text was refused, since ENABLED of the next state was to be read."""
    config = "ACTION_CONSTRAINT Slow PROPERTY Goes Jumps Never Next2 CHECK_DEADLOCK FALSE"
    code, said = bmc("explore", config, "--json", "--continue")
    found = {one["property"]: one["verdict"] for one in json.loads(said)["results"]}
    # At 2, to which no step is taken, Jump is enabled.
    proved = dict.fromkeys(("Goes", "Jumps", "Next2"), "proved")
    assert (code, found) == (1, {**proved, "Never": "violated"})


def test_what_initial_states_are_does_not_depend_on_a_step_looked_at_before(bmc: Bmc) -> None:
    """The evaluator took the step left out for what Init says, and saw no initial state."""
    code, said = bmc("explore", "ACTION_CONSTRAINT Slow PROPERTY Late", "--json", "--continue")
    found = {one["property"]: one["verdict"] for one in json.loads(said)["results"]}
    assert (code, found) == (1, {"Late": "violated", "Deadlock": "proved"})


@pytest.mark.parametrize("limit", ["CONSTRAINT Small", "ACTION_CONSTRAINT Slow"])
@pytest.mark.parametrize("checked", ["TRUE", "FALSE"])
def test_a_constraint_makes_no_deadlock_whoever_asks(bmc: Bmc, limit: str, checked: str) -> None:
    """TLC finds none either; --deadlock found one where the constraint ends the text's steps."""
    config = f"{limit} INVARIANT Known CHECK_DEADLOCK {checked}"
    code, said = bmc("explore", config, "--deadlock", "--json")
    found = {one["property"]: one["verdict"] for one in json.loads(said)["results"]}
    assert (code, found["NoDeadlock"]) == (0, "proved")
    assert bmc("check", config, "--deadlock", "-P", "Known")[0] == 0
    assert "No step follows" not in bmc("cover", config)[1]
    free = f"INVARIANT Known CHECK_DEADLOCK {checked}"
    code, said = bmc("explore", free, "--deadlock", "--json", "--continue")
    found = {one["property"]: one["verdict"] for one in json.loads(said)["results"]}
    assert (code, found["NoDeadlock"]) == (1, "violated")


UNASKED = """
EXTENDS Integers, Sequences
VARIABLES x, s
Init == x \\in {0, 1} /\\ s = {1}
Con == x = 0 \\/ Head(<<>>)
Stop == FALSE
Small == x < 2
Next == %s
"""


@pytest.mark.parametrize(
    "step",
    [
        "x = 7 /\\ x' = 1 /\\ s' = s",
        "s' = {} /\\ \\E m \\in s : x' = m",
        "x' = x /\\ s' = {} /\\ \\E m \\in s : m > x",
        "x' = x /\\ s' = s /\\ \\E m \\in 2..x : m > x",
    ],
)
@pytest.mark.parametrize("limits", ["CONSTRAINT Con", "CONSTRAINT Con ACTION_CONSTRAINT Stop"])
def test_a_constraint_is_asked_of_states_without_a_step(
    step: str, limits: str, tmp_path: Path
) -> None:
    # By the translation alone; TLC, and the comparison, end with an error where x is 1.
    config = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Small {limits}"
    found = explored(translated(tmp_path, UNASKED % step, config))
    assert found.overflow is not None


def test_a_constraint_that_has_a_value_is_no_action(tmp_path: Path) -> None:
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Small CONSTRAINT Small"
    text = UNASKED % "s' = {} /\\ \\E m \\in s : x' = m"
    names = [one.name for one in translated(tmp_path, text, config).model.actions]
    assert "CONSTRAINT" not in names


@pytest.mark.parametrize("update", ["<<>>[2]", "<<1>>[k + 2]", "Head(<<>>)", "{k}[1]"])
@pytest.mark.parametrize("limit", ["FALSE", "k' = k", "k' = 9"])
def test_a_step_that_is_never_admitted_has_a_value(update: str, limit: str, tmp_path: Path) -> None:
    # By the translation alone; TLC finds the step before ACTION_CONSTRAINT judges it.
    text = f"""
EXTENDS Integers, Sequences
VARIABLES k, x
Init == k = 0 /\\ x = 1
Next == \\/ k < 2 /\\ k' = k + 1 /\\ x' = {update}
        \\/ k' = k /\\ x' = x
Stop == {limit}
Small == k < 2
"""
    config = "INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT Small ACTION_CONSTRAINT Stop"
    found = explored(translated(tmp_path, text, config))
    assert found.overflow is not None
