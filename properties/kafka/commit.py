"""What is committed: a ghost log of all records ever exposed, and the lemmas on it.

A record is committed by the first leader that moves its high watermark over it, at that
leader's epoch.
"""

from bmc.encodings.kafka import KafkaReplication, Kip320, Kip320FirstTry
from bmc.properties.kafka.words import elected, leads_at, presumes, request, sent

from bmc.lang import (
    Expr,
    History,
    MapSort,
    Operand,
    OptionSort,
    Record,
    State,
    Step,
    Variable,
    after,
    conj,
    exists,
    implies,
    is_some,
    ite,
    lemma,
    mapping,
    member,
    record,
    some,
    the,
)

GROUP = "commit"
Replica = KafkaReplication.Replica
Offset = KafkaReplication.Offset
LeaderEpoch = KafkaReplication.LeaderEpoch

CommittedRecord = Record(
    "CommittedRecord", record=KafkaReplication.LogRecord, epoch=KafkaReplication.LeaderEpochOpt
)
CommittedLog = Record(
    "CommittedLog",
    endOffset=Offset.to(KafkaReplication.log_size),
    records=MapSort(Offset, OptionSort(CommittedRecord)),
)


class CommitHistory(History):
    """The committed log: grows by a leader's record when its high watermark passes the end."""

    committed = Variable(CommittedLog, "every record ever committed, with its commit's epoch")

    def initially(self, s: Step) -> None:
        s.committed = record(
            CommittedLog,
            endOffset=0,
            records=mapping(Offset, lambda offset: None, OptionSort(CommittedRecord)),
        )

    @after(
        KafkaReplication.LeaderIncHighWatermark,
        Kip320.FencedLeaderIncHighWatermark,
        Kip320FirstTry.ImprovedLeaderIncHighWatermark,
    )
    def commit(self, s: Step, leader: Expr) -> None:
        """Runs before the high watermark moves: ``hw`` is the offset it moves over."""
        hw = s.replicaState[leader].hw
        exposed = s.replicaLog[leader].records[hw]
        first_time = conj(s.committed.endOffset == hw, is_some(exposed))
        entry = record(
            CommittedRecord,
            record=the(exposed),
            epoch=s.replicaState[leader].leaderEpoch,
        )
        s.committed.records[hw] = ite(first_time, some(entry), s.committed.records[hw])
        s.committed.endOffset = ite(first_time, hw + 1, s.committed.endOffset)


def committed(s: State, offset: Operand) -> Expr:
    """There is a committed record at this offset."""
    return conj(s.committed.endOffset > offset, is_some(s.committed.records[offset]))


def committed_record(s: State, offset: Operand) -> Expr:
    """The committed record at this offset, which exists."""
    return the(s.committed.records[offset]).record


def committed_at(s: State, offset: Operand) -> Expr:
    """The epoch of the leader that committed the record at this offset, which exists."""
    return the(s.committed.records[offset]).epoch


def keeps(s: State, replica: Operand, offset: Operand) -> Expr:
    """The replica holds the committed record and has reached the epoch that committed it."""
    log = s.replicaLog[replica]
    return conj(
        log.endOffset > offset,
        log.records[offset] == committed_record(s, offset),
        s.replicaState[replica].leaderEpoch >= committed_at(s, offset),
    )


@lemma("committed records fill the committed log", GROUP, offset=Offset)
def records_fill_the_committed_log(m: KafkaReplication, s: State, offset: Expr) -> Expr:
    return (s.committed.endOffset > offset) == is_some(s.committed.records[offset])


@lemma("a replica keeps what is below its high watermark", GROUP, replica=Replica, offset=Offset)
def replica_keeps_below_its_high_watermark(
    m: KafkaReplication, s: State, replica: Expr, offset: Expr
) -> Expr:
    return implies(
        s.replicaState[replica].hw > offset,
        conj(committed(s, offset), keeps(s, replica, offset)),
    )


@lemma("the quorum's ISR keeps what is committed", GROUP, replica=Replica, offset=Offset)
def quorum_isr_keeps_committed(m: KafkaReplication, s: State, replica: Expr, offset: Expr) -> Expr:
    return implies(
        conj(committed(s, offset), member(replica, s.quorumState.isr)),
        keeps(s, replica, offset),
    )


@lemma(
    "the ISR of a request keeps what was committed before its epoch",
    GROUP,
    replica=Replica,
    offset=Offset,
    epoch=LeaderEpoch,
)
def request_isr_keeps_committed(
    m: KafkaReplication, s: State, replica: Expr, offset: Expr, epoch: Expr
) -> Expr:
    return implies(
        conj(
            committed(s, offset),
            committed_at(s, offset) < epoch,
            sent(s, epoch),
            member(replica, request(s, epoch).isr),
        ),
        keeps(s, replica, offset),
    )


@lemma(
    "the ISR a leader assumes keeps what was committed up to its epoch",
    GROUP,
    leader=Replica,
    replica=Replica,
    offset=Offset,
)
def leader_isr_keeps_committed(
    m: KafkaReplication, s: State, leader: Expr, replica: Expr, offset: Expr
) -> Expr:
    return implies(
        conj(
            committed(s, offset),
            presumes(s, leader),
            member(replica, s.replicaState[leader].isr),
            committed_at(s, offset) <= s.replicaState[leader].leaderEpoch,
        ),
        keeps(s, replica, offset),
    )


@lemma("a record is not newer than its commit", GROUP, offset=Offset)
def commit_not_older_than_record(m: KafkaReplication, s: State, offset: Expr) -> Expr:
    return implies(
        committed(s, offset),
        conj(
            committed_record(s, offset).epoch <= committed_at(s, offset),
            committed_at(s, offset) < s.nextLeaderEpoch,
        ),
    )


@lemma("commits never go back to an older epoch", GROUP, lower=Offset, upper=Offset)
def commits_are_monotone(m: KafkaReplication, s: State, lower: Expr, upper: Expr) -> Expr:
    return implies(
        conj(lower < upper, committed(s, lower), committed(s, upper)),
        committed_at(s, lower) <= committed_at(s, upper),
    )


@lemma("an epoch that committed had a leader, which has reached it", GROUP, offset=Offset)
def committing_epoch_had_a_leader(m: KafkaReplication, s: State, offset: Expr) -> Expr:
    return implies(
        committed(s, offset),
        exists(
            m.LeaderEpoch,
            lambda epoch: conj(
                committed_at(s, offset) == epoch,
                exists(
                    m.Replica,
                    lambda leader: (
                        elected(s, epoch, leader) & (s.replicaState[leader].leaderEpoch >= epoch)
                    ),
                ),
            ),
        ),
    )


@lemma(
    "a leader's high watermark covers what its own epoch committed",
    GROUP,
    leader=Replica,
    offset=Offset,
)
def leader_covers_its_commits(m: KafkaReplication, s: State, leader: Expr, offset: Expr) -> Expr:
    return implies(
        conj(committed(s, offset), leads_at(s, leader, committed_at(s, offset))),
        s.replicaState[leader].hw > offset,
    )


COMMIT = (
    records_fill_the_committed_log,
    replica_keeps_below_its_high_watermark,
    quorum_isr_keeps_committed,
    request_isr_keeps_committed,
    leader_isr_keeps_committed,
    commit_not_older_than_record,
    commits_are_monotone,
    committing_epoch_had_a_leader,
    leader_covers_its_commits,
)
