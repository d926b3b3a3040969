"""The constants of the specification, the types of what brokers and clients hold, and bounds.

The specification has no state constraint: its runs end by themselves, because a client asks for
one producer id and adds each topic partition once. The bounds below are how far its numbers get.

InvalidTxnState, to which the published configuration gives a value, is no constant of the module.
"""

from bmc.lang import (
    EnumSort,
    Expr,
    Integer,
    MapSort,
    Operand,
    OptionSort,
    Parameter,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Sort,
    coerce,
    ite,
)

MOST = 6
"""The largest number of anything that can be asked for."""

transaction_ids = Parameter("transaction_ids", 1, 1, MOST, "number of transactional ids")
clients = Parameter("clients", 2, 1, MOST, "number of clients")
brokers = Parameter("brokers", 2, 1, MOST, "number of brokers")
txn_log_partitions = Parameter("txn_log_partitions", 1, 1, MOST, "transaction log partitions")
topic_partitions = Parameter("topic_partitions", 1, 1, MOST, "partitions a client adds")
max_coordinator_changes = Parameter(
    "max_coordinator_changes",
    1,
    0,
    MOST,
    "how often a coordinator is replaced",
    ends="no coordinator is replaced more often",
)

Client = Scalarset("Client", clients)
TopicPartition = Scalarset("TopicPartition", topic_partitions)
TopicPartitions = SetSort(TopicPartition)
# Not interchangeable: the specification CHOOSEs who is where in the beginning.
TransactionId = Integer("TransactionId", 0, transaction_ids - 1)
Broker = Integer("Broker", 0, brokers - 1)
TxnLogPartition = Integer("TxnLogPartition", 0, txn_log_partitions - 1)

terms_of_office = max_coordinator_changes + 1
"""How many coordinators a partition can have had."""

# A broker makes an id for a transactional id it knows nothing of: in the beginning, and after a
# change the new leader, the one that does not know yet, and one whose other tids were dropped.
last_pid = transaction_ids * (max_coordinator_changes * 3 + 1)
ProducerId = Integer("ProducerId", 1, last_pid)
ProducerIdOpt = Integer("ProducerId", -1, last_pid)
PidSource = Integer("ProducerId", 0, last_pid)

# Every client gets one epoch, and may before that take one to fence another's transaction.
ProducerEpoch = Integer("ProducerEpoch", 0, clients * 2)
ProducerEpochOpt = Integer("ProducerEpoch", -1, clients * 2)

# What a client can cause to be written: its id, its partitions, the two ends of a transaction
# that it fences. One entry an id is not committed; a follower copies these, and is sent them again.
log_size = clients * (topic_partitions + 3) + transaction_ids * (max_coordinator_changes * 2 + 1)
Offset = Integer("Offset", 0, log_size - 1)
CoordinatorEpoch = Integer("CoordinatorEpoch", 1, terms_of_office)

ClientState = EnumSort(
    "ClientState", ("Ready", "SentInitPidRequest", "HasPid", "BegunTxn", "Terminated")
)
TxnState = EnumSort(
    "TxnState",
    (
        "Empty",
        "Begin",
        "PrepareCommit",
        "PrepareAbort",
        "CompleteAbort",
        "CompleteCommit",
        "Ongoing",
        "PrepareEpochFence",
        "Dead",
    ),
)
Code = EnumSort(
    "Code",
    (
        "IllegalState",
        "OK",
        "NotCoordinator",
        "ConcurrentTransactions",
        "ProducerFenced",
        "InvalidTransition",
        "NotSupportedYet",
        "InvalidProducerIdMapping",
    ),
)

ClientRecord = Record(
    "Client",
    state=ClientState,
    tc=OptionSort(Broker),
    tid=OptionSort(TransactionId),
    pid=ProducerIdOpt,
    epoch=ProducerEpochOpt,
    last_state=OptionSort(ClientState),
    last_error=OptionSort(Code),
    pending_partitions=TopicPartitions,
    partitions=TopicPartitions,
)

TxnMetadata = Record(
    "TxnMetadata",
    pid=ProducerId,
    pepoch=ProducerEpochOpt,
    last_pepoch=ProducerEpochOpt,
    state=TxnState,
    partitions=TopicPartitions,
)
"""What a coordinator knows of a transactional id, and what a transition changes it to.

New metadata has a ``last_pid`` besides, always -1 and never read; it is left out, since the epoch
-1 tells new metadata apart as well.
"""

CallbackType = EnumSort(
    "CallbackType",
    (
        "InitPidRequest",
        "AddPartitionsToTxnRequest",
        "PrepareAbort",
        "PrepareCommit",
        "CompleteAbort",
        "CompleteCommit",
    ),
)
Answer = Record("Answer", source=Broker, dest=Client)
Callback = Record("Callback", type=CallbackType, answer=OptionSort(Answer))
"""What is done once an entry is committed, or has to be given up.

Of the specification's ``response`` and ``err`` only who answers whom is kept: all else in them
follows from the callback's type and the entry's transition.
"""

TxnLogEntry = Record("TxnLogEntry", tid=TransactionId, transition=TxnMetadata, callback=Callback)
TxnLog = Sequence(TxnLogEntry, log_size)
PartitionMetadata = Record("PartitionMetadata", cepoch=CoordinatorEpoch, leader=Broker)

OptionalMetadata = OptionSort(TxnMetadata)
TidMap = MapSort(TransactionId, OptionalMetadata)
Logs = MapSort(TxnLogPartition, TxnLog)
HighWatermarks = MapSort(TxnLogPartition, Offset.to(log_size))
PartitionMetadataMap = MapSort(TxnLogPartition, PartitionMetadata)


def case(sort: Sort, *arms: tuple[Expr, Operand], other: Operand) -> Expr:
    """``CASE condition -> value [] … [] OTHER -> other``, of which the first that holds counts."""
    result = coerce(other, sort)
    for condition, value in reversed(arms):
        result = ite(condition, coerce(value, sort), result)
    return result
