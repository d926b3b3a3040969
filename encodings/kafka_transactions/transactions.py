"""kafka_transactions_for_web.tla of Vanlightly/kafka-tlaplus: its Init and Next.

``\\E c \\in Clients, b \\in Brokers : Receive…(b, c)`` has its choices in that order.
CompletePartialTxn is commented out in the specification, and left out here: whoever takes over
between PrepareAbort and CompleteAbort never completes it.
"""

from bmc.encodings.kafka_transactions.client import ClientActions
from bmc.encodings.kafka_transactions.coordinator import CoordinatorActions
from bmc.encodings.kafka_transactions.drawing import DrawnCluster
from bmc.encodings.kafka_transactions.leadership import LeadershipActions
from bmc.encodings.kafka_transactions.log import LogActions

from bmc.lang import Step, action, one_of


class KafkaTransactions(
    ClientActions, CoordinatorActions, LogActions, LeadershipActions, DrawnCluster
):
    """Clients that get producer ids and begin transactions, while coordinators come and go."""

    @action()
    def Init(self, s: Step) -> None:
        self.ClusterInit(s)
        self.NetworkInit(s)

    Next = one_of(
        ClientActions.SendInitPidRequest,
        CoordinatorActions.ReceiveInitPidRequest,
        ClientActions.ReceiveInitPidResponse,
        ClientActions.SendAddPartitionsToTxnRequest,
        CoordinatorActions.ReceiveAddPartitionsToTxnRequest,
        ClientActions.ReceiveAddPartitionsToTxnResponse,
        LogActions.CommitTxnLogAppend,
        LeadershipActions.BecomeLeader,
        LeadershipActions.BecomeFollower,
    )
