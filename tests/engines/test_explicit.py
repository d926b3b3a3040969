"""What an exploration counts and judges: exact levels, shortest traces, nothing silent."""

from __future__ import annotations

import pytest

from bmc.engines.explicit import NoInitialState, explore
from bmc.engines.packed.paths import Paths
from bmc.engines.task import OptionError, Task
from bmc.evidence.verdict import Contradiction
from bmc.evidence.wording import WAYS_TO_HOLD_ALL
from bmc.lang import BoundTooSmall, LanguageError, Protocol, Suite
from tests.engines.explorable import (
    EVERYTHING,
    Confined,
    Counted,
    Counter,
    DeadEnd,
    ManyStarts,
    Misspelt,
    NoChoice,
    NoStart,
    NoStartInside,
    Overflowing,
    PartialConstraint,
    PartialGuard,
    StartsNowhere,
    Visits,
    run,
    values,
)


def test_levels_are_exact() -> None:
    found = run(Counter)
    assert found.levels == (1, 2, 2, 2, 2, 1)
    assert (found.distinct_states, len(found.levels)) == (10, 6)
    assert found.generated_states == 9 + 8
    assert found.fired == {"One": 9, "Two": 8, "Never": 0}
    assert found.complete
    assert found.stopped_because is None
    assert (found.overflow, found.overflow_reason) == (None, None)
    assert (found.violations, found.holds, found.witnesses) == ({}, (), {})
    assert found.seconds > 0
    assert found.peak_memory_mb > 1


def test_properties_are_judged_on_the_way() -> None:
    found = run(Counter, *EVERYTHING)
    assert found.levels == (1, 2, 2, 2, 2, 1)
    assert found.complete
    assert found.holds == ("Small", "Grows")
    assert {n: len(t) for n, t in found.violations.items()} == {
        "BelowFive": 4,
        "NoneIsSeven": 5,
        "ByOne": 4,
    }
    assert values(found.violations["ByOne"], "n") == [0, 2, 4, 6]
    assert found.violations["BelowFive"].steps[0].action is None
    reached = {n: None if t is None else len(t) for n, t in found.witnesses.items()}
    assert reached == {"Six": 4, "SomeNumber": 3, "Beyond": None}


def test_a_wide_and_deep_count() -> None:
    suite = Suite.of(Counter, "counter")
    found = explore(Task(suite, {"limit": 1000}, ("Small", "Six")))
    assert found.distinct_states == 1001
    assert len(found.levels) == 501


def test_a_bad_dead_end_is_violated() -> None:
    found = run(DeadEnd, "Good")
    trace = found.violations["Good"]
    assert values(trace, "stage") == [0, 1, 2]
    assert [(s.action, dict(s.arguments)) for s in trace.steps] == [
        (None, {}),
        ("Advance", {"to": 1}),
        ("Advance", {"to": 2}),
    ]
    assert found.complete


def test_what_the_constraint_excludes_is_not_entered() -> None:
    found = run(Confined, *EVERYTHING)
    assert found.levels == (1, 2, 2)
    assert found.generated_states == 4 + 3
    assert found.fired == {"One": 4, "Two": 3, "Never": 0}
    # No step leads out of the constraint, so none of them violates.
    assert found.holds == ("Small", "BelowFive", "NoneIsSeven", "Grows", "ByOne")
    assert found.witnesses["Six"] is None
    assert found.complete


def test_a_bound_that_is_too_small_is_reported() -> None:
    found = run(Overflowing, "NoFlag", "Small")
    assert not found.complete
    assert found.stopped_because is not None
    assert "a bound is too small" in found.stopped_because
    assert found.stopped_because.endswith(f"; {WAYS_TO_HOLD_ALL}")
    assert found.overflow is not None
    assert values(found.overflow, "n") == [0, 1, 2]
    assert found.overflow_reason is not None
    assert "Number" in found.overflow_reason
    # What was violated before still is.
    assert list(found.violations) == ["NoFlag"]
    assert found.levels == (1, 2, 2)


def test_a_constraint_without_value_is_a_bound_too_small() -> None:
    found = run(PartialConstraint)
    assert not found.complete
    assert found.overflow is not None
    assert len(found.overflow) == 1
    assert found.levels == (2,)


def test_a_guard_without_value_is_a_bound_too_small() -> None:
    found = run(PartialGuard)
    assert not found.complete
    assert found.overflow is not None
    assert values(found.overflow, "held") == [0, None]
    assert found.levels == (1, 1)


def test_a_constraint_without_value_at_the_start_is_an_error() -> None:
    with pytest.raises(BoundTooSmall, match="constraint"):
        run(StartsNowhere)


def test_initial_states_are_counted_once() -> None:
    found = run(ManyStarts, "NotThree", "NotFour")
    assert found.levels == (4, 1)
    assert values(found.violations["NotThree"], "n") == [4, 3]
    assert values(found.violations["NotFour"], "n") == [4]


@pytest.mark.parametrize("protocol", [NoStart, NoChoice, NoStartInside])
def test_no_initial_state_is_a_named_error(protocol: type[Protocol]) -> None:
    with pytest.raises(NoInitialState, match=r"py:\d+: no state satisfies Init"):
        run(protocol, "NotThree")


def test_history_is_left_out_by_name() -> None:
    suite = Suite("counter", Counter, "", (Misspelt,), (Counted,), Visits)
    assert explore(Task(suite, {}, ())).distinct_states == 10
    with pytest.raises(OptionError, match="Counted speaks of visits"):
        explore(Task(suite, {}, ("Counted",)))
    with pytest.raises(LanguageError, match="vists"):
        explore(Task(suite, {}, ("Misspelt",)))


def test_a_trace_that_does_not_replay_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The circuits and the interpreter are made to disagree."""
    monkeypatch.setattr(Paths, "_decode", lambda self, row: {"stage": 2})
    with pytest.raises(Contradiction):
        run(DeadEnd, "Good")
