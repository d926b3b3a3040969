"""What KafkaReplication.tla states, under its own names, and statements derived from it."""

from bmc.encodings.kafka import KafkaReplication
from bmc.encodings.kafka.replication import Nil

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    forall,
    implies,
    invariant,
    is_none,
    member,
)


@invariant("Every variable has a value of its type; records stand exactly below the log's end.")
def TypeOk(m: KafkaReplication, s: State) -> Expr:
    """KafkaReplication!TypeOk, with the Nil record as a value of its own."""

    def epoch_or_nil(epoch: Expr) -> Expr:
        return conj(epoch >= Nil, epoch <= m.max_leader_epoch)

    return conj(
        m.LeaderEpochSeq.TypeOk(s),
        m.RecordSeq.TypeOk(s),
        m.ReplicaLog.TypeOk(s),
        forall(
            m.Replica,
            lambda replica: conj(
                s.replicaState[replica].hw >= 0,
                s.replicaState[replica].hw <= m.log_size,
                epoch_or_nil(s.replicaState[replica].leaderEpoch),
            ),
        ),
        epoch_or_nil(s.quorumState.leaderEpoch),
        forall(
            s.leaderAndIsrRequests,
            lambda leaderAndIsrRequest: epoch_or_nil(leaderAndIsrRequest.leaderEpoch),
        ),
    )


@invariant(
    "Below the high watermark of a presumed leader, all members of the ISR it assumes agree.",
    r1=KafkaReplication.Replica,
)
def WeakIsr(m: KafkaReplication, s: State, r1: Expr) -> Expr:
    """KafkaReplication!WeakIsr."""
    return disj(
        ~m.ReplicaPresumesLeadership(s, r1),
        forall(
            m.Replica,
            lambda r2: implies(member(r2, s.replicaState[r1].isr), _agree(m, s, r1, r2)),
        ),
    )


@invariant(
    "Below the high watermark of a presumed leader, all members of the quorum's ISR agree.",
    r1=KafkaReplication.Replica,
)
def StrongIsr(m: KafkaReplication, s: State, r1: Expr) -> Expr:
    """KafkaReplication!StrongIsr."""
    return disj(
        ~m.ReplicaPresumesLeadership(s, r1),
        forall(
            m.Replica,
            lambda r2: implies(member(r2, s.quorumState.isr), _agree(m, s, r1, r2)),
        ),
    )


def _agree(m: KafkaReplication, s: State, r1: Expr, r2: Expr) -> Expr:
    return forall(
        m.Offset,
        lambda offset: implies(
            offset < s.replicaState[r1].hw, m.ReplicaLog.HaveSameEntry(s, r1, r2, offset)
        ),
    )


@invariant("The quorum's leader is in the quorum's ISR.")
def LeaderInIsr(m: KafkaReplication, s: State) -> Expr:
    """KafkaReplication!LeaderInIsr, as published: None counts as a leader."""
    return exists(
        m.Replica,
        lambda replica: conj(s.quorumState.leader == replica, member(replica, s.quorumState.isr)),
    )


@invariant("A leader that is elected is in the quorum's ISR.")
def ElectedLeaderInIsr(m: KafkaReplication, s: State) -> Expr:
    """LeaderInIsr where there is a leader."""
    return disj(is_none(s.quorumState.leader), LeaderInIsr(m, s))


@invariant("The quorum's ISR is never empty.")
def IsrNonEmpty(m: KafkaReplication, s: State) -> Expr:
    """``quorumState.isr # {}``; ControllerShrinkIsr may remove the last member."""
    return s.quorumState.isr != frozenset()


@invariant("No high watermark is beyond the end of its replica's log.", r=KafkaReplication.Replica)
def HighWatermarkInLog(m: KafkaReplication, s: State, r: Expr) -> Expr:
    """What is committed is there, and fetching moves a high watermark only with the log."""
    return s.replicaState[r].hw <= s.replicaLog[r].endOffset


PUBLISHED = (TypeOk, WeakIsr, StrongIsr, LeaderInIsr, ElectedLeaderInIsr, IsrNonEmpty)

__all__ = ["PUBLISHED", "HighWatermarkInLog"]
