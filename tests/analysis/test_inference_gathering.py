"""What is gathered is preserved together, whatever came first; what it cannot say is no proof."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from bmc.analysis.inference import denials as module
from bmc.analysis.inference.denials import Denials
from bmc.analysis.inference.gathering import Gathering
from bmc.analysis.inference.infer import InferenceOptions, infer
from bmc.analysis.inference.prospect import Prospect
from bmc.analysis.inference.sightings import Sightings
from bmc.analysis.inference.subject import Subject
from bmc.analysis.inference.worlds import explored_worlds
from bmc.analysis.mining.candidates import Candidate
from bmc.analysis.mining.consecution import Consecution
from bmc.analysis.mining.houdini import houdini
from bmc.engines.conjuncts import conjunct
from bmc.engines.packed.packing import Rows
from bmc.engines.task import SILENT, Deadline, OutOfTime, Task
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Protocol,
    State,
    Step,
    Variable,
    action,
    conj,
    disj,
    forall,
    invariant,
    mapping,
    one_of,
)
from bmc.lang.build import argument
from bmc.lang.show import show
from bmc.lang.sorts import BOOL
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.terms import select, term_of
from tests.analysis.protocols import Commit, Lock
from tests.analysis.test_inference_history import invented


class Parity(Protocol):
    """Neighbours among ten bits are turned, so how many are set is even: that takes all to say."""

    Place = Integer("Place", 0, 9)
    bits = Variable(MapSort(Place, BOOL))

    @action()
    def Init(self, s: Step) -> None:
        s.bits = mapping(self.Place, lambda place: False, BOOL)

    @action(place=Place, neighbour=Place)
    def Turn(self, s: Step, place: Expr, neighbour: Expr) -> None:
        s.require(place + 1 == neighbour)
        s.bits[place] = ~s.bits[place]
        s.bits[neighbour] = ~s.bits[neighbour]

    Next = one_of(Turn)

    @invariant("no bit is set alone", alone=Place)
    def NotAlone(self, s: State, alone: Expr) -> Expr:
        others = forall(self.Place, lambda place: disj(place == alone, ~s.bits[place]))
        return ~conj(s.bits[alone], others)


class Idle(Protocol):
    """Two switches that nobody turns on, and one that anybody turns."""

    first = Variable(BOOL)
    second = Variable(BOOL)
    third = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.first = s.second = s.third = False

    @action()
    def Turn(self, s: Step) -> None:
        s.third = ~s.third

    Next = one_of(Turn)

    @invariant("the first is off")
    def Off(self, s: State) -> Expr:
        return ~s.first


def gathering(protocol: type[Protocol], name: str, seed: int = 0) -> tuple[Subject, Gathering]:
    """What is gathered for a claim at two members, with its claim."""
    suite = Suite.of(protocol, protocol.__name__)
    given = {p.name: 2 for p in suite.model(False).parameters}
    return begun(Task(suite, given, (name,), lemmas=False), 30.0, seed)


def begun(task: Task, seconds: float, seed: int = 0) -> tuple[Subject, Gathering]:
    subject = Subject.of(task)
    worlds = explored_worlds(subject.system, 5000, 10.0, seed, SILENT, lambda _: None)
    prospect = Prospect(subject.words(), worlds, 3)
    return subject, Gathering([subject.targets], prospect, Deadline(seconds), SILENT, seed)


def preserved(subject: Subject, found: list[Candidate]) -> set[str]:
    """Which of the claims and of the lemmas, called by number, are preserved together."""
    stated = [conjunct(subject.system, one.stated(str(i))) for i, one in enumerate(found)]
    asked = Consecution(subject.system, Deadline(30.0))
    kept = houdini(asked, [*subject.targets, *stated], (), SILENT).survivors
    return {one.name for one in kept}


def test_no_candidate_is_looked_at_when_the_time_has_passed() -> None:
    """What hundreds of IC3's clauses say more generally was looked at for as long as that took."""
    subject, search = gathering(Lock, "Mutex")
    search.run()
    worlds = explored_worlds(subject.system, 5000, 10.0, 0, SILENT, lambda _: None)
    prospect = Prospect(subject.words(), worlds[:1], 3)
    assert prospect.valid(search.lemmas, Deadline(60.0))
    with pytest.raises(OutOfTime):
        prospect.valid(search.lemmas, Deadline(0.0))


@pytest.mark.parametrize(("protocol", "name"), [(Lock, "Mutex"), (Commit, "Agreement")])
def test_what_is_gathered_is_preserved_together(protocol: type[Protocol], name: str) -> None:
    subject, search = gathering(protocol, name)
    search.run()
    found = search.lemmas
    assert found
    assert not search.refuted
    wanted = {target.name for target in subject.targets} | {str(i) for i in range(len(found))}
    assert preserved(subject, found) == wanted


def test_at_several_sizes_it_is_preserved_at_each() -> None:
    suite = Suite.of(Commit, "Commit")
    subject = Subject.of(Task(suite, {"nodes": 2}, ("Agreement",), lemmas=False))
    worlds = explored_worlds(subject.system, 5000, 10.0, 0, SILENT, lambda _: None)
    assert [world.system.parameters["nodes"] for world in worlds] == [2, 3]
    targets = [subject.targets_at(world.system) for world in worlds]
    search = Gathering(targets, Prospect(subject.words(), worlds, 3), Deadline(30.0), SILENT, 0)
    search.run()
    assert not search.refuted
    for nodes in (2, 3):
        there = Subject.of(Task(suite, {"nodes": nodes}, ("Agreement",), lemmas=False))
        kept = preserved(there, search.lemmas)
        assert len(kept) == len(there.targets) + len(search.lemmas)


