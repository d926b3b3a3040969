"""Lemmas on the data plane: what logs hold, log matching, and the follower's prefix."""

from bmc.encodings.kafka import KafkaReplication
from bmc.properties.kafka.words import (
    elected,
    entry,
    leads_at,
    presumes,
    same_entry,
    when_written,
    written,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    exists,
    forall,
    implies,
    is_some,
    lemma,
)

GROUP = "logs"
Replica = KafkaReplication.Replica
Offset = KafkaReplication.Offset


@lemma("records stand exactly below the log's end", GROUP, replica=Replica, offset=Offset)
def records_fill_the_log(m: KafkaReplication, s: State, replica: Expr, offset: Expr) -> Expr:
    log = s.replicaLog[replica]
    return (log.endOffset > offset) == is_some(log.records[offset])


@lemma("a record's id was handed out", GROUP, replica=Replica, offset=Offset)
def record_id_was_handed_out(m: KafkaReplication, s: State, replica: Expr, offset: Expr) -> Expr:
    return when_written(s, replica, offset, entry(s, replica, offset).id < s.nextRecordId)


@lemma("no record is newer than its replica's epoch", GROUP, replica=Replica, offset=Offset)
def record_not_newer_than_replica(
    m: KafkaReplication, s: State, replica: Expr, offset: Expr
) -> Expr:
    epoch = entry(s, replica, offset).epoch
    return when_written(
        s,
        replica,
        offset,
        (epoch <= s.replicaState[replica].leaderEpoch) & (epoch < s.nextLeaderEpoch),
    )


@lemma("epochs never decrease along a log", GROUP, replica=Replica, lower=Offset, upper=Offset)
def epochs_are_monotone(
    m: KafkaReplication, s: State, replica: Expr, lower: Expr, upper: Expr
) -> Expr:
    return implies(
        conj(lower < upper, written(s, replica, upper), written(s, replica, lower)),
        entry(s, replica, lower).epoch <= entry(s, replica, upper).epoch,
    )


@lemma(
    "a record's epoch had a leader, which still holds the record while it leads that epoch",
    GROUP,
    replica=Replica,
    offset=Offset,
)
def leader_holds_records_of_its_epoch(
    m: KafkaReplication, s: State, replica: Expr, offset: Expr
) -> Expr:
    epoch = entry(s, replica, offset).epoch
    return when_written(
        s,
        replica,
        offset,
        exists(
            m.Replica,
            lambda leader: conj(
                elected(s, epoch, leader),
                s.replicaState[leader].leaderEpoch >= epoch,
                implies(leads_at(s, leader, epoch), same_entry(s, replica, leader, offset)),
            ),
        ),
    )


@lemma(
    "logs that agree on an epoch at an offset agree there and on everything below",
    GROUP,
    one=Replica,
    other=Replica,
    offset=Offset,
)
def log_matching(m: KafkaReplication, s: State, one: Expr, other: Expr, offset: Expr) -> Expr:
    return implies(
        conj(
            written(s, one, offset),
            written(s, other, offset),
            entry(s, one, offset).epoch == entry(s, other, offset).epoch,
        ),
        forall(m.Offset, lambda lower: implies(lower <= offset, same_entry(s, one, other, lower))),
    )


@lemma(
    "the log of a follower at its leader's epoch is a prefix of the leader's",
    GROUP,
    leader=Replica,
    follower=Replica,
    offset=Offset,
)
def follower_prefix(
    m: KafkaReplication, s: State, leader: Expr, follower: Expr, offset: Expr
) -> Expr:
    return implies(
        conj(
            presumes(s, leader),
            s.replicaState[follower].leader == leader,
            s.replicaState[follower].leaderEpoch == s.replicaState[leader].leaderEpoch,
            written(s, follower, offset),
        ),
        same_entry(s, follower, leader, offset),
    )


LOGS = (
    records_fill_the_log,
    record_id_was_handed_out,
    record_not_newer_than_replica,
    epochs_are_monotone,
    leader_holds_records_of_its_epoch,
    log_matching,
    follower_prefix,
)

__all__ = ["LOGS"]
