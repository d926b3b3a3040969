"""What LivenessSpec promises: states that every behaviour reaches and never leaves again."""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import Client, TopicPartition

from bmc.lang import Expr, State, conj, everything, exists, forall, witness
from bmc.lang.temporal import Formula, Specification, always, eventually, strong, temporal, weak

LIVENESS_SPEC = Specification(
    "LivenessSpec",
    (
        strong("SendInitPidRequest", per=("c",)),
        weak("ReceiveInitPidRequest", per=("c", "b")),
        weak("ReceiveInitPidResponse", per=("c", "b")),
        strong("SendAddPartitionsToTxnRequest", per=("c",)),
        weak("ReceiveAddPartitionsToTxnResponse", per=("c", "b")),
        weak("ReceiveAddPartitionsToTxnRequest", per=("c", "b")),
        weak("CommitTxnLogAppend", per=("b", "p")),
        weak("BecomeFollower", per=("b", "p")),
    ),
)
"""Fairness, as published."""


def _all_have_pid(s: State) -> Expr:
    return forall(Client, lambda c: s.client[c].pid > -1)


def _added_all(s: State, c: Expr) -> Expr:
    return conj(
        s.client[c].state == "BegunTxn",
        s.client[c].partitions == everything(TopicPartition),
    )


@witness("every client has a producer id")
def AllClientsHavePid(m: KafkaTransactions, s: State) -> Expr:
    return _all_have_pid(s)


@witness("a client has begun a transaction and added all partitions", c=Client)
def OneClientAddedAll(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    return _added_all(s, c)


@temporal("In the end every client has a producer id.", specification="LivenessSpec")
def EventuallyAllClientsGetPid(m: KafkaTransactions, s: State) -> Formula:
    return eventually(always(_all_have_pid(s)))


@temporal(
    "In the end a client has begun a transaction and added all partitions.",
    specification="LivenessSpec",
)
def EventuallyOneClientAddsAllPartitions(m: KafkaTransactions, s: State) -> Formula:
    return eventually(always(exists(Client, lambda c: _added_all(s, c))))


TEMPORAL = (EventuallyAllClientsGetPid, EventuallyOneClientAddsAllPartitions)
REACHED = (AllClientsHavePid, OneClientAddedAll)

__all__ = ["LIVENESS_SPEC", "REACHED", "TEMPORAL"]
