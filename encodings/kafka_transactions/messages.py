"""Message passing: the specification's messages, a set for each type, and who sends what.

``messages`` and ``messages_discard`` are sets of messages of all types. A message is looked for
by its type only, so here each type has a set of its own, in flight and discarded; a message that
was discarded can be sent again.

Where the fields are too many for a bit a message, ``head`` are those that tell apart the messages
of a type that exist together: a set is a map from them, which is checked, not assumed. So no set is
ever full. A request adds one partition, so the set of its ``partitions`` is said by its element.
"""

from bmc.encodings.kafka_transactions.types import (
    Broker,
    Client,
    Code,
    ProducerEpoch,
    ProducerEpochOpt,
    ProducerId,
    ProducerIdOpt,
    TopicPartition,
    TopicPartitions,
    TransactionId,
)

from bmc.lang import (
    Expr,
    KeyedSetSort,
    Operand,
    Record,
    SetSort,
    Step,
    insert,
    record,
    remove,
)

InitPidRequest = Record("InitPidRequest", tid=TransactionId, dest=Broker, source=Client)
InitPidRequests = SetSort(InitPidRequest)

InitPidAnswerHead = Record(
    "InitPidAnswerHead", code=Code, pepoch=ProducerEpochOpt, dest=Client, source=Broker
)
InitPidResponse = Record(
    "InitPidResponse",
    head=InitPidAnswerHead,
    pid=ProducerIdOpt,
)
InitPidResponses = KeyedSetSort(InitPidResponse, "head")

AddPartitionsHead = Record(
    "AddPartitionsHead", partition=TopicPartition, dest=Broker, source=Client
)
AddPartitionsToTxnRequest = Record(
    "AddPartitionsToTxnRequest",
    head=AddPartitionsHead,
    tid=TransactionId,
    pid=ProducerId,
    pepoch=ProducerEpoch,
)
AddPartitionsToTxnRequests = KeyedSetSort(AddPartitionsToTxnRequest, "head")

AddPartitionsToTxnResponse = Record(
    "AddPartitionsToTxnResponse",
    code=Code,
    partitions=TopicPartitions,
    dest=Client,
    source=Broker,
)
AddPartitionsToTxnResponses = SetSort(AddPartitionsToTxnResponse)


class Channel:
    """The messages of one type, by the name of the variable that holds those in flight."""

    def __init__(self, name: str) -> None:
        self.name = name

    def Send(self, s: Step, m: Expr) -> None:
        setattr(s, self.name, insert(getattr(s, self.name), m))

    def SendAll(self, s: Step, msgs: Expr) -> None:
        setattr(s, self.name, getattr(s, self.name) | msgs)

    def Discard(self, s: Step, d: Expr) -> None:
        discarded = f"discarded_{self.name}"
        setattr(s, self.name, remove(getattr(s, self.name), d))
        setattr(s, discarded, insert(getattr(s, discarded), d))


init_pid_requests = Channel("init_pid_requests")
init_pid_responses = Channel("init_pid_responses")
add_partitions_requests = Channel("add_partitions_requests")
add_partitions_responses = Channel("add_partitions_responses")


def MakePidResponse(b: Expr, c: Expr, code: Operand, pid: Operand, pepoch: Operand) -> Expr:
    head = record(InitPidAnswerHead, code=code, pepoch=pepoch, dest=c, source=b)
    return record(InitPidResponse, head=head, pid=pid)


def MakeErrorPidResponse(b: Expr, c: Expr, code: Operand) -> Expr:
    return MakePidResponse(b, c, code, -1, -1)


def MakeAddPartsResponse(b: Expr, c: Expr, code: Operand, partitions: Operand) -> Expr:
    return record(AddPartitionsToTxnResponse, code=code, partitions=partitions, dest=c, source=b)
