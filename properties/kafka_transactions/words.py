"""Words that lemmas about kafka transactions are written with."""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.messages import (
    AddPartitionsHead,
    AddPartitionsToTxnResponse,
    InitPidAnswerHead,
    InitPidRequest,
)
from bmc.encodings.kafka_transactions.types import (
    Broker,
    Client,
    Offset,
    ProducerEpochOpt,
    TopicPartition,
    TransactionId,
    TxnLogPartition,
)

from bmc.lang import (
    Expr,
    Integer,
    Record,
    State,
    at,
    conj,
    disj,
    exists,
    filtered,
    is_none,
    is_some,
    lookup,
    member,
    record,
    size,
    the,
)

Place = Record("Place", b=Broker, p=TxnLogPartition, offset=Offset)
Addition = Record("Addition", c=Client, t=TopicPartition)
Memory = Record("Memory", b=Broker, tid=TransactionId)
Change = Record(
    "Change",
    tid=TransactionId,
    number=Integer("Changes", 0, KafkaTransactions.max_coordinator_changes),
)


def uncommitted(s: State, b: Expr, p: Expr, offset: Expr) -> Expr:
    """An entry that a leader, or who still takes itself for one, has not committed."""
    return conj(
        s.tc_log_metadata[b][p].leader == b,
        s.tc_log_hwm[b][p] <= offset,
        offset < size(s.tc_log[b][p]),
    )


def will_answer(s: State, b: Expr, p: Expr, offset: Expr, c: Expr) -> Expr:
    """An entry that is not committed, and whose callback answers a client."""
    answer = at(s.tc_log[b][p], offset).callback.answer
    return conj(uncommitted(s, b, p, offset), is_some(answer), the(answer).dest == c)


def pid_was_asked(s: State, source: Expr, dest: Expr) -> Expr:
    """A client's request for a producer id was processed by a broker."""
    return exists(
        s.discarded_init_pid_requests,
        lambda request: conj(request.dest == source, request.source == dest),
    )


def addition_was_asked(s: State, source: Expr, dest: Expr) -> Expr:
    """A client's request to add a partition was processed by a broker."""
    return exists(
        s.discarded_add_partitions_requests,
        lambda request: conj(request.head.dest == source, request.head.source == dest),
    )


def is_current(m: KafkaTransactions, s: State, c: Expr, tid: Expr) -> Expr:
    """A client has the producer id and epoch that the coordinator of a transactional id knows."""
    client = s.client[c]
    known = s.tc_tid_metadata[m.FindCoordinator(s, tid)][tid]
    return conj(
        client.tid == tid,
        client.pid > -1,
        is_some(known),
        the(known).pid == client.pid,
        the(known).pepoch == client.epoch,
    )


def adds(s: State, b: Expr, p: Expr, offset: Expr) -> Expr:
    """An entry that adds partitions to a transaction."""
    return at(s.tc_log[b][p], offset).callback.type == "AddPartitionsToTxnRequest"


def is_waiting(s: State, c: Expr) -> Expr:
    """A client that has asked for something and has not received the answer."""
    adding = conj(s.client[c].state == "BegunTxn", s.client[c].pending_partitions != frozenset())
    return disj(s.client[c].state == "SentInitPidRequest", adding)


def exchanges(s: State, c: Expr) -> Expr:
    """How many requests of a client, entries that answer it, and answers to it there are."""
    requests = filtered(
        InitPidRequest, lambda r: conj(r.source == c, member(r, s.init_pid_requests))
    )
    responses = filtered(
        InitPidAnswerHead,
        lambda h: conj(h.dest == c, is_some(lookup(s.init_pid_responses, h))),
    )
    additions = filtered(
        AddPartitionsHead,
        lambda h: conj(h.source == c, is_some(lookup(s.add_partitions_requests, h))),
    )
    added = filtered(
        AddPartitionsToTxnResponse,
        lambda r: conj(r.dest == c, member(r, s.add_partitions_responses)),
    )
    entries = filtered(Place, lambda e: will_answer(s, e.b, e.p, e.offset, c))
    return size(requests) + size(responses) + size(additions) + size(added) + size(entries)


def is_told(s: State, c: Expr, pepoch: Expr) -> Expr:
    """A client is about to be told a producer id, with this epoch."""

    def good(b: Expr) -> Expr:
        head = record(InitPidAnswerHead, code="OK", pepoch=pepoch, dest=c, source=b)
        return is_some(lookup(s.init_pid_responses, head))

    return exists(Broker, good)


def holds_epoch(s: State, c: Expr, pepoch: Expr) -> Expr:
    """A client has a producer id with this epoch, or is told so."""
    has = conj(s.client[c].pid != -1, s.client[c].epoch == pepoch)
    return disj(has, is_told(s, c, pepoch))


def with_pid(s: State) -> Expr:
    """How many clients have a producer id, or are told theirs."""

    def told(c: Expr) -> Expr:
        return exists(ProducerEpochOpt, lambda pepoch: is_told(s, c, pepoch))

    return size(filtered(Client, lambda c: disj(s.client[c].pid != -1, told(c))))


def added(s: State) -> Expr:
    """How many partitions clients have added, or are told to have added, or never will."""

    def told(c: Expr, t: Expr) -> Expr:
        return exists(
            s.add_partitions_responses,
            lambda msg: conj(msg.dest == c, member(t, msg.partitions)),
        )

    return size(
        filtered(
            Addition,
            lambda a: disj(
                s.client[a.c].state == "Terminated",
                member(a.t, s.client[a.c].partitions),
                told(a.c, a.t),
            ),
        )
    )


def overtaken(m: KafkaTransactions, s: State) -> Expr:
    """How many clients have a producer epoch that their coordinator has gone beyond."""

    def is_overtaken(c: Expr) -> Expr:
        tid = s.client[c].tid
        known = s.tc_tid_metadata[m.FindCoordinator(s, the(tid))][the(tid)]
        return conj(
            is_some(tid),
            s.client[c].pid != -1,
            is_some(known),
            s.client[c].epoch < the(known).pepoch,
        )

    return size(filtered(Client, is_overtaken))


def pids_to_come(m: KafkaTransactions, s: State) -> Expr:
    """How many new producer ids can still be made: where a coordinator does not know a
    transactional id, and once for each that a change of coordinator makes unknown."""

    def unknown(memory: Expr) -> Expr:
        return conj(
            m.IsCoordinator(s, memory.b, memory.tid),
            is_none(s.tc_tid_metadata[memory.b][memory.tid]),
        )

    changes = filtered(Change, lambda change: change.number > s.aux_coord_ctr)
    return size(filtered(Memory, unknown)) + size(changes)
