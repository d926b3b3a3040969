"""Bounded search is sound: what it shows replays, is shortest, and silence is not an answer."""

import re
from collections.abc import Callable

import pytest

from bmc.engines import kinduction
from bmc.engines.bounded import BoundedSearch, check
from bmc.engines.ic3 import prove as ic3
from bmc.engines.task import Deadline, OptionError, OutOfTime, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.errors import ParameterError, UnknownName
from bmc.lang.properties import Property
from bmc.lang.protocol import Protocol
from bmc.solving.factory import NAMES
from bmc.system.transition import NoInitialState
from tests.engines import machines


def search(protocol: type[Protocol], name: str, bound: int, solver: str = "cadical") -> Result:
    """The answer about one property."""
    suite = machines.suite(protocol)
    return check(Task(suite, {}, (name,), depth=bound, solver=solver))[0]


@pytest.mark.parametrize("solver", NAMES)
def test_a_bad_state_without_successor_is_found(solver: str) -> None:
    result = search(machines.DeadEnd, "NeverAtTheEnd", 10, solver)
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert [step.state["place"] for step in result.trace.steps] == [0, 1, 2]
    assert [step.action for step in result.trace.steps] == [None, "Walk", "Walk"]


@pytest.mark.parametrize("bound", [0, 1])
def test_a_search_that_is_too_shallow_knows_nothing(bound: int) -> None:
    result = search(machines.DeadEnd, "NeverAtTheEnd", bound)
    assert result.verdict is Verdict.UNKNOWN
    assert result.depth == bound


def test_a_bad_state_at_exactly_the_bound_is_found() -> None:
    assert search(machines.DeadEnd, "NeverAtTheEnd", 2).verdict is Verdict.VIOLATED


def test_a_search_past_the_longest_execution_says_so_and_proves_nothing() -> None:
    result = search(machines.DeadEnd, "Inside", 10)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert "no execution is longer than 2 steps" in result.reason


def test_step_invariants_are_searched_between_states() -> None:
    result = search(machines.DeadEnd, "NoLastStep", 5)
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 3
    assert search(machines.DeadEnd, "Grows", 5).verdict is Verdict.UNKNOWN


def test_the_state_constraint_is_not_left() -> None:
    assert search(machines.Confined, "NeverAtTheEnd", 5).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("protocol", [machines.Unstartable, machines.ConfinedFromTheStart])
def test_no_initial_state_is_an_error(protocol: type[Protocol]) -> None:
    suite = machines.suite(protocol)
    name = suite.properties[0].name
    with pytest.raises(NoInitialState, match=r"py:\d+: no state satisfies Init"):
        check(Task(suite, {}, (name,)))


@pytest.mark.parametrize(
    ("protocol", "name", "said"),
    [
        (machines.Overflowing, "TypeOk", "a bound is too small: in .*count [+] 1 is 4"),
        (machines.WrongKey, "Trivial", "a bound is too small: in .*number is not a key"),
        (machines.Headless, "Trivial", "a value is read that is not there: in .*tail of an empty"),
    ],
)
def test_a_step_without_a_value_is_reported(protocol: type[Protocol], name: str, said: str) -> None:
    result = search(protocol, name, 8)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert re.search(said, result.reason)


def test_violations_before_an_overflow_are_still_found() -> None:
    class Low(machines.Overflowing):
        @machines.invariant("below 2")
        def Low(self, s: machines.State) -> machines.Term:
            return s.count < 2

    result = search(Low, "Low", 8)
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 3


def test_options_are_checked_where_they_are_built() -> None:
    suite = machines.suite(machines.Pair)
    with pytest.raises(ParameterError, match="limit must be between 1 and 30, you gave 0"):
        Task(suite, {"limit": 0}, ("OtherBelowLimit",))
    with pytest.raises(ParameterError, match="did you mean limit"):
        Task(suite, {"limt": 3}, ("OtherBelowLimit",))
    with pytest.raises(UnknownName, match="did you mean OtherBelowLimit"):
        Task(suite, {}, ("OtherBelowLimits",))
    with pytest.raises(OptionError, match="0 or more"):
        Task(suite, {}, ("OtherBelowLimit",), depth=-1)
    with pytest.raises(OptionError, match="positive"):
        Task(suite, {}, ("OtherBelowLimit",), timeout=0)
    with pytest.raises(OptionError, match="no solver"):
        Task(suite, {}, ("OtherBelowLimit",), solver="zz3")


@pytest.mark.parametrize("prove", [check, kinduction.prove, ic3.prove])
def test_time_that_ends_between_two_properties_of_a_depth_loses_no_violation(
    prove: Callable[[Task], tuple[Result, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended as an internal failure, and as unknown where the search serves another engine."""
    examine = BoundedSearch._examine

    def until_it_is_found(
        self: BoundedSearch, stated: Property, depth: int, deadline: Deadline
    ) -> None:
        if self.found:
            raise OutOfTime("the time limit has passed")
        examine(self, stated, depth, deadline)

    monkeypatch.setattr(BoundedSearch, "_examine", until_it_is_found)
    suite = machines.suite(machines.BadStart)
    first, second = prove(Task(suite, {}, ("NotAtTheStart", "Beyond"), depth=5))
    assert first.verdict is Verdict.VIOLATED
    assert (second.verdict, second.reason) == (Verdict.UNKNOWN, "the time limit has passed")
