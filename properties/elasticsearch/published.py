"""What replication.tla claims, under its own names."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.cluster import Primaries
from bmc.encodings.elasticsearch.constants import ClientValue, Node, Seq
from bmc.encodings.elasticsearch.translog import MaxConfirmedSeq, MaxSeq
from bmc.properties.elasticsearch.words import (
    active,
    applied_where_active,
    copies_agree,
    presumes_primary,
    same_operation,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    exists,
    forall,
    implies,
    invariant,
    is_some,
    lookup,
    size,
    the,
)


@invariant(
    "Two active copies hold the same operations up to the global checkpoint that either knows.",
    n1=Node,
    n2=Node,
)
def SameTranslogUpToGlobalCheckPoint(
    m: ElasticsearchReplication, s: State, n1: Expr, n2: Expr
) -> Expr:
    """A slot without an entry up to the global checkpoint, of which ``UpToSlot`` has no value,
    violates it."""
    return implies(
        conj(n1 != n2, active(s, n1), active(s, n2)),
        forall(
            Seq,
            lambda j: implies(j <= s.globalCheckPoint[n1], same_operation(s, n1, n2, j)),
        ),
    )


@invariant("Once nothing is in flight and active copies know the cluster state, all hold the same.")
def AllCopiesSameContentsOnQuietDown(m: ElasticsearchReplication, s: State) -> Expr:
    return implies(conj(s.messages == frozenset(), applied_where_active(s)), copies_agree(s))


@invariant(
    "What was acknowledged to a client is stored on every active copy.", n=Node, value=ClientValue
)
def AllAckedResponsesStored(m: ElasticsearchReplication, s: State, n: Expr, value: Expr) -> Expr:
    """``r`` is the response that acknowledged the value."""
    r = lookup(s.clientResponses.acked, value)
    slot = s.tlog[n][the(r).seq]
    return implies(
        conj(is_some(r), active(s, n)),
        conj(
            is_some(slot),
            is_some(the(slot).document),
            the(the(slot).document).id == the(r).id,
            the(the(slot).document).value == the(r).value,
            the(slot).primaryTerm == the(r).primaryTerm,
        ),
    )


@invariant("No node knows a global checkpoint above its own local checkpoint.", n=Node)
def GlobalCheckPointBelowLocalCheckPoints(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return s.globalCheckPoint[n] <= MaxConfirmedSeq(s.tlog[n])


@invariant("A presumed primary has confirmed all its slots and tracks itself so.", n=Node)
def LocalCheckPointMatchesMaxConfirmedSeq(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    confirmed = MaxConfirmedSeq(s.tlog[n])
    return implies(
        presumes_primary(s, n),
        conj(s.localCheckPoint[n][n] == confirmed, MaxSeq(s.tlog[n]) == confirmed),
    )


@invariant("The master's routing table has one primary, or assigns nothing.")
def WellFormedRoutingTable(m: ElasticsearchReplication, s: State) -> Expr:
    """``WellFormedRoutingTable(clusterStateOnMaster.routingTable)``."""
    rt = s.clusterStateOnMaster.routingTable
    return conj(
        size(Primaries(rt)) <= 1,
        implies(size(Primaries(rt)) == 0, ~exists(Node, lambda n: rt[n] != "Unassigned")),
    )


@invariant("A client request takes the slot after the local checkpoint of its primary.", n=Node)
def LocalCheckPointIncremented(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    """ClientRequest's Assert, said of every state in which the request is possible: the local
    checkpoint it sets is one more than before."""
    seq = MaxSeq(s.tlog[n]) + 1
    return implies(presumes_primary(s, n), seq == s.localCheckPoint[n][n] + 1)


PUBLISHED = (
    SameTranslogUpToGlobalCheckPoint,
    AllCopiesSameContentsOnQuietDown,
    AllAckedResponsesStored,
    GlobalCheckPointBelowLocalCheckPoints,
    LocalCheckPointMatchesMaxConfirmedSeq,
    WellFormedRoutingTable,
    LocalCheckPointIncremented,
)

__all__ = ["PUBLISHED"]
