"""The client: it asks for a producer id and adds partitions to its transaction.

Its states are no part of the protocol; they say what it does next. A client that is told that it
was fenced, or that its id is not known, gives up for good.
"""

from bmc.encodings.kafka_transactions.cluster import Cluster
from bmc.encodings.kafka_transactions.messages import (
    AddPartitionsHead,
    AddPartitionsToTxnRequest,
    InitPidRequest,
    add_partitions_requests,
    add_partitions_responses,
    init_pid_requests,
    init_pid_responses,
)
from bmc.encodings.kafka_transactions.types import Broker, Client, TopicPartition, TransactionId

from bmc.lang import (
    Expr,
    Operand,
    Step,
    action,
    disj,
    is_none,
    ite,
    member,
    one,
    record,
    the,
)


class ClientActions(Cluster):
    """What clients do."""

    @action(fairness="strong", c=Client, tid=TransactionId)
    def SendInitPidRequest(self, s: Step, c: Expr, tid: Expr) -> None:
        """A retry keeps the tid; the fairness is that of each client, whatever tid it takes.

        As published: the comment says "to any broker", the text says to the coordinator.
        """
        s.require(
            s.client[c].state == "Ready",
            disj(is_none(s.client[c].tid), s.client[c].tid == tid),
        )
        dest = self.FindCoordinator(s, tid)
        init_pid_requests.Send(s, record(InitPidRequest, tid=tid, dest=dest, source=c))
        s.client[c].tid = tid
        s.client[c].state = "SentInitPidRequest"

    @action(fairness="weak", c=Client, b=Broker, msg=Cluster.init_pid_responses)
    def ReceiveInitPidResponse(self, s: Step, c: Expr, b: Expr, msg: Expr) -> None:
        s.require(
            s.client[c].state == "SentInitPidRequest", msg.head.dest == c, msg.head.source == b
        )
        init_pid_responses.Discard(s, msg)
        with s.either():
            s.require(msg.head.code == "OK")
            s.client[c].state = "HasPid"
            s.client[c].tc = msg.head.source
            s.client[c].pid = msg.pid
            s.client[c].epoch = msg.head.pepoch
        with s.either():
            s.require(msg.head.code != "OK")
            s.client[c].state = "Ready"
            s.client[c].last_state = s.client[c].state
            s.client[c].last_error = msg.head.code

    @action(fairness="strong", c=Client, p=TopicPartition)
    def SendAddPartitionsToTxnRequest(self, s: Step, c: Expr, p: Expr) -> None:
        """The fairness is that of each client, whichever partition it adds."""
        s.require(
            disj(s.client[c].state == "HasPid", s.client[c].state == "BegunTxn"),
            s.client[c].pending_partitions == frozenset(),
            ~member(p, s.client[c].partitions),
        )
        add_partitions_requests.Send(
            s,
            record(
                AddPartitionsToTxnRequest,
                head=record(AddPartitionsHead, partition=p, dest=the(s.client[c].tc), source=c),
                tid=the(s.client[c].tid),
                pid=s.client[c].pid,
                pepoch=s.client[c].epoch,
            ),
        )
        s.client[c].pending_partitions = one(p)
        s.client[c].state = "BegunTxn"

    @action(fairness="weak", c=Client, b=Broker, msg=Cluster.add_partitions_responses)
    def ReceiveAddPartitionsToTxnResponse(self, s: Step, c: Expr, b: Expr, msg: Expr) -> None:
        s.require(s.client[c].state == "BegunTxn", msg.dest == c, msg.source == b)
        add_partitions_responses.Discard(s, msg)
        retriable = disj(msg.code == "ConcurrentTransactions", msg.code == "NotCoordinator")
        nothing = frozenset[Operand]()
        with s.either():
            s.require(msg.code == "OK")
            s.client[c].pending_partitions = s.client[c].pending_partitions - msg.partitions
            s.client[c].partitions = s.client[c].partitions | msg.partitions
        with s.either():
            s.require(retriable)
            s.client[c].pending_partitions = nothing
            s.client[c].last_state = s.client[c].state
            s.client[c].last_error = msg.code
            s.client[c].tc = ite(
                msg.code == "NotCoordinator",
                self.FindCoordinator(s, the(s.client[c].tid)),
                the(s.client[c].tc),
            )
        with s.either():
            s.require(msg.code != "OK", ~retriable)
            s.client[c].state = "Terminated"
            s.client[c].last_state = s.client[c].state
            s.client[c].last_error = msg.code
            s.client[c].pending_partitions = nothing
            s.client[c].partitions = nothing
