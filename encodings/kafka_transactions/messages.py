"""Message passing: the specification's messages, a set for each type, and who sends what.

``messages`` and ``messages_discard`` are sets of messages of all types. A message is looked for
by its type only, so here each type has a set of its own, in flight and discarded; a message that
was discarded can be sent again.
"""

from bmc.encodings.kafka_transactions.types import (
    Broker,
    Client,
    Code,
    ProducerEpoch,
    ProducerEpochOpt,
    ProducerId,
    ProducerIdOpt,
    TopicPartitions,
    TransactionId,
    clients,
    terms_of_office,
    topic_partitions,
)

from bmc.lang import BoundedSet, Expr, Operand, Record, Step, Term, insert, record, remove

InitPidRequest = Record("InitPidRequest", tid=TransactionId, dest=Broker, source=Client)
InitPidResponse = Record(
    "InitPidResponse",
    code=Code,
    pid=ProducerIdOpt,
    pepoch=ProducerEpochOpt,
    dest=Client,
    source=Broker,
)
AddPartitionsToTxnRequest = Record(
    "AddPartitionsToTxnRequest",
    tid=TransactionId,
    pid=ProducerId,
    pepoch=ProducerEpoch,
    partitions=TopicPartitions,
    dest=Broker,
    source=Client,
)
AddPartitionsToTxnResponse = Record(
    "AddPartitionsToTxnResponse",
    code=Code,
    partitions=TopicPartitions,
    dest=Client,
    source=Broker,
)

# A client waits for one answer at a time; only what a change of coordinator makes a broker
# answer twice comes on top.
in_flight = clients * terms_of_office
InitPidRequests = BoundedSet(InitPidRequest, in_flight)
InitPidResponses = BoundedSet(InitPidResponse, in_flight)
AddPartitionsToTxnRequests = BoundedSet(AddPartitionsToTxnRequest, in_flight)
AddPartitionsToTxnResponses = BoundedSet(AddPartitionsToTxnResponse, in_flight)

# A client keeps its transactional id, and its producer id once it has one. So its messages differ
# in the coordinator, the error (two can be retried, any other is the last), and in the partitions.
DiscardedInitPidRequests = BoundedSet(InitPidRequest, clients * terms_of_office)
DiscardedInitPidResponses = BoundedSet(InitPidResponse, clients * (terms_of_office * 2 + 1))
DiscardedAddPartitionsToTxnRequests = BoundedSet(
    AddPartitionsToTxnRequest, clients * topic_partitions * terms_of_office
)
DiscardedAddPartitionsToTxnResponses = BoundedSet(
    AddPartitionsToTxnResponse, clients * (terms_of_office * 2 + topic_partitions + 1)
)


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


def MakePidResponse(b: Expr, c: Expr, code: Operand, pid: Operand, pepoch: Operand) -> Term:
    return record(InitPidResponse, code=code, pid=pid, pepoch=pepoch, dest=c, source=b)


def MakeErrorPidResponse(b: Expr, c: Expr, code: Operand) -> Term:
    return MakePidResponse(b, c, code, -1, -1)


def MakeAddPartsResponse(b: Expr, c: Expr, code: Operand, partitions: Operand) -> Term:
    return record(AddPartitionsToTxnResponse, code=code, partitions=partitions, dest=c, source=b)
