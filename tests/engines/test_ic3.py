"""IC3 is right about machines whose answers are known, and its mistakes would be caught."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from bmc.engines.ic3 import learned, search, seeds
from bmc.engines.ic3.frames import Cube, Orbit
from bmc.engines.ic3.prove import prove
from bmc.engines.ic3.queries import Lifting, States, Steps
from bmc.engines.ic3.sample import Sample
from bmc.engines.task import Deadline, Observer, OptionError, Task
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import certify
from bmc.evidence.verdict import NOT_SHORTEST, Contradiction, Result, Verdict
from bmc.lang.protocol import Protocol
from bmc.system.atoms import Atoms
from bmc.system.symmetry import Symmetry
from bmc.system.transition import TransitionSystem
from tests.engines import machines


class Falsified(machines.Pair):
    """A counter pair with a property that fails deep down: IC3 has to walk back all the way."""

    @machines.invariant("the first counter never reaches 3")
    def OneBelowThree(self, s: machines.State) -> machines.Term:
        return s.one < 3


class Orbiting(machines.Ring):
    """The ring, which does reach 2."""

    @machines.invariant("2 is never reached")
    def NotTwo(self, s: machines.State) -> machines.Term:
        return s.place != 2


class Scattered(machines.Ring):
    """The ring with several initial states, of which one leads to 7."""

    @machines.action()
    def Init(self, s: machines.Step) -> None:
        with s.either():
            s.place = 1
        with s.either():
            s.place = 2
        with s.either():
            s.place = 5


class ScatteredSafely(machines.Ring):
    """The ring with several initial states, none of which leads to 7."""

    @machines.action()
    def Init(self, s: machines.Step) -> None:
        with s.either():
            s.place = 0
        with s.either():
            s.place = 2


class Low(machines.Overflowing):
    """The overflowing counter with something violated before it overflows."""

    @machines.invariant("below 2")
    def Below(self, s: machines.State) -> machines.Term:
        return s.count < 2


@pytest.fixture(params=["frames", "every state"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By frames even where all states are known, and by what is learned from all states."""
    if request.param == "frames":
        monkeypatch.setattr("bmc.engines.ic3.prove._Proof._learn", lambda *_: False)


def decide(protocol: type[Protocol], name: str, *, lemmas: bool = False, bound: int = 10) -> Result:
    """The answer about one property."""
    suite = machines.suite(protocol)
    return prove(Task(suite, {}, (name,), depth=bound, lemmas=lemmas))[0]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("lemmas", [False, True])
@pytest.mark.parametrize(
    ("protocol", "name"),
    [
        (machines.DeadEnd, "Inside"),
        (machines.DeadEnd, "Grows"),
        (machines.Pair, "OtherBelowLimit"),
        (machines.Ring, "NotSeven"),
        (machines.Confined, "NeverAtTheEnd"),
        (machines.Confined, "NoLastStep"),
        (machines.Tokens, "AtMostOne"),
        (ScatteredSafely, "NotSeven"),
    ],
)
def test_what_is_true_is_proved(protocol: type[Protocol], name: str, lemmas: bool) -> None:
    result = decide(protocol, name, lemmas=lemmas)
    assert result.verdict is Verdict.PROVED
    assert result.trace is None
    assert result.checked_by is not None
    certificate = result.certificate
    assert certificate is not None
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    assert certify(read, machines.suite(protocol)).claims == (name,)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("lemmas", [False, True])
@pytest.mark.parametrize(
    ("protocol", "name", "length"),
    [
        (machines.DeadEnd, "NeverAtTheEnd", 3),
        (machines.DeadEnd, "NoLastStep", 3),
        (machines.Tokens, "SomebodyNever", 2),
        (Falsified, "OneBelowThree", 4),
        (Orbiting, "NotTwo", 3),
        (Scattered, "NotSeven", 3),
        (Low, "Below", 3),
    ],
)
def test_what_is_false_is_violated_by_a_shortest_trace(
    protocol: type[Protocol], name: str, length: int, lemmas: bool
) -> None:
    result = decide(protocol, name, lemmas=lemmas)
    assert result.verdict is Verdict.VIOLATED
    assert result.certificate is None
    assert result.trace is not None
    assert len(result.trace) == length


def test_several_properties_are_decided_together() -> None:
    suite = machines.suite(machines.DeadEnd)
    asked = ("NeverAtTheEnd", "Inside", "Grows", "NoLastStep")
    found = {r.property: r.verdict.value for r in prove(Task(suite, {}, asked))}
    assert found == {
        "NeverAtTheEnd": "violated",
        "Inside": "proved",
        "Grows": "proved",
        "NoLastStep": "violated",
    }


def test_a_trace_of_its_own_is_replayed_when_no_shorter_one_was_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bmc.engines.ic3.prove.SHORTEST_SECONDS", -1.0)
    for protocol, name in [
        (machines.DeadEnd, "NeverAtTheEnd"),
        (machines.DeadEnd, "NoLastStep"),
        (machines.Tokens, "SomebodyNever"),
        (Falsified, "OneBelowThree"),
        (Scattered, "NotSeven"),
    ]:
        result = decide(protocol, name)
        assert result.verdict is Verdict.VIOLATED
        assert result.engine == "ic3"
        assert result.reason == NOT_SHORTEST


