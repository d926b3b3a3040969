"""Lemmas on what log nodes hold, and on the requests that are still to come."""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import at_log_node, belongs_to, is_open, owner, was_sent

from bmc.lang import (
    Expr,
    Operand,
    State,
    at,
    conj,
    disj,
    implies,
    lemma,
    member,
    size,
)

GROUP = "appends"
LogNode = VerifiedLog.LogNode
Offset = VerifiedLog.Offset
SegmentId = VerifiedLog.SegmentId
Slot = VerifiedLog.LogNodeSlot


def _sends_to(s: State, node: Expr, segment: Expr, place: Operand) -> Expr:
    """The owner of a segment still has to send its current entry to this node."""
    me = s.producers[owner(s, segment)]
    return conj(
        me.currentSegmentId == segment,
        member(place, me.sending),
        at(s.logs, segment).logNodes[place] == node,
    )


def _takes_appends(s: State, node: Expr, segment: Expr) -> Expr:
    status = s.logStatus[node][segment]
    return disj(status == "SEG_NOT_INIT", status == "SEG_OPEN")


@lemma("requests to append come in order", GROUP, node=LogNode, one=Slot, two=Slot)
def appends_come_in_order(m: VerifiedLog, s: State, node: Expr, one: Expr, two: Expr) -> Expr:
    first, second = at(s.logNodeInbox[node], one), at(s.logNodeInbox[node], two)
    return implies(
        conj(
            one < two,
            at_log_node(s, node, one, "eAppendRequest"),
            at_log_node(s, node, two, "eAppendRequest"),
            first.segment == second.segment,
        ),
        first.seqNum < second.seqNum,
    )


@lemma(
    "a request to append is of a later entry than those held",
    GROUP,
    node=LogNode,
    slot=Slot,
    offset=Offset,
)
def appends_are_new(m: VerifiedLog, s: State, node: Expr, slot: Expr, offset: Expr) -> Expr:
    request = at(s.logNodeInbox[node], slot)
    entries = s.logEntries[node][request.segment]
    return implies(
        conj(
            at_log_node(s, node, slot, "eAppendRequest"),
            _takes_appends(s, node, request.segment),
            offset < size(entries),
        ),
        at(entries, offset) < request.seqNum,
    )


@lemma(
    "what is to be appended was sent by the segment's owner",
    GROUP,
    node=LogNode,
    slot=Slot,
    place=VerifiedLog.Place,
)
def appends_were_sent(m: VerifiedLog, s: State, node: Expr, slot: Expr, place: Expr) -> Expr:
    request = at(s.logNodeInbox[node], slot)
    return implies(
        at_log_node(s, node, slot, "eAppendRequest"),
        conj(
            was_sent(s, request.segment, request.seqNum),
            implies(
                _sends_to(s, node, request.segment, place),
                request.seqNum < s.producers[request.producer].currentEntry,
            ),
        ),
    )


@lemma(
    "entries are held of segments that were opened, and are the owner's",
    GROUP,
    node=LogNode,
    segment=SegmentId,
    offset=Offset,
)
def entries_are_the_owners(
    m: VerifiedLog, s: State, node: Expr, segment: Expr, offset: Expr
) -> Expr:
    entries = s.logEntries[node][segment]
    entry = at(entries, offset)
    return implies(
        offset < size(entries),
        conj(
            is_open(s, segment),
            belongs_to(m, owner(s, segment), entry),
            was_sent(s, segment, entry),
        ),
    )


@lemma(
    "what is still to be sent is held by nobody it is to be sent to",
    GROUP,
    node=LogNode,
    segment=SegmentId,
    offset=Offset,
    place=VerifiedLog.Place,
)
def entries_were_sent(
    m: VerifiedLog, s: State, node: Expr, segment: Expr, offset: Expr, place: Expr
) -> Expr:
    entries = s.logEntries[node][segment]
    return implies(
        conj(
            offset < size(entries),
            _takes_appends(s, node, segment),
            _sends_to(s, node, segment, place),
        ),
        at(entries, offset) < s.producers[owner(s, segment)].currentEntry,
    )


@lemma("entries are held in order", GROUP, node=LogNode, segment=SegmentId, one=Offset, two=Offset)
def entries_in_order(
    m: VerifiedLog, s: State, node: Expr, segment: Expr, one: Expr, two: Expr
) -> Expr:
    entries = s.logEntries[node][segment]
    return implies(conj(one < two, two < size(entries)), at(entries, one) < at(entries, two))


@lemma("log nodes have heard of segments that were opened", GROUP, node=LogNode, segment=SegmentId)
def heard_of_segments_that_were_opened(m: VerifiedLog, s: State, node: Expr, segment: Expr) -> Expr:
    return implies(s.logStatus[node][segment] != "SEG_NOT_INIT", is_open(s, segment))


APPENDS = (
    appends_come_in_order,
    appends_are_new,
    appends_were_sent,
    entries_are_the_owners,
    entries_were_sent,
    entries_in_order,
    heard_of_segments_that_were_opened,
)
