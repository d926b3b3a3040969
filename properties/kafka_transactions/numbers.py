"""How far numbers get: producer ids, producer epochs, and entries in a log.

Each is paid for by what a client does once: be given a producer id, add a partition, be overtaken.
"""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import (
    Broker,
    Client,
    Offset,
    ProducerEpoch,
    TransactionId,
    TxnLogPartition,
)
from bmc.properties.kafka_transactions.words import (
    added,
    holds_epoch,
    overtaken,
    pids_to_come,
    uncommitted,
    with_pid,
)

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    exists,
    filtered,
    implies,
    integer,
    is_some,
    lemma,
    size,
    the,
)

GROUP = "numbers"


@lemma(
    "an entry that is not committed goes on from what is known",
    GROUP,
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
)
def entry_goes_on(m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr) -> Expr:
    entry = at(s.tc_log[b][p], offset)
    known = s.tc_tid_metadata[b][entry.tid]
    type, state, pepoch = entry.callback.type, the(known).state, the(known).pepoch
    ended = disj(state == "Empty", state == "CompleteAbort")
    raised = entry.transition.pepoch == pepoch + 1
    kept = conj(
        entry.transition.pepoch == pepoch, the(known).partitions <= entry.transition.partitions
    )
    return implies(
        uncommitted(s, b, p, offset),
        conj(
            is_some(known),
            entry.transition.pid == the(known).pid,
            implies(type == "InitPidRequest", conj(raised, ended)),
            implies(type == "PrepareAbort", conj(raised, state == "Ongoing")),
            implies(type == "AddPartitionsToTxnRequest", kept),
            implies(type == "CompleteAbort", conj(kept, state == "PrepareAbort")),
        ),
    )


@lemma("no client is ahead of its coordinator", GROUP, c=Client, pepoch=ProducerEpoch)
def coordinator_has_the_latest_epoch(m: KafkaTransactions, s: State, c: Expr, pepoch: Expr) -> Expr:
    tid = s.client[c].tid
    known = s.tc_tid_metadata[m.FindCoordinator(s, the(tid))][the(tid)]
    return implies(
        holds_epoch(s, c, pepoch),
        conj(is_some(tid), is_some(known), pepoch <= the(known).pepoch),
    )


@lemma("an epoch is given to one client", GROUP, c=Client, other=Client, pepoch=ProducerEpoch)
def epoch_is_given_once(m: KafkaTransactions, s: State, c: Expr, other: Expr, pepoch: Expr) -> Expr:
    return implies(
        conj(c != other, s.client[c].tid == s.client[other].tid, holds_epoch(s, c, pepoch)),
        ~holds_epoch(s, other, pepoch),
    )


@lemma("whoever made a transaction Ongoing has its epoch", GROUP, tid=TransactionId)
def ongoing_is_somebodys(m: KafkaTransactions, s: State, tid: Expr) -> Expr:
    known = s.tc_tid_metadata[m.FindCoordinator(s, tid)][tid]

    def has_begun(c: Expr) -> Expr:
        client = s.client[c]
        return conj(client.tid == tid, client.pid != -1, client.epoch == the(known).pepoch)

    return implies(conj(is_some(known), the(known).state == "Ongoing"), exists(Client, has_begun))


@lemma("an epoch is paid for by a client", GROUP, b=Broker, tid=TransactionId)
def epochs_are_paid_for(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    known = s.tc_tid_metadata[b][tid]
    return implies(is_some(known), the(known).pepoch + 1 <= with_pid(s) + overtaken(m, s))


@lemma("what is committed, and what is to be completed, is paid for", GROUP, p=TxnLogPartition)
def entries_are_paid_for(m: KafkaTransactions, s: State, p: Expr) -> Expr:
    leader = s.txn_log_leader[p]

    def to_complete(tid: Expr) -> Expr:
        known = s.tc_tid_metadata[leader][tid]
        return conj(m.PartitionFor(tid) == p, is_some(known), the(known).state == "PrepareAbort")

    owed = size(filtered(TransactionId, to_complete))
    ends = overtaken(m, s)
    return s.tc_log_hwm[leader][p] + owed <= with_pid(s) + added(s) + ends + ends


@lemma("new producer ids leave room for those to come", GROUP)
def pid_source_leaves_room(m: KafkaTransactions, s: State) -> Expr:
    most = integer(m.transaction_ids * (m.max_coordinator_changes + 1))
    return s.pid_source + pids_to_come(m, s) <= most


@lemma("producer ids leave room for those to come", GROUP, b=Broker, tid=TransactionId)
def pids_leave_room(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    known = s.tc_tid_metadata[b][tid]
    most = integer(m.transaction_ids * (m.max_coordinator_changes + 1))
    return implies(is_some(known), the(known).pid + pids_to_come(m, s) <= most)


NUMBERS = (
    entry_goes_on,
    coordinator_has_the_latest_epoch,
    epoch_is_given_once,
    ongoing_is_somebodys,
    epochs_are_paid_for,
    entries_are_paid_for,
    pid_source_leaves_room,
    pids_leave_room,
)

__all__ = ["NUMBERS"]
