"""Lemmas on the control plane: epochs, requests, leaders and ISRs."""

from bmc.encodings.kafka import KafkaReplication
from bmc.properties.kafka.words import elected, in_isr_of, request, sent

from bmc.lang import (
    Expr,
    State,
    conj,
    everything,
    forall,
    implies,
    is_none,
    lemma,
    member,
)

GROUP = "control"
Replica = KafkaReplication.Replica
LeaderEpoch = KafkaReplication.LeaderEpoch


@lemma("the quorum's epoch is the last one handed out", GROUP)
def quorum_at_latest_epoch(m: KafkaReplication, s: State) -> Expr:
    return s.quorumState.leaderEpoch == s.nextLeaderEpoch - 1


@lemma("before the first epoch there is no leader and every replica is in sync", GROUP)
def quorum_before_first_epoch(m: KafkaReplication, s: State) -> Expr:
    return implies(
        s.nextLeaderEpoch == 0,
        is_none(s.quorumState.leader) & (s.quorumState.isr == everything(m.Replica)),
    )


@lemma("the quorum's leader is the one of the latest request", GROUP, epoch=LeaderEpoch)
def quorum_has_latest_leader(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return implies(
        s.nextLeaderEpoch - 1 == epoch,
        conj(sent(s, epoch), request(s, epoch).leader == s.quorumState.leader),
    )


@lemma("there is a request for exactly the epochs handed out", GROUP, epoch=LeaderEpoch)
def one_request_an_epoch(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return sent(s, epoch) == (s.nextLeaderEpoch > epoch)


@lemma("a request's leader is in the request's ISR", GROUP, epoch=LeaderEpoch, leader=Replica)
def request_leader_in_its_isr(m: KafkaReplication, s: State, epoch: Expr, leader: Expr) -> Expr:
    return implies(elected(s, epoch, leader), member(leader, request(s, epoch).isr))


@lemma("a replica's epoch was handed out", GROUP, replica=Replica)
def replica_epoch_was_handed_out(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    return s.replicaState[replica].leaderEpoch < s.nextLeaderEpoch


@lemma("a replica has an epoch exactly when it has a leader", GROUP, replica=Replica)
def epoch_comes_with_a_leader(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    state = s.replicaState[replica]
    return (state.leaderEpoch == -1) == is_none(state.leader)


@lemma("a replica's leader is the one its epoch's request names", GROUP, replica=Replica)
def leader_comes_from_the_request(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    return forall(
        m.LeaderEpoch,
        lambda epoch: implies(
            s.replicaState[replica].leaderEpoch == epoch,
            conj(sent(s, epoch), request(s, epoch).leader == s.replicaState[replica].leader),
        ),
    )


@lemma(
    "no replica is ahead of its leader's epoch",
    GROUP,
    replica=Replica,
    leader=Replica,
    epoch=LeaderEpoch,
)
def leader_is_as_new_as_its_followers(
    m: KafkaReplication, s: State, replica: Expr, leader: Expr, epoch: Expr
) -> Expr:
    return implies(
        elected(s, epoch, leader) & (s.replicaState[replica].leaderEpoch == epoch),
        s.replicaState[leader].leaderEpoch >= epoch,
    )


@lemma("a replica's leader is in the ISR the replica assumes", GROUP, replica=Replica)
def leader_in_assumed_isr(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    state = s.replicaState[replica]
    return forall(
        m.Replica, lambda leader: implies(state.leader == leader, member(leader, state.isr))
    )


@lemma(
    "the quorum's ISR is the latest leader's, or the latest request's until that leader is up",
    GROUP,
    epoch=LeaderEpoch,
)
def quorum_isr_is_the_latest(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return implies(
        s.nextLeaderEpoch - 1 == epoch,
        forall(
            m.Replica,
            lambda replica: in_isr_of(s, epoch, replica) == member(replica, s.quorumState.isr),
        ),
    )


CONTROL = (
    quorum_at_latest_epoch,
    quorum_before_first_epoch,
    quorum_has_latest_leader,
    one_request_an_epoch,
    request_leader_in_its_isr,
    replica_epoch_was_handed_out,
    epoch_comes_with_a_leader,
    leader_comes_from_the_request,
    leader_is_as_new_as_its_followers,
    leader_in_assumed_isr,
    quorum_isr_is_the_latest,
)

__all__ = ["CONTROL"]
