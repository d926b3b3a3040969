"""Every engine on every small system: a true claim is never violated, a false one never proved.

The table says what is true. An engine that decides a claim has to say just that; one that only
searches, or gives up, has to say unknown.
"""

import pytest

from bmc.engines import explored
from bmc.engines.engine import ENGINES, Engine, UnknownEngine, engine, title_of
from bmc.engines.explicit import ExplicitSearch
from bmc.engines.portfolio import prove as auto
from bmc.engines.task import SILENT, Explores, Task
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang.protocol import Protocol
from bmc.system.transition import NoInitialState
from tests.engines import machines

TRUE = (
    (machines.DeadEnd, "Inside"),
    (machines.DeadEnd, "Grows"),
    (machines.Pair, "OtherBelowLimit"),
    (machines.Ring, "NotSeven"),
    (machines.Confined, "NeverAtTheEnd"),
    (machines.Tokens, "AtMostOne"),
)
FALSE = (
    (machines.DeadEnd, "NeverAtTheEnd", 3),
    (machines.DeadEnd, "NoLastStep", 3),
    (machines.Tokens, "SomebodyNever", 2),
)
OVERFLOWING = (
    (machines.Overflowing, "TypeOk"),
    (machines.WrongKey, "Trivial"),
)
BY_NAME = pytest.mark.parametrize("by", ENGINES, ids=lambda one: one.name)


def decide(by: Engine, protocol: type[Protocol], name: str) -> Result:
    (result,) = by.prove(Task(machines.suite(protocol), {}, (name,)), SILENT)
    return result


@BY_NAME
@pytest.mark.parametrize(("protocol", "name"), TRUE)
def test_what_is_true_is_proved_by_whoever_proves(
    by: Engine, protocol: type[Protocol], name: str
) -> None:
    result = decide(by, protocol, name)
    assert result.verdict is (Verdict.PROVED if by.proves else Verdict.UNKNOWN)
    assert result.trace is None
    assert (result.checked_by is not None) is by.proves


@BY_NAME
@pytest.mark.parametrize(("protocol", "name", "states"), FALSE)
def test_what_is_false_is_violated_by_a_shortest_trace(
    by: Engine, protocol: type[Protocol], name: str, states: int
) -> None:
    result = decide(by, protocol, name)
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == states


@BY_NAME
@pytest.mark.parametrize(("protocol", "name"), OVERFLOWING)
def test_nothing_is_proved_where_the_bounds_are_too_small(
    by: Engine, protocol: type[Protocol], name: str
) -> None:
    result = decide(by, protocol, name)
    assert result.verdict is Verdict.UNKNOWN
    assert result.overflow is not None
    assert "a bound is too small" in (result.reason or "")


@BY_NAME
@pytest.mark.parametrize("protocol", [machines.Unstartable, machines.ConfinedFromTheStart])
def test_nothing_is_proved_of_no_executions(by: Engine, protocol: type[Protocol]) -> None:
    name = "Never" if protocol is machines.Unstartable else "Inside"
    with pytest.raises(NoInitialState):
        decide(by, protocol, name)


def test_an_exploration_takes_part_where_it_may() -> None:
    task = Task(machines.suite(machines.Ring), {}, ("NotSeven",), lemmas=False, depth=1)
    (alone,) = auto(task)
    assert alone.engine != "explicit"
    heard = []

    class Listening:
        def phase(self, text: str) -> None: ...
        def fact(self, text: str) -> None:
            heard.append(text)

        def decided(self, result: Result) -> None: ...

    auto(
        Task(task.suite, {}, task.properties, 1, lemmas=False, explores=Explores.AT_ONCE),
        Listening(),
    )
    assert any("exploration" in text for text in heard)


@pytest.mark.nightly
def test_more_than_a_million_states_that_take_seconds_are_explored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explored, "_SECONDS", 0.1)
    result = decide(engine("explicit"), machines.Dials, "Shown")
    assert result.verdict is Verdict.PROVED, result.reason
    assert "of 1,259,712 states" in (result.checked_by or "")


def test_an_exploration_says_at_which_states_it_was_looked_at_again() -> None:
    result = decide(engine("explicit"), machines.Ring, "NotSeven")
    assert result.checked_by == "the interpreter at all 3 states"


def test_a_state_that_an_exploration_missed_is_a_contradiction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Whatever is looked at again, it is 5, from which a step leads to 6: neither was explored.
    monkeypatch.setattr(ExplicitSearch, "state", lambda self, number: {"place": 5})
    with pytest.raises(Contradiction, match="did not find"):
        decide(engine("explicit"), machines.Ring, "NotSeven")


def test_a_claim_that_the_interpreter_finds_false_is_a_contradiction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explored, "failing_instance", lambda *_: {})
    with pytest.raises(Contradiction, match="finds it false"):
        decide(engine("explicit"), machines.Ring, "NotSeven")


def test_an_engine_that_there_is_not() -> None:
    with pytest.raises(UnknownEngine, match="did you mean"):
        engine("kinductoin", proving=True)
    assert engine("check") is engine("bounded")
    assert title_of("bounded") == "bounded search"
