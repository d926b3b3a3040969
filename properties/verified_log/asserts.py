"""The asserts inside the machines of the P program, and what P itself would report.

An assert is stated of the states in which the event it judges is next in the inbox.
"""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import last_seq_num

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    implies,
    integer,
    invariant,
    size,
)


def _next_is(inbox: Expr, event: str) -> Expr:
    return conj(size(inbox) > 0, at(inbox, 0).event == event)


@invariant(
    "A log node is asked to append entries of growing sequence numbers.", node=VerifiedLog.LogNode
)
def AppendsInOrder(m: VerifiedLog, s: State, node: Expr) -> Expr:
    """LogNode, eAppendRequest: ``req.seqNum > `` that of the last entry."""
    inbox = s.logNodeInbox[node]

    def in_order(req: Expr) -> Expr:
        entries, status = s.logEntries[node][req.segment], s.logStatus[node][req.segment]
        return implies(
            conj(status == "SEG_OPEN", size(entries) > 0),
            req.seqNum > at(entries, size(entries) - 1),
        )

    return implies(_next_is(inbox, "eAppendRequest"), in_order(at(inbox, 0)))


@invariant(
    "A log node that ends a segment ends up with as many entries as it is told.",
    node=VerifiedLog.LogNode,
)
def EndSegmentFits(m: VerifiedLog, s: State, node: Expr) -> Expr:
    """LogNode, eEndSegment: ``sizeof(logEntries[segmentKey]) == req.numEntries``."""
    inbox = s.logNodeInbox[node]

    def fits(req: Expr) -> Expr:
        end = s.endSegments[req.segment][req.asker]
        return size(s.logEntries[node][req.segment]) + 1 >= end.numEntries

    return implies(_next_is(inbox, "eEndSegment"), fits(at(inbox, 0)))


@invariant(
    "A producer is refused only the entry that it is writing.", producer=VerifiedLog.Producer
)
def AppendIsAnswered(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    """Producer, eAppendResponse: ``response.status == APPEND_OK``."""
    inbox, me = s.producerInbox[producer], s.producers[producer]

    def ok(response: Expr) -> Expr:
        return implies(
            conj(me.state == "Produce", response.segment == me.currentSegmentId),
            disj(response.status == "APPEND_OK", response.seqNum == me.currentEntry),
        )

    return implies(_next_is(inbox, "eAppendResponse"), ok(at(inbox, 0)))


@invariant("A segment that a producer goes on with was opened.", producer=VerifiedLog.Producer)
def NewSegmentIsOpened(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    """Producer, eNewSegmentResponse: ``response.status`` is one of the two good ones."""
    inbox, me = s.producerInbox[producer], s.producers[producer]

    def good(response: Expr) -> Expr:
        return implies(
            conj(
                me.state == "InitNewSegment",
                response.segment == me.currentSegmentId + 1,
                response.producer == producer,
                response.status != "LOG_IN_TAKEOVER",
            ),
            disj(response.status == "NEW_SEG_OK", response.status == "NEW_SEG_ALREADY_APPENDED"),
        )

    return implies(_next_is(inbox, "eNewSegmentResponse"), good(at(inbox, 0)))


@invariant("Nobody knows a segment before the coordinator.")
def SegmentIsKnown(m: VerifiedLog, s: State) -> Expr:
    """Coordinator, IsLastSegment: ``logSegment + 1 <= sizeof(logs[logId])``."""
    inbox = s.coordinatorInbox
    asks = disj(_next_is(inbox, "eNewSegment"), _next_is(inbox, "eSuspendSegmentResponse"))
    return implies(asks, at(inbox, 0).segment < size(s.logs))


@invariant(
    "A consumer reads sequence numbers without gaps, but for where NEW begins.",
    place=VerifiedLog.Place,
)
def EntriesAreReadInOrder(m: VerifiedLog, s: State, place: Expr) -> Expr:
    """Consumer, eReadResponse: ``seqNum`` is the last one read or the next. P takes NEW to begin
    at a multiple of the number of entries; here the two producers' numbers may differ."""

    def in_order(entry: Expr) -> Expr:
        known = last_seq_num(s)
        return disj(entry == 0, entry == m.old_entries, entry == known, entry == known + 1)

    return implies(m.reads_ok(s, place), in_order(m.entry_read(s, place)))


@invariant("A producer without a segment hears of no append.", producer=VerifiedLog.Producer)
def EventsAreExpected(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    """P reports an event that a state neither handles nor ignores nor defers."""
    state = s.producers[producer].state
    return implies(
        disj(state == "Init", state == "TakeOverLog"),
        ~_next_is(s.producerInbox[producer], "eAppendResponse"),
    )


@invariant("The coordinator finds enough log nodes for another segment.")
def EnoughLogNodes(m: VerifiedLog, s: State) -> Expr:
    """P reports ``choose`` over an empty set."""
    return integer(m.log_nodes) - size(s.failedNodes) >= m.num_replicas


ASSERTS = (
    AppendsInOrder,
    EndSegmentFits,
    AppendIsAnswered,
    NewSegmentIsOpened,
    SegmentIsKnown,
    EntriesAreReadInOrder,
    EventsAreExpected,
    EnoughLogNodes,
)
