"""Who leads a log partition, as brokers know it, and how their logs compare.

What is said of brokers that have not led a partition is said up to the first change: a later one
can bring a leader back, with entries of its first term in its log.
"""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import (
    Broker,
    CoordinatorEpoch,
    Offset,
    TransactionId,
    TxnLogPartition,
)
from bmc.properties.kafka_transactions.words import uncommitted

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    filtered,
    implies,
    integer,
    is_none,
    is_some,
    lemma,
    size,
    the,
)

GROUP = "leaders"


@lemma("whoever knows the latest epoch knows the leader", GROUP, b=Broker, p=TxnLogPartition)
def latest_epoch_names_the_leader(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    known = s.tc_log_metadata[b][p]
    return conj(
        known.cepoch <= s.txn_log_epoch[p],
        implies(known.cepoch == s.txn_log_epoch[p], known.leader == s.txn_log_leader[p]),
        implies(s.txn_log_leader[p] == b, known.cepoch == s.txn_log_epoch[p]),
    )


@lemma("an epoch has one leader", GROUP, b=Broker, other=Broker, p=TxnLogPartition)
def one_leader_an_epoch(m: KafkaTransactions, s: State, b: Expr, other: Expr, p: Expr) -> Expr:
    one, two = s.tc_log_metadata[b][p], s.tc_log_metadata[other][p]
    return implies(one.cepoch == two.cepoch, one.leader == two.leader)


@lemma("there are no more epochs than changes", GROUP, p=TxnLogPartition)
def epochs_are_counted(m: KafkaTransactions, s: State, p: Expr) -> Expr:
    earlier = filtered(CoordinatorEpoch, lambda cepoch: cepoch < s.txn_log_epoch[p])
    return size(earlier) <= s.aux_coord_ctr


@lemma("what is committed is in the log", GROUP, b=Broker, p=TxnLogPartition)
def high_watermark_is_in_the_log(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    return s.tc_log_hwm[b][p] <= size(s.tc_log[b][p])


@lemma("SameHighWatermark, which others lean on", GROUP, p=TxnLogPartition, b=Broker, other=Broker)
def high_watermarks_agree(m: KafkaTransactions, s: State, p: Expr, b: Expr, other: Expr) -> Expr:
    return s.tc_log_hwm[b][p] == s.tc_log_hwm[other][p]


@lemma("the log of who never led is what is committed", GROUP, b=Broker, p=TxnLogPartition)
def follower_has_the_committed(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    known = s.tc_log_metadata[b][p]
    return implies(
        conj(known.cepoch == 1, known.leader != b),
        size(s.tc_log[b][p]) == s.tc_log_hwm[b][p],
    )


@lemma("who does not lead has no transitions", GROUP, b=Broker, tid=TransactionId)
def only_leaders_have_transitions(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    return implies(~m.IsCoordinator(s, b, tid), is_none(s.tc_tid_transition[b][tid]))


@lemma(
    "an entry is in the partition of its transactional id",
    GROUP,
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
)
def entry_is_in_its_partition(
    m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr
) -> Expr:
    log = s.tc_log[b][p]
    return implies(offset < size(log), m.PartitionFor(at(log, offset).tid) == p)


@lemma(
    "an entry that is not committed is its id's transition",
    GROUP,
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
)
def uncommitted_entry_is_the_transition(
    m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr
) -> Expr:
    entry = at(s.tc_log[b][p], offset)
    transition = s.tc_tid_transition[b][entry.tid]
    return implies(
        uncommitted(s, b, p, offset),
        conj(is_some(transition), the(transition) == entry.transition),
    )


@lemma(
    "entries that are not committed are of different ids",
    GROUP,
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
    other=Offset,
)
def uncommitted_entries_differ(
    m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr, other: Expr
) -> Expr:
    log = s.tc_log[b][p]
    return implies(
        conj(offset < other, uncommitted(s, b, p, offset), uncommitted(s, b, p, other)),
        at(log, offset).tid != at(log, other).tid,
    )


@lemma("a leader has an entry for each transition", GROUP, b=Broker, p=TxnLogPartition)
def transitions_are_in_the_log(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    open_ = filtered(
        TransactionId,
        lambda tid: conj(m.PartitionFor(tid) == p, is_some(s.tc_tid_transition[b][tid])),
    )
    return implies(
        s.tc_log_metadata[b][p].leader == b,
        size(s.tc_log[b][p]) == s.tc_log_hwm[b][p] + size(open_),
    )


@lemma("no log is longer by more than an entry an id", GROUP, b=Broker, p=TxnLogPartition)
def log_is_not_far_ahead(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    return size(s.tc_log[b][p]) <= s.tc_log_hwm[b][p] + integer(m.transaction_ids)


LEADERS = (
    latest_epoch_names_the_leader,
    one_leader_an_epoch,
    epochs_are_counted,
    high_watermark_is_in_the_log,
    high_watermarks_agree,
    follower_has_the_committed,
    only_leaders_have_transitions,
    entry_is_in_its_partition,
    uncommitted_entry_is_the_transition,
    uncommitted_entries_differ,
    transitions_are_in_the_log,
    log_is_not_far_ahead,
)

__all__ = ["LEADERS"]
