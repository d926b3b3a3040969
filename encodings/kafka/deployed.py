"""KIP-320 as brokers with a ZooKeeper controller run it: Kafka 2.7 to 3.9.

No published module has these steps. They are what the logs of running brokers show beside the
published ones (docs/conformance.md): a broker adopts a request's epoch at once and compares logs
when it fetches, a fetch that brings no record still brings the leader's high watermark, the
controller replaces a leader in one epoch, and brokers restart.
"""

from bmc.encodings.kafka.kip320 import Kip320
from bmc.encodings.kafka.replication import KafkaReplication

from bmc.lang import (
    Expr,
    Operand,
    Parameter,
    State,
    Step,
    action,
    conj,
    disj,
    forall,
    implies,
    integer,
    is_none,
    is_some,
    member,
    minimum,
    one,
    one_of,
)
from bmc.lang.drawing import Sentence, Telling

Replica = KafkaReplication.Replica
Offset = KafkaReplication.Offset
LeaderAndIsrRequests = KafkaReplication.leaderAndIsrRequests


class Kip320Deployed(Kip320):
    """Adopting an epoch, truncating and fetching are steps of their own, and brokers restart."""

    restarts = Parameter("restarts", 1, 0, 1, "whether brokers restart (1) or not (0)")

    def Agrees(self, s: State, leader: Expr, follower: Expr) -> Expr:
        """The leader has a record of the same epoch where the follower's log ends.

        It is what a leader asks of the last fetched epoch in a fetch (KIP-595, used by followers
        since 2.7).
        """
        log = self.ReplicaLog
        end = log.GetEndOffset(s, follower)
        return disj(
            end == 0,
            conj(
                end > 0,
                log.HasSomeEntry(s, leader, end - 1),
                log.GetRecordAtOffset(s, leader, end - 1).epoch
                == log.GetRecordAtOffset(s, follower, end - 1).epoch,
            ),
        )

    def IsFetching(self, s: State, leader: Expr, follower: Expr) -> Expr:
        """The leader accepts what the follower asks for, and answers with what follows."""
        return conj(
            leader != follower,
            self.IsFollowingLeaderEpoch(s, leader, follower),
            self.Agrees(s, leader, follower),
        )

    @action(failed=Replica, newLeader=Replica)
    def ControllerFailover(self, s: Step, failed: Expr, newLeader: Expr) -> None:
        """The leader leaves the ISR and another member is elected, at one epoch."""
        isr = s.quorumState.isr
        s.require(s.quorumState.leader == failed, failed != newLeader, member(newLeader, isr))
        self.ControllerUpdateIsr(s, newLeader, isr - one(failed))

    @action(replica=Replica, leaderAndIsrRequest=LeaderAndIsrRequests)
    def AdoptLeader(self, s: Step, replica: Expr, leaderAndIsrRequest: Expr) -> None:
        """A follower need not wait for its leader, and cuts nothing yet."""
        s.require(
            is_some(leaderAndIsrRequest.leader),
            leaderAndIsrRequest.leader != replica,
            leaderAndIsrRequest.leaderEpoch > s.replicaState[replica].leaderEpoch,
        )
        self.BecomeFollower(s, replica, leaderAndIsrRequest, s.replicaState[replica].hw)

    @action(follower=Replica, leader=Replica)
    def TruncateOnFetch(self, s: Step, follower: Expr, leader: Expr) -> None:
        """The leader names where the logs diverge instead of sending records."""
        s.require(
            leader != follower,
            self.IsFollowingLeaderEpoch(s, leader, follower),
            ~self.Agrees(s, leader, follower),
        )
        offset = self.FirstNonMatchingOffsetFromTail(s, leader, follower)
        self.ReplicaLog.TruncateTo(s, follower, offset)
        s.replicaState[follower].hw = minimum(offset, s.replicaState[follower].hw)

    @action(follower=Replica, leader=Replica)
    def FencedFollowerFetch(self, s: Step, follower: Expr, leader: Expr) -> None:
        s.require(self.IsFetching(s, leader, follower))
        self.FetchFrom(s, leader, follower)

    @action(follower=Replica, leader=Replica)
    def LearnHighWatermark(self, s: Step, follower: Expr, leader: Expr) -> None:
        """A fetch that brings no record brings the leader's high watermark."""
        s.require(self.IsFetching(s, leader, follower))
        end = self.ReplicaLog.GetEndOffset(s, follower)
        s.replicaState[follower].hw = minimum(s.replicaState[leader].hw, end)

    @action(fairness="strong", leader=Replica)
    def FencedLeaderIncHighWatermark(self, s: Step, leader: Expr) -> None:
        """The leader knows a follower's log end from its fetches, so only as far as they agree."""
        leaderHw = s.replicaState[leader].hw
        log = self.ReplicaLog
        s.require(
            self.ReplicaPresumesLeadership(s, leader),
            log.HasOffset(s, leader, leaderHw),
            forall(
                self.Replica,
                lambda follower: implies(
                    member(follower, s.replicaState[leader].isr),
                    self.IsFollowingLeaderEpoch(s, leader, follower)
                    & log.HasOffset(s, follower, leaderHw)
                    & self.Agrees(s, leader, follower),
                ),
            ),
        )
        s.replicaState[leader].hw = leaderHw + 1

    @action(leader=Replica, follower=Replica)
    def FencedLeaderShrinkIsr(self, s: Step, leader: Expr, follower: Expr) -> None:
        """A follower lags by time, not by offsets: it may have the leader's log and not fetch."""
        isr = s.replicaState[leader].isr
        s.require(member(follower, isr - one(leader)))
        self.QuorumUpdateLeaderAndIsr(s, leader, isr - one(follower))

    @action(fairness="strong", leader=Replica, follower=Replica)
    def FencedLeaderExpandIsr(self, s: Step, leader: Expr, follower: Expr) -> None:
        isr = s.replicaState[leader].isr
        s.require(
            ~member(follower, isr),
            self.IsFollowingLeaderEpoch(s, leader, follower),
            self.HasFollowerReachedHighWatermark(s, leader, follower),
            self.HasHighWatermarkReachedCurrentEpoch(s, leader),
            self.Agrees(s, leader, follower),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr | one(follower))

    @action(replica=Replica, hw=Offset.to(KafkaReplication.log_size))
    def Restart(self, s: Step, replica: Expr, hw: Expr) -> None:
        """The log is kept; the high watermark is that of the last checkpoint, which may be older.

        Requests that were sent before do not reach the broker any more: the controller tells the
        brokers' generations apart. The ISR that was assumed is not read until a request says
        another one.
        """
        s.require(integer(self.restarts) == 1, hw <= s.replicaState[replica].hw)
        s.replicaState[replica].hw = hw
        s.replicaState[replica].leaderEpoch = s.quorumState.leaderEpoch
        s.replicaState[replica].leader = None

    @action(replica=Replica)
    def Rejoin(self, s: Step, replica: Expr) -> None:
        """The controller sends a broker that is back what the quorum says now.

        A leader that restarts has lost its leadership: the controller elects at a new epoch.
        """
        state, quorum = s.replicaState[replica], s.quorumState
        s.require(
            is_none(state.leader),
            is_some(quorum.leader),
            quorum.leader != replica,
            state.leaderEpoch == quorum.leaderEpoch,
        )
        s.replicaState[replica].leader = quorum.leader
        s.replicaState[replica].isr = quorum.isr

    def sentences(self, s: State) -> dict[str, Telling]:
        """Why a follower cuts its log where it does."""

        def truncated(follower: Expr, leader: Expr) -> list[tuple[Operand, Sentence]]:
            offset = self.FirstNonMatchingOffsetFromTail(s, leader, follower)
            cut = (follower, " truncates to ", offset)
            return [
                (offset == 0, (*cut, ": it agrees with ", leader, "'s log nowhere")),
                (True, (*cut, ", behind the last offset where it agrees with ", leader, "'s log")),
            ]

        return {"TruncateOnFetch": truncated}

    Next = one_of(
        KafkaReplication.ControllerElectLeader,
        KafkaReplication.ControllerShrinkIsr,
        ControllerFailover,
        KafkaReplication.BecomeLeader,
        FencedLeaderExpandIsr,
        FencedLeaderShrinkIsr,
        KafkaReplication.LeaderWrite,
        FencedLeaderIncHighWatermark,
        AdoptLeader,
        TruncateOnFetch,
        FencedFollowerFetch,
        LearnHighWatermark,
        Restart,
        Rejoin,
    )


class Kip320DeployedUnclean(Kip320Deployed):
    """The same with ``unclean.leader.election.enable=true``."""

    @action(newLeader=Replica)
    def UncleanElection(self, s: Step, newLeader: Expr) -> None:
        """The controller sees nobody of the ISR alive and elects whom it sees."""
        s.require(~member(newLeader, s.quorumState.isr))
        self.ControllerUpdateIsr(s, newLeader, one(newLeader))

    Next = one_of(*Kip320Deployed.Next, UncleanElection)