def test_what_few_literals_cannot_say_is_refuted_and_no_proof() -> None:
    subject, search = gathering(Parity, "NotAlone")
    search.run()
    assert search.refuted
    assert "NotAlone" not in preserved(subject, search.lemmas)


def test_what_is_false_where_nothing_is_denied_is_dropped() -> None:
    subject, search = gathering(Parity, "NotAlone")
    place = argument("place", Parity.Place)
    wrong = term_of(~select(state_variable("bits", subject.system.model.variables["bits"]), place))
    search.begin_with([Candidate((place,), wrong, 1, 1)])
    search.run()
    assert wrong not in [one.body for one in search.lemmas]


def test_what_no_target_leans_on_is_left_out() -> None:
    subject, search = gathering(Idle, "Off")
    search.begin_with([Candidate((), term_of(~state_variable("second", BOOL)), 1, 1)])
    search.run()
    assert search.closed
    assert search.lemmas == []
    assert "Off" in preserved(subject, [])


def test_larger_tables_know_what_was_entered_before_they_were_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_ARGUMENTS", 1)
    subject = Subject.of(Task(Suite.of(Commit, "Commit"), {"nodes": 2}, (), lemmas=False))
    worlds = explored_worlds(subject.system, 5000, 10.0, 0, SILENT, lambda _: None)
    prospect = Prospect(subject.words(), worlds, 2)

    def denied(states: Rows, entered: bool) -> bool:
        denials = Denials(prospect, Deadline(30.0), 0)
        if entered:
            denials.enter(0, states)
        every = denials.seen(0, states)
        smaller = len(every[0])
        while denials.widen(0, states, every):
            pass
        return bool(denials.of(every[0], 2, smaller))

    numbers = product(*((leaf.low, leaf.high) for leaf in subject.system.leaves))
    unreached = next(
        rows
        for rows in (worlds[0].packing.pack([one]) for one in numbers)
        if not worlds[0].has(rows[0]) and denied(rows, entered=False)
    )
    assert not denied(unreached, entered=True)


def test_the_same_seed_gathers_the_same() -> None:
    found = []
    for _ in range(2):
        _, search = gathering(Commit, "Agreement")
        search.run()
        found.append([show(one.body) for one in search.lemmas])
    assert found[0] == found[1]


def test_without_time_nothing_is_gathered() -> None:
    _, search = begun(invented(), 0.0)
    with pytest.raises(OutOfTime):
        search.run()
    assert search.lemmas == []


def test_claims_beside_a_history_are_closed_by_what_is_gathered() -> None:
    task = replace(invented(), properties=("Same",), lemmas=False)
    found = infer(task, InferenceOptions(seconds=60.0))
    assert found.closed
    assert found.lemmas
    assert found.asked == 0, "nothing was left to search for"


@pytest.mark.parametrize("seed", range(6))
def test_columns_that_are_found_apart_are_in_no_sight(seed: int) -> None:
    """Sights are entered in parts; each set that is found is in none, and needs all it has."""
    subject = Subject.of(Task(Suite.of(Commit, "Commit"), {"nodes": 2}, (), lemmas=False))
    worlds = explored_worlds(subject.system, 5000, 10.0, 0, SILENT, lambda _: None)
    table = max(Prospect(subject.words(), worlds, 2).tables(2), key=lambda one: len(one.literals))
    random = np.random.default_rng(seed)
    columns = 2 * len(table.literals)
    sights = random.random((200, columns)) < 0.7
    one = Sightings(table, seed)
    before = np.unpackbits(table.rows.view(np.uint8), axis=1, bitorder="little")[:, :columns]
    places = np.sort(random.choice(200, 2, replace=False))
    for part in np.split(sights, places):
        one.enter(one.packed(part))
    seen = np.concatenate([before.astype(np.bool_), sights])
    assert one.unseen(one.packed(seen)) == []
    facts = np.sort(random.choice(columns, columns // 2, replace=False))
    sight = np.zeros((1, columns), np.bool_)
    sight[0, facts] = True
    pairs = list(one.pairs(sight))
    for a, b in combinations(facts.tolist(), 2):
        assert ((a, b) in pairs) == (not seen[:, [a, b]].all(axis=1).any())
    for found in one.apart(facts, 9):
        assert not seen[:, found].all(axis=1).any()
        parts = [[x for x in found if x != out] for out in found]
        assert all(seen[:, part].all(axis=1).any() for part in parts if part)


def test_states_that_are_to_be_denied_are_counted_once_each() -> None:
    subject = Subject.of(Task(Suite.of(Commit, "Commit"), {"nodes": 2}, (), lemmas=False))
    worlds = explored_worlds(subject.system, 5000, 10.0, 0, SILENT, lambda _: None)
    table = max(Prospect(subject.words(), worlds, 1).tables(1), key=lambda one: len(one.literals))
    one = Sightings(table, 0)
    sight = np.zeros((2, 2 * len(table.literals)), np.bool_)
    sight[:, 0] = True
    sight[1, 2] = True
    one.deny(one.packed(sight), 1)
    one.deny(one.packed(sight[:1]), 2)
    assert [one.denied(columns) for columns in ((0,), (0, 2), (2,), (4,))] == [2, 1, 1, 0]
