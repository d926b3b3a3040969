"""Whether one state can be reached: shortest paths, and no state missed for its names."""

from __future__ import annotations

import pytest
from bmc.properties.kafka import KAFKA_KIP279

import bmc.analysis.cti as studies
from bmc.analysis.cti import Reach, study
from bmc.analysis.mining.mine import MiningOptions
from bmc.engines.reachability import Reachability, arrival
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Task
from bmc.evidence.replay import require_violation
from bmc.evidence.trace import CounterexampleToInduction, Trace, TraceStep
from bmc.evidence.verdict import Contradiction
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Protocol,
    Scalarset,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    forall,
    invariant,
    mapping,
    one_of,
)
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem
from tests.engines import machines

SMALL = {"replicas": 2, "max_leader_epoch": 1, "log_size": 1, "max_records": 1}


class Climbers(Protocol):
    """Everybody climbs on their own; a climb of many steps is found by no short exploration."""

    Climber = Scalarset("Climber", 3)
    Height = Integer("Height", 0, 9)
    height = Variable(MapSort(Climber, Height))

    @action()
    def Init(self, s: Step) -> None:
        s.height = mapping(self.Climber, lambda c: 0, self.Height)

    @action(c=Climber)
    def Climb(self, s: Step, c: Expr) -> None:
        s.require(s.height[c] < 9)
        s.height[c] = s.height[c] + 1

    Next = one_of(Climb)

    @invariant("nobody gets to the fifth level")
    def Low(self, s: State) -> Term:
        return forall(self.Climber, lambda c: s.height[c] < 5)


CLIMBERS = Suite("climbers", Climbers, "climbers", (Climbers.Low,))
TASK = Task(CLIMBERS, {}, ("Low",))


def at(*heights: int) -> ConcreteState:
    return {"height": heights}


def sought(state: ConcreteState, seconds: float = 20.0, depth: int = 12) -> Reachability:
    system = TransitionSystem(CLIMBERS.model(False), {})
    return arrival(TASK, system, state, SILENT, seconds, depth)


def failed(before: ConcreteState, after: ConcreteState) -> CounterexampleToInduction:
    path = Trace((TraceStep(None, {}, before), TraceStep("Climb", {"c": 2}, after)))
    return CounterexampleToInduction("Low", {}, path, 1)


@pytest.mark.parametrize("heights", [(0, 0, 4), (0, 4, 0), (4, 0, 0), (0, 1, 2), (2, 1, 0)])
def test_a_state_is_found_under_every_naming(heights: tuple[int, ...]) -> None:
    """Of a path's images one is searched elsewhere; here it would miss the others."""
    found = sought(at(*heights))
    assert found.trace is not None
    assert found.trace.steps[-1].state == at(*heights)
    assert (len(found.trace) - 1, found.clean) == (sum(heights), sum(heights) - 1)


def test_an_initial_state_is_reached_in_no_step() -> None:
    found = sought(at(0, 0, 0))
    assert found.trace is not None
    assert (len(found.trace), found.clean) == (1, -1)


def test_what_is_further_away_is_not_reached_within_the_depth() -> None:
    assert sought(at(2, 2, 2), depth=5) == Reachability(None, 5)


def test_a_limit_is_not_an_answer() -> None:
    found = sought(at(9, 9, 9), seconds=0.1, depth=27)
    assert found.trace is None
    assert found.clean < 27


def test_every_explored_state_is_found_and_no_other() -> None:
    system = TransitionSystem(KAFKA_KIP279.model(False), SMALL)
    task = Task(KAFKA_KIP279, SMALL, ("TypeOk",))
    explored = Explored(system, 0)
    explored.explore(10**6, 30.0, SILENT)
    for row in explored.sample(12):
        state = system.decode(explored.packing.numbers(row))
        found = arrival(task, system, state, SILENT, 20.0, 15)
        assert found.trace is not None
        assert found.trace.steps[-1].state == state


def test_a_failure_that_can_be_reached_is_shown_as_the_violation_it_is() -> None:
    found = study(TASK, failed(at(0, 1, 4), at(0, 1, 5)), (), MiningOptions(states=1))
    assert (found.reach, found.reached_in, found.complete) == (Reach.REACHABLE, 5, False)
    assert found.violation is not None
    assert len(found.violation) == 7
    model = CLIMBERS.model(False)
    interpreter = Interpreter(model, TransitionSystem(model, {}).domains)
    require_violation(interpreter, found.violation, TASK.stated(model)[0])
    assert found.blockers == ()


def test_a_failure_too_far_away_is_not_known_to_be_reachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(studies, "arrival", lambda *_: Reachability(None, 3))
    found = study(TASK, failed(at(4, 4, 4), at(4, 4, 5)), (), MiningOptions(states=1))
    assert (found.reach, found.reached_in, found.clean) == (Reach.NOT_KNOWN, None, 3)
    assert found.violation is None


def test_a_path_that_violates_nothing_is_an_internal_contradiction() -> None:
    with pytest.raises(Contradiction, match="does not violate"):
        study(TASK, failed(at(0, 0, 1), at(0, 0, 2)), (), MiningOptions(states=1))


def test_what_exploration_rules_out_is_not_searched_for() -> None:
    task = Task(machines.suite(machines.Pair), {}, ("OtherBelowLimit",))
    before, after = {"one": 0, "other": 3}, {"one": 1, "other": 4}
    path = Trace((TraceStep(None, {}, before), TraceStep("Advance", {}, after)))
    found = study(
        task, CounterexampleToInduction("OtherBelowLimit", {}, path, 1), (), MiningOptions()
    )
    assert (found.reach, found.clean) == (Reach.UNREACHABLE, -1)
