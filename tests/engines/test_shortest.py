"""Solver and exploration side by side give one answer, whoever has it first."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bmc.cli.shared.catalogue import find
from bmc.engines import shortest
from bmc.engines.bounded import check
from bmc.engines.isolation import Relay, Work, first_answer, isolated
from bmc.engines.preference import TracePreference
from bmc.engines.shortest import shortest_violations
from bmc.engines.task import SILENT, Task
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.properties import Kind
from bmc.lang.protocol import Protocol
from bmc.system.transition import NoInitialState
from tests.engines import machines

TASTE = TracePreference()
SYSTEMS = (
    machines.DeadEnd,
    machines.Pair,
    machines.Ring,
    machines.Confined,
    machines.Tokens,
    machines.Overflowing,
    machines.WrongKey,
    machines.Headless,
)


def by_exploration(task: Task, stop: bool) -> tuple[Result, ...]:
    def explored(task: Task, relay: Relay) -> tuple[Result, ...]:
        return shortest.explored_to_depth(task, relay, TASTE, stop)

    return isolated(explored, task, SILENT)


def substance(result: Result) -> tuple[object, ...]:
    """What a user acts upon."""
    trace = None if result.trace is None else [(s.action, s.state) for s in result.trace.steps]
    beyond = None if result.overflow is None else len(result.overflow)
    return result.property, result.verdict, result.depth, trace, beyond


@pytest.mark.parametrize("stop", [True, False])
@pytest.mark.parametrize(
    "depth", [0, *(pytest.param(d, marks=pytest.mark.nightly) for d in (1, 2)), 3, 6]
)
@pytest.mark.parametrize("protocol", SYSTEMS, ids=lambda one: one.__name__)
def test_both_say_the_same(protocol: type[Protocol], depth: int, stop: bool) -> None:
    suite = machines.suite(protocol)
    names = tuple(d.name for d in suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT))
    task = Task(suite, {}, names, depth=depth)
    searched = check(task, SILENT, TASTE, stop)
    explored = by_exploration(task, stop)
    assert [substance(one) for one in explored] == [substance(one) for one in searched]


@pytest.mark.parametrize("stop", [True, False])
@pytest.mark.parametrize(
    "name", ["kafka-truncate-to-hw", "kafka-async-isr", "replicated-log-retention"]
)
def test_both_say_the_same_of_protocols(name: str, stop: bool) -> None:
    suite = find(name)
    names = tuple(d.name for d in suite.declared(Kind.INVARIANT, Kind.STEP_INVARIANT))
    task = Task(suite, {}, names, depth=4)
    searched = check(task, SILENT, TASTE, stop)
    assert any(one.verdict is Verdict.VIOLATED for one in searched)
    explored = by_exploration(task, stop)
    assert [substance(one) for one in explored] == [substance(one) for one in searched]


def test_a_model_of_some_thousand_states_is_not_left_to_the_solver() -> None:
    task = Task(find("elasticsearch"), {}, ("SameTranslogUpToGlobalCheckPoint",), depth=12)
    (result,) = shortest_violations(task, SILENT, TASTE)
    assert result.engine == "explicit"


def test_a_claim_about_histories_is_left_to_the_solver() -> None:
    task = Task(find("kafka-kip320-deployed"), {}, ("CommitsAreKept",), depth=2)
    (result,) = shortest_violations(task, SILENT, TASTE)
    assert (result.engine, result.verdict, result.depth) == ("bounded", Verdict.UNKNOWN, 2)


def test_a_system_that_cannot_start_is_an_error() -> None:
    suite = machines.suite(machines.Unstartable)
    with pytest.raises(NoInitialState):
        shortest_violations(Task(suite, {}, (suite.properties[0].name,)), SILENT, TASTE)


def unknown(name: str, engine: str, depth: int) -> Result:
    return Result(name, Verdict.UNKNOWN, engine, 0.0, depth=depth, reason="no further")


def slow(task: Task, relay: Relay) -> tuple[Result, ...]:
    time.sleep(60)
    return ()


def late(task: Task, relay: Relay) -> tuple[Result, ...]:
    time.sleep(0.5)
    return tuple(unknown(name, "late", 10) for name in task.properties)


def quick(task: Task, relay: Relay) -> tuple[Result, ...]:
    return tuple(unknown(name, "quick", 10) for name in task.properties)


def without_answer(task: Task, relay: Relay) -> tuple[Result, ...]:
    return ()


def failing(task: Task, relay: Relay) -> tuple[Result, ...]:
    raise ValueError("a helper's own trouble")


def dying(task: Task, relay: Relay) -> tuple[Result, ...]:
    os._exit(9)


def contradicting(task: Task, relay: Relay) -> tuple[Result, ...]:
    raise Contradiction("a trace does not replay")


def asked(works: Mapping[str, Work]) -> Result:
    task = Task(machines.suite(machines.DeadEnd), {}, ("Inside",))
    (result,) = first_answer(works, task, SILENT)
    return result


def test_whoever_is_first_is_heard() -> None:
    assert asked({"main": slow, "helper": quick}).engine == "quick"
    assert asked({"main": quick, "helper": slow}).engine == "quick"


@pytest.mark.parametrize("helper", [without_answer, failing, dying])
def test_a_helper_that_has_no_answer_costs_none(helper: Work) -> None:
    assert asked({"main": late, "helper": helper}).engine == "late"


def test_a_helper_outlives_a_search_that_dies() -> None:
    assert asked({"main": dying, "helper": late}).engine == "late"


def test_nobody_left_is_unknown() -> None:
    result = asked({"main": dying, "helper": without_answer})
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert "without an answer" in result.reason


def test_a_contradiction_of_a_helper_is_loud() -> None:
    with pytest.raises(Contradiction, match="does not replay"):
        asked({"main": slow, "helper": contradicting})


def test_two_that_cannot_both_be_right_are_loud(tmp_path: Path) -> None:
    task = Task(machines.suite(machines.DeadEnd), {}, ("NeverAtTheEnd",))
    (broken,) = check(task, SILENT, TASTE)
    assert broken.trace is not None
    said = tmp_path / "said"

    def clean_for_now(task: Task, relay: Relay) -> tuple[Result, ...]:
        relay.so_far(unknown("NeverAtTheEnd", "main", len(broken.trace or ())))
        said.touch()
        time.sleep(60)
        return ()

    def violated(task: Task, relay: Relay) -> tuple[Result, ...]:
        while not said.exists():
            time.sleep(0.02)
        time.sleep(0.5)
        return (broken,)

    with pytest.raises(Contradiction, match="found none within"):
        first_answer({"main": clean_for_now, "helper": violated}, task, SILENT)
