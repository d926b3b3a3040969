"""The transaction log: an entry commits, and its callback is run."""

from bmc.encodings.kafka_transactions.messages import (
    MakeAddPartsResponse,
    MakeErrorPidResponse,
    MakePidResponse,
    add_partitions_responses,
    init_pid_responses,
)
from bmc.encodings.kafka_transactions.transitions import GetCompleteTransition, Transactions
from bmc.encodings.kafka_transactions.types import (
    Broker,
    Callback,
    CallbackType,
    HighWatermarks,
    Logs,
    TxnLog,
    TxnLogPartition,
    case,
)

from bmc.lang import (
    Expr,
    State,
    Step,
    action,
    append,
    at,
    conj,
    disj,
    forall,
    ite,
    mapping,
    record,
    size,
    the,
)


class LogActions(Transactions):
    """What becomes of a coordinator's log."""

    def AdvanceLogHwm(self, s: Step, p: Expr, offset: Expr) -> None:
        s.tc_log_hwm = mapping(
            Broker,
            lambda bb: mapping(
                TxnLogPartition,
                lambda pp: ite(pp == p, offset, s.tc_log_hwm[bb][pp]),
                HighWatermarks.value,
            ),
            HighWatermarks,
        )

    def CanCommit(self, s: State, b: Expr, p: Expr) -> Expr:
        return conj(
            self.CurrentTC(s, p) == b,
            forall(
                Broker,
                lambda bb: s.tc_log_metadata[bb][p].cepoch == s.tc_log_metadata[b][p].cepoch,
            ),
        )

    def Replicate(self, s: Step, b: Expr, p: Expr, entry: Expr) -> None:
        """LogAfterReplication: the others append the entry, whatever they have already.

        As published: who copied it from its leader before it was committed has it twice.
        """
        s.tc_log = mapping(
            Broker,
            lambda bb: mapping(
                TxnLogPartition,
                lambda pp: ite(
                    conj(bb != b, pp == p),
                    append(s.tc_log[bb][pp], entry),
                    s.tc_log[bb][pp],
                ),
                TxnLog,
            ),
            Logs,
        )

    def HandlePrepareAbortOrCommit(self, s: Step, b: Expr, p: Expr, entry: Expr) -> None:
        """What is prepared is completed at once, and that commits after the answer is sent.

        The specification also says what follows when it cannot be completed; it always can,
        since whatever has this callback is in a state that precedes its completion.
        """
        answer = the(entry.callback.answer)
        new_trans_result = GetCompleteTransition(entry.transition)
        type = case(
            CallbackType,
            (new_trans_result.metadata.state == "CompleteCommit", "CompleteCommit"),
            other="CompleteAbort",
        )
        self.AppendTxnLogEntry(
            s,
            b,
            p,
            entry.tid,
            new_trans_result.metadata,
            record(Callback, type=type, answer=None),
        )
        init_pid_responses.Send(
            s, MakeErrorPidResponse(answer.source, answer.dest, "ConcurrentTransactions")
        )

    def HandleCompleteAbortOrCommit(self, s: Step, b: Expr, entry: Expr) -> None:
        self.ClearTransition(s, b, entry.tid)

    def HandleInitPid(self, s: Step, b: Expr, entry: Expr) -> None:
        answer, transition = the(entry.callback.answer), entry.transition
        self.ClearTransition(s, b, entry.tid)
        init_pid_responses.Send(
            s,
            MakePidResponse(answer.source, answer.dest, "OK", transition.pid, transition.pepoch),
        )

    def HandleAddPartitions(self, s: Step, b: Expr, entry: Expr) -> None:
        answer = the(entry.callback.answer)
        self.ClearTransition(s, b, entry.tid)
        add_partitions_responses.Send(
            s,
            MakeAddPartsResponse(answer.source, answer.dest, "OK", entry.transition.partitions),
        )

    @action(fairness="weak", b=Broker, p=TxnLogPartition)
    def CommitTxnLogAppend(self, s: Step, b: Expr, p: Expr) -> None:
        """Its OTHER case is dead: SetIllegalState would send a message without a type."""
        offset = s.tc_log_hwm[b][p]
        s.require(offset < size(s.tc_log[b][p]), self.CanCommit(s, b, p))
        entry = at(s.tc_log[b][p], offset)
        type = entry.callback.type
        self.AdvanceLogHwm(s, p, offset + 1)
        self.SetTxnMetadata(s, b, entry.tid, entry.transition)
        self.Replicate(s, b, p, entry)
        with s.either():
            s.require(disj(type == "PrepareAbort", type == "PrepareCommit"))
            self.HandlePrepareAbortOrCommit(s, b, p, entry)
        with s.either():
            s.require(disj(type == "CompleteAbort", type == "CompleteCommit"))
            self.HandleCompleteAbortOrCommit(s, b, entry)
        with s.either():
            s.require(type == "InitPidRequest")
            self.HandleInitPid(s, b, entry)
        with s.either():
            s.require(type == "AddPartitionsToTxnRequest")
            self.HandleAddPartitions(s, b, entry)
