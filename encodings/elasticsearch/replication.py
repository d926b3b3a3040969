"""replication.tla's actions and their helpers, in the order in which it defines them."""

from bmc.encodings.elasticsearch.cluster import (
    Assigned,
    FailShardOnMaster,
    Promoted,
    Replicas,
    ShardWasPromotedToPrimary,
)
from bmc.encodings.elasticsearch.constants import CheckPoint, DocumentId, Node
from bmc.encodings.elasticsearch.drawing import DrawnNodes
from bmc.encodings.elasticsearch.messages import (
    DefaultResponse,
    FailedResponse,
    Messages,
    Reply,
    is_replication,
    is_request,
    replication,
    replication_request,
    request,
    response,
    sent_if,
    trim,
    turned_to_failure,
)
from bmc.encodings.elasticsearch.resync import Resync
from bmc.encodings.elasticsearch.state import AckedResponse, ShardState
from bmc.encodings.elasticsearch.translog import (
    Document,
    Entry,
    MarkPC,
    MaxConfirmedSeq,
    MaxSeq,
    TrimTlog,
    with_entry,
)

from bmc.lang import (
    Expr,
    SetSort,
    State,
    Step,
    action,
    choose,
    conj,
    empty,
    exists,
    forall,
    implies,
    insert,
    is_none,
    ite,
    maximum,
    member,
    one_of,
    record,
    remove,
    the,
    union_of,
)

Nobody = empty(SetSort(Node))


