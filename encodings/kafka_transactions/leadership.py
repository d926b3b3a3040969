"""Changes of coordinator: a broker takes over a log partition, the others follow later."""

from bmc.encodings.kafka_transactions.messages import (
    AddPartitionsToTxnResponses,
    InitPidResponses,
    MakeAddPartsResponse,
    MakeErrorPidResponse,
    add_partitions_responses,
    init_pid_responses,
)
from bmc.encodings.kafka_transactions.transitions import Transactions
from bmc.encodings.kafka_transactions.types import (
    Broker,
    Offset,
    OptionalMetadata,
    PartitionMetadata,
    TransactionId,
    TxnLogPartition,
)

from bmc.lang import (
    Expr,
    State,
    Step,
    action,
    at,
    conj,
    empty,
    insert,
    is_some,
    ite,
    mapping,
    record,
    size,
    the,
    union_of,
)


class LeadershipActions(Transactions):
    """How brokers become leaders and followers of the transaction log's partitions."""

    def MaterializeState(self, s: State, tid: Expr) -> Expr:
        """What the coordinator so far knows, in place of reading the log.

        The specification calls that equivalent. It is not where the new leader's log, copied from
        an earlier leader, ends in entries that are not committed: no transition waits for them.
        """
        return s.tc_tid_metadata[self.FindCoordinator(s, tid)][tid]

    @action(b=Broker, p=TxnLogPartition)
    def BecomeLeader(self, s: Step, b: Expr, p: Expr) -> None:
        """As published, the new leader forgets the metadata of all its other partitions."""
        s.require(
            s.aux_coord_ctr < self.max_coordinator_changes,
            s.tc_log_metadata[b][p].leader != b,
        )
        cepoch = s.txn_log_epoch[p] + 1
        s.txn_log_leader[p] = b
        s.txn_log_epoch[p] = cepoch
        s.tc_log_metadata[b][p] = record(PartitionMetadata, cepoch=cepoch, leader=b)
        s.tc_tid_metadata[b] = mapping(
            TransactionId,
            lambda tid: ite(self.PartitionFor(tid) == p, self.MaterializeState(s, tid), None),
            OptionalMetadata,
        )
        s.aux_coord_ctr = s.aux_coord_ctr + 1

    def SendErrors(self, s: Step, b: Expr, p: Expr) -> None:
        """SendAll(RemoveNoneResponses(err_responses)): whom an uncommitted entry would have
        answered is told NotCoordinator."""
        log, hwm = s.tc_log[b][p], s.tc_log_hwm[b][p]

        def answers(offset: Expr) -> Expr:
            return conj(
                hwm <= offset,
                offset < size(log),
                is_some(at(log, offset).callback.answer),
            )

        def adds(offset: Expr) -> Expr:
            return at(log, offset).callback.type == "AddPartitionsToTxnRequest"

        def pid_error(offset: Expr) -> Expr:
            answer = the(at(log, offset).callback.answer)
            nothing = empty(InitPidResponses)
            err = MakeErrorPidResponse(answer.source, answer.dest, "NotCoordinator")
            return ite(conj(answers(offset), ~adds(offset)), insert(nothing, err), nothing)

        def add_error(offset: Expr) -> Expr:
            answer = the(at(log, offset).callback.answer)
            nothing = empty(AddPartitionsToTxnResponses)
            err = MakeAddPartsResponse(answer.source, answer.dest, "NotCoordinator", frozenset())
            return ite(conj(answers(offset), adds(offset)), insert(nothing, err), nothing)

        init_pid_responses.SendAll(s, union_of(Offset, pid_error, InitPidResponses))
        add_partitions_responses.SendAll(
            s, union_of(Offset, add_error, AddPartitionsToTxnResponses)
        )

    @action(fairness="weak", b=Broker, p=TxnLogPartition)
    def BecomeFollower(self, s: Step, b: Expr, p: Expr) -> None:
        """As published, it gives the high watermark a new value and says that it does not change:
        TLC takes the step only where both watermarks agree, which they always do. The log that it
        copies is the leader's whole log, entries included that are not committed yet."""
        leader = self.CurrentTC(s, p)
        s.require(
            s.tc_log_metadata[b][p].cepoch < s.txn_log_epoch[p],
            leader != b,
            s.tc_log_hwm[leader][p] == s.tc_log_hwm[b][p],
        )
        s.tc_log_metadata[b][p] = record(
            PartitionMetadata, cepoch=s.txn_log_epoch[p], leader=leader
        )
        s.tc_log[b][p] = s.tc_log[leader][p]
        s.tc_tid_metadata[b] = mapping(
            TransactionId,
            lambda tid: ite(self.PartitionFor(tid) == p, None, s.tc_tid_metadata[b][tid]),
            OptionalMetadata,
        )
        s.tc_tid_transition[b] = mapping(
            TransactionId,
            lambda tid: ite(self.PartitionFor(tid) == p, None, s.tc_tid_transition[b][tid]),
            OptionalMetadata,
        )
        self.SendErrors(s, b, p)
