"""Kip320FirstTry.tla: followers fetch at once and truncate when their last epoch differs."""

from bmc.encodings.kafka.kip279 import Kip279
from bmc.encodings.kafka.replication import KafkaReplication

from bmc.lang import (
    Expr,
    State,
    Step,
    action,
    conj,
    disj,
    forall,
    implies,
    member,
    minimum,
    one,
    one_of,
)


class Kip320FirstTry(Kip279):
    """The first attempt at KIP-320: epochs of records are compared, not those of replicas."""

    def IsFollowerCaughtUpToLeaderEpoch(
        self, s: State, leader: Expr, follower: Expr, endOffset: Expr
    ) -> Expr:
        log = self.ReplicaLog
        offset = endOffset - 1
        return conj(
            self.ReplicaPresumesLeadership(s, leader),
            self.ReplicaIsFollowing(s, follower, leader),
            disj(
                endOffset == 0,
                conj(
                    endOffset > 0,
                    log.HasSomeEntry(s, leader, offset),
                    log.HasOffset(s, follower, offset),
                    log.GetRecordAtOffset(s, follower, offset).epoch
                    == log.GetRecordAtOffset(s, leader, offset).epoch,
                ),
            ),
        )

    def FollowerNeedsTruncation(self, s: State, follower: Expr, leader: Expr) -> Expr:
        """The ``\\E record, offset`` of the specification is the follower's latest entry."""
        log = self.ReplicaLog
        offset = log.GetEndOffset(s, follower) - 1
        return disj(
            log.GetEndOffset(s, follower) > log.GetEndOffset(s, leader),
            conj(
                ~log.IsEmpty(s, follower),
                log.HasOffset(s, leader, offset),
                log.GetRecordAtOffset(s, leader, offset).epoch
                != log.GetLatestRecord(s, follower).epoch,
            ),
        )

    @action(leader=KafkaReplication.Replica, follower=KafkaReplication.Replica)
    def FollowerTruncate(self, s: Step, leader: Expr, follower: Expr) -> None:
        s.require(
            self.ReplicaPresumesLeadership(s, leader),
            self.ReplicaIsFollowing(s, follower, leader),
            self.FollowerNeedsTruncation(s, follower, leader),
        )
        truncationOffset = self.FirstNonMatchingOffsetFromTail(s, leader, follower)
        self.ReplicaLog.TruncateTo(s, follower, truncationOffset)
        s.replicaState[follower].hw = minimum(truncationOffset, s.replicaState[follower].hw)

    @action(fairness="strong", leader=KafkaReplication.Replica)
    def ImprovedLeaderIncHighWatermark(self, s: Step, leader: Expr) -> None:
        leaderHw = s.replicaState[leader].hw
        s.require(
            self.ReplicaPresumesLeadership(s, leader),
            self.ReplicaLog.HasSomeEntry(s, leader, leaderHw),
            forall(
                self.Replica,
                lambda follower: implies(
                    member(follower, s.replicaState[leader].isr),
                    self.IsFollowerCaughtUpToLeaderEpoch(s, leader, follower, leaderHw + 1),
                ),
            ),
        )
        s.replicaState[leader].hw = leaderHw + 1

    @action(follower=KafkaReplication.Replica, leader=KafkaReplication.Replica)
    def FollowerFetch(self, s: Step, follower: Expr, leader: Expr) -> None:
        followerEndOffset = self.ReplicaLog.GetEndOffset(s, follower)
        s.require(self.IsFollowerCaughtUpToLeaderEpoch(s, leader, follower, followerEndOffset))
        self.FetchFrom(s, leader, follower)

    @action(leader=KafkaReplication.Replica, replica=KafkaReplication.Replica)
    def LeaderShrinkIsrBetterFencing(self, s: Step, leader: Expr, replica: Expr) -> None:
        isr = s.replicaState[leader].isr
        endOffset = self.ReplicaLog.GetEndOffset(s, leader)
        s.require(
            member(replica, isr - one(leader)),
            ~self.IsFollowerCaughtUpToLeaderEpoch(s, leader, replica, endOffset),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr - one(replica))

    def HasHighWatermarkReachedCurrentEpoch(self, s: State, leader: Expr) -> Expr:
        hw = s.replicaState[leader].hw
        log = self.ReplicaLog
        return disj(
            hw == log.GetEndOffset(s, leader),
            conj(
                log.HasSomeEntry(s, leader, hw),
                log.GetRecordAtOffset(s, leader, hw).epoch == s.replicaState[leader].leaderEpoch,
            ),
        )

    @action(fairness="strong", leader=KafkaReplication.Replica, replica=KafkaReplication.Replica)
    def LeaderExpandIsrBetterFencing(self, s: Step, leader: Expr, replica: Expr) -> None:
        isr = s.replicaState[leader].isr
        leaderHw = s.replicaState[leader].hw
        s.require(
            ~member(replica, isr),
            self.IsFollowerCaughtUpToLeaderEpoch(s, leader, replica, leaderHw),
            self.HasHighWatermarkReachedCurrentEpoch(s, leader),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr | one(replica))

    @action(
        fairness="weak",
        leader=KafkaReplication.Replica,
        replica=KafkaReplication.Replica,
        leaderAndIsrRequest=KafkaReplication.leaderAndIsrRequests,
    )
    def BecomeFollower(
        self, s: Step, leader: Expr, replica: Expr, leaderAndIsrRequest: Expr
    ) -> None:
        s.require(
            leader != replica,
            leaderAndIsrRequest.leader == leader,
            leaderAndIsrRequest.leaderEpoch > s.replicaState[replica].leaderEpoch,
        )
        s.replicaState[replica].leaderEpoch = leaderAndIsrRequest.leaderEpoch
        s.replicaState[replica].leader = leader
        s.replicaState[replica].isr = leaderAndIsrRequest.isr

    Next = one_of(
        KafkaReplication.ControllerElectLeader,
        KafkaReplication.ControllerShrinkIsr,
        KafkaReplication.BecomeLeader,
        LeaderExpandIsrBetterFencing,
        LeaderShrinkIsrBetterFencing,
        KafkaReplication.LeaderWrite,
        ImprovedLeaderIncHighWatermark,
        BecomeFollower,
        FollowerFetch,
        FollowerTruncate,
    )
