"""The reason of an impossible line has the fewest guards and logged values that contradict."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bmc.conformance.core import Core, Logged
from bmc.conformance.reason import Reason
from bmc.conformance.verdict import Impossible
from bmc.lang.errors import BoundTooSmall
from bmc.layout.domain import Domains
from bmc.readings.value import Interpreter
from tests.conformance import logged
from tests.conformance.test_bad_input import GOOD, LEAD, WRITE, check


def reason(folder: Path, log: str, mapping: str = GOOD) -> dict[str, Any]:
    answered = check(folder, log, mapping, "--json")
    assert answered.code == 1, answered.err
    found: dict[str, Any] = answered.document["reason"]
    return found


def test_a_guard_and_the_argument_that_contradicts_it_in_every_state(tmp_path: Path) -> None:
    found = reason(tmp_path, LEAD + WRITE + '{"event": "write", "broker": 1008, "end": 2}\n')
    assert found["states"] > 1
    assert found["core"] == {
        "guards": ["replicaState[replica].leader = replica"],
        "logged": ["replica = r2"],
        "states": found["states"],
        "fixed": [],
    }


def test_a_value_that_no_arguments_give_stands_alone(tmp_path: Path) -> None:
    found = reason(tmp_path, LEAD + WRITE.replace('"end": 1', '"end": 2'))
    core = found["core"]
    assert core["guards"] == []
    assert core["logged"] == ["replicaLog[r1].endOffset = 2 after the step"]


def test_what_is_no_single_step_has_none(tmp_path: Path) -> None:
    several = GOOD.replace('name = "write"\n', 'name = "write"\nsteps = [1, 2]\n')
    log = LEAD + '{"event": "write", "broker": 1007, "end": 3}\n'
    assert reason(tmp_path, log, several)["core"] is None


def holds_without(log: logged.Logged, why: Reason, core: Core, left_out: object) -> bool:
    """Whether some arguments have all of a core but what is left out, by the interpreter."""
    interpreter = Interpreter(log.suite.model(False), Domains(log.parameters))
    action = next(a for a in interpreter.model.actions if a.name == why.action)
    state = why.node.state
    values = [
        interpreter.domains.values(a.variable.sort)
        if a.collection is None
        else sorted(interpreter.evaluator.evaluate(a.collection, state), key=repr)
        for a in action.arguments
    ]
    guards = [guard for guard in core.guards if guard is not left_out]
    claims = [one for one in core.logged if one is not left_out]
    for given, branch in product(product(*values), action.branches):
        env = {a.variable: value for a, value in zip(action.arguments, given, strict=True)}
        named = {a.name: value for a, value in zip(action.arguments, given, strict=True)}
        try:
            if not all(
                interpreter.evaluator.holds(guard, state, env)
                for guard in guards
                if any(guard is other for other in branch.guards)
            ):
                continue
            if not all(
                one.claim.holds(
                    named[one.claim.root]
                    if one.where is Logged.ARGUMENT
                    else state[one.claim.root]
                    if one.where is Logged.BEFORE
                    else interpreter.updated(branch, env, state)[one.claim.root]
                )
                for one in claims
            ):
                continue
        except BoundTooSmall:
            continue
        return True
    return False


@pytest.mark.parametrize("protocol", ["kafka", "replicated-log", "id-sequence"])
def test_no_arguments_have_all_of_a_core_and_some_have_all_but_one(
    tmp_path: Path, protocol: str
) -> None:
    seen = 0
    for seed in range(6):
        log = logged.walk(protocol, seed, 8)
        chance = random.Random(seed)
        events = [
            {"event": event["event"], "arguments": dict(event["arguments"])} for event in log.events
        ]
        changed = [event for event in events if any(map(_is_number, event["arguments"].values()))]
        if not changed:
            continue
        event = chance.choice(changed)
        name = next(n for n, value in event["arguments"].items() if _is_number(value))
        event["arguments"][name] += 1
        verdict = logged.checked(tmp_path, log, events, log.mapping()).verdict
        if not isinstance(verdict, Impossible) or verdict.reason.core is None:
            continue
        why, core = verdict.reason, verdict.reason.core
        if core.fixed or core.states > 1:
            continue
        seen += 1
        assert not holds_without(log, why, core, None)
        for one in (*core.guards, *core.logged):
            assert holds_without(log, why, core, one)
    assert seen


def _is_number(value: object) -> bool:
    return type(value) is int


def test_an_argument_that_contradicts_is_named_beside_one_of_many_values(tmp_path: Path) -> None:
    log = logged.walk("verified-log", 84, 12)
    chance = random.Random(84)
    events = logged.in_part(log, chance, chance.choice((0.4, 0.1, 0.03)))
    last = [event for event in events if "drop" in event["arguments"]][-1]
    last["arguments"] = {"drop": True}
    verdict = logged.checked(tmp_path, log, events, log.mapping()).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.reason.states > 1
    assert verdict.event.fields == last
    core = verdict.reason.core
    assert core is not None
    assert not core.fixed
    assert [one.claim.root for one in core.logged] == ["drop"]
