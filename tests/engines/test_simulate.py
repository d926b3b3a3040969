"""Random walks are executions, are repeated by their seed, and never prove anything."""

from collections import Counter as Counted

import pytest
from bmc.encodings.kafka import KafkaTruncateToHighWatermark
from bmc.properties.kafka import KAFKA_KIP320, KAFKA_TRUNCATE_TO_HW
from hypothesis import given, reject

from bmc.engines import simulate as engine
from bmc.engines.explicit import NoInitialState, explore
from bmc.engines.simulate import Ground, Simulation, Walks, simulate
from bmc.engines.task import Deadline, Interrupted, OptionError, Silent, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.lang import BoundTooSmall, Protocol, Suite
from tests.engines.explorable import Alike, Counter, DeadEnd, Overflowing, Twice
from tests.engines.test_explicit_agrees import task_of
from tests.semantics.test_steps_agree import system_of
from tests.strategies import effort
from tests.strategies.protocols import Drawn, protocols


def walk(protocol: type[Protocol], *properties: str, **asked: int) -> Simulation:
    suite = Suite.of(protocol, protocol.__name__)
    return simulate(Task(suite, {}, properties), Walks(**asked))


def actions_of(found: Simulation) -> Counted[str | None]:
    return Counted(step.action for trace in found.kept for step in trace.steps[1:])


def test_the_same_seed_takes_the_same_walks() -> None:
    task = Task(KAFKA_KIP320, {}, ("StrongIsr",))
    one, same, other = (
        simulate(task, Walks(number=50, length=20, seed=seed, keep=3)) for seed in (1, 1, 2)
    )
    assert (one.kept, one.fired, one.steps) == (same.kept, same.fired, same.steps)
    assert one.kept != other.kept
    assert len(one.kept) == 3


def test_batches_take_all_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_HISTORY_BYTES", 8 * 4 * 7)
    found = walk(Counter, number=20, length=3, keep=9)
    assert found.walks == 20
    assert found.steps == sum(found.fired.values()) == 60
    assert len(found.kept) == 9


@effort(60)
@given(protocols())
def test_walks_stay_among_the_reachable_states(drawn: Drawn) -> None:
    if system_of(drawn) is None:
        return
    task = task_of(drawn)
    try:
        found = simulate(task, Walks(number=8, length=6, keep=8))
        whole = explore(task, max_states=5000)
    except (NoInitialState, BoundTooSmall):
        reject()
    # What is kept was replayed by the interpreter; the exploration knows what can happen.
    assert found.steps == sum(found.fired.values())
    if found.overflow is None:
        assert +Counted(found.fired) == actions_of(found)
    if whole.complete:
        assert found.overflow is None
        assert {a for a, n in found.fired.items() if n} <= {a for a, n in whole.fired.items() if n}
        assert all(len(trace) <= 7 for trace in found.kept)


def test_a_walk_names_the_action_that_was_drawn() -> None:
    found = walk(Alike, number=30, length=20, keep=30)
    assert found.fired == actions_of(found)
    assert min(found.fired.values()) > 100


def test_every_step_is_as_likely() -> None:
    found = walk(Counter, number=4000, length=1)
    assert found.steps == 4000
    assert found.fired["Never"] == 0
    assert 1800 < found.fired["One"] < 2200


def test_every_initial_state_is_as_likely() -> None:
    found = simulate(
        Task(Suite.of(KafkaTruncateToHighWatermark, "kafka"), {"replicas": 2}, ()),
        Walks(number=400, length=1, keep=400),
    )
    first = Counted(str(trace.steps[1].arguments) for trace in found.kept)
    assert len(first) == 2 + 2
    assert min(first.values()) > 50


def test_a_dead_end_ends_a_walk() -> None:
    found = walk(DeadEnd, number=10, length=50, keep=1)
    assert found.dead_ends == found.walks == 10
    assert len(found.kept[0]) < 50
    assert found.stopped_because is None


def test_violations_are_replayed_and_the_rest_is_unmet() -> None:
    found = walk(Counter, "BelowFive", "Small", number=100, length=20)
    assert list(found.violations) == ["BelowFive"]
    # In steps of two it takes three to reach five or more.
    assert len(found.violations["BelowFive"]) == 4
    assert found.unmet == ("Small",)


def test_what_is_violated_at_once_is_seen() -> None:
    found = walk(Twice, "NotOne", "NotOneEither", number=3, length=5)
    assert set(found.violations) == {"NotOne", "NotOneEither"}


def test_it_finds_what_is_known_to_be_violated() -> None:
    task = Task(KAFKA_TRUNCATE_TO_HW, {"replicas": 2}, ("WeakIsr",))
    found = simulate(task, Walks(number=20_000, length=30))
    assert len(found.violations["WeakIsr"]) >= 9


def test_where_a_bound_is_too_small_it_ends() -> None:
    found = walk(Overflowing, number=50, length=50)
    assert found.stopped_because == "a step leaves the model's bounds"
    assert found.overflow is not None
    assert found.overflow_reason


@pytest.mark.parametrize("asked", [{"number": 0}, {"length": 0}, {"seed": -1}, {"keep": -1}])
def test_senseless_walks_are_refused(asked: dict[str, int]) -> None:
    with pytest.raises(OptionError, match=next(iter(asked))):
        Walks(**asked)


def test_the_time_limit_holds() -> None:
    ground = Ground(Task(KAFKA_KIP320, {}, ()))
    ground.deadline = Deadline(1.5)
    found = ground.walked(Walks(number=10_000_000, length=30))
    assert found.stopped_because is not None
    assert found.steps > 0
    assert found.seconds < 60


def test_an_interruption_comes_with_what_was_met() -> None:
    class Impatient(Silent):
        def decided(self, result: object) -> None:
            assert isinstance(result, Result)
            assert result.verdict is Verdict.VIOLATED
            raise KeyboardInterrupt

    task = Task(Suite.of(Counter, "counter"), {}, ("BelowFive",))
    with pytest.raises(Interrupted) as stopped:
        simulate(task, Walks(), Impatient())
    found = stopped.value.found
    assert isinstance(found, Simulation)
    assert list(found.violations) == ["BelowFive"]
    assert found.steps == 3000


def test_walks_that_ended_before_an_interruption_are_counted() -> None:
    """There were more dead ends than walks."""

    class Impatient(Silent):
        def phase(self, text: str) -> None:
            if text.endswith("step 20"):
                raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        simulate(Task(KAFKA_KIP320, {}, ()), Walks(), Impatient())
    found = stopped.value.found
    assert isinstance(found, Simulation)
    assert 0 < found.walks == found.dead_ends < 1000
