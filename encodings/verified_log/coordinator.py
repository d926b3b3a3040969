"""Coordinator.p: new segments, takeovers, the ends of segments.

``eNewSegment`` with a previous segment of -1 is left out: a producer asks for a segment only
after it has had one. ``eSegmentState`` is part of the consumer's reads.
"""

from bmc.encodings.verified_log.broadcasts import Broadcasts
from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    BOOL,
    Expr,
    State,
    Step,
    action,
    at,
    coerce,
    conj,
    everything,
    exists,
    filtered,
    insert,
    is_none,
    is_some,
    ite,
    mapping,
    member,
    record,
    remove,
    size,
    the,
)


class Coordinator(Broadcasts):
    """``machine Coordinator``. Its ``unacknowledgedEndSegments`` and what is left of a broadcast
    are sets of places in ``endSegments``; by segment, then by asker, is their order of insertion.
    """

    @action(fairness="weak", drop=BOOL)
    def Coordinator_eNewSegment(self, s: Step, drop: Expr) -> None:
        """``req.segment`` is its ``previousSegment``."""
        req = self.coordinator_receives(s, "eNewSegment")
        with s.either():
            s.require(is_some(s.currentLogTakeover))
            by = the(s.currentLogTakeover).producer
            response = self.to_producer(
                "eNewSegmentResponse", "LOG_IN_TAKEOVER", req.segment + 1, by
            )
            self.send_to_producer(s, req.producer, response, drop)
        with s.either():
            s.require(is_none(s.currentLogTakeover), ~self.IsLastSegment(s, req.segment))
            owner = at(s.logs, req.segment + 1).producer
            ok = coerce("NEW_SEG_OK", self.ToProducer.field("status"))
            status = ite(owner == req.producer, ok, "NEW_SEG_ALREADY_APPENDED")
            response = self.to_producer("eNewSegmentResponse", status, req.segment + 1, owner)
            self.send_to_producer(s, req.producer, response, drop)
        with s.either():
            s.require(is_none(s.currentLogTakeover), self.IsLastSegment(s, req.segment))
            self.BroadcastEndSegment(
                s, req.segment, "PRODUCER", req.numEntries, req.lastEntry, req.producer, drop
            )

    @action(fairness="weak", nodes=Network.ChosenNodes, drop=BOOL)
    def Coordinator_eTakeOverLog(self, s: Step, nodes: Expr, drop: Expr) -> None:
        req = self.coordinator_receives(s, "eTakeOverLog")
        last = size(s.logs) - 1
        retry = conj(is_some(s.currentLogTakeover), the(s.currentLogTakeover).segment == last)
        with s.either():
            s.require(size(s.logs) == 0)
            self.AcknowledgeNewSegment(s, req.producer, nodes, drop)
        with s.either():
            s.require(size(s.logs) > 0, retry, self.nothing_chosen(nodes), ~drop)
        with s.either():
            s.require(size(s.logs) > 0, ~retry, at(s.logs, last).producer == req.producer)
            s.require(self.nothing_chosen(nodes))
            self.send_new_segment(s, req.producer, last, drop)
        with s.either():
            s.require(size(s.logs) > 0, ~retry, at(s.logs, last).producer != req.producer)
            s.require(self.nothing_chosen(nodes))
            self.start_coordinator_timer(s, is_none(s.currentLogTakeover))
            s.currentLogTakeover = record(self.TakeOver, segment=last, producer=req.producer)
            s.suspending = self.others()
            self.send_suspend(s, last, req.producer, 0, drop)

    @action(fairness="weak", nodes=Network.ChosenNodes, drop=BOOL)
    def Coordinator_eSuspendSegmentResponse(self, s: Step, nodes: Expr, drop: Expr) -> None:
        """The first answer decides. P does not ask whether it answers this takeover."""
        req = self.coordinator_receives(s, "eSuspendSegmentResponse")
        expected = self.IsLastSegment(s, req.segment) & is_some(s.currentLogTakeover)
        with s.either():
            s.require(~expected, self.nothing_chosen(nodes), ~drop)
        with s.either():
            s.require(expected)
            self.AnnounceLastEntry(s, req)
            self.BroadcastEndSegment(
                s, req.segment, "TAKEOVER", req.numEntries, req.lastEntry, req.producer, drop
            )
            self.HandOver(s, req, nodes)

    def AnnounceLastEntry(self, s: Step, req: Expr) -> None:
        """``eDurableInCoordinator`` and ``eLogEntryCommitted`` for the entry that was found."""
        committed = s.committed[req.segment]
        s.committed[req.segment] = ite(
            req.numEntries > 0, insert(committed, req.lastEntry), committed
        )

    def HandOver(self, s: Step, req: Expr, nodes: Expr) -> None:
        """The takeover is over; the new segment is announced with the last send."""
        self.CreateSegment(s, req.producer, nodes)
        s.acknowledging = True
        s.currentLogTakeover = None

    @action(fairness="weak", nodes=Network.ChosenNodes, drop=BOOL)
    def Coordinator_eEndSegmentResponse(self, s: Step, nodes: Expr, drop: Expr) -> None:
        """``unacknowledgedEndSegments -= (req)`` removes nothing: a log node's response lacks
        ``numEntries``, so it equals none of the elements. Nothing else reads who responds."""
        req = self.coordinator_receives(s, "eEndSegmentResponse")
        with s.either():
            s.require(~self.IsLastSegment(s, req.segment), self.nothing_chosen(nodes), ~drop)
        with s.either():
            s.require(self.IsLastSegment(s, req.segment))
            self.AcknowledgeNewSegment(s, req.producer, nodes, drop)

    @action(
        fairness="weak",
        segment=Network.SegmentId,
        asker=Network.Asker,
        place=Network.Place,
        drop=BOOL,
    )
    def Coordinator_eTimeOut(
        self, s: Step, segment: Expr, asker: Expr, place: Expr, drop: Expr
    ) -> None:
        """``segment``, ``asker`` and ``place`` say what is sent first."""
        _ = self.coordinator_receives(s, "eTimeOut")
        nothing_due = ~exists(
            self.SegmentId,
            lambda of: exists(
                self.Asker, lambda by: exists(self.Place, lambda to: self.due(s, of, by, to))
            ),
        )
        takeover = s.currentLogTakeover
        self.start_coordinator_timer(s, is_some(takeover) | ~nothing_due)
        first = conj(segment == 0, asker == "PRODUCER", place == 0)
        with s.either():
            s.require(self.comes_first(s, self.due, segment, asker, place))
            s.endSegments = self.retried(s, segment, asker, place)
            s.suspending = ite(is_some(takeover), everything(self.Place), s.suspending)
            self.send_end(s, segment, asker, place, drop)
        with s.either():
            s.require(first, nothing_due, is_some(takeover))
            s.endSegments = self.retried(s, segment, asker, place)
            s.suspending = self.others()
            taken = the(takeover)
            self.send_suspend(s, taken.segment, taken.producer, 0, drop)
        with s.either():
            s.require(first, nothing_due, is_none(takeover), ~drop)
            s.endSegments = self.retried(s, segment, asker, place)

    def due(self, s: State, segment: Expr, asker: Expr, place: Expr) -> Expr:
        """An end of a segment that is not acknowledged and whose node is not known to fail."""
        return conj(
            member(place, s.endSegments[segment][asker].unacknowledged),
            ~member(self.node_at(s, segment, place), s.failedNodes),
        )

    def retried(self, s: State, segment: Expr, asker: Expr, place: Expr) -> Expr:
        """``endSegments`` when all that is due is sent again, its first just now."""

        def end(of: Expr, by: Expr) -> Expr:
            old = s.endSegments[of][by]
            due = filtered(self.Place, lambda to: self.due(s, of, by, to))
            return record(
                self.EndSegment,
                asked=old.asked,
                numEntries=old.numEntries,
                lastEntry=old.lastEntry,
                newProducer=old.newProducer,
                unacknowledged=due,
                sending=ite(conj(of == segment, by == asker), remove(due, place), due),
            )

        return mapping(
            self.SegmentId,
            lambda of: mapping(self.Asker, lambda by: end(of, by), self.EndSegment),
            self.EndSegments,
        )

    @action(fairness="weak")
    def Coordinator_eInformNodeFailure(self, s: Step) -> None:
        """``logNodes`` is all nodes but the failed ones."""
        req = self.coordinator_receives(s, "eInformNodeFailure")
        s.failedNodes = insert(s.failedNodes, req.node)
