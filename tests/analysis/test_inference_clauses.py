"""IC3's clauses become lemmas that say the same, and nothing is believed because IC3 said it."""

from collections.abc import Iterator
from multiprocessing import get_context

import pytest

from bmc.analysis.inference import infer as inference
from bmc.analysis.inference.beside import Beside
from bmc.analysis.inference.infer import InferenceOptions, infer
from bmc.analysis.inference.search import LemmaSearch
from bmc.analysis.inference.spoken import NotSayable, Phrases
from bmc.cli.shared import catalogue
from bmc.cli.shared.inference import furnished, inferred_and_proved
from bmc.cli.shared.progress import Progress
from bmc.engines.ic3.prove import find_invariant
from bmc.engines.kinduction import prove
from bmc.engines.samples import Explored
from bmc.engines.task import SILENT, OutOfTime, Silent, Task
from bmc.engines.team import Relay
from bmc.evidence.certify import certify
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BoundedSet,
    Expr,
    Integer,
    Protocol,
    Step,
    Variable,
    action,
    empty,
    insert,
    one_of,
)
from bmc.lang.suite import Suite
from bmc.readings.circuit import Node
from bmc.system.atoms import Atoms
from bmc.system.transition import TransitionSystem
from tests.analysis.protocols import Commit, Lock

KAFKA = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}
TRANSACTIONS: dict[str, int] = {}


def spoken(system: TransitionSystem) -> Iterator[tuple[str, Node, Node]]:
    """Each atom's text with its formula, and with the formula of its words."""
    phrases, c = Phrases(system), system.circuit
    for atom in Atoms(system).all:
        said = phrases[atom.text]
        members = {
            variable: system.shapes.constant(sort, number)
            for variable, (sort, number) in phrases.members.items()
        }
        there = c.true
        for guard in said.guards:
            read = system.expander.expand(guard, members)
            there = c.and_(there, read.defined, read.shape)
        read = system.expander.expand(said.formula, members)
        words = c.and_(there, read.defined, read.shape)
        yield atom.text, atom.node, c.or_(words, c.not_(there)) if said.absent else words


@pytest.mark.parametrize(
    ("suite", "parameters"),
    [
        (Suite.of(Lock, "Lock"), {"nodes": 3}),
        (Suite.of(Commit, "Commit"), {"nodes": 2}),
        (catalogue.find("kafka"), KAFKA),
        (catalogue.find("kafka-transactions"), TRANSACTIONS),
    ],
    ids=lambda one: one.name if isinstance(one, Suite) else "",
)
def test_the_words_of_an_atom_say_what_it_says(suite: Suite, parameters: dict[str, int]) -> None:
    task = Task(suite, parameters, ())
    system = TransitionSystem(task.model(ghosts=False), task.parameters)
    explored = Explored(system, 0)
    explored.explore(3_000, 10.0, SILENT)
    told = list(spoken(system))
    failing = explored.failing([system.circuit.iff(atom, words) for _, atom, words in told])
    assert [text for (text, *_), rows in zip(told, failing, strict=True) if len(rows)] == []


def task_of(protocol: type[Protocol], name: str) -> Task:
    return Task(Suite.of(protocol, protocol.__name__), {"nodes": 2}, (name,))


@pytest.mark.parametrize(("protocol", "name"), [(Lock, "Mutex"), (Commit, "Agreement")])
def test_what_a_search_without_time_leaves_open_is_closed_by_clauses_as_lemmas(
    protocol: type[Protocol], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inference, "_SEARCHING", 0.0)
    task = task_of(protocol, name)
    found = infer(task, InferenceOptions())
    assert found.closed
    assert found.lemmas
    (result,) = prove(furnished(task, found))
    assert result.verdict is Verdict.PROVED
    assert result.certificate is not None
    assert not result.certificate.clauses


def test_ic3_begins_anew_from_all_states_where_it_does_not_find_them_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: object) -> None:
        raise OutOfTime("nothing is found")

    monkeypatch.setattr("bmc.analysis.inference.beside.STATES", 1)
    monkeypatch.setattr("bmc.engines.ic3.prove.sampled", none)
    task = task_of(Commit, "Agreement")
    explored = Explored(TransitionSystem(task.model(ghosts=False), task.parameters), 0)
    with Beside(task) as beside:
        assert beside.clauses(60.0) == ()
        beside.know(explored)
        assert beside.clauses(0.0) == ()
        explored.explore(10_000, 60.0, SILENT)
        beside.know(explored)
        clauses = beside.clauses(60.0)
        assert clauses
        (proof,) = beside.proofs
        assert proof.verdict is Verdict.PROVED
        beside.know(explored)
        assert beside.clauses(0.0) == clauses


def test_ic3_comes_to_its_end_while_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    def talks(task: Task, observer: Relay, explored: Explored | None = None) -> tuple[object, ...]:
        for _ in range(10_000):
            observer.phase("x" * 100)
        done.set()
        return find_invariant(task, observer, explored)

    done = get_context("fork").Event()
    monkeypatch.setattr("bmc.analysis.inference.beside.find_invariant", talks)
    with Beside(task_of(Lock, "Mutex")) as beside:
        assert done.wait(60.0)
        assert beside.clauses(60.0)


