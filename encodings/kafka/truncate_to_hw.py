"""KafkaTruncateToHighWatermark.tla: a new follower truncates to its own high watermark."""

from bmc.encodings.kafka.replication import KafkaReplication

from bmc.lang import Expr, State, Step, action, one_of
from bmc.lang.drawing import Sentence, Telling


class KafkaTruncateToHighWatermark(KafkaReplication):
    """Kafka before KIP-101."""

    @action(
        fairness="weak",
        leader=KafkaReplication.Replica,
        replica=KafkaReplication.Replica,
        leaderAndIsrRequest=KafkaReplication.leaderAndIsrRequests,
    )
    def BecomeFollowerTruncateToHighWatermark(
        self, s: Step, leader: Expr, replica: Expr, leaderAndIsrRequest: Expr
    ) -> None:
        replicaHw = s.replicaState[replica].hw
        self.BecomeFollowerAndTruncateTo(s, leader, replica, replicaHw, leaderAndIsrRequest)

    def sentences(self, s: State) -> dict[str, Telling]:
        def truncated(replica: Expr) -> Sentence:
            hw = s.replicaState[replica].hw
            return (replica, " truncates to its own high watermark, ", hw)

        return {"BecomeFollowerTruncateToHighWatermark": truncated}

    Next = one_of(
        KafkaReplication.ControllerElectLeader,
        KafkaReplication.ControllerShrinkIsr,
        KafkaReplication.BecomeLeader,
        KafkaReplication.LeaderExpandIsr,
        KafkaReplication.LeaderShrinkIsr,
        KafkaReplication.LeaderWrite,
        KafkaReplication.LeaderIncHighWatermark,
        BecomeFollowerTruncateToHighWatermark,
        KafkaReplication.FollowerReplicate,
    )
