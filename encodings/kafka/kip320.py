"""Kip320.tla: fetching, truncation and ISR changes are fenced by the leader epoch."""

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
    record,
)


class Kip320(Kip279):
    """The protocol that holds: every exchange is between replicas of one epoch (KIP-320)."""

    def IsFollowingLeaderEpoch(self, s: State, leader: Expr, follower: Expr) -> Expr:
        return conj(
            self.ReplicaPresumesLeadership(s, leader),
            s.replicaState[follower].leader == leader,
            s.replicaState[follower].leaderEpoch == s.replicaState[leader].leaderEpoch,
        )

    @action(follower=KafkaReplication.Replica, leader=KafkaReplication.Replica)
    def FencedFollowerFetch(self, s: Step, follower: Expr, leader: Expr) -> None:
        s.require(self.IsFollowingLeaderEpoch(s, leader, follower))
        self.FetchFrom(s, leader, follower)

    @action(fairness="strong", leader=KafkaReplication.Replica)
    def FencedLeaderIncHighWatermark(self, s: Step, leader: Expr) -> None:
        leaderHw = s.replicaState[leader].hw
        s.require(
            self.ReplicaLog.HasOffset(s, leader, leaderHw),
            forall(
                self.Replica,
                lambda follower: implies(
                    member(follower, s.replicaState[leader].isr),
                    self.IsFollowingLeaderEpoch(s, leader, follower)
                    & self.ReplicaLog.HasOffset(s, follower, leaderHw),
                ),
            ),
        )
        s.replicaState[leader].hw = leaderHw + 1

    @action(leader=KafkaReplication.Replica, follower=KafkaReplication.Replica)
    def FencedLeaderShrinkIsr(self, s: Step, leader: Expr, follower: Expr) -> None:
        isr = s.replicaState[leader].isr
        leaderEndOffset = self.ReplicaLog.GetEndOffset(s, leader)
        s.require(
            member(follower, isr - one(leader)),
            disj(
                ~self.IsFollowingLeaderEpoch(s, leader, follower),
                self.ReplicaLog.GetEndOffset(s, follower) < leaderEndOffset,
            ),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr - one(follower))

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

    def HasFollowerReachedHighWatermark(self, s: State, leader: Expr, follower: Expr) -> Expr:
        hw = s.replicaState[leader].hw
        return disj(hw == 0, conj(hw > 0, self.ReplicaLog.HasOffset(s, follower, hw - 1)))

    @action(fairness="strong", leader=KafkaReplication.Replica, follower=KafkaReplication.Replica)
    def FencedLeaderExpandIsr(self, s: Step, leader: Expr, follower: Expr) -> None:
        isr = s.replicaState[leader].isr
        s.require(
            ~member(follower, isr),
            self.IsFollowingLeaderEpoch(s, leader, follower),
            self.HasFollowerReachedHighWatermark(s, leader, follower),
            self.HasHighWatermarkReachedCurrentEpoch(s, leader),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr | one(follower))

    def BecomeFollower(
        self, s: Step, replica: Expr, leaderAndIsrRequest: Expr, newHighWatermark: Expr
    ) -> None:
        s.replicaState[replica] = record(
            self.ReplicaState,
            leaderEpoch=leaderAndIsrRequest.leaderEpoch,
            leader=leaderAndIsrRequest.leader,
            isr=leaderAndIsrRequest.isr,
            hw=newHighWatermark,
        )

    def MatchesLeaderEpoch(self, s: State, leader: Expr, leaderAndIsrRequest: Expr) -> Expr:
        """The leader that is asked for its log leads at the request's epoch."""
        return conj(
            self.ReplicaPresumesLeadership(s, leader),
            s.replicaState[leader].leaderEpoch == leaderAndIsrRequest.leaderEpoch,
        )

    @action(
        fairness="weak",
        leader=KafkaReplication.Replica,
        replica=KafkaReplication.Replica,
        leaderAndIsrRequest=KafkaReplication.leaderAndIsrRequests,
    )
    def FencedBecomeFollowerAndTruncate(
        self, s: Step, leader: Expr, replica: Expr, leaderAndIsrRequest: Expr
    ) -> None:
        """The disjunct ``leader = None`` is dead: the leader is taken from Replicas."""
        s.require(
            leader != replica,
            leaderAndIsrRequest.leader == leader,
            leaderAndIsrRequest.leaderEpoch > s.replicaState[replica].leaderEpoch,
            self.MatchesLeaderEpoch(s, leader, leaderAndIsrRequest),
        )
        truncationOffset = self.FirstNonMatchingOffsetFromTail(s, leader, replica)
        newHighWatermark = minimum(truncationOffset, s.replicaState[replica].hw)
        self.ReplicaLog.TruncateTo(s, replica, truncationOffset)
        self.BecomeFollower(s, replica, leaderAndIsrRequest, newHighWatermark)

    Next = one_of(
        KafkaReplication.ControllerElectLeader,
        KafkaReplication.ControllerShrinkIsr,
        KafkaReplication.BecomeLeader,
        FencedLeaderExpandIsr,
        FencedLeaderShrinkIsr,
        KafkaReplication.LeaderWrite,
        FencedLeaderIncHighWatermark,
        FencedBecomeFollowerAndTruncate,
        FencedFollowerFetch,
    )
