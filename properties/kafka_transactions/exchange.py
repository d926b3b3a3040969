"""Clients and their messages: a client waits for one answer at a time, and keeps what it has."""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import Broker, Client, Offset, TxnLogPartition
from bmc.properties.kafka_transactions.words import (
    adds,
    exchanges,
    is_current,
    is_waiting,
    will_answer,
)

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    forall,
    implies,
    is_some,
    ite,
    lemma,
    one,
    the,
)

GROUP = "exchange"


@lemma("a client has a producer id from the time it is told", GROUP, c=Client)
def client_is_in_shape(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    client = s.client[c]
    nothing = conj(client.pending_partitions == frozenset(), client.partitions == frozenset())
    asking = disj(client.state == "Ready", client.state == "SentInitPidRequest")
    return conj(
        asking == (client.pid == -1),
        implies(client.pid != -1, conj(client.pid > 0, client.epoch >= 0, is_some(client.tc))),
        implies(client.state != "Ready", is_some(client.tid)),
        implies(client.state != "BegunTxn", nothing),
        (client.pending_partitions & client.partitions) == frozenset(),
    )


@lemma("a client waits for one answer at a time", GROUP, c=Client)
def one_exchange_at_a_time(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    return exchanges(s, c) == ite(is_waiting(s, c), 1, 0)


@lemma("who asks for a producer id waits for it", GROUP)
def init_requests_are_awaited(m: KafkaTransactions, s: State) -> Expr:
    return forall(
        s.init_pid_requests,
        lambda msg: conj(
            s.client[msg.source].state == "SentInitPidRequest",
            s.client[msg.source].tid == msg.tid,
        ),
    )


@lemma("who is answered about a producer id waits for it", GROUP)
def init_responses_are_awaited(m: KafkaTransactions, s: State) -> Expr:
    return forall(
        s.init_pid_responses,
        lambda msg: s.client[msg.head.dest].state == "SentInitPidRequest",
    )


@lemma("an error has no producer id, and what is good has one", GROUP)
def init_responses_are_in_shape(m: KafkaTransactions, s: State) -> Expr:
    def in_shape(msg: Expr) -> Expr:
        return ite(
            msg.head.code == "OK",
            conj(msg.pid > 0, msg.head.pepoch >= 0),
            conj(msg.pid == -1, msg.head.pepoch == -1),
        )

    return conj(
        forall(s.init_pid_responses, in_shape),
        forall(s.discarded_init_pid_responses, in_shape),
    )


@lemma("a client was told its producer id once", GROUP)
def told_once(m: KafkaTransactions, s: State) -> Expr:
    return forall(
        s.discarded_init_pid_responses,
        lambda msg: implies(msg.head.code == "OK", s.client[msg.head.dest].pid != -1),
    )


@lemma("a client asks with the ids that it has", GROUP)
def additions_have_the_clients_ids(m: KafkaTransactions, s: State) -> Expr:
    def has_ids(msg: Expr) -> Expr:
        client = s.client[msg.head.source]
        return conj(
            client.pid != -1,
            client.tid == msg.tid,
            client.pid == msg.pid,
            client.epoch == msg.pepoch,
        )

    return conj(
        forall(s.add_partitions_requests, has_ids),
        forall(s.discarded_add_partitions_requests, has_ids),
    )


@lemma("who adds a partition waits for it", GROUP)
def additions_are_awaited(m: KafkaTransactions, s: State) -> Expr:
    return forall(
        s.add_partitions_requests,
        lambda msg: conj(
            s.client[msg.head.source].state == "BegunTxn",
            s.client[msg.head.source].pending_partitions == one(msg.head.partition),
        ),
    )


@lemma("who is answered about a partition waits for it", GROUP)
def added_are_awaited(m: KafkaTransactions, s: State) -> Expr:
    def awaited(msg: Expr) -> Expr:
        client = s.client[msg.dest]
        good = ite(
            msg.code == "OK",
            client.pending_partitions <= msg.partitions,
            msg.partitions == frozenset(),
        )
        return conj(client.state == "BegunTxn", good)

    return forall(s.add_partitions_responses, awaited)


@lemma("the coordinator knows what a client is told that it has added", GROUP)
def told_partitions_are_known(m: KafkaTransactions, s: State) -> Expr:
    def is_known(msg: Expr) -> Expr:
        tid = the(s.client[msg.dest].tid)
        known = s.tc_tid_metadata[m.FindCoordinator(s, tid)][tid]
        return implies(
            conj(is_some(s.client[msg.dest].tid), is_current(m, s, msg.dest, tid)),
            msg.partitions <= the(known).partitions,
        )

    return forall(s.add_partitions_responses, is_known)


@lemma("an error adds no partitions", GROUP)
def errors_add_nothing(m: KafkaTransactions, s: State) -> Expr:
    return forall(
        s.discarded_add_partitions_responses,
        lambda msg: (msg.code == "OK") == (msg.partitions != frozenset()),
    )


@lemma(
    "an entry answers a client that waits for it",
    GROUP,
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
    c=Client,
)
def entries_are_awaited(
    m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr, c: Expr
) -> Expr:
    client, entry = s.client[c], at(s.tc_log[b][p], offset)
    return implies(
        will_answer(s, b, p, offset, c),
        conj(
            client.tid == entry.tid,
            ite(
                adds(s, b, p, offset),
                conj(
                    client.state == "BegunTxn",
                    client.pending_partitions != frozenset(),
                    client.pending_partitions <= entry.transition.partitions,
                    client.epoch == entry.transition.pepoch,
                ),
                client.state == "SentInitPidRequest",
            ),
        ),
    )


EXCHANGE = (
    client_is_in_shape,
    init_requests_are_awaited,
    init_responses_are_awaited,
    init_responses_are_in_shape,
    told_once,
    additions_have_the_clients_ids,
    additions_are_awaited,
    added_are_awaited,
    told_partitions_are_known,
    errors_add_nothing,
    entries_are_awaited,
    one_exchange_at_a_time,
)

__all__ = ["EXCHANGE"]