class _Heard(Silent):
    """Keeps the phases that it is told."""

    def __init__(self) -> None:
        self.phases: list[str] = []

    def phase(self, text: str) -> None:
        self.phases.append(text)


def test_ic3_is_told_the_states_before_larger_parameters_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard = _Heard()
    monkeypatch.setattr(Beside, "know", lambda _, found: heard.phase(f"told of {len(found)}"))
    infer(task_of(Lock, "Mutex"), InferenceOptions(seconds=60.0), heard)
    (told,) = (i for i, text in enumerate(heard.phases) if text.startswith("told of"))
    assert any(text.startswith("exploring at") for text in heard.phases[told:])
    assert not any(text.startswith("exploring at") for text in heard.phases[:told])


def _without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def searches(self: LemmaSearch, *_: object) -> None:
        while True:
            self.deadline.check()

    monkeypatch.setattr(inference, "_ALONE", 0.0)
    monkeypatch.setattr(LemmaSearch, "_separator", searches)


def test_a_search_without_end_gives_way_to_a_proof_of_ic3(monkeypatch: pytest.MonkeyPatch) -> None:
    _without_end(monkeypatch)
    found = infer(task_of(Lock, "Mutex"), InferenceOptions(seconds=600.0))
    assert found.closed
    assert found.seconds < 120
    assert found.stopped == "IC3 had its proof first"


@pytest.mark.parametrize(("states", "waits"), [(10_000, (0.8, 0.9)), (2, (0.0, 0.1))])
def test_ic3_is_waited_for_where_it_learns_from_all_states(
    monkeypatch: pytest.MonkeyPatch, states: int, waits: tuple[float, float]
) -> None:
    asked: list[float] = []

    def none_yet(self: Beside, seconds: float) -> tuple[str, ...]:
        asked.append(seconds)
        return ()

    monkeypatch.setattr(inference, "_SEARCHING", 0.0)
    monkeypatch.setattr(Beside, "clauses", none_yet)
    infer(task_of(Lock, "Mutex"), InferenceOptions(seconds=600.0, states=states))
    least, most = waits
    assert 600.0 * least < max(asked) <= 600.0 * most


def test_clauses_too_many_to_be_read_are_the_proof_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _without_end(monkeypatch)
    monkeypatch.setattr(inference, "_PUT_IN_WORDS", 0)
    outcome = inferred_and_proved(
        task_of(Lock, "Mutex"), InferenceOptions(seconds=600.0), Progress()
    )
    assert outcome.inferred is not None
    assert not outcome.inferred.closed
    assert outcome.inferred.seconds < 120
    (result,) = outcome.results
    assert (result.verdict, result.engine) == (Verdict.PROVED, "ic3")


def test_a_clause_that_is_false_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ("~ holders[Node1]",)
    monkeypatch.setattr(inference, "_SEARCHING", 0.0)
    monkeypatch.setattr(Beside, "clauses", lambda self, seconds: (wrong,))
    found = infer(task_of(Lock, "Mutex"), InferenceOptions())
    assert not found.closed
    assert found.kept == ()


def _without_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsayable(*_: object) -> None:
        raise NotSayable("nothing has words here")

    monkeypatch.setattr(inference, "_SEARCHING", 0.0)
    monkeypatch.setattr(inference, "ClauseLemmas", unsayable)


def test_what_has_no_words_is_proved_by_the_clauses_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _without_words(monkeypatch)
    task = task_of(Lock, "Mutex")
    outcome = inferred_and_proved(task, InferenceOptions(), Progress())
    assert outcome.inferred is not None
    assert not outcome.inferred.closed
    (result,) = outcome.results
    assert (result.verdict, result.engine) == (Verdict.PROVED, "ic3")
    assert result.certificate is not None
    assert result.certificate.clauses
    assert certify(result.certificate, task.suite).claims == ("Mutex",)


def test_what_is_false_is_not_proved_without_words_either(monkeypatch: pytest.MonkeyPatch) -> None:
    _without_words(monkeypatch)
    outcome = inferred_and_proved(task_of(Lock, "Kept"), InferenceOptions(), Progress())
    (result,) = outcome.results
    assert result.verdict is Verdict.VIOLATED


class Heap(Protocol):
    """A set of numbers that is held in places."""

    Count = Integer("Count", 0, 3)
    heap = Variable(BoundedSet(Count, 2))

    @action()
    def Init(self, s: Step) -> None:
        s.heap = empty(BoundedSet(self.Count, 2))

    @action(count=Count)
    def Put(self, s: Step, count: Expr) -> None:
        s.require(s.heap == empty(BoundedSet(self.Count, 2)))
        s.heap = insert(s.heap, count)

    Next = one_of(Put)


def test_a_place_in_a_set_has_no_words() -> None:
    task = Task(Suite.of(Heap, "Heap"), {}, ())
    with pytest.raises(NotSayable, match="held by their place"):
        Phrases(TransitionSystem(task.model(ghosts=False), task.parameters))
