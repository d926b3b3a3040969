"""The transaction coordinator: what it does with the requests of clients.

A request that is admitted is written to the coordinator's log and discarded; the answer is sent
when the entry is committed (log.py).
"""

from bmc.encodings.kafka_transactions.cluster import Cluster
from bmc.encodings.kafka_transactions.messages import (
    MakeAddPartsResponse,
    MakeErrorPidResponse,
    add_partitions_requests,
    add_partitions_responses,
    init_pid_requests,
    init_pid_responses,
)
from bmc.encodings.kafka_transactions.transitions import Transactions
from bmc.encodings.kafka_transactions.types import (
    Answer,
    Broker,
    Callback,
    Client,
    Code,
    case,
)

from bmc.lang import (
    Expr,
    Step,
    action,
    disj,
    is_some,
    one,
    record,
    the,
)


def answer_with(type: str, b: Expr, c: Expr) -> Expr:
    """A callback that answers a client."""
    return record(Callback, type=type, answer=record(Answer, source=b, dest=c))


class CoordinatorActions(Transactions):
    """What coordinators do with requests."""

    def EndTransaction(
        self, s: Step, msg: Expr, b: Expr, c: Expr, curr_metadata: Expr, new_metadata: Expr
    ) -> None:
        """The specification's second case, with the result Abort and not from a client.

        Its other cases are dead: the only caller has just raised the epoch of a transaction
        that is Ongoing. The first would leave ``tc_log'`` open besides.
        """
        trans_result = self.GetPrepareAbortOrCommitTransition(
            s, b, msg.tid, curr_metadata, new_metadata, "PrepareAbort"
        )
        init_pid_requests.Discard(s, msg)
        self.AppendTxnLogEntry(
            s,
            b,
            self.PartitionFor(msg.tid),
            msg.tid,
            trans_result.metadata,
            answer_with("PrepareAbort", b, c),
        )

    @action(fairness="weak", c=Client, b=Broker, msg=Cluster.init_pid_requests)
    def ReceiveInitPidRequest(self, s: Step, c: Expr, b: Expr, msg: Expr) -> None:
        """As published, ``pid_source`` goes back to the pid of metadata that is known already,
        and moves even where the transition is refused."""
        s.require(msg.dest == b, msg.source == c)
        md_result = self.GetOrCreateTxnMetadata(s, b, msg.tid)
        trans_result = self.GetInitPidTransition(s, b, msg.tid, md_result.metadata)
        fencing = trans_result.metadata.state == "PrepareEpochFence"

        def refuse(code: Expr) -> None:
            init_pid_requests.Discard(s, msg)
            init_pid_responses.Send(s, MakeErrorPidResponse(b, c, code))

        def admit() -> None:
            s.pid_source = md_result.metadata.pid
            self.SetTxnMetadata(s, b, msg.tid, md_result.metadata)

        with s.either():
            s.require(md_result.code != "OK")
            refuse(md_result.code)
        with s.either():
            s.require(md_result.code == "OK", trans_result.code != "OK")
            admit()
            refuse(trans_result.code)
        with s.either():
            s.require(md_result.code == "OK", trans_result.code == "OK", fencing)
            admit()
            self.EndTransaction(s, msg, b, c, md_result.metadata, trans_result.metadata)
        with s.either():
            s.require(md_result.code == "OK", trans_result.code == "OK", ~fencing)
            admit()
            init_pid_requests.Discard(s, msg)
            self.AppendTxnLogEntry(
                s,
                b,
                self.PartitionFor(msg.tid),
                msg.tid,
                trans_result.metadata,
                answer_with("InitPidRequest", b, c),
            )

    @action(fairness="weak", c=Client, b=Broker, msg=Cluster.add_partitions_requests)
    def ReceiveAddPartitionsToTxnRequest(self, s: Step, c: Expr, b: Expr, msg: Expr) -> None:
        s.require(msg.head.dest == b, msg.head.source == c)
        txn_metadata = the(s.tc_tid_metadata[b][msg.tid])
        trans_result = self.GetAddPartitionsTransition(
            s, b, msg.tid, txn_metadata, one(msg.head.partition)
        )
        ending = disj(txn_metadata.state == "PrepareCommit", txn_metadata.state == "PrepareAbort")
        # The specification asks for None first, but that is only known of a coordinator.
        code = case(
            Code,
            (~self.IsCoordinator(s, b, msg.tid), "NotCoordinator"),
            (~self.IsKnown(s, b, msg.tid), "InvalidProducerIdMapping"),
            (msg.pid != txn_metadata.pid, "InvalidProducerIdMapping"),
            (msg.pepoch != txn_metadata.pepoch, "ProducerFenced"),
            (is_some(self.CurrentTransition(s, b, msg.tid)), "ConcurrentTransactions"),
            (ending, "ConcurrentTransactions"),
            other=trans_result.code,
        )
        add_partitions_requests.Discard(s, msg)
        with s.either():
            s.require(code != "OK")
            add_partitions_responses.Send(s, MakeAddPartsResponse(b, c, code, frozenset()))
        with s.either():
            s.require(code == "OK")
            self.AppendTxnLogEntry(
                s,
                b,
                self.PartitionFor(msg.tid),
                msg.tid,
                trans_result.metadata,
                answer_with("AddPartitionsToTxnRequest", b, c),
            )
