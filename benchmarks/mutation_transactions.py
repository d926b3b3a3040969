"""What clients and brokers may conclude from messages, logs and elections.

The specification states none of these; faults in it that nothing else notices violate them.
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

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    exists,
    forall,
    implies,
    invariant,
    is_some,
    member,
    size,
    step_invariant,
    the,
)


@invariant("Whoever answers a client was asked by it.")
def AnswersWereAskedFor(m: KafkaTransactions, s: State) -> Expr:
    def pid_was_asked(source: Expr, dest: Expr) -> Expr:
        return exists(
            s.discarded_init_pid_requests,
            lambda request: conj(request.dest == source, request.source == dest),
        )

    def addition_was_asked(source: Expr, dest: Expr) -> Expr:
        return exists(
            s.discarded_add_partitions_requests,
            lambda request: conj(request.head.dest == source, request.head.source == dest),
        )

    return conj(
        forall(s.init_pid_responses, lambda msg: pid_was_asked(msg.head.source, msg.head.dest)),
        forall(s.add_partitions_responses, lambda msg: addition_was_asked(msg.source, msg.dest)),
    )


@invariant("A client has only what it was told: its id and epoch, and each partition.", c=Client)
def ClientsHaveWhatTheyWereTold(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    client = s.client[c]

    def told(t: Expr) -> Expr:
        return exists(
            s.discarded_add_partitions_responses,
            lambda msg: conj(msg.dest == c, msg.code == "OK", member(t, msg.partitions)),
        )

    return conj(
        implies(
            client.pid > -1,
            exists(
                s.discarded_init_pid_responses,
                lambda msg: conj(
                    msg.head.dest == c,
                    msg.head.code == "OK",
                    msg.pid == client.pid,
                    msg.head.pepoch == client.epoch,
                ),
            ),
        ),
        forall(TopicPartition, lambda t: implies(member(t, client.partitions), told(t))),
    )


@invariant("A client that was refused remembers why, and it was told so.", c=Client)
def RefusalsAreRemembered(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    client = s.client[c]
    nothing = conj(client.pending_partitions == frozenset(), client.partitions == frozenset())
    refused = disj(
        conj(client.state == "Ready", is_some(client.tid)),
        conj(client.state == "BegunTxn", nothing),
        client.state == "Terminated",
    )
    told = disj(
        exists(
            s.discarded_init_pid_responses,
            lambda msg: conj(msg.head.dest == c, msg.head.code == the(client.last_error)),
        ),
        exists(
            s.discarded_add_partitions_responses,
            lambda msg: conj(msg.dest == c, msg.code == the(client.last_error)),
        ),
    )
    return conj(
        implies(refused, conj(is_some(client.last_state), is_some(client.last_error))),
        implies(is_some(client.last_error), told),
    )


@invariant("A client gives up exactly when it is told that a retry is of no use.", c=Client)
def OnlyFencedClientsGiveUp(m: KafkaTransactions, s: State, c: Expr) -> Expr:
    error = s.client[c].last_error
    final = disj(
        error == "ProducerFenced",
        error == "InvalidProducerIdMapping",
        error == "InvalidTransition",
    )
    return (s.client[c].state == "Terminated") == final


@invariant(
    "The coordinator knows the partitions that a client has added, until it fences it.",
    c=Client,
    tid=TransactionId,
)
def AddedPartitionsAreKnown(m: KafkaTransactions, s: State, c: Expr, tid: Expr) -> Expr:
    client = s.client[c]
    known = s.tc_tid_metadata[m.FindCoordinator(s, tid)][tid]
    current = conj(
        client.tid == tid,
        client.pid > -1,
        is_some(known),
        the(known).pid == client.pid,
        the(known).pepoch == client.epoch,
    )
    return implies(
        current,
        forall(
            TopicPartition,
            lambda t: implies(member(t, client.partitions), member(t, the(known).partitions)),
        ),
    )


@invariant(
    "Who follows in the latest epoch has no entry that its leader has not.",
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
)
def FollowersHaveTheLeadersEntries(
    m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr
) -> Expr:
    """As published it may have one twice, so nothing is said of where."""
    follows = conj(s.tc_log_metadata[b][p].cepoch == s.txn_log_epoch[p], s.txn_log_leader[p] != b)
    log, leaders = s.tc_log[b][p], s.tc_log[s.txn_log_leader[p]][p]
    has = exists(
        Offset, lambda place: conj(place < size(leaders), at(leaders, place) == at(log, offset))
    )
    return implies(conj(follows, offset < size(log)), has)


@invariant("Who follows knows nothing of transactions.", b=Broker, tid=TransactionId)
def OnlyCoordinatorsKnow(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    return implies(is_some(s.tc_tid_metadata[b][tid]), m.IsCoordinator(s, b, tid))


@step_invariant("A coordinator is replaced by another broker.", p=TxnLogPartition)
def AnotherCoordinator(m: KafkaTransactions, s: State, after: State, p: Expr) -> Expr:
    return implies(
        s.txn_log_epoch[p] != after.txn_log_epoch[p], s.txn_log_leader[p] != after.txn_log_leader[p]
    )


ANSWERS = (
    AnswersWereAskedFor,
    ClientsHaveWhatTheyWereTold,
    RefusalsAreRemembered,
    OnlyFencedClientsGiveUp,
    AddedPartitionsAreKnown,
    FollowersHaveTheLeadersEntries,
    OnlyCoordinatorsKnow,
    AnotherCoordinator,
)

__all__ = ["ANSWERS"]
