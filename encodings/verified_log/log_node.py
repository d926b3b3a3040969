"""LogNode.p: append, suspend and end segments. (Reads are the consumer's.)"""

from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    BOOL,
    Expr,
    Operand,
    Step,
    action,
    append,
    at,
    coerce,
    disj,
    insert,
    ite,
    minimum,
    size,
    take,
)


class LogNode(Network):
    """``machine LogNode``. A segment it has not heard of is SEG_NOT_INIT."""

    @action(fairness="weak", node=Network.LogNode, drop=BOOL)
    def LogNode_eAppendRequest(self, s: Step, node: Expr, drop: Expr) -> None:
        """Its assert is ``AppendsInOrder``."""
        req = self.log_node_receives(s, node, "eAppendRequest")
        status, entries = s.logStatus[node][req.segment], s.logEntries[node][req.segment]
        closed = self.refuses_appends(status)
        s.logStatus[node][req.segment] = ite(closed, status, "SEG_OPEN")
        s.logEntries[node][req.segment] = ite(closed, entries, append(entries, req.seqNum))
        holders = s.stored[req.seqNum]
        s.stored[req.seqNum] = ite(closed, holders, insert(holders, node))
        response = self.to_producer(
            "eAppendResponse",
            status=self._append_status(closed),
            segment=req.segment,
            producer="OLD",
            seqNum=req.seqNum,
            node=node,
        )
        self.send_to_producer(s, req.producer, response, drop)

    def refuses_appends(self, status: Expr) -> Expr:
        return disj(status == "SEG_CLOSED", status == "SEG_SUSPENDED")

    def _append_status(self, closed: Operand) -> Expr:
        refused = coerce("APPEND_SEG_CLOSED", self.ToProducer.field("status"))
        return ite(closed, refused, "APPEND_OK")

    @action(fairness="weak", node=Network.LogNode, drop=BOOL)
    def LogNode_eSuspendSegment(self, s: Step, node: Expr, drop: Expr) -> None:
        """Suspends whatever the status was, SEG_CLOSED included."""
        req = self.log_node_receives(s, node, "eSuspendSegment")
        s.logStatus[node][req.segment] = "SEG_SUSPENDED"
        entries = s.logEntries[node][req.segment]
        response = self.to_coordinator(
            "eSuspendSegmentResponse",
            segment=req.segment,
            producer=req.producer,
            numEntries=size(entries),
            lastEntry=ite(size(entries) > 0, at(entries, size(entries) - 1), 0),
        )
        self.send_to_coordinator(s, response, drop)

    @action(fairness="weak", node=Network.LogNode, drop=BOOL)
    def LogNode_eEndSegment(self, s: Step, node: Expr, drop: Expr) -> None:
        """Cuts off what was not committed, or adds the last entry that a takeover has found.
        Its assert is ``EndSegmentFits``."""
        req = self.log_node_receives(s, node, "eEndSegment")
        end = s.endSegments[req.segment][req.asker]
        entries = s.logEntries[node][req.segment]
        s.logStatus[node][req.segment] = "SEG_CLOSED"
        s.logEntries[node][req.segment] = ite(
            size(entries) + 1 == end.numEntries,
            append(entries, end.lastEntry),
            take(entries, minimum(size(entries), end.numEntries)),
        )
        knows = s.knowsTakeover[node][req.segment]
        s.knowsTakeover[node][req.segment] = knows | (req.asker == "TAKEOVER")
        response = self.to_coordinator(
            "eEndSegmentResponse",
            segment=req.segment,
            producer=end.newProducer,
        )
        self.send_to_coordinator(s, response, drop)

    @action(fairness="weak", node=Network.LogNode)
    def LogNode_eShutDown(self, s: Step, node: Expr) -> None:
        _ = self.log_node_hears(s, node, "eShutDown")
        s.isUp[node] = False
        self.forget(s, node)
