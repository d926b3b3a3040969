"""What a user of transactions relies on, and the specification does not state."""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import Broker, Client, TransactionId, TxnLogPartition

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    forall,
    implies,
    invariant,
    is_some,
    the,
)


def holds_pid(s: State, tid: Expr, pid: Expr) -> Expr:
    """Some broker's metadata has this producer id for a transactional id."""

    def known(b: Expr) -> Expr:
        return s.tc_tid_metadata[b][tid]

    return exists(Broker, lambda b: conj(is_some(known(b)), the(known(b)).pid == pid))


@invariant(
    "No two transactional ids ever hold the same producer id, over all brokers' metadata.",
    tid=TransactionId,
    other=TransactionId,
)
def ProducerIdUnique(m: KafkaTransactions, s: State, tid: Expr, other: Expr) -> Expr:
    def apart(b: Expr) -> Expr:
        known = s.tc_tid_metadata[b][tid]
        return implies(is_some(known), ~holds_pid(s, other, the(known).pid))

    return disj(tid == other, forall(Broker, apart))


@invariant(
    "No two transactional ids ever hold the same producer id, over all clients.",
    c=Client,
    other=Client,
)
def ClientProducerIdUnique(m: KafkaTransactions, s: State, c: Expr, other: Expr) -> Expr:
    return implies(
        conj(s.client[c].pid > -1, s.client[c].pid == s.client[other].pid),
        s.client[c].tid == s.client[other].tid,
    )


@invariant(
    "No two clients of a transactional id ever hold one producer id with the same epoch, so that "
    "whoever comes later fences whoever came before.",
    c=Client,
    other=Client,
)
def ClientEpochUnique(m: KafkaTransactions, s: State, c: Expr, other: Expr) -> Expr:
    one, two = s.client[c], s.client[other]
    return implies(
        conj(c != other, one.pid > -1, one.tid == two.tid, one.pid == two.pid),
        one.epoch != two.epoch,
    )


@invariant(
    "All brokers have the same high watermark of a log partition.",
    p=TxnLogPartition,
    b=Broker,
    other=Broker,
)
def SameHighWatermark(m: KafkaTransactions, s: State, p: Expr, b: Expr, other: Expr) -> Expr:
    return s.tc_log_hwm[b][p] == s.tc_log_hwm[other][p]


RELIANCE = (ProducerIdUnique, ClientProducerIdUnique, ClientEpochUnique, SameHighWatermark)

__all__ = ["RELIANCE"]
