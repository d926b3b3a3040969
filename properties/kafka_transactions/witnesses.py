"""States of interest that must be reachable, so that nothing about transactions is vacuous."""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import Broker, Client, TransactionId, TxnLogPartition

from bmc.lang import (
    Expr,
    State,
    conj,
    forall,
    is_some,
    the,
    witness,
)


@witness("a transaction is completed, by being aborted", b=Broker, tid=TransactionId)
def CompletedTransaction(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    """No client ends its transaction in this specification: CompleteCommit is never reached."""
    known = s.tc_tid_metadata[b][tid]
    return conj(is_some(known), the(known).state == "CompleteAbort")


@witness("a client learns that another has taken its transactional id", c=Client)
def FencedClient(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    return conj(s.client[c].state == "Terminated", s.client[c].last_error == "ProducerFenced")


@witness("a client's producer id is unknown to its coordinator", c=Client)
def UnknownProducer(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    """It takes two log partitions: whoever leads a second one forgets the ids of the first."""
    error = s.client[c].last_error
    return conj(s.client[c].state == "Terminated", error == "InvalidProducerIdMapping")


@witness("two brokers take themselves for the coordinator", p=TxnLogPartition, b=Broker, old=Broker)
def StaleCoordinator(m: KafkaTransactions, s: State, p: Expr, b: Expr, old: Expr) -> Expr:
    return conj(b != old, m.IsPartitionLeader(s, b, p), m.IsPartitionLeader(s, old, p))


@witness("a coordinator has changed, and all brokers know", p=TxnLogPartition)
def CoordinatorChanged(m: KafkaTransactions, s: State, p: Expr) -> Expr:
    return conj(
        s.txn_log_epoch[p] > 1,
        forall(Broker, lambda b: s.tc_log_metadata[b][p].cepoch == s.txn_log_epoch[p]),
    )


WITNESSES = (
    CompletedTransaction,
    FencedClient,
    UnknownProducer,
    StaleCoordinator,
    CoordinatorChanged,
)

__all__ = ["WITNESSES"]
