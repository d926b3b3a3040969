"""What a log exercises of its protocol: branches, and guards where they refuse a step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bmc.conformance import coverage
from bmc.conformance.coverage import GuardWatch, deciding
from bmc.conformance.rules import Rules
from bmc.lang import Integer, Protocol, Step, Suite, Variable, action
from bmc.lang.errors import BoundTooSmall
from bmc.lang.guards import guards_of
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter
from tests.cli.running import bmc
from tests.conformance.logged import walk


class Lift(Protocol):
    """Goes up and down between floors; doors open by hand or by themselves."""

    Floors = Integer("Floors", 0, 9)
    floor = Variable(Floors)
    open = Variable(Integer("Doors", 0, 1))

    @action()
    def Init(self, s: Step) -> None:
        s.floor = 0
        s.open = 0

    @action(to=Floors)
    def Go(self, s: Step, to: Any) -> None:
        s.require(s.open == 0)
        s.require(s.floor != to)
        s.floor = to

    @action()
    def Toggle(self, s: Step) -> None:
        with s.either():
            s.require(s.open == 0)
            s.open = 1
        with s.either():
            s.require(s.open == 1)
            s.open = 0

    Next = (Go, Toggle)


GUARDS = ["Go: open = 0", "Go: floor # to", "Toggle: open = 0", "Toggle: open = 1"]


@pytest.mark.parametrize(
    ("protocol", "given"),
    [
        ("kafka-kip320-deployed", {"replicas": 2}),
        ("kafka-kip101", {"replicas": 2}),
        ("elasticsearch", {}),
        ("replicated-log", {"replicas": 2}),
        ("verified-log-repaired", {}),
    ],
)
def test_a_guard_decides_where_its_formula_says_so(protocol: str, given: dict[str, int]) -> None:
    """The interpreter looks at every choice of arguments; the watch chooses as it needs them."""
    logged = walk(protocol, 1, 0, **given)
    model = logged.suite.model(False)
    rules = Rules(model, logged.parameters)
    interpreter = Interpreter(model, Domains(logged.parameters))
    guards = guards_of(logged.suite, model)
    states = _walked(interpreter, 12)
    seen = set()
    for state in states:
        for guard in guards:
            try:
                said = interpreter.evaluator.evaluate(guard.formula, state)
            except BoundTooSmall:
                continue
            seen.add(said)
            for branch, position in guard.places:
                found = deciding(rules, guard.action, branch, state, position)
                assert (position in found) is said, guard.name
    assert seen == {True, False}


def _walked(interpreter: Interpreter, length: int) -> list[ConcreteState]:
    states = [next(iter(interpreter.initial_states()))]
    while len(states) < length:
        try:
            after = [one.state for one in interpreter.successors(states[-1])]
        except BoundTooSmall:
            break
        if not after:
            break
        states.append(after[7 * len(states) % len(after)])
    return states


def test_guards_are_told_by_the_first_state_that_they_refuse_a_step_in() -> None:
    suite = Suite.of(Lift, "lift")
    model = suite.model(False)
    guards = guards_of(suite, model)
    assert [one.name for one in guards] == GUARDS
    watch = GuardWatch(Rules(model, {}), guards)
    closed, opened = {"floor": 3, "open": 0}, {"floor": 3, "open": 1}
    watch.look(None, closed, None)
    found = watch.found()
    # No lift goes to the floor where it is, and what is closed cannot be closed.
    assert found.decided == {"Go: floor # to": None, "Toggle: open = 1": None}
    assert found.never == ("Go: open = 0", "Toggle: open = 0")
    watch.look(closed, opened, 4)
    watch.look(opened, {"floor": 3, "open": 0}, 5)
    assert watch.found().decided == dict(zip(GUARDS, (4, None, 4, None), strict=True))
    assert watch.found().never == ()


def test_what_was_not_looked_at_for_its_many_choices_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suite = Suite.of(Lift, "lift")
    model = suite.model(False)
    monkeypatch.setattr(coverage, "MOST_CHOICES", 9)
    watch = GuardWatch(Rules(model, {}), guards_of(suite, model))
    watch.look(None, {"floor": 3, "open": 0}, None)
    assert watch.found().partly == {"Go: open = 0", "Go: floor # to"}


def test_a_log_tells_what_it_exercises(tmp_path: Path) -> None:
    protocol = f"{Path(__file__)}:Lift"
    log, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    events = [{"event": "Go", "floor": 2}, {"event": "Toggle"}]
    log.write_text("".join(json.dumps(one) + "\n" for one in events), encoding="utf-8")
    file.write_text(
        '[[event]]\nname = "Go"\nactions = ["Go"]\nafter = { floor = "$floor" }\n'
        '[[event]]\nname = "Toggle"\nactions = ["Toggle"]\n',
        encoding="utf-8",
    )
    asked = ("trace", "check", protocol, "--log", str(log), "--map", str(file))
    found = bmc(*asked, "--json").document
    assert found["branches"] == {"Toggle": [0]}
    assert found["guards"] == {
        "decided": dict(zip([GUARDS[n] for n in (1, 3, 0, 2)], (None, None, 2, 2), strict=True)),
        "never": [],
        "partly": [],
    }
    assert bmc(*asked, "--json", "--no-invariants").document["guards"] is None
    log.write_text(json.dumps(events[0]) + "\n", encoding="utf-8")
    said = bmc(*asked, "--full").out
    assert "2 of 4 refuse a step in some state" in said
    assert "Go: open = 0 refuses no step" in said
    shown = bmc(*asked).out
    assert "(--full lists the others)" in shown
    assert "Toggle" in shown


def test_guards_behind_others_are_guards_of_their_own() -> None:
    suite = Suite.of(Lift, "lift")
    found = [one for one in guards_of(suite, suite.model(False)) if one.action.name == "Toggle"]
    assert [one.places for one in found] == [((0, 0),), ((1, 0),)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--no-invariants", "-P", "TypeOk"), "--property names one"),
        (("--out", "verdicts"), "give --group-by"),
        (("--master", "local[1]"), "give --group-by"),
        (("--states", "0"), "--states must be 1 or more"),
    ],
)
def test_what_would_be_passed_over_is_refused(given: tuple[str, ...], said: str) -> None:
    """A claim that was named was looked at in no state, and the log conformed."""
    asked = ("trace", "check", "id-sequence", "--log", "no.ndjson", "--map", "no.toml")
    found = bmc(*asked, *given)
    assert found.code == 2
    assert said in found.err
