"""An exploration that stops early says so, and what it tells on its way is final."""

from __future__ import annotations

from typing import Any

import pytest
from bmc.encodings.kafka import Kip320

from bmc.engines.explicit import ExplicitSearch, Exploration, Interrupted, explore
from bmc.engines.packed import blocks
from bmc.engines.task import OptionError, Silent, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.lang import Suite
from bmc.running import memory
from bmc.running.memory import MEGABYTE, give_back, resident_bytes
from tests.engines.explorable import EVERYTHING, Counter, DeadEnd, Overflowing, Twice, run

CLAIMS = ("BelowFive", "ByOne", "NoneIsSeven", "Small")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_states": 4}, "4 states"),
        ({"max_depth": 2}, "2 steps"),
        ({"timeout": 1e-9}, "time limit"),
        ({"stop_at_violation": True}, "BelowFive is violated"),
    ],
)
def test_an_incomplete_exploration_says_why(options: dict[str, int], reason: str) -> None:
    found = run(Counter, "BelowFive", "Small", **options)
    assert not found.complete
    assert found.stopped_because is not None
    assert reason in found.stopped_because
    whole = (1, 2, 2, 2, 2, 1)
    assert found.levels[:-1] == whole[: len(found.levels) - 1]
    assert found.distinct_states == sum(found.levels) < 10


def test_what_ended_an_exploration_is_known_without_reading_why() -> None:
    assert run(Overflowing, "NoFlag", stop_at_violation=True).stopped_at == "NoFlag"
    assert run(Overflowing, "NoFlag", max_depth=0).stopped_at is None
    assert run(Twice, "NotOne").stopped_at is None


def test_a_limit_that_is_not_passed_does_not_stop() -> None:
    assert run(Counter, max_states=10, max_depth=6).complete


def test_depth_counts_steps_as_a_bounded_search_does() -> None:
    assert run(Counter, max_depth=2).levels == (1, 2, 2)
    assert run(Counter, max_depth=0).levels == (1,)


def test_all_that_is_violated_when_it_stops_is_reported() -> None:
    found = run(Overflowing, "NoFlag", "Small", stop_at_violation=True)
    assert list(found.violations) == ["NoFlag"]
    assert found.holds == ("Small",)
    # Of two that the same block violates, neither is taken to hold.
    both = run(Twice, "NotOne", "NotOneEither", stop_at_violation=True)
    assert list(both.violations) == ["NotOne", "NotOneEither"]
    assert both.holds == ()


def test_a_block_has_as_many_states_as_their_successors_leave_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """131,072 states with 27 successors each held 600 MB between two looks at the limit."""
    task = Task(Suite("kafka", Kip320, "", ()), {"replicas": 2}, ())
    whole, expand = explore(task), ExplicitSearch._expand
    taken: list[int] = []

    def noted(search: ExplicitSearch, start: int, end: int, sizes: Any) -> None:
        taken.append(end - start)
        expand(search, start, end, sizes)

    monkeypatch.setattr(ExplicitSearch, "_expand", noted)
    for successors, most in ((blocks.SUCCESSORS, max(whole.levels)), (1, 256)):
        monkeypatch.setattr(blocks, "SUCCESSORS", successors)
        taken.clear()
        assert explore(task).levels == whole.levels
        assert (max(taken), sum(taken)) == (most, sum(whole.levels))


def clean_depths(found: Exploration) -> set[int | None]:
    """The depths to which claims that are left open are said to be clean."""
    return {one.depth for one in found.verdicts() if one.verdict is Verdict.UNKNOWN}


def test_no_violation_within_n_steps_is_what_a_limit_of_n_steps_says() -> None:
    for depth in range(3):
        found = run(Counter, *CLAIMS, max_depth=depth)
        assert not found.violations
        assert clean_depths(found) == {found.searched_depth} == {depth}
    # Its violations are found by the limit that is as long as their traces.
    assert set(run(Counter, *CLAIMS, max_depth=3).violations) == {"BelowFive", "ByOne"}


def test_a_level_that_was_cut_is_not_called_clean() -> None:
    """Three levels of one, two and two states; the limit is passed somewhere in the third."""
    cut = run(Counter, *CLAIMS, max_states=4)
    assert not cut.complete
    assert not cut.level_ended
    assert clean_depths(cut) == {len(cut.levels) - 2}


@pytest.mark.parametrize(("option", "value"), [("max_states", 0), ("max_depth", -1)])
def test_limits_that_leave_nothing_are_refused(option: str, value: int) -> None:
    with pytest.raises(OptionError, match=option):
        run(Counter, **{option: value})


def test_memory_that_runs_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 100_000)
    found = explore(Task(Suite.of(Counter, "counter"), {"limit": 100_000}, ()))
    assert not found.complete
    assert found.stopped_because is not None
    assert "may be used" in found.stopped_because


def test_the_memory_limit_holds_and_what_was_found_is_said() -> None:
    # What earlier tests left free in this process is not the search's.
    give_back()
    limit = resident_bytes() // MEGABYTE + 24
    found = explore(Task(Suite.of(Kip320, "kafka"), {}, (), memory=limit))
    assert not found.complete
    assert "MB" in (found.stopped_because or "")
    # That there are 737,794 states is TLC's word.
    assert 30_000 < found.distinct_states < 737_794
    assert found.levels[:4] == (1, 6, 30, 138)
    give_back()
    assert resident_bytes() // MEGABYTE <= limit + 4


def test_an_interruption_comes_with_what_was_found() -> None:
    class Impatient(Silent):
        def decided(self, result: Result) -> None:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        explore(Task(Suite.of(Counter, "counter"), {}, ("BelowFive",)), Impatient())
    found = stopped.value.found
    assert found.stopped_because == "interrupted"
    assert found.levels == (1, 2, 2, 2)
    assert list(found.violations) == ["BelowFive"]


class Recorder(Silent):
    def __init__(self) -> None:
        self.facts: list[str] = []
        self.results: list[Result] = []

    def fact(self, text: str) -> None:
        self.facts.append(text)

    def decided(self, result: Result) -> None:
        self.results.append(result)


def test_the_observer_hears_what_will_not_change() -> None:
    recorder = Recorder()
    explore(Task(Suite.of(Counter, "counter"), {}, EVERYTHING), recorder)
    assert {(r.property, r.verdict, r.depth) for r in recorder.results} == {
        ("BelowFive", Verdict.VIOLATED, 3),
        ("ByOne", Verdict.VIOLATED, 3),
        ("NoneIsSeven", Verdict.VIOLATED, 4),
    }
    assert "Six is reached in 3 steps" in recorder.facts


class Impatient(Silent):
    def decided(self, result: Result) -> None:
        raise KeyboardInterrupt


def test_an_interruption_gets_out() -> None:
    with pytest.raises(KeyboardInterrupt):
        explore(Task(Suite.of(DeadEnd, "dead end"), {}, ("Good",)), Impatient())
