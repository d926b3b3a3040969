"""What a cluster's tasks say of lemmas that are searched for is what one process says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.analysis.inference.infer import InferenceOptions, infer
from bmc.analysis.mining.consecution import Consecution
from bmc.analysis.mining.houdini import Survivors, houdini
from bmc.cli.shared.inference import furnished
from bmc.engines.conjuncts import Conjunct, conjuncts, names, within_bounds
from bmc.engines.kinduction import Helpers, induct
from bmc.engines.stated import stated_over
from bmc.engines.task import SILENT, Deadline, OptionError, OutOfTime, Task
from bmc.engines.team import Relay
from bmc.evidence.verdict import Result, Verdict
from bmc.lang import Suite
from bmc.lang.properties import Kind
from bmc.lang.ready import with_lemmas_instead
from bmc.sweep.obligations import ProofQuestion
from bmc.sweep.preserving import ClusterSteps, StepAsked
from bmc.sweep.proofs import ClusterProof
from bmc.system.transition import TransitionSystem
from tests.analysis.protocols import Commit
from tests.sweep.hands import Hands, crew

TINY = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
COMMIT = Suite.of(Commit, "commit")
KAFKA = Task(KAFKA_KIP320, TINY, ("TypeOk", "StrongIsr"), lemmas=False)


class Quiet(Relay):
    """A relay that nobody listens to."""

    def __init__(self) -> None:
        self.phase = self.fact = self.decided = self.so_far = lambda _: None  # type: ignore


def find(name: str) -> Suite:
    return {one.name: one for one in (KAFKA_KIP320, COMMIT)}[name]


@cache
def candidates() -> tuple[TransitionSystem, tuple[Conjunct, ...]]:
    """The claims of a task, and lemmas of which some are not preserved without history."""
    model = KAFKA.model(ghosts=False)
    system = TransitionSystem(model, TINY)
    lemmas = []
    for declared in KAFKA_KIP320.declared(Kind.LEMMA):
        try:
            lemmas += stated_over(Task(KAFKA_KIP320, TINY, (declared.name,)), model)
        except OptionError:
            continue
    return system, (*conjuncts(system, [*KAFKA.stated(model), *lemmas]), within_bounds(system))


@cache
def here(without: str) -> Survivors:
    """What survives in this process if a lemma is left out."""
    system, given = candidates()
    asked = [one for one in given if one.name != without]
    return houdini(Consecution(system, Deadline(None)), asked, (), SILENT)


def there(without: str, hands: Hands, deadline: Deadline | None = None) -> Survivors:
    system, given = candidates()
    asked = [one for one in given if one.name != without]
    with crew(hands) as working:
        shared = ClusterSteps(working, ProofQuestion.of(find, "kafka-kip320", KAFKA))
        own = Consecution(system, deadline or Deadline(None))
        return houdini(own, asked, (), SILENT, shared)


@pytest.mark.parametrize("number", [None, 0, 3, 7])
def test_the_same_lemmas_survive(number: int | None) -> None:
    alone = here("")
    without = "" if number is None else names(alone.survivors)[number]
    found, expected = there(without, Hands()), here(without)
    assert names(found.survivors) == names(expected.survivors)
    assert found.survivors
    assert found.broken
    assert found.broken.keys() == expected.broken.keys()


def test_a_goal_that_no_task_answers_is_asked_here() -> None:
    def lose(item: StepAsked, times: int) -> str | None:
        return "it is lost" if item.position == 0 else None

    assert names(there("", Hands(lose)).survivors) == names(here("").survivors)


def test_the_limit_of_the_inference_holds() -> None:
    with pytest.raises(OutOfTime):
        there("", Hands(), Deadline(0.0))


def test_an_inference_and_its_proof_are_those_of_one_process() -> None:
    task = Task(COMMIT, {"nodes": 2}, ("Agreement",))
    alone = infer(task, InferenceOptions())
    hands = Hands()
    with crew(hands) as working:
        question = ProofQuestion.of(find, "commit", replace(task, lemmas=False))
        found = infer(task, InferenceOptions(), asker=ClusterSteps(working, question))
        assert (found.closed, alone.closed) == (True, True)
        assert [one.body for one in found.lemmas] == [one.body for one in alone.lemmas]
        asked = furnished(task, found)
        sent = ProofQuestion.of(find, "commit", asked, found.lemmas)
        proof = ClusterProof(working, sent)
        (there,) = induct(asked, Quiet(), Helpers(proof.induction, proof.panel))
    assert {type(item) for item in hands.asked} >= {StepAsked}
    (same,) = induct(asked, Quiet())
    assert told(there) == told(same)
    assert there.verdict is Verdict.PROVED


def test_a_lemma_that_is_sent_may_speak_of_a_history() -> None:
    claim = KAFKA_KIP320.find("commits_are_monotone")
    other = KAFKA_KIP320.find("leader_covers_its_commits")
    lemma = KAFKA_KIP320.describe(other, KAFKA_KIP320.model(ghosts=True))
    suite = with_lemmas_instead(KAFKA_KIP320, [lemma], (claim.name,))
    asked = Task(suite, TINY, (claim.name,))
    sent = ProofQuestion.of(find, "kafka-kip320", asked, [lemma]).task()
    added, own = sent.strengthening(sent.model(ghosts=True)), asked.strengthening(asked.model(True))
    assert [one.body for one in added] == [one.body for one in own]


def told(one: Result) -> object:
    """What a result says: its certificate but for the time it was made in."""
    assert one.certificate is not None
    return one.verdict, one.k, one.certificate.to_json()
