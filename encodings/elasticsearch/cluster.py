"""The cluster state: who holds which copy of the shard, and the primary term."""

from bmc.encodings.elasticsearch.constants import Node, PrimaryTerm

from bmc.lang import (
    EnumSort,
    Expr,
    MapSort,
    OptionSort,
    Record,
    Step,
    conj,
    exists,
    filtered,
    is_none,
    ite,
    mapping,
    member,
    record,
)

Allocation = EnumSort("Allocation", ("Primary", "Replica", "Unassigned"))
RoutingTable = MapSort(Node, Allocation)
ClusterState = Record("ClusterState", routingTable=RoutingTable, primaryTerm=PrimaryTerm)

Promoted = OptionSort(Node)
"""The replica that a failure promotes; none where it promotes nobody."""


def Primaries(routingTable: Expr) -> Expr:
    return filtered(Node, lambda n: routingTable[n] == "Primary")


def Replicas(routingTable: Expr) -> Expr:
    return filtered(Node, lambda n: routingTable[n] == "Replica")


def Assigned(routingTable: Expr) -> Expr:
    return filtered(Node, lambda n: routingTable[n] != "Unassigned")


def ShardWasPromotedToPrimary(n: Expr, incomingRoutingTable: Expr, localRoutingTable: Expr) -> Expr:
    oldPrimaries, newPrimaries = Primaries(localRoutingTable), Primaries(incomingRoutingTable)
    return conj(~member(n, oldPrimaries), member(n, newPrimaries))


def FailShardOnMaster(s: Step, n: Expr, promoted: Expr) -> None:
    """``promoted`` is the ``r`` of the specification's ``\\E``; where that chooses nobody,
    because n is unassigned, a replica or the last copy, it is none."""
    rt = s.clusterStateOnMaster.routingTable
    primaryTerm = s.clusterStateOnMaster.primaryTerm
    promotes = conj(rt[n] == "Primary", exists(Node, lambda r: rt[r] == "Replica"))
    s.require(ite(promotes, member(promoted, Replicas(rt)), is_none(promoted)))
    s.clusterStateOnMaster = record(
        ClusterState,
        routingTable=mapping(
            Node,
            lambda x: ite(x == n, "Unassigned", ite(promoted == x, "Primary", rt[x])),
            Allocation,
        ),
        primaryTerm=ite(rt[n] == "Primary", primaryTerm + 1, primaryTerm),
    )