def _nothing_sampled(
    system: TransitionSystem, atoms: Atoms, deadline: Deadline, observer: Observer
) -> tuple[Sample, None]:
    return Sample(np.zeros((len(atoms), 0), np.bool_)), None


def _keep_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither look at reachable states nor reduce the invariant: both would notice a wrong one."""
    monkeypatch.setattr("bmc.engines.ic3.prove.sampled", _nothing_sampled)
    monkeypatch.setattr(search, "reduced", lambda state, step, orbits, goals, deadline: orbits)


def test_a_search_that_forgets_initial_states_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(States, "is_initial", lambda self, cube: False)
    _keep_all(monkeypatch)
    with pytest.raises(Contradiction, match="does not hold initially"):
        decide(machines.Tokens, "AtMostOne")


def test_a_search_that_overlooks_steps_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(self: object, cube: Cube, level: int, conflicts: int | None = None) -> Cube:
        return cube

    monkeypatch.setattr(Steps, "into", never)
    monkeypatch.setattr(Steps, "keeps_out", never)
    monkeypatch.setattr(Steps, "leaves", lambda *_: False)
    _keep_all(monkeypatch)
    with pytest.raises(Contradiction, match="does not hold inductively"):
        decide(machines.DeadEnd, "NeverAtTheEnd")


def test_a_search_that_overlooks_bad_states_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(States, "bad", lambda self, level: None)
    _keep_all(monkeypatch)
    with pytest.raises(Contradiction, match="does not imply"):
        decide(machines.DeadEnd, "NeverAtTheEnd")


def test_where_all_states_are_known_no_frame_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("bmc.engines.ic3.prove.Ic3Search")
    assert decide(machines.Tokens, "AtMostOne").verdict is Verdict.PROVED


def test_states_that_are_not_all_there_are_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(
        system: TransitionSystem, atoms: Atoms, deadline: Deadline, observer: Observer
    ) -> tuple[Sample, None]:
        return Sample(np.zeros((len(atoms), 0), np.bool_), complete=True), None

    monkeypatch.setattr("bmc.engines.ic3.prove.sampled", none)
    with pytest.raises(Contradiction, match=r"no state satisfies the conjunction"):
        decide(machines.Tokens, "AtMostOne")


def test_what_was_learned_and_never_asked_of_a_step_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bmc.properties.kafka import KAFKA_KIP320

    small = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    monkeypatch.setattr(learned.Learner, "_close", lambda *_: None)
    monkeypatch.setattr(learned, "reduced", lambda state, step, orbits, *_, **__: tuple(orbits))
    with pytest.raises(Contradiction, match="does not hold inductively"):
        prove(Task(KAFKA_KIP320, small, ("StrongIsr",), lemmas=False))


def _every_literal(sample: Sample, symmetry: Symmetry) -> Iterator[Orbit]:
    for cube in (frozenset([literal]) for literal in sample.literals()):
        yield Orbit(cube, tuple(symmetry.orbit(cube)), symmetry.kinds(cube))


def test_seeds_that_no_step_was_asked_about_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "_entered", lambda step, orbits, deadline: set())
    monkeypatch.setattr(seeds, "_unseen", _every_literal)
    _keep_all(monkeypatch)
    with pytest.raises(Contradiction, match="does not hold inductively"):
        decide(machines.Tokens, "AtMostOne")


def test_seeds_that_the_start_was_not_asked_about_are_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for all_pass in ("_without_start", "_possible"):
        monkeypatch.setattr(seeds, all_pass, lambda state, orbits, deadline: list(orbits))
    monkeypatch.setattr(seeds, "_entered", lambda step, orbits, deadline: set())
    monkeypatch.setattr(seeds, "_unseen", _every_literal)
    _keep_all(monkeypatch)
    with pytest.raises(Contradiction, match=r"no state satisfies the conjunction"):
        decide(machines.Tokens, "AtMostOne")


def test_a_path_that_is_none_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bmc.engines.ic3.prove.sampled", _nothing_sampled)
    monkeypatch.setattr(Lifting, "to_cube", lambda self, before, cube: frozenset())
    monkeypatch.setattr("bmc.engines.ic3.prove.SHORTEST_SECONDS", -1.0)
    with pytest.raises(Contradiction, match="does not violate it"):
        decide(machines.Ring, "NotSeven")


def test_running_out_of_time_is_unknown() -> None:
    from bmc.properties.kafka import KAFKA_KIP320

    task = Task(KAFKA_KIP320, {"replicas": 4}, ("StrongIsr",), timeout=1.0, lemmas=False)
    (result,) = prove(task)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert "time limit" in result.reason
    assert result.seconds < 30


def test_groups_of_lemmas_are_chosen_by_name() -> None:
    from bmc.properties.kafka import KAFKA_KIP320

    small = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    structural = ("control", "logs", "fencing")
    task = Task(KAFKA_KIP320, small, ("StrongIsr",), lemma_groups=structural)
    assert not task.speaks_of_ghosts()
    assert Task(KAFKA_KIP320, small, ("StrongIsr",)).speaks_of_ghosts()
    (result,) = prove(task)
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    commit = {d.name for d in KAFKA_KIP320.lemmas if d.group == "commit"}
    assert not commit & set(result.lemmas)
    with pytest.raises(OptionError, match="did you mean fencing"):
        Task(KAFKA_KIP320, small, ("StrongIsr",), lemma_groups=("fences",))
