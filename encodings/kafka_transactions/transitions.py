"""Transitions of a transaction's state: which are valid, and how one is begun and ended."""

from dataclasses import dataclass

from bmc.encodings.kafka_transactions.cluster import Cluster
from bmc.encodings.kafka_transactions.types import (
    Code,
    OptionalMetadata,
    TxnLogEntry,
    TxnMetadata,
    TxnState,
    case,
)

from bmc.lang import (
    Expr,
    Operand,
    State,
    Step,
    append,
    coerce,
    conj,
    disj,
    is_none,
    is_some,
    ite,
    record,
    the,
)

VALID_PREV_TXN_STATES = {
    "Empty": ("Empty", "CompleteCommit", "CompleteAbort"),
    "Ongoing": ("Ongoing", "Empty", "CompleteCommit", "CompleteAbort"),
    "PrepareCommit": ("Ongoing",),
    "PrepareAbort": ("Ongoing", "PrepareEpochFence"),
    "CompleteCommit": ("PrepareCommit",),
    "CompleteAbort": ("PrepareAbort",),
    "Dead": ("Empty", "CompleteCommit", "CompleteAbort"),
    "PrepareEpochFence": ("Ongoing",),
}
"""ValidPrevTxnStates; its None, before Empty, is a state that no metadata has."""


@dataclass(frozen=True)
class Result:
    """``[code |-> …]`` with metadata or a transition, which is read only where the code is OK."""

    code: Expr
    metadata: Expr


def IsValidPrevTxnState(curr_state: Operand, new_state: Operand) -> Expr:
    curr, new = coerce(curr_state, TxnState), coerce(new_state, TxnState)
    return disj(
        *(
            conj(new == state, disj(*(curr == previous for previous in before)))
            for state, before in VALID_PREV_TXN_STATES.items()
        )
    )


def GetTransition(
    curr_transition: Operand,
    curr_state: Operand,
    new_state: Operand,
    pid: Operand,
    new_pepoch: Operand,
    new_last_pepoch: Operand,
    new_partitions: Operand,
) -> Result:
    code = case(
        Code,
        (is_some(coerce(curr_transition, OptionalMetadata)), "ConcurrentTransactions"),
        (IsValidPrevTxnState(curr_state, new_state), "OK"),
        other="InvalidTransition",
    )
    transition = record(
        TxnMetadata,
        pid=pid,
        pepoch=new_pepoch,
        last_pepoch=new_last_pepoch,
        state=new_state,
        partitions=new_partitions,
    )
    return Result(code, transition)


def GetCompleteTransition(txn_metadata: Expr) -> Result:
    next_state = case(
        TxnState, (txn_metadata.state == "PrepareCommit", "CompleteCommit"), other="CompleteAbort"
    )
    return GetTransition(
        None,
        txn_metadata.state,
        next_state,
        txn_metadata.pid,
        txn_metadata.pepoch,
        txn_metadata.last_pepoch,
        txn_metadata.partitions,
    )


class Transactions(Cluster):
    """What a coordinator knows, and how a transition enters its log."""

    def CurrentTransition(self, s: State, b: Expr, tid: Expr) -> Expr:
        return s.tc_tid_transition[b][tid]

    def IsPartitionLeader(self, s: State, b: Expr, p: Expr) -> Expr:
        return s.tc_log_metadata[b][p].leader == b

    def IsCoordinator(self, s: State, b: Expr, tid: Expr) -> Expr:
        """Where it is not, GetTxnMetadata has the code NotCoordinator."""
        return self.IsPartitionLeader(s, b, self.PartitionFor(tid))

    def IsKnown(self, s: State, b: Expr, tid: Expr) -> Expr:
        """Where it is not, GetTxnMetadata has the code None."""
        return is_some(s.tc_tid_metadata[b][tid])

    def SetTxnMetadata(self, s: Step, b: Expr, tid: Expr, transition: Expr) -> None:
        s.tc_tid_metadata[b][tid] = transition

    def ClearTransition(self, s: Step, b: Expr, tid: Expr) -> None:
        s.tc_tid_transition[b][tid] = None

    def AppendTxnLogEntry(
        self, s: Step, b: Expr, p: Expr, tid: Expr, transition: Expr, callback: Expr
    ) -> None:
        entry = record(TxnLogEntry, tid=tid, transition=transition, callback=callback)
        s.tc_log[b][p] = append(s.tc_log[b][p], entry)
        s.tc_tid_transition[b][tid] = transition

    def GetOrCreateTxnMetadata(self, s: State, b: Expr, tid: Expr) -> Result:
        cached_md = s.tc_tid_metadata[b][tid]
        created = record(
            TxnMetadata,
            pid=s.pid_source + 1,
            pepoch=-1,
            last_pepoch=-1,
            state="Empty",
            partitions=frozenset(),
        )
        code = case(Code, (self.IsCoordinator(s, b, tid), "OK"), other="NotCoordinator")
        return Result(code, ite(is_none(cached_md), created, the(cached_md)))

    def GetInitPidTransition(self, s: State, b: Expr, tid: Expr, txn_metadata: Expr) -> Result:
        """Ongoing is fenced first; what is ending, and a transition under way, is waited for."""
        state, pending = txn_metadata.state, self.CurrentTransition(s, b, tid)
        ended = disj(state == "CompleteAbort", state == "CompleteCommit", state == "Empty")
        ending = disj(state == "PrepareAbort", state == "PrepareCommit")
        begin = GetTransition(
            pending,
            state,
            "Empty",
            txn_metadata.pid,
            txn_metadata.pepoch + 1,
            txn_metadata.pepoch,
            frozenset(),
        )
        fence = GetTransition(
            pending,
            state,
            "PrepareEpochFence",
            txn_metadata.pid,
            txn_metadata.pepoch + 1,
            -1,
            txn_metadata.partitions,
        )
        code = case(
            Code,
            (ended, begin.code),
            (state == "Ongoing", fence.code),
            (ending, "ConcurrentTransactions"),
            other="IllegalState",
        )
        return Result(code, ite(ended, begin.metadata, fence.metadata))

    def GetPrepareAbortOrCommitTransition(
        self,
        s: State,
        b: Expr,
        tid: Expr,
        curr_metadata: Expr,
        new_metadata: Expr,
        next_state: Operand,
    ) -> Result:
        return GetTransition(
            self.CurrentTransition(s, b, tid),
            curr_metadata.state,
            next_state,
            new_metadata.pid,
            new_metadata.pepoch,
            new_metadata.last_pepoch,
            curr_metadata.partitions,
        )

    def GetAddPartitionsTransition(
        self, s: State, b: Expr, tid: Expr, txn_metadata: Expr, add_partitions: Expr
    ) -> Result:
        return GetTransition(
            self.CurrentTransition(s, b, tid),
            txn_metadata.state,
            "Ongoing",
            txn_metadata.pid,
            txn_metadata.pepoch,
            txn_metadata.last_pepoch,
            txn_metadata.partitions | add_partitions,
        )
