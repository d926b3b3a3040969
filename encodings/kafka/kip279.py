"""Kip279.tla: a new follower truncates to where its log and the leader's last agree."""

from bmc.encodings.kafka.replication import KafkaReplication

from bmc.lang import (
    Expr,
    Operand,
    State,
    Step,
    action,
    ite,
    last,
    one_of,
)
from bmc.lang.drawing import Sentence, Telling


class Kip279(KafkaReplication):
    """Truncation by comparing both logs from the tail (KIP-279)."""

    def FirstNonMatchingOffsetFromTail(self, s: State, leader: Expr, follower: Expr) -> Expr:
        """``Max(MatchingOffsets(follower, leader)) + 1``, or 0 where nothing matches."""
        log = self.ReplicaLog
        nothing = -1
        latest = last(
            self.Offset,
            lambda offset: log.HaveSameEntry(s, follower, leader, offset),
            nothing,
        )
        return ite(log.IsEmpty(s, leader), 0, latest + 1)

    @action(
        fairness="weak",
        leader=KafkaReplication.Replica,
        replica=KafkaReplication.Replica,
        leaderAndIsrRequest=KafkaReplication.leaderAndIsrRequests,
    )
    def BecomeFollowerTruncateKip279(
        self, s: Step, leader: Expr, replica: Expr, leaderAndIsrRequest: Expr
    ) -> None:
        """The specification's first disjunct, for an empty log, is an instance of the second:
        nothing matches there, so the offset is 0."""
        offset = self.FirstNonMatchingOffsetFromTail(s, leader, replica)
        self.BecomeFollowerAndTruncateTo(s, leader, replica, offset, leaderAndIsrRequest)

    def sentences(self, s: State) -> dict[str, Telling]:
        def truncated(leader: Expr, replica: Expr) -> list[tuple[Operand, Sentence]]:
            log = self.ReplicaLog
            offset = self.FirstNonMatchingOffsetFromTail(s, leader, replica)
            cut = (replica, " truncates to ", offset)
            return [
                (log.IsEmpty(s, replica), (replica, "'s log is empty")),
                (log.IsEmpty(s, leader), (*cut, ": ", leader, "'s log is empty")),
                (offset == 0, (*cut, ": it agrees with ", leader, "'s log nowhere")),
                (True, (*cut, ", behind the last offset where it agrees with ", leader, "'s log")),
            ]

        return {"BecomeFollowerTruncateKip279": truncated}

    Next = one_of(
        KafkaReplication.ControllerElectLeader,
        KafkaReplication.ControllerShrinkIsr,
        KafkaReplication.BecomeLeader,
        KafkaReplication.LeaderExpandIsr,
        KafkaReplication.LeaderShrinkIsr,
        KafkaReplication.LeaderWrite,
        KafkaReplication.LeaderIncHighWatermark,
        BecomeFollowerTruncateKip279,
        KafkaReplication.FollowerReplicate,
    )
