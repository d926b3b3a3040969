"""The variables of the specification, and where everything is in the beginning.

``topic_partitions`` is left out: it is empty for ever. So is ``t_to_p_mapping``, which never
changes either: PartitionFor is a function. Where the specification CHOOSEs a balanced mapping,
ids go around in order.
"""

from bmc.encodings.kafka_transactions import messages, types
from bmc.encodings.kafka_transactions.types import (
    MOST,
    Broker,
    Client,
    TransactionId,
    TxnLogPartition,
)

from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Operand,
    Parameter,
    Protocol,
    State,
    Step,
    Variable,
    disj,
    empty,
    filtered,
    first,
    mapping,
    record,
    size,
)
from bmc.lang.sorts import IntSort


def around(one: Operand, ids: IntSort, among: IntSort, count: Parameter) -> Expr:
    """``one`` of the ``ids`` is given a place ``among`` others, in turn."""
    before = size(filtered(ids, lambda other: other < one))
    return first(
        among,
        lambda place: disj(*(before == place + count * n for n in range(MOST))),
        0,
    )


class Cluster(Protocol):
    """Clients, transaction coordinators and the controller's metadata."""

    transaction_ids = types.transaction_ids
    clients = types.clients
    brokers = types.brokers
    txn_log_partitions = types.txn_log_partitions
    topic_partitions = types.topic_partitions
    max_coordinator_changes = types.max_coordinator_changes

    client = Variable(MapSort(Client, types.ClientRecord), "the state of each client")
    tc_tid_metadata = Variable(MapSort(Broker, types.TidMap), "transaction state, by broker")
    tc_tid_transition = Variable(MapSort(Broker, types.TidMap), "transitions being committed")
    tc_log = Variable(MapSort(Broker, types.Logs), "the transaction log partitions")
    tc_log_metadata = Variable(
        MapSort(Broker, types.PartitionMetadataMap), "who leads a log, as each broker knows it"
    )
    tc_log_hwm = Variable(MapSort(Broker, types.HighWatermarks), "how far a log is committed")
    txn_log_leader = Variable(MapSort(TxnLogPartition, Broker), "who leads a log in fact")
    txn_log_epoch = Variable(MapSort(TxnLogPartition, types.CoordinatorEpoch), "since which epoch")
    pid_source = Variable(types.PidSource, "the producer id handed out last")
    aux_coord_ctr = Variable(
        Integer("Changes", 0, types.max_coordinator_changes), "coordinator changes so far"
    )
    init_pid_requests = Variable(messages.InitPidRequests, "in flight")
    init_pid_responses = Variable(messages.InitPidResponses, "in flight")
    add_partitions_requests = Variable(messages.AddPartitionsToTxnRequests, "in flight")
    add_partitions_responses = Variable(messages.AddPartitionsToTxnResponses, "in flight")
    discarded_init_pid_requests = Variable(messages.InitPidRequests, "processed")
    discarded_init_pid_responses = Variable(messages.InitPidResponses, "processed")
    discarded_add_partitions_requests = Variable(messages.AddPartitionsToTxnRequests, "processed")
    discarded_add_partitions_responses = Variable(messages.AddPartitionsToTxnResponses, "processed")

    def PartitionFor(self, tid: Operand) -> Expr:
        return around(tid, TransactionId, TxnLogPartition, self.txn_log_partitions)

    def CurrentTC(self, s: State, p: Operand) -> Expr:
        return s.txn_log_leader[p]

    def FindCoordinator(self, s: State, tid: Operand) -> Expr:
        return self.CurrentTC(s, self.PartitionFor(tid))

    def NetworkInit(self, s: Step) -> None:
        s.init_pid_requests = frozenset()
        s.init_pid_responses = frozenset()
        s.add_partitions_requests = frozenset()
        s.add_partitions_responses = frozenset()
        s.discarded_init_pid_requests = frozenset()
        s.discarded_init_pid_responses = frozenset()
        s.discarded_add_partitions_requests = frozenset()
        s.discarded_add_partitions_responses = frozenset()

    def ClusterInit(self, s: Step) -> None:
        def log_part_leader(p: Expr) -> Expr:
            return around(p, TxnLogPartition, Broker, self.brokers)

        fresh = record(
            types.ClientRecord,
            state="Ready",
            tc=None,
            tid=None,
            pid=-1,
            epoch=-1,
            last_state=None,
            last_error=None,
            pending_partitions=frozenset(),
            partitions=frozenset(),
        )
        s.client = mapping(Client, lambda c: fresh, types.ClientRecord)
        unknown = mapping(TransactionId, lambda tid: None, types.TidMap.value)
        s.tc_tid_metadata = mapping(Broker, lambda b: unknown, types.TidMap)
        s.tc_tid_transition = mapping(Broker, lambda b: unknown, types.TidMap)
        empty_logs = mapping(TxnLogPartition, lambda p: empty(types.TxnLog), types.TxnLog)
        s.tc_log = mapping(Broker, lambda b: empty_logs, types.Logs)
        nothing = mapping(TxnLogPartition, lambda p: 0, types.HighWatermarks.value)
        s.tc_log_hwm = mapping(Broker, lambda b: nothing, types.HighWatermarks)
        known = mapping(
            TxnLogPartition,
            lambda p: record(types.PartitionMetadata, cepoch=1, leader=log_part_leader(p)),
            types.PartitionMetadata,
        )
        s.tc_log_metadata = mapping(Broker, lambda b: known, types.PartitionMetadataMap)
        s.txn_log_epoch = mapping(TxnLogPartition, lambda p: 1, types.CoordinatorEpoch)
        s.txn_log_leader = mapping(TxnLogPartition, log_part_leader, Broker)
        s.pid_source = 0
        s.aux_coord_ctr = 0