class ElasticsearchReplication(DrawnNodes):
    """Client requests, replication and its answers, failures, and the cluster state's way."""

    @action(n=Node, docId=DocumentId)
    def ClientRequest(self, s: Step, n: Expr, docId: Expr) -> None:
        """Its Assert is a property of its own, ``LocalCheckPointIncremented``."""
        rt = s.clusterStateOnNode[n].routingTable
        s.require(rt[n] == "Primary")
        replicas = Replicas(rt)
        primaryTerm = s.currentTerm[n]
        document = record(Document, id=docId, value=s.nextClientValue)
        seq = MaxSeq(s.tlog[n]) + 1
        s.tlog[n][seq] = record(Entry, document=document, primaryTerm=primaryTerm, pc=False)
        s.nextClientValue = s.nextClientValue + 1
        s.nextRequestId = s.nextRequestId + 1
        s.localCheckPoint[n][n] = seq
        s.messages = s.messages | union_of(
            Node,
            lambda rn: sent_if(
                member(rn, replicas),
                replication_request(
                    source=n,
                    dest=rn,
                    req=s.nextRequestId,
                    document=document,
                    seq=seq,
                    rterm=primaryTerm,
                    sterm=primaryTerm,
                    client=True,
                    globalCP=s.globalCheckPoint[n],
                ),
            ),
            Messages,
        )
        with s.either():
            s.require(replicas == Nobody)
            s.clientResponses.acked = insert(
                s.clientResponses.acked,
                record(
                    AckedResponse,
                    id=docId,
                    value=s.nextClientValue,
                    seq=seq,
                    primaryTerm=primaryTerm,
                ),
            )
        with s.either():
            s.require(replicas != Nobody)

    def MaybeMarkPC(self, s: State, incomingTerm: Expr, n: Expr, globalCP: Expr) -> Expr:
        return ite(incomingTerm > s.currentTerm[n], MarkPC(s.tlog[n], globalCP), s.tlog[n])

    @action(m=ShardState.messages)
    def HandleReplicationRequest(self, s: Step, m: Expr) -> None:
        """``n`` is ``m.dest``, which in a request is the node that is called."""
        n = m.call.callee
        s.require(is_request(m), is_replication(m))
        rterm = replication(m).rterm
        with s.either():
            s.require(rterm < s.currentTerm[n])
            Reply(s, FailedResponse(m), m)
        with s.either():
            s.require(rterm >= s.currentTerm[n])
            tlogEntry = record(
                Entry,
                document=replication(m).document,
                primaryTerm=replication(m).sterm,
                pc=False,
            )
            newGlobalCP = maximum(request(m).globalCP, s.globalCheckPoint[n])
            kept = self.MaybeMarkPC(s, rterm, n, newGlobalCP)
            newTlog = with_entry(kept, replication(m).seq, tlogEntry)
            s.tlog[n] = newTlog
            s.currentTerm[n] = rterm
            s.globalCheckPoint[n] = newGlobalCP
            Reply(s, DefaultResponse(m, localCP=MaxConfirmedSeq(newTlog)), m)

    @action(m=ShardState.messages)
    def HandleTrimTranslogRequest(self, s: Step, m: Expr) -> None:
        n = m.call.callee
        s.require(is_request(m), ~is_replication(m))
        term = trim(m).primaryTerm
        with s.either():
            s.require(term < s.currentTerm[n])
            Reply(s, FailedResponse(m), m)
        with s.either():
            s.require(term >= s.currentTerm[n])
            newGlobalCP = maximum(request(m).globalCP, s.globalCheckPoint[n])
            s.tlog[n] = TrimTlog(self.MaybeMarkPC(s, term, n, newGlobalCP), trim(m).maxseq, term)
            s.globalCheckPoint[n] = newGlobalCP
            s.currentTerm[n] = term
            Reply(s, DefaultResponse(m), m)

    def FinishIfNeeded(self, s: Step, m: Expr) -> None:
        """That ``ms = m`` is asked of their calls, which identify messages."""
        finishes = conj(
            replication(m).client,
            forall(s.messages, lambda ms: implies(ms.call.req == m.call.req, ms.call == m.call)),
            ~member(m.call.req, s.clientResponses.failed),
        )
        acked = s.clientResponses.acked
        document = the(replication(m).document)
        s.clientResponses.acked = ite(
            finishes,
            insert(
                acked,
                record(
                    AckedResponse,
                    id=document.id,
                    value=document.value,
                    seq=replication(m).seq,
                    primaryTerm=replication(m).rterm,
                ),
            ),
            acked,
        )

    def FinishAsFailed(self, s: Step, m: Expr) -> None:
        s.clientResponses.failed = insert(s.clientResponses.failed, m.call.req)

    @action(m=ShardState.messages, promoted=Promoted)
    def HandleReplicationResponse(self, s: Step, m: Expr, promoted: Expr) -> None:
        """``n`` is ``m.dest`` and ``rn`` is ``m.source``: of a response, the caller and the node
        that was called."""
        n, rn = m.caller, m.call.callee
        s.require(~is_request(m), is_replication(m))
        s.messages = remove(s.messages, m)
        outdated = replication(m).rterm < s.clusterStateOnMaster.primaryTerm
        with s.either():
            s.require(response(m).success, is_none(promoted))
            self.FollowLocalCheckPoint(s, n, rn, response(m).localCP)
            self.FinishIfNeeded(s, m)
        with s.either():
            s.require(~response(m).success, outdated, is_none(promoted))
            self.FinishAsFailed(s, m)
        with s.either():
            s.require(~response(m).success, ~outdated)
            FailShardOnMaster(s, rn, promoted)
            self.FinishIfNeeded(s, m)

    def FollowLocalCheckPoint(self, s: Step, n: Expr, rn: Expr, localCP: Expr) -> None:
        """The first IF of HandleReplicationResponse: n takes note of a local checkpoint."""
        rt = s.clusterStateOnNode[n].routingTable
        advances = conj(localCP > s.localCheckPoint[n][rn], rt[n] != "Unassigned")

        def new_local_check_point(i: Expr) -> Expr:
            return ite(i == rn, localCP, s.localCheckPoint[n][i])

        def of_an_assigned(x: Expr) -> Expr:
            return exists(
                Node, lambda i: conj(member(i, Assigned(rt)), new_local_check_point(i) == x)
            )

        # The least such number is Min of the set; while n is assigned, the set is not empty.
        computedGlobalCP = choose(CheckPoint, of_an_assigned)
        s.globalCheckPoint[n] = ite(advances, computedGlobalCP, s.globalCheckPoint[n])
        s.localCheckPoint[n][rn] = ite(advances, localCP, s.localCheckPoint[n][rn])

    @action(m=ShardState.messages, promoted=Promoted)
    def HandleTrimTranslogResponse(self, s: Step, m: Expr, promoted: Expr) -> None:
        rn = m.call.callee
        s.require(~is_request(m), ~is_replication(m))
        s.messages = remove(s.messages, m)
        fails = conj(
            ~response(m).success, trim(m).primaryTerm >= s.clusterStateOnMaster.primaryTerm
        )
        with s.either():
            s.require(fails)
            FailShardOnMaster(s, rn, promoted)
        with s.either():
            s.require(~fails, is_none(promoted))

    @action(n=Node)
    def ApplyClusterStateFromMaster(self, s: Step, n: Expr) -> None:
        master = s.clusterStateOnMaster
        s.require(s.clusterStateOnNode[n] != master)
        s.clusterStateOnNode[n] = master
        wasPromoted = ShardWasPromotedToPrimary(
            n, master.routingTable, s.clusterStateOnNode[n].routingTable
        )
        with s.either():
            s.require(wasPromoted)
            Resync(s, n)
        with s.either():
            s.require(~wasPromoted)

    @action(m=ShardState.messages)
    def FailRequestMessage(self, s: Step, m: Expr) -> None:
        s.require(is_request(m))
        Reply(s, FailedResponse(m), m)

    @action(m=ShardState.messages)
    def FailResponseMessage(self, s: Step, m: Expr) -> None:
        s.require(~is_request(m), response(m).success)
        Reply(s, turned_to_failure(m), m)

    @action(n=Node, promoted=Promoted)
    def NodeFaultDetectionKicksNodeOut(self, s: Step, n: Expr, promoted: Expr) -> None:
        s.require(s.clusterStateOnMaster.routingTable[n] != "Unassigned")
        FailShardOnMaster(s, n, promoted)

    Next = one_of(
        ClientRequest,
        HandleReplicationRequest,
        HandleReplicationResponse,
        HandleTrimTranslogRequest,
        HandleTrimTranslogResponse,
        FailRequestMessage,
        FailResponseMessage,
        ApplyClusterStateFromMaster,
        NodeFaultDetectionKicksNodeOut,
    )
