"""Members: words that all members of a set in the state have something in common."""

from dataclasses import replace

from bmc.encodings.kafka import KafkaReplication
from bmc.properties.kafka import KAFKA_KIP320
from bmc.properties.kafka.fencing import FENCING
from bmc.properties.kafka.words import presumes, request, sent

from bmc.analysis.inference.harvest import harvested
from bmc.analysis.inference.members import collections
from bmc.analysis.inference.vocabulary import Words
from bmc.analysis.mining.consecution import Consecution
from bmc.analysis.mining.houdini import houdini
from bmc.engines.conjuncts import conjuncts
from bmc.engines.task import SILENT, Deadline
from bmc.lang import Expr, State, conj, forall, implies, lemma
from bmc.lang.properties import PropertyDeclaration
from bmc.lang.show import show
from bmc.lang.sorts import Sort
from bmc.lang.suite import Suite
from bmc.system.transition import TransitionSystem
from tests.analysis.protocols import Ballot, Lock

Replica = KafkaReplication.Replica
LeaderEpoch = KafkaReplication.LeaderEpoch


@lemma(
    "while no member of a leader's ISR is newer, later ISRs are inside",
    leader=Replica,
    later=LeaderEpoch,
)
def inside_what_a_leader_assumes(m: KafkaReplication, s: State, leader: Expr, later: Expr) -> Expr:
    own = s.replicaState[leader]
    return implies(
        conj(
            presumes(s, leader),
            sent(s, later),
            own.leaderEpoch < later,
            forall(own.isr, lambda n: s.replicaState[n].leaderEpoch <= own.leaderEpoch),
        ),
        request(s, later).isr <= own.isr,
    )


@lemma(
    "while all members of a request's ISR are older, later ISRs are inside",
    epoch=LeaderEpoch,
    later=LeaderEpoch,
)
def inside_what_was_asked_for(m: KafkaReplication, s: State, epoch: Expr, later: Expr) -> Expr:
    isr = request(s, epoch).isr
    return implies(
        conj(
            sent(s, epoch),
            sent(s, later),
            epoch < later,
            forall(isr, lambda n: s.replicaState[n].leaderEpoch < epoch),
        ),
        request(s, later).isr <= isr,
    )


def _said(words: Words, *sorts: Sort) -> set[str]:
    (bound,) = (b for b in words.signatures(2) if [v.sort for v in b] == list(sorts))
    return {show(one.formula) for one in words.literals(bound)}


def test_members_are_compared_with_whom_a_variable_names_and_with_a_variable() -> None:
    words = Words(KAFKA_KIP320.model(False), harvested(KAFKA_KIP320.model(False), ()))
    of_leader = "\\A n \\in replicaState[leader].isr : replicaState[n].leaderEpoch"
    of_request = "\\A n \\in Lookup(leaderAndIsrRequests, leader).isr : replicaState[n].leaderEpoch"
    assert f"{of_leader} <= replicaState[leader].leaderEpoch" in _said(words, Replica)
    assert f"{of_request} < leader" in _said(words, LeaderEpoch)


def test_what_people_say_of_fencing_is_said_of_all_members() -> None:
    inside = (inside_what_a_leader_assumes, inside_what_was_asked_for)
    others = tuple(one for one in KAFKA_KIP320.lemmas if one not in FENCING)
    at = dict.fromkeys(("log_size", "max_records", "max_leader_epoch"), 2) | {"replicas": 2}

    model = KAFKA_KIP320.model(True)
    system = TransitionSystem(model, at)
    suite = replace(KAFKA_KIP320, lemmas=(*others, *inside))
    claim = suite.find("WeakIsr")

    def proves(*left_out: PropertyDeclaration) -> bool:
        told = [claim, *(one for one in suite.lemmas if one not in left_out)]
        stated = conjuncts(system, [suite.describe(one, model) for one in told])
        found = houdini(Consecution(system, Deadline(None)), stated, (), SILENT)
        return claim.name in {one.name for one in found.survivors}

    assert proves()
    assert not proves(inside[0])
    assert not proves(inside[1])


def test_a_log_is_not_compared_with_a_high_watermark() -> None:
    model = KAFKA_KIP320.model(False)
    words = Words(model, harvested(model, ()))
    told = [text for text in _said(words, Replica) if text.startswith("\\A n ")]
    assert any("replicaLog[n].endOffset < replicaLog[leader].endOffset" in one for one in told)
    assert not any("hw" in one and "replicaLog" in one for one in told)


def test_members_are_those_of_sets_of_a_scalarset() -> None:
    model = Suite.of(Ballot, "Ballot").model(False)
    assert {show(one.part.term) for one in collections(model, ())} == {"leads", "members"}
    model = Suite.of(Lock, "Lock").model(False)
    assert [show(one.part.term) for one in collections(model, ())] == ["holders"]
