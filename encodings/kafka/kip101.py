"""Kip101.tla: a new follower truncates by the leader epochs in the leader's log."""

from bmc.encodings.kafka.replication import KafkaReplication

from bmc.lang import (
    Expr,
    Operand,
    State,
    Step,
    action,
    conj,
    first,
    integer,
    ite,
    one_of,
)
from bmc.lang.drawing import Sentence, Telling


class Kip101(KafkaReplication):
    """Truncation to the leader's first offset with a larger epoch (KIP-101)."""

    def FirstOffsetWithLargerEpoch(
        self, s: State, replica: Expr, epoch: Expr, otherwise: Expr
    ) -> Expr:
        """``Min(OffsetsWithLargerEpochs(replica, epoch))``, or ``otherwise`` for no such."""
        log = self.ReplicaLog
        return first(
            self.Offset,
            lambda offset: conj(
                log.HasOffset(s, replica, offset),
                log.GetRecordAtOffset(s, replica, offset).epoch > epoch,
            ),
            otherwise,
        )

    def LookupOffsetForEpoch(self, s: State, leader: Expr, follower: Expr, epoch: Expr) -> Expr:
        log = self.ReplicaLog
        hw = s.replicaState[follower].hw
        return ite(
            log.IsEmpty(s, leader),
            hw,
            ite(
                log.GetLatestRecord(s, leader).epoch == epoch,
                log.GetEndOffset(s, leader),
                self.FirstOffsetWithLargerEpoch(s, leader, epoch, hw),
            ),
        )

    @action(
        fairness="weak",
        leader=KafkaReplication.Replica,
        replica=KafkaReplication.Replica,
        leaderAndIsrRequest=KafkaReplication.leaderAndIsrRequests,
    )
    def BecomeFollowerTruncateKip101(
        self, s: Step, leader: Expr, replica: Expr, leaderAndIsrRequest: Expr
    ) -> None:
        """The ``\\E record`` of the specification is the replica's latest record."""
        log = self.ReplicaLog
        with s.either():
            s.require(log.IsEmpty(s, replica))
            end = log.GetEndOffset(s, replica)
            self.BecomeFollowerAndTruncateTo(s, leader, replica, end, leaderAndIsrRequest)
        with s.either():
            s.require(~log.IsEmpty(s, replica))
            epoch = log.GetLatestRecord(s, replica).epoch
            offset = self.LookupOffsetForEpoch(s, leader, replica, epoch)
            self.BecomeFollowerAndTruncateTo(s, leader, replica, offset, leaderAndIsrRequest)

    def sentences(self, s: State) -> dict[str, Telling]:
        log = self.ReplicaLog

        def truncated(leader: Expr, replica: Expr) -> list[tuple[Operand, Sentence]]:
            epoch = log.GetLatestRecord(s, replica).epoch
            offset = self.LookupOffsetForEpoch(s, leader, replica, epoch)
            ends = (replica, "'s log ends with epoch ", epoch)
            same = log.GetLatestRecord(s, leader).epoch == epoch
            larger = self.FirstOffsetWithLargerEpoch(s, leader, epoch, integer(-1)) != -1
            cut = (*ends, ", so it truncates to ", offset, ", ")
            return [
                (log.IsEmpty(s, replica), (replica, "'s log is empty")),
                (log.IsEmpty(s, leader), (*cut, "its own high watermark: ", leader, "'s is empty")),
                (same, (*cut, "the end of ", leader, "'s, which ends with this epoch too")),
                (larger, (*cut, "where ", leader, "'s first larger epoch is")),
                (True, (*cut, "its own high watermark: ", leader, " has no larger epoch")),
            ]

        return {"BecomeFollowerTruncateKip101": truncated}

    Next = one_of(
        KafkaReplication.ControllerElectLeader,
        KafkaReplication.ControllerShrinkIsr,
        KafkaReplication.BecomeLeader,
        KafkaReplication.LeaderExpandIsr,
        KafkaReplication.LeaderShrinkIsr,
        KafkaReplication.LeaderWrite,
        KafkaReplication.LeaderIncHighWatermark,
        BecomeFollowerTruncateKip101,
        KafkaReplication.FollowerReplicate,
    )
