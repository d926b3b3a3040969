"""What a protocol did conforms, logged in part; what it cannot have done is found and explained."""

import json
import random
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bmc.conformance import execution, search, verdict
from bmc.conformance.search import Limits
from bmc.conformance.stepping import SearchStep, Stepper
from bmc.conformance.verdict import Conforms, Impossible, Unknown
from tests.cli.running import bmc
from tests.conformance.logged import Fields, Logged, checked, get, has, in_part, put, walk

PROTOCOLS = [
    ("kafka", {}),
    ("kafka-truncate-to-hw", {"replicas": 2}),
    ("kafka-kip320-deployed", {"replicas": 2}),
    ("replicated-log", {"replicas": 2}),
    ("kafka-async-isr", {}),
    ("id-sequence", {"max_id": 12}),
    ("verified-log-repaired", {}),
]


@pytest.mark.parametrize(("protocol", "given"), PROTOCOLS)
@pytest.mark.parametrize("seed", range(3))
def test_an_execution_logged_in_part_conforms(
    protocol: str, given: dict[str, int], seed: int, tmp_path: Path
) -> None:
    logged = walk(protocol, seed, 20, **given)
    events = in_part(logged, random.Random(seed), 0.4)
    found = checked(tmp_path, logged, events, logged.mapping())
    assert isinstance(found.verdict, Conforms)
    execution = found.verdict.execution
    assert [step.action for step in execution.trace.steps[1:]] == [e["event"] for e in events]
    assert execution.lines[1:] == tuple(range(1, len(events) + 1))


@pytest.mark.parametrize(("protocol", "given"), PROTOCOLS)
@pytest.mark.parametrize("seed", range(3))
def test_a_changed_value_is_found_at_its_line_or_later_or_is_possible(
    protocol: str, given: dict[str, int], seed: int, tmp_path: Path
) -> None:
    logged = walk(protocol, seed, 20, **given)
    chance = random.Random(seed)
    events = in_part(logged, chance, 0.6)
    line = change_a_number(logged, events, chance)
    found = checked(tmp_path, logged, events, logged.mapping())
    match found.verdict:
        case Impossible(event=event):
            assert event.line >= line
        case Conforms(execution=execution):
            # It was replayed: the changed log is another execution's.
            assert len(execution.trace) == len(events) + 1
        case Unknown(why=why):
            raise AssertionError(why)


def change_a_number(logged: Logged, events: list[Fields], chance: random.Random) -> int:
    places = [
        (line, field)
        for line, event in enumerate(events, 1)
        for field in logged.leaves.values()
        if has(event, field) and type(get(event, field)) is int
    ]
    line, field = chance.choice(places)
    put(events[line - 1], field, get(events[line - 1], field) + 1)
    return line


