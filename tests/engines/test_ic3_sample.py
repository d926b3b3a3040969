"""Sampled states steer IC3; what it makes of them is what looking at each of them says."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, repeat
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bmc.engines.ic3 import reach
from bmc.engines.ic3 import sample as module
from bmc.engines.ic3.frames import Orbit
from bmc.engines.ic3.prove import prove, symmetry_of
from bmc.engines.ic3.sample import Sample, sampled
from bmc.engines.ic3.seeds import seeds
from bmc.engines.ic3.template import Template
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, Deadline, OutOfTime, Task
from bmc.evidence.verdict import Result, Verdict
from bmc.lang import (
    Integer,
    Protocol,
    Record,
    SetSort,
    Step,
    Suite,
    Variable,
    action,
    insert,
    one_of,
    record,
)
from bmc.readings.circuit import evaluate
from bmc.readings.value import Interpreter
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem
from tests.engines import machines

ATOMS = 6

states = st.lists(st.tuples(*[st.booleans()] * ATOMS), max_size=150)
cubes = st.sets(st.integers(1, ATOMS), min_size=1).flatmap(
    lambda atoms: st.tuples(*[st.sampled_from([a, -a]) for a in sorted(atoms)]).map(frozenset)
)


def inside(state: tuple[bool, ...], cube: frozenset[int]) -> bool:
    return all(state[abs(lit) - 1] == (lit > 0) for lit in cube)


@given(states, cubes, st.data())
def test_a_sample_is_what_its_states_are(
    drawn: list[tuple[bool, ...]], whole: frozenset[int], data: st.DataObject
) -> None:
    sample = Sample(np.array(drawn, np.bool_).reshape(len(drawn), ATOMS).T)
    part = frozenset(data.draw(st.sets(st.sampled_from(sorted(whole)), min_size=1)))
    assert sample.meets(part) == any(inside(state, part) for state in drawn)
    apart = sample.apart(part, whole)
    assert part <= apart <= whole
    if not any(inside(state, whole) for state in drawn):
        assert not any(inside(state, apart) for state in drawn)
    else:
        assert apart == part


@given(
    st.lists(st.tuples(*[st.booleans()] * ATOMS), max_size=300),
    cubes,
    st.dictionaries(st.integers(-ATOMS, ATOMS), st.integers(0, 9)),
    st.sampled_from([1, 2, 512]),
)
def test_a_part_that_was_never_seen_is_as_small_as_can_be(
    drawn: list[tuple[bool, ...]], whole: frozenset[int], useful: dict[int, int], looked_at: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LOOKED_AT", looked_at)
        patch.setattr(module, "_MORE", 1)
        sample = Sample(np.array(drawn, np.bool_).reshape(len(drawn), ATOMS).T)
        part = sample.unseen(whole, useful)
    seen = any(inside(state, whole) for state in drawn)
    assert (part is None) == seen
    if part is not None:
        assert part
        assert part <= whole
        assert not any(inside(state, part) for state in drawn)
        for literal in part if len(part) > 1 else ():
            assert any(inside(state, part - {literal}) for state in drawn)


@given(states, states, states, cubes)
def test_states_that_are_entered_later_are_states_of_the_sample(
    first: list[tuple[bool, ...]],
    more: list[tuple[bool, ...]],
    last: list[tuple[bool, ...]],
    cube: frozenset[int],
) -> None:
    def truth(drawn: list[tuple[bool, ...]]) -> NDArray[np.bool_]:
        return np.array(drawn, np.bool_).reshape(len(drawn), ATOMS).T

    sample = Sample(truth(first))
    sample.add(truth(more))
    sample.add(truth(last))
    drawn = [*first, *more, *last]
    assert sample.count == len(drawn)
    there = {number for number, state in enumerate(drawn) if inside(state, cube)}
    assert sample.meets(cube) == bool(there)
    found = sample.inside(cube, 1_000)
    assert set(found) <= there
    assert bool(found) == bool(there)
    assert len(sample.inside(cube, 1)) <= 1
    assert (sample.unseen(cube, {}) is None) == bool(there)


def _no_frames(*_: object) -> None:
    raise OutOfTime("frames are not looked for here")


def test_some_states_suffice_without_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STATES", 1)
    monkeypatch.setattr(reach, "_STATES", 1)
    monkeypatch.setattr("bmc.engines.ic3.prove.Ic3Search", _no_frames)
    told = Listener()
    suite = machines.suite(machines.Tokens)
    (result,) = prove(Task(suite, {}, ("AtMostOne",), lemmas=False), told)
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    assert result.certificate.clauses
    assert any("known reachable states" in one for one in told.said)


def test_frames_of_which_none_is_opened_in_time_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STATES", 1)
    monkeypatch.setattr(reach, "_STATES", 1)
    monkeypatch.setattr("bmc.engines.ic3.prove._PATIENCE", -1.0)
    told = Listener()
    suite = machines.suite(machines.Tokens)
    (result,) = prove(Task(suite, {}, ("AtMostOne",), lemmas=False), told)
    assert result.verdict is Verdict.PROVED
    assert any("known reachable states" in one for one in told.said)


def test_frames_beside_proven_lemmas_are_not_given_up_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "STATES", 1)
    for limit in ("_AT_FIRST", "_PATIENCE"):
        monkeypatch.setattr(f"bmc.engines.ic3.prove.{limit}", -1.0)
    asked = Task(machines.suite(machines.Tokens), {}, ("SomebodyNever",))
    for lemmas, searches in ((True, 1), (False, 2)):
        told = Listener()
        (result,) = prove(replace(asked, lemmas=lemmas), told)
        assert result.verdict is Verdict.VIOLATED
        assert told.said.count("IC3: SomebodyNever") == searches


def test_what_is_false_is_not_learned_from_some_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STATES", 1)
    monkeypatch.setattr(reach, "_STATES", 1)
    monkeypatch.setattr("bmc.engines.ic3.prove._AT_FIRST", -1.0)
    suite = machines.suite(machines.Tokens)
    (result,) = prove(Task(suite, {}, ("SomebodyNever",), lemmas=False))
    assert result.verdict is Verdict.VIOLATED


def test_a_complete_exploration_is_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bmc.engines.samples.LANES", 64)
    task = Task(Suite.of(Count, "Count"), {}, ())
    system = TransitionSystem(task.model(ghosts=False), task.parameters)
    explored = Explored(system, 0)
    assert Sample.of_all(explored) is None
    explored.explore(1_000, 60.0, SILENT)
    assert len(explored) == 201
    sample = Sample.of_all(explored)
    assert sample is not None
    assert (sample.count, sample.complete) == (201, True)
    numbers = {atom.text: i for i, atom in enumerate(Atoms(system).all, 1)}
    for least in range(1, 400):
        exactly = frozenset([numbers[f"count >= {least}"], -numbers[f"count >= {least + 1}"]])
        assert sample.meets(exactly) == (least % 2 == 0)
    monkeypatch.setattr(module, "MOST", 201 * len(numbers) - 1)
    assert Sample.of_all(explored) is None


def test_nothing_is_a_part_of_nothing() -> None:
    assert Sample(np.ones((ATOMS, 3), np.bool_)).unseen(frozenset(), {}) is None


class Count(Protocol):
    """Counts the even numbers."""

    count = Variable(Integer("Count", 0, 400))

    @action()
    def Init(self, s: Step) -> None:
        s.count = 0

    @action()
    def Add(self, s: Step) -> None:
        s.require(s.count < 400)
        s.count = s.count + 2

    Next = one_of(Add)


class Post(Protocol):
    """Letters between any of many boxes, of which a few are ever sent: each to its own box."""

    Box = Integer("Box", 0, 24)
    Letter = Record("Letter", sender=Box, dest=Box)

    sent = Variable(SetSort(Letter))
    turn = Variable(Box)

    @action()
    def Init(self, s: Step) -> None:
        s.sent = frozenset()
        s.turn = 0

    @action()
    def Send(self, s: Step) -> None:
        s.require(s.turn < 3)
        s.sent = insert(s.sent, record(self.Letter, sender=s.turn, dest=s.turn))
        s.turn = s.turn + 1

    Next = one_of(Send)


def seeds_of(system: TransitionSystem, atoms: Atoms, sample: Sample) -> tuple[Orbit, ...]:
    """What IC3 begins with, found without a limit of time."""
    return seeds(
        Template(system, atoms, [], step=False),
        Template(system, atoms, [], step=True),
        sample,
        symmetry_of(system, atoms),
        Deadline(None),
        SILENT,
    )


def test_what_never_holds_is_a_seed_however_many_literals_there_are() -> None:
    task = Task(Suite.of(Post, "Post"), {}, ())
    system = TransitionSystem(task.model(ghosts=False), task.parameters)
    atoms = Atoms(system)
    assert len(atoms) > 600
    found = seeds_of(system, atoms, sampled(system, atoms, Deadline(None), SILENT)[0])
    denied = {frozenset(atoms.text(lit) for lit in orbit.cube) for orbit in found}
    assert frozenset(["sent[(sender=0, dest=1)]"]) in denied
    assert frozenset(["sent[(sender=2, dest=2)]", "~ turn >= 3"]) in denied
    assert frozenset(["sent[(sender=2, dest=2)]"]) not in denied


@pytest.mark.parametrize("protocol", [machines.Pair, machines.Tokens, machines.Ring])
def test_seeds_hold_in_every_reachable_state(protocol: type[Protocol]) -> None:
    suite = machines.suite(protocol)
    task = Task(suite, {}, (suite.properties[0].name,))
    model = task.model(ghosts=False)
    system = TransitionSystem(model, task.parameters)
    atoms = Atoms(system)
    sample, _ = sampled(system, atoms, Deadline(None), SILENT)
    found = seeds_of(system, atoms, sample)
    assert found
    interpreter = Interpreter(model, system.domains)
    known = {tuple(system.encode(state)): state for state in interpreter.initial_states()}
    queue = list(known.values())
    for state in queue:
        for step in interpreter.successors(state):
            if (key := tuple(system.encode(step.state))) not in known:
                known[key] = step.state
                queue.append(step.state)
    assert sample.count == len(known)
    denied = [atoms.clause([-lit for lit in cube]) for orbit in found for cube in orbit.images]
    assert all(all(evaluate(denied, numbers)) for numbers in known)


def test_sampling_ends_where_fewer_states_exist_than_were_asked_for() -> None:
    suite = machines.suite(machines.Pair)
    task = Task(suite, {}, (suite.properties[0].name,))
    system = TransitionSystem(task.model(ghosts=False), task.parameters)
    everything = Explored(system, 0)
    everything.explore(10_000, 60.0, SILENT)
    assert everything.complete
    explored = Explored(system, 0)
    started = monotonic()
    # Breadth first it stops before the last states, and walking finds fewer than as many again.
    explored.explore(len(everything) - 1, 60.0, SILENT)
    assert monotonic() - started < 30
    assert len(explored) <= len(everything)


class Listener:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def phase(self, text: str) -> None:
        self.said.append(text)

    def fact(self, text: str) -> None:
        self.said.append(text)

    def decided(self, result: Result) -> None:
        self.said.append(result.property)


def test_two_runs_are_the_same() -> None:
    from bmc.properties.kafka import KAFKA_KIP320

    small = {"replicas": 2, "log_size": 2, "max_records": 1, "max_leader_epoch": 1}
    task = Task(KAFKA_KIP320, small, ("StrongIsr",), lemmas=False)
    runs = []
    for _ in range(2):
        listener = Listener()
        (result,) = prove(task, listener)
        assert result.certificate is not None
        runs.append((listener.said, result.certificate))
    assert runs[0] == runs[1]


@pytest.mark.nightly
def test_kafka_needs_no_lemma() -> None:
    from bmc.properties.kafka import KAFKA_KIP320

    task = Task(KAFKA_KIP320, {}, ("StrongIsr",), timeout=600.0, lemmas=False)
    (result,) = prove(task)
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    assert not result.lemmas
    assert result.checked_by is not None


def test_a_busy_machine_ends_no_exploration_that_has_hardly_worked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seven tenths of the time are over at once, and none of them was this process's."""
    clock = chain([0.0, 0.0], repeat(7.0))
    for where in ("samples", "task"):
        monkeypatch.setattr(f"bmc.engines.{where}.monotonic", lambda: next(clock))
    model = Suite.of(Count, "Count").model(False)
    explored = Explored(TransitionSystem(model, {}), 0)
    explored.explore(1_000, 10.0, SILENT)
    assert (len(explored), explored.complete) == (201, True)
