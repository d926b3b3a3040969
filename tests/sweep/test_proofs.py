"""A proof whose goals are a cluster's tasks says what one process says, and never more."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import pytest
from bmc.properties.id_sequence import ID_SEQUENCE
from bmc.properties.kafka import KAFKA_KIP101, KAFKA_KIP320
from hypothesis import given
from hypothesis import strategies as st

from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.conjuncts import Conjunct, conjuncts, names
from bmc.engines.induction import Induction
from bmc.engines.kinduction import Helpers, induct
from bmc.engines.task import SILENT, Deadline, OutOfTime, Task
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.panel import JudgeShare, Sitting
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.lang import Suite
from bmc.lang.properties import Kind
from bmc.readings.circuit import evaluate
from bmc.running.pool import WorkerFailed
from bmc.sweep.conditions import decide_there
from bmc.sweep.crew import shared_out
from bmc.sweep.obligations import GoalAsked, GoalFails, JudgeService, ProofQuestion
from bmc.sweep.proofs import ClusterProof, SharedInduction
from bmc.sweep.runner import OtherModel
from bmc.sweep.services import Served, Unserved
from bmc.system.transition import TransitionSystem
from tests.strategies import effort
from tests.sweep.hands import Hands, crew

TINY = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
SUITES = {suite.name: suite for suite in (KAFKA_KIP320, KAFKA_KIP101, ID_SEQUENCE)}


class Quiet:
    """A relay that nobody listens to."""

    phase = fact = decided = so_far = staticmethod(lambda *_: None)


def find(name: str) -> Suite:
    return SUITES[name]


def proof_of(task: Task, hands: Hands) -> tuple[Result, ...]:
    with crew(hands) as working:
        proof = ClusterProof(working, ProofQuestion.of(find, task.suite.name, task))
        return induct(task, Quiet(), Helpers(proof.induction, proof.panel))  # type: ignore[arg-type]


def told(results: tuple[Result, ...]) -> list[object]:
    return [
        (r.property, r.verdict, r.k, r.depth, r.lemmas, r.certificate, r.checked_by, r.trace)
        for r in results
    ]


TASK = Task(KAFKA_KIP320, TINY, ("StrongIsr", "TypeOk"), 3)
SYSTEM = TransitionSystem(KAFKA_KIP320.model(ghosts=True), TINY)
LEMMAS = conjuncts(
    SYSTEM,
    [KAFKA_KIP320.describe(d, SYSTEM.model) for d in KAFKA_KIP320.declared(Kind.LEMMA)],
)
ALONE = Induction(SYSTEM, "cadical", SILENT, Deadline(None))


@cache
def alone() -> tuple[Result, ...]:
    """What one process says."""
    return induct(TASK, Quiet())  # type: ignore[arg-type]


def certificate() -> Certificate:
    found = alone()[0].certificate
    assert found is not None
    return found


@pytest.fixture(scope="module")
def weak() -> Conjunct:
    """A lemma that is not inductive by itself."""
    return next(one for one in LEMMAS if ALONE.strengthen([one], (), 1).failures)


def test_verdicts_and_certificates_are_those_of_one_process() -> None:
    found = proof_of(TASK, Hands())
    assert [r.verdict for r in found] == [Verdict.PROVED] * 2
    assert told(found) == told(alone())


def test_a_violation_is_found_as_in_one_process() -> None:
    task = Task(KAFKA_KIP320, TINY, ("LeaderInIsr",), 2)
    found = proof_of(task, Hands())
    assert told(found) == told(induct(task, Quiet()))  # type: ignore[arg-type]
    assert found[0].verdict is Verdict.VIOLATED


@effort(3)
@given(st.data())
def test_the_same_candidates_survive(data: st.DataObject) -> None:
    suite = data.draw(st.sampled_from([KAFKA_KIP320, KAFKA_KIP101]))
    stated = [d.name for d in suite.declared(Kind.LEMMA, Kind.INVARIANT)]
    chosen = sorted(data.draw(st.sets(st.sampled_from(stated), min_size=1)))
    model = suite.model(ghosts=True)
    system = TransitionSystem(model, TINY)
    candidates = conjuncts(system, [suite.describe(suite.find(n), model) for n in chosen])
    engine = Induction(system, "cadical", SILENT, Deadline(None))
    task = Task(suite, TINY, tuple(chosen))
    with crew() as working:
        proof = ClusterProof(working, ProofQuestion.of(find, suite.name, task))
        shared = SharedInduction(proof, system, "cadical", SILENT, Deadline(None))
        for k in (1, 2):
            here = engine.strengthen(candidates, (), k)
            there = shared.strengthen(candidates, (), k)
            assert names(here.survivors) == names(there.survivors)
        assert engine.fails_initially(candidates) == shared.fails_initially(candidates)
        survivors = here.survivors
        assert engine.implied(candidates, survivors) == shared.implied(candidates, survivors)


def test_a_goal_that_is_lost_once_is_asked_again_and_lost_twice_it_is_unknown() -> None:
    claims = tuple(d.name for d in ID_SEQUENCE.declared(Kind.INVARIANT))
    small = Task(ID_SEQUENCE, {}, claims, 2)
    once = Hands(lambda item, times: "lost" if times == 0 and item is not None else None)
    assert {r.verdict for r in proof_of(small, once)} == {Verdict.PROVED}
    for kind in (GoalAsked, int):
        always = Hands(lambda item, times, kind=kind: "lost" if isinstance(item, kind) else None)  # type: ignore[misc]
        found = proof_of(small, always)
        assert {r.verdict for r in found} == {Verdict.UNKNOWN}
        assert all(r.certificate is None for r in found)
        assert "lost, twice" in str(found[0].reason)


def test_a_goal_that_takes_long_is_asked_action_by_action(weak: Conjunct) -> None:
    slow = Hands(
        lambda item, times: None if getattr(item, "action", "none") is not None else "it takes long"
    )
    with crew(slow) as working:
        proof = ClusterProof(working, ProofQuestion.of(find, KAFKA_KIP320.name, TASK))
        shared = SharedInduction(proof, SYSTEM, "cadical", SILENT, Deadline(None))
        every = shared.strengthen(LEMMAS, (), 1)
        asked = {i.action for i in slow.asked if isinstance(i, GoalAsked)}
        assert asked == {None, *(action.name for action in SYSTEM.model.actions)}
        assert not every.failures
        assert set(shared.strengthen([weak], (), 1).failures) == {weak.name}


def test_a_step_that_refutes_one_lemma_is_tried_on_the_others(weak: Conjunct) -> None:
    other = replace(weak, name="again")
    failure = ALONE.strengthen([weak], (), 1).failures[weak.name]
    after = SYSTEM.encode(failure.states[-1])
    false = {
        one.name
        for one in LEMMAS
        if one is not weak and 0 in evaluate([goal.holds for goal in one.goals], after)
    }
    with crew() as working:
        proof = ClusterProof(working, ProofQuestion.of(find, KAFKA_KIP320.name, TASK))
        shared = SharedInduction(proof, SYSTEM, "cadical", SILENT, Deadline(None))
        # All of them are asked for, so that no solver is needed to know that they fail.
        shared._failing = lambda *_: {weak.name: GoalFails(0, failure.states)}  # type: ignore[method-assign]
        assert set(shared._round([*LEMMAS, other], (), 1)) == {weak.name, "again"} | false


def test_the_cluster_re_checks_as_this_machine_does() -> None:
    found = certificate()
    with crew() as working:
        proof = ClusterProof(working, ProofQuestion.of(find, KAFKA_KIP320.name, TASK))
        here = certify(found, KAFKA_KIP320)
        there = certify(found, KAFKA_KIP320, panel=proof.panel(found))
        assert replace(here, seconds=0.0) == replace(there, seconds=0.0)
        weaker = replace(found, conjuncts=found.conjuncts[:3])
        with pytest.raises(CertificateError, match="is wrong"):
            certify(weaker, KAFKA_KIP320, panel=proof.panel(weaker))


def test_a_wrong_finder_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SharedInduction, "_failing", lambda *_: {})
    with pytest.raises(Contradiction):
        proof_of(Task(KAFKA_KIP101, TINY | {"replicas": 2}, ("StrongIsr",), 1), Hands())


def test_questions_that_nobody_asked_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(proof: ClusterProof, what: str, service: Any, items: Any) -> Any:
        for item in items:
            yield Served(item, JudgeShare(10, 4 if item else 5), 0.0)

    found = certificate()
    monkeypatch.setattr(ClusterProof, "answers", forgetful)
    with crew() as working:
        proof = ClusterProof(working, ProofQuestion.of(find, KAFKA_KIP320.name, TASK))
        with pytest.raises(CertificateError, match="9 were asked"):
            certify(found, KAFKA_KIP320, panel=proof.panel(found))


def test_another_text_is_refused() -> None:
    question = ProofQuestion.of(find, KAFKA_KIP320.name, TASK)
    for other in (
        replace(question, protocol=KAFKA_KIP101.name),
        replace(question, parameters=tuple({**TINY, "replicas": 3}.items())),
        replace(question, lemmas=False),
    ):
        with pytest.raises(OtherModel, match="another text"):
            other.task()
    with pytest.raises(OtherModel):
        ProofQuestion.of(lambda name: KAFKA_KIP101, "kafka-kip320", TASK)


@dataclass(frozen=True)
class Unlucky:
    """A service that does to its process what it is told to."""

    def load(self) -> None: ...

    def open(self) -> Callable[[str], str]:
        return _obey


def _obey(item: str) -> str:
    match item:
        case "die":
            os._exit(0)
        case "loop":
            while True:
                pass
        case "eat":
            return str(len(bytearray(1 << 32)))
        case "fail":
            raise KeyError(item)
    return item


@pytest.mark.parametrize(
    ("item", "seconds", "why"),
    [
        ("die", 60, "without an answer"),
        ("eat", 60, "memory"),
        ("loop", 0.2, "limit of 0.2 seconds"),
    ],
)
def test_an_item_that_ends_its_process_takes_no_other_one_with_it(
    item: str, seconds: float, why: str
) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    with crew(memory_mb=200) as working:
        said = list(working.ask("it", Unlucky(), ["a", item, "b"], seconds=seconds))
    served = {one.item for one in said if isinstance(one, Served)}
    (lost,) = [one for one in said if isinstance(one, Unserved)]
    assert (served, lost.item) == ({"a", "b"}, item)
    assert why in lost.reason
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_what_a_service_raises_is_raised() -> None:
    with crew() as working, pytest.raises(WorkerFailed, match="KeyError"):
        list(working.ask("it", Unlucky(), ["a", "fail"]))


def test_the_deadline_of_the_proof_holds() -> None:
    with crew() as working:
        working._deadline = Deadline(1e-9)
        with pytest.raises(OutOfTime):
            list(working.ask("it", Unlucky(), ["a"]))


@given(st.lists(st.floats(0.001, 100), max_size=60), st.integers(1, 9))
def test_items_are_shared_out_in_order_and_evenly(costs: list[float], tasks: int) -> None:
    items = list(range(len(costs)))
    parts = list(shared_out(items, costs.__getitem__, tasks))
    assert [item for part in parts for item in part] == items
    assert all(parts)
    assert len(parts) <= 2 * tasks
    share = sum(costs) / tasks
    for part in parts:
        assert len(part) == 1 or sum(costs[i] for i in part) <= 2 * share + max(costs)


def test_parts_of_a_certificate_are_judged_by_name() -> None:
    service = partial(JudgeService, find, KAFKA_KIP320.name)
    found = certificate()
    written = json.dumps(found.to_json())
    whole = service(written, Sitting.EVERY_INSTANCE, 1).open()(0)
    parts = [service(written, Sitting.EVERY_INSTANCE, 3).open()(n) for n in range(3)]
    assert {part.total for part in parts} == {whole.total}
    assert sum(part.asked for part in parts) == whole.asked == whole.total


def test_all_parameters_by_tasks_is_as_by_processes() -> None:
    suites = {ID_SEQUENCE.name: ID_SEQUENCE}
    task = ParametricTask(ID_SEQUENCE, tuple(d.name for d in ID_SEQUENCE.declared(Kind.INVARIANT)))
    with crew() as working:
        deciding = partial(decide_there, working, suites.__getitem__, ID_SEQUENCE.name, task)
        there = prove_for_all(task, SILENT, deciding)
    here = prove_for_all(task, SILENT)
    assert [(r.property, r.verdict) for r in there.results] == [
        (r.property, r.verdict) for r in here.results
    ]
    assert there.certificate is not None
    assert there.certificate == here.certificate
