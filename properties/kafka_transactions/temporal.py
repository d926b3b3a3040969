"""What LivenessSpec promises: states that every behaviour reaches and never leaves again.

Where it does not keep a promise, the missing assumption is stated as a claim of its own.
"""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import (
    Broker,
    Client,
    Offset,
    TopicPartition,
    TransactionId,
    TxnLogPartition,
)
from bmc.properties.kafka_transactions.words import uncommitted

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    everything,
    exists,
    forall,
    is_none,
    is_some,
    the,
    witness,
)
from bmc.lang.temporal import (
    Formula,
    Specification,
    always,
    entails,
    eventually,
    never,
    strong,
    temporal,
    weak,
)

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


def _is_half_done(m: KafkaTransactions, s: State, tid: Expr) -> Expr:
    """A coordinator knows that a transaction is to end, and has written nothing that ends it."""
    coordinator = m.FindCoordinator(s, tid)
    known = s.tc_tid_metadata[coordinator][tid]
    ending = disj(the(known).state == "PrepareAbort", the(known).state == "PrepareCommit")
    return conj(is_some(known), ending, is_none(s.tc_tid_transition[coordinator][tid]))


def _all_is_completed(m: KafkaTransactions, s: State) -> Formula:
    """No transaction is half done for ever, by whichever id."""
    half_done = exists(TransactionId, lambda tid: _is_half_done(m, s, tid))
    return never(eventually(always(half_done)))


def _is_copied(s: State, b: Expr, p: Expr, offset: Expr) -> Expr:
    """A leader holds an entry that an earlier one wrote, and has not committed it."""
    entry = at(s.tc_log[b][p], offset)
    transition = s.tc_tid_transition[b][entry.tid]
    begun_here = conj(is_some(transition), the(transition) == entry.transition)
    return conj(uncommitted(s, b, p, offset), ~begun_here)


def _leads_with_copies(s: State) -> Expr:
    return exists(
        Broker,
        lambda b: exists(
            TxnLogPartition,
            lambda p: exists(Offset, lambda offset: _is_copied(s, b, p, offset)),
        ),
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


@temporal(
    "EventuallyAllClientsGetPid, unless a coordinator leaves a transaction half done for ever.",
    specification="LivenessSpec",
)
def AllClientsGetPidIfCompleted(m: KafkaTransactions, s: State) -> Formula:
    return entails(_all_is_completed(m, s), eventually(always(_all_have_pid(s))))


@temporal(
    "There is no weaker assumption: it holds wherever every client has a producer id in the end.",
    specification="LivenessSpec",
)
def CompletedIfAllClientsGetPid(m: KafkaTransactions, s: State) -> Formula:
    return entails(eventually(always(_all_have_pid(s))), _all_is_completed(m, s))


@temporal(
    "EventuallyOneClientAddsAllPartitions, unless who leads has copied what was not committed.",
    specification="LivenessSpec",
)
def OneClientAddsAllPartitionsIfNothingIsCopied(m: KafkaTransactions, s: State) -> Formula:
    added = eventually(always(exists(Client, lambda c: _added_all(s, c))))
    return entails(always(~_leads_with_copies(s)), added)


TEMPORAL = (
    EventuallyAllClientsGetPid,
    EventuallyOneClientAddsAllPartitions,
    AllClientsGetPidIfCompleted,
    CompletedIfAllClientsGetPid,
    OneClientAddsAllPartitionsIfNothingIsCopied,
)
REACHED = (AllClientsHavePid, OneClientAddedAll)

__all__ = ["LIVENESS_SPEC", "REACHED", "TEMPORAL"]