def test_a_fully_logged_change_is_impossible_at_its_very_line(tmp_path: Path) -> None:
    """With the whole state logged there is one candidate, and the changed value is named."""
    logged = walk("kafka", 3, 15)
    for line in (1, len(logged.events) // 2, len(logged.events)):
        events = json.loads(json.dumps(logged.events))
        epoch = get(events[line - 1], "after.nextRecordId")
        put(events[line - 1], "after.nextRecordId", epoch + 1)
        verdict = checked(tmp_path, logged, events, logged.mapping()).verdict
        assert isinstance(verdict, Impossible)
        assert verdict.event.line == line
        assert not verdict.reason.failing
        assert [one.claim.root for one in verdict.reason.differing] == ["nextRecordId"]
        assert verdict.reason.differing[0].found == epoch


def test_steps_that_are_not_logged_are_found(tmp_path: Path) -> None:
    """Without the controller's steps in the log they happen silently, where they are allowed to."""
    quiet = ("ControllerElectLeader", "ControllerShrinkIsr")
    heard = 0
    for seed in range(3):
        logged = walk("kafka", seed, 14)
        events = [event for event in logged.events if event["event"] not in quiet]
        if not events:
            continue
        allowed = checked(tmp_path, logged, events, logged.mapping(quiet, 6))
        assert isinstance(allowed.verdict, Conforms)
        heard += allowed.verdict.execution.silent()
        forbidden = checked(tmp_path, logged, events, logged.mapping(quiet, 0))
        assert not isinstance(forbidden.verdict, Conforms)
    assert heard > 0


def test_impossible_needs_all_silent_steps(tmp_path: Path) -> None:
    logged = walk("id-sequence", 0, 8, max_id=12)
    last = {"event": "Seen", "next": 5}
    mapping = """
        [silent]
        actions = ["NextId"]
        steps = {steps}
        [[event]]
        name = "Seen"
        after = {{ nextId = "$next" }}
    """
    events = [last]
    short = checked(tmp_path, logged, events, mapping.format(steps=2)).verdict
    assert isinstance(short, Unknown)
    assert "not within 2 silent steps" in short.why
    assert isinstance(checked(tmp_path, logged, events, mapping.format(steps=5)).verdict, Conforms)
    backwards = [last, {"event": "Seen", "next": 4}]
    enough = checked(tmp_path, logged, backwards, mapping.format(steps=20)).verdict
    assert isinstance(enough, Impossible)
    assert enough.event.line == 2


def test_a_limit_is_unknown(tmp_path: Path) -> None:
    logged = walk("kafka", 1, 12)
    events = [{"event": event["event"]} for event in logged.events]
    late = checked(tmp_path, logged, events, logged.mapping(), Limits(seconds=0)).verdict
    assert isinstance(late, Unknown)
    assert "time limit" in late.why


def test_the_clock_is_looked_at_with_each_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 2,000 members all silent steps out of a state were taken first: half a minute."""
    ticks = count()
    monkeypatch.setattr(search, "monotonic", lambda: float(next(ticks)))
    monkeypatch.setattr(verdict, "monotonic", lambda: 0.0)
    logged = walk("kafka", 1, 1, replicas=9)
    mapping = '[silent]\nactions = ["ControllerElectLeader"]\nsteps = 3\n' + NEVER
    taken: list[SearchStep] = []
    steps = Stepper.steps

    def counted(*asked: Any) -> Iterator[SearchStep]:
        for one in steps(*asked):
            taken.append(one)
            yield one

    monkeypatch.setattr(Stepper, "steps", counted)
    events: list[Fields] = [{"event": "Never"}]
    late = checked(tmp_path, logged, events, mapping, Limits(seconds=5)).verdict
    assert isinstance(late, Unknown)
    assert "time limit" in late.why
    assert 0 < len(taken) < 9


def test_all_searches_share_one_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one with all silent steps had as many seconds once more."""
    now = [0.0]
    monkeypatch.setattr(search, "monotonic", lambda: now[0])
    monkeypatch.setattr(verdict, "monotonic", lambda: now[0])
    run = search.Search.run

    def long(*asked: Any) -> Any:
        found = run(*asked)
        now[0] += 3
        return found

    monkeypatch.setattr(search.Search, "run", long)
    logged = walk("kafka", 1, 1)
    mapping = '[silent]\nactions = ["ControllerElectLeader"]\nsteps = 9\n' + NEVER
    events: list[Fields] = [{"event": "Never"}]
    assert isinstance(
        checked(tmp_path, logged, events, mapping, Limits(seconds=9)).verdict, Impossible
    )
    late = checked(tmp_path, logged, events, mapping, Limits(seconds=2)).verdict
    assert isinstance(late, Unknown)
    assert "time limit of 2 s" in late.why


def test_the_replay_shares_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 3,000 members what is asked of each state went on long after the limit."""
    monkeypatch.setattr(search, "monotonic", lambda: 0.0)
    monkeypatch.setattr(verdict, "monotonic", lambda: 0.0)
    monkeypatch.setattr(execution.Watch, "look", lambda *_: time.sleep(60))
    logged = walk("kafka", 1, 3)
    late = checked(tmp_path, logged, logged.events, logged.mapping(), Limits(seconds=1)).verdict
    assert isinstance(late, Unknown)
    assert "time limit of 1 s was reached in the replay" in late.why
    assert late.event.line == 1


@pytest.mark.parametrize("place", ["search", "replay"])
def test_an_interruption_says_how_far_the_log_was_read(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged = walk("kafka", 1, 6)
    looked = count(1)
    steps = Stepper.steps

    def third(*asked: Any) -> Iterator[SearchStep]:
        if next(looked) == 3:
            raise KeyboardInterrupt
        return steps(*asked)

    def at_once(*_: Any) -> None:
        raise KeyboardInterrupt

    if place == "search":
        monkeypatch.setattr(Stepper, "steps", third)
    else:
        monkeypatch.setattr(execution.Watch, "look", at_once)
    limits = Limits(told_when_interrupted=True)
    found = checked(tmp_path, logged, logged.events, logged.mapping(), limits)
    assert isinstance(found.verdict, Unknown)
    said = (found.verdict.event.line, found.verdict.why, found.explained)
    assert said == (
        (3, "interrupted", 2) if place == "search" else (1, "interrupted in the replay", 6)
    )
    # A worker has other logs to go on with.
    looked = count(1)
    with pytest.raises(KeyboardInterrupt):
        checked(tmp_path, logged, logged.events, logged.mapping())


NEVER = """
[[event]]
name = "Never"
actions = ["LeaderWrite"]
"""


def test_a_bound_that_nobody_chose_makes_nothing_impossible(tmp_path: Path) -> None:
    """The default of two records says nothing of a system that writes three."""
    events, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    lines = [{"event": "elect"}, {"event": "lead"}, *[{"event": "write"}] * 3]
    events.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    actions = {"elect": "ControllerElectLeader", "lead": "BecomeLeader", "write": "LeaderWrite"}
    rules = (f'[[event]]\nname = "{n}"\nactions = ["{a}"]\n' for n, a in actions.items())
    file.write_text("".join(rules), encoding="utf-8")
    asked = ("trace", "check", "kafka", "--log", str(events), "--map", str(file), "--json")
    by_default = bmc(*asked)
    assert by_default.code == 3
    assert "an execution has the event" in by_default.document["why"]
    size = ("-p", "log_size=2", "-p", "max_leader_epoch=2")
    assert bmc(*asked, *size, "-p", "max_records=2").code == 1
    assert bmc(*asked, "-p", "log_size=3", "-p", "max_records=3").code == 0


@pytest.mark.parametrize(("value", "verdict"), [(2, Unknown), (3, Impossible)])
def test_what_no_step_does_is_impossible_beyond_a_state_constraint_too(
    value: int, verdict: type, tmp_path: Path
) -> None:
    """The constraint leaves the first request out; it is for searches, and a system has none."""
    logged = walk("elasticsearch", 1, 0, max_client_value=1)
    field = logged.leaves["nextClientValue"]
    event: Fields = {"event": "ClientRequest", "arguments": {}}
    put(event, field, value)
    found = checked(tmp_path, logged, [event], logged.mapping()).verdict
    assert isinstance(found, verdict)
    if isinstance(found, Unknown):
        assert found.why == "ClientRequest leads out of the state constraint"
    elif isinstance(found, Impossible):
        assert [(one.found, one.claim.raw) for one in found.reason.differing] == [(2, 3)]


def test_an_invariant_is_watched_along_the_way(tmp_path: Path) -> None:
    """A log may conform to a protocol that itself breaks its promise."""
    logged = walk("kafka-truncate-to-hw", 0, 1)
    task = bmc("check", "kafka-truncate-to-hw", "-P", "WeakIsr", "--depth", "12", "--json")
    steps = task.document["results"][0]["trace"]
    events = [{"event": s["action"], "arguments": s["arguments"]} for s in steps if s["action"]]
    events_file, file = tmp_path / "log.ndjson", tmp_path / "map.toml"
    events_file.write_text("".join(json.dumps(e) + "\n" for e in events), encoding="utf-8")
    file.write_text(logged.mapping(), encoding="utf-8")
    found = bmc(
        *("trace", "check", "kafka-truncate-to-hw", "-P", "WeakIsr", "--json"),
        *("--log", str(events_file), "--map", str(file)),
    )
    assert (found.code, found.document["verdict"]) == (1, "conforms")
    assert found.document["violated"] == [
        {"property": "WeakIsr", "line": len(events), "state": len(events)}
    ]
