"""What clients and brokers may conclude from messages, logs and elections.

The specification states none of these; faults in it that nothing else notices violate them.
"""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import (
    Broker,
    Client,
    TopicPartition,
    TransactionId,
    TxnLogPartition,
)
from bmc.properties.kafka_transactions.words import addition_was_asked, is_current, pid_was_asked

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
    the,
)


@invariant("Whoever answers a client was asked by it.")
def AnswersWereAskedFor(m: KafkaTransactions, s: State) -> Expr:
    return conj(
        forall(s.init_pid_responses, lambda msg: pid_was_asked(s, msg.head.source, msg.head.dest)),
        forall(s.add_partitions_responses, lambda msg: addition_was_asked(s, msg.source, msg.dest)),
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
    known = s.tc_tid_metadata[m.FindCoordinator(s, tid)][tid]
    return implies(is_current(m, s, c, tid), s.client[c].partitions <= the(known).partitions)


@invariant("Who follows knows nothing of transactions.", b=Broker, tid=TransactionId)
def OnlyCoordinatorsKnow(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    return implies(is_some(s.tc_tid_metadata[b][tid]), m.IsCoordinator(s, b, tid))


@invariant(
    "Who has not heard of the last change of coordinator knows another one.",
    b=Broker,
    p=TxnLogPartition,
)
def AnotherCoordinator(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    known = s.tc_log_metadata[b][p]
    return implies(known.cepoch + 1 == s.txn_log_epoch[p], known.leader != s.txn_log_leader[p])


@invariant(
    "Who follows in the latest epoch has a log that begins as its leader's does.",
    b=Broker,
    p=TxnLogPartition,
)
def FollowersBeginAsTheirLeader(m: KafkaTransactions, s: State, b: Expr, p: Expr) -> Expr:
    """As published it may have later entries twice, so nothing is said of these."""
    leader = s.txn_log_leader[p]
    log, leaders = s.tc_log[b][p], s.tc_log[leader][p]
    follows = conj(s.tc_log_metadata[b][p].cepoch == s.txn_log_epoch[p], leader != b)
    return implies(
        conj(follows, size(log) > 0), conj(size(leaders) > 0, at(log, 0) == at(leaders, 0))
    )


ANSWERS = (
    AnswersWereAskedFor,
    ClientsHaveWhatTheyWereTold,
    RefusalsAreRemembered,
    OnlyFencedClientsGiveUp,
    AddedPartitionsAreKnown,
    OnlyCoordinatorsKnow,
    AnotherCoordinator,
    FollowersBeginAsTheirLeader,
)

__all__ = ["ANSWERS"]
