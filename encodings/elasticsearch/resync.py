"""What a node does once it applies a cluster state that promotes it."""

from bmc.encodings.elasticsearch.cluster import Replicas
from bmc.encodings.elasticsearch.constants import Node, Seq
from bmc.encodings.elasticsearch.messages import (
    Messages,
    replication_request,
    sent_if,
    trim_request,
)
from bmc.encodings.elasticsearch.translog import FillAndUnmarkPC, MaxConfirmedSeq, MaxSeq

from bmc.lang import (
    Expr,
    Step,
    conj,
    filtered,
    member,
    size,
    the,
    union_of,
)


def Resync(s: Step, n: Expr) -> None:
    """The LET of ApplyClusterStateFromMaster: what a node does once it is promoted.

    A slot's distance from ``startSeq`` is said as the number of slots between, because a
    request id and a sequence number do not add up. The two would differ only for a global
    checkpoint beyond the last slot, which FillAndUnmarkPC gives no value to.
    """
    ntlog, globalCP = s.tlog[n], s.globalCheckPoint[n]
    newTerm = s.clusterStateOnMaster.primaryTerm
    newTlog = FillAndUnmarkPC(ntlog, newTerm, globalCP)
    replicas = Replicas(s.clusterStateOnMaster.routingTable)
    endSeq = MaxSeq(ntlog)

    def slots_before(end: Expr) -> Expr:
        return size(filtered(Seq, lambda i: conj(i > globalCP, i < end)))

    def replication_requests(i: Expr) -> Expr:
        entry = the(newTlog[i])
        return union_of(
            Node,
            lambda rn: sent_if(
                conj(i > globalCP, i <= endSeq, member(rn, replicas)),
                replication_request(
                    source=n,
                    dest=rn,
                    req=s.nextRequestId + slots_before(i),
                    seq=i,
                    rterm=newTerm,
                    sterm=entry.primaryTerm,
                    document=entry.document,
                    client=False,
                    globalCP=globalCP,
                ),
            ),
            Messages,
        )

    numDocs = slots_before(endSeq + 1)
    trimRequests = union_of(
        Node,
        lambda rn: sent_if(
            member(rn, replicas),
            trim_request(
                source=n,
                dest=rn,
                req=s.nextRequestId + numDocs,
                maxseq=endSeq,
                primaryTerm=newTerm,
                globalCP=globalCP,
            ),
        ),
        Messages,
    )
    s.currentTerm[n] = newTerm
    s.tlog[n] = newTlog
    s.localCheckPoint[n][n] = MaxConfirmedSeq(newTlog)
    s.messages = s.messages | union_of(Seq, replication_requests, Messages) | trimRequests
    s.nextRequestId = s.nextRequestId + numDocs + 1
