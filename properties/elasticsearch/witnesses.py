"""States of interest that must be reachable, so that no proof about elasticsearch is vacuous."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import ClientValue, Node, RequestId, Seq
from bmc.encodings.elasticsearch.messages import is_replication, is_request, replication, response
from bmc.properties.elasticsearch.words import active, presumes_primary

from bmc.lang import (
    Expr,
    State,
    conj,
    exists,
    is_none,
    is_some,
    lookup,
    member,
    the,
    witness,
)


@witness("a write is acknowledged while a replica holds it, too", value=ClientValue, n=Node)
def AckedWithReplica(m: ElasticsearchReplication, s: State, value: Expr, n: Expr) -> Expr:
    rt = s.clusterStateOnMaster.routingTable
    return conj(
        is_some(lookup(s.clientResponses.acked, value)),
        rt[n] == "Replica",
    )


@witness("a global checkpoint has advanced", n=Node)
def GlobalCheckPointAdvanced(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return s.globalCheckPoint[n] > 0


@witness("a replica has learnt of a global checkpoint", n=Node)
def ReplicaKnowsGlobalCheckPoint(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return conj(active(s, n), ~presumes_primary(s, n), s.globalCheckPoint[n] > 0)


@witness("a promoted replica works at a new term", n=Node)
def FailedOver(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return conj(presumes_primary(s, n), s.currentTerm[n] > 1)


@witness("two nodes believe themselves to be the primary", one=Node, other=Node)
def TwoPrimaries(m: ElasticsearchReplication, s: State, one: Expr, other: Expr) -> Expr:
    return conj(one != other, presumes_primary(s, one), presumes_primary(s, other))


@witness("a resync sends an operation of an earlier term again")
def Resyncing(m: ElasticsearchReplication, s: State) -> Expr:
    return exists(
        s.messages,
        lambda ms: conj(
            is_request(ms),
            is_replication(ms),
            replication(ms).sterm < replication(ms).rterm,
        ),
    )


@witness("a replica has trimmed its translog for the new primary")
def Trimmed(m: ElasticsearchReplication, s: State) -> Expr:
    return exists(
        s.messages,
        lambda ms: conj(~is_request(ms), ~is_replication(ms), response(ms).success),
    )


@witness("an entry waits for the new primary's confirmation", n=Node, seq=Seq)
def PendingConfirmation(m: ElasticsearchReplication, s: State, n: Expr, seq: Expr) -> Expr:
    return conj(is_some(s.tlog[n][seq]), the(s.tlog[n][seq]).pc)


@witness("a translog has a hole", n=Node, hole=Seq, seq=Seq)
def Hole(m: ElasticsearchReplication, s: State, n: Expr, hole: Expr, seq: Expr) -> Expr:
    return conj(hole < seq, is_none(s.tlog[n][hole]), is_some(s.tlog[n][seq]))


@witness("a hole was filled by an entry without a document", n=Node, seq=Seq)
def Filled(m: ElasticsearchReplication, s: State, n: Expr, seq: Expr) -> Expr:
    return conj(is_some(s.tlog[n][seq]), is_none(the(s.tlog[n][seq]).document))


@witness("a write is answered as failed", req=RequestId)
def WriteFailed(m: ElasticsearchReplication, s: State, req: Expr) -> Expr:
    return member(req, s.clientResponses.failed)


@witness("a replica has been failed while the primary stays", n=Node)
def ReplicaFailed(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return conj(
        ~active(s, n),
        s.clusterStateOnNode[n].routingTable[n] == "Replica",
        s.clusterStateOnMaster.primaryTerm == s.clusterStateOnNode[n].primaryTerm,
    )


WITNESSES = (
    AckedWithReplica,
    GlobalCheckPointAdvanced,
    ReplicaKnowsGlobalCheckPoint,
    FailedOver,
    TwoPrimaries,
    Resyncing,
    Trimmed,
    PendingConfirmation,
    Hole,
    Filled,
    WriteFailed,
    ReplicaFailed,
)

__all__ = ["WITNESSES"]
