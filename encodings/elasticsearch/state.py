"""The variables of replication.tla, its initial states and its state constraint."""

from bmc.encodings.elasticsearch import constants
from bmc.encodings.elasticsearch.cluster import Allocation, ClusterState
from bmc.encodings.elasticsearch.constants import (
    CheckPoint,
    ClientValue,
    DocumentId,
    NextClientValue,
    NextRequestId,
    Node,
    PrimaryTerm,
    RequestId,
    Seq,
)
from bmc.encodings.elasticsearch.messages import Messages
from bmc.encodings.elasticsearch.translog import Slot, Translog

from bmc.lang import (
    Expr,
    KeyedSetSort,
    MapSort,
    OptionSort,
    Protocol,
    Record,
    SetSort,
    State,
    Step,
    Variable,
    action,
    coerce,
    conj,
    empty,
    exists,
    is_none,
    ite,
    mapping,
    member,
    record,
    size,
)

AckedResponse = Record(
    "AckedResponse", value=ClientValue, id=DocumentId, seq=Seq, primaryTerm=PrimaryTerm
)
ClientResponses = Record(
    "ClientResponses", acked=KeyedSetSort(AckedResponse, "value"), failed=SetSort(RequestId)
)


class ShardState(Protocol):
    """One shard, its copies on the nodes, and the master that allocates them.

    The two kinds of records in ``clientResponses`` are two sets: the successful by their value,
    which each operation has to itself, and the ``req`` of the failed.
    """

    nodes = constants.nodes
    document_ids = constants.document_ids
    max_client_value = constants.max_client_value
    max_messages = constants.max_messages

    messages = Variable(Messages, "requests and responses in flight")
    clusterStateOnMaster = Variable(ClusterState, "the current cluster state")
    nextClientValue = Variable(NextClientValue, "the value of the next client request")
    clientResponses = Variable(ClientResponses, "what clients were answered")
    nextRequestId = Variable(NextRequestId, "the id of the next request between nodes")
    clusterStateOnNode = Variable(MapSort(Node, ClusterState), "what each node has applied")
    currentTerm = Variable(MapSort(Node, PrimaryTerm), "the highest term each node knows")
    tlog = Variable(MapSort(Node, Translog), "the translog of each node")
    globalCheckPoint = Variable(MapSort(Node, CheckPoint), "as known to each node")
    localCheckPoint = Variable(
        MapSort(Node, MapSort(Node, CheckPoint)), "of each node, as tracked by each node"
    )

    def Constraint(self, s: State) -> Expr:
        """``StateConstraint``, its two numbers being parameters."""
        return conj(
            s.nextClientValue <= self.max_client_value,
            size(s.messages) <= self.max_messages,
            exists(Node, lambda n: s.clusterStateOnMaster.routingTable[n] != "Unassigned"),
        )

    @action(pn=OptionSort(Node), rs=SetSort(Node))
    def Init(self, s: Step, pn: Expr, rs: Expr) -> None:
        """``InitialRoutingTables``: pn has the primary and rs the replicas; where pn is none, no
        copy is assigned, which is outside the state constraint."""
        s.require(ite(is_none(pn), rs == empty(SetSort(Node)), ~member(pn, rs)))
        nowhere = coerce("Unassigned", Allocation)
        rt = mapping(
            Node,
            lambda n: ite(pn == n, "Primary", ite(member(n, rs), "Replica", nowhere)),
            Allocation,
        )
        initial = record(ClusterState, routingTable=rt, primaryTerm=1)
        s.clusterStateOnMaster = initial
        s.messages = frozenset()
        s.nextClientValue = 1
        s.clientResponses = record(ClientResponses, acked=frozenset(), failed=frozenset())
        s.nextRequestId = 1
        s.tlog = mapping(Node, lambda n: mapping(Seq, lambda i: None, Slot), Translog)
        s.localCheckPoint = mapping(
            Node, lambda n: mapping(Node, lambda n2: 0, CheckPoint), MapSort(Node, CheckPoint)
        )
        s.globalCheckPoint = mapping(Node, lambda n: 0, CheckPoint)
        s.clusterStateOnNode = mapping(Node, lambda n: initial, ClusterState)
        s.currentTerm = mapping(Node, lambda n: 1, PrimaryTerm)
