"""Lemmas on who knows which segment, and on what messages can say."""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import (
    at_coordinator,
    at_log_node,
    at_producer,
    belongs_to,
    is_open,
    owner,
    starts,
)

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    implies,
    is_some,
    ite,
    lemma,
    member,
    size,
    the,
)

GROUP = "control"
LogNode = VerifiedLog.LogNode
Place = VerifiedLog.Place
Producer = VerifiedLog.Producer
SegmentId = VerifiedLog.SegmentId


@lemma("the nodes of a segment are different ones", GROUP, segment=SegmentId, one=Place, two=Place)
def replicas_differ(m: VerifiedLog, s: State, segment: Expr, one: Expr, two: Expr) -> Expr:
    nodes = at(s.logs, segment).logNodes
    return implies(conj(is_open(s, segment), one < two), nodes[one] != nodes[two])


@lemma("a producer writes to a segment that was opened for it", GROUP, producer=Producer)
def producer_owns_its_segment(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    segment = s.producers[producer].currentSegmentId
    return implies(segment >= 0, conj(segment < size(s.logs), owner(s, segment) == producer))


@lemma("a producer's state says what it has", GROUP, producer=Producer)
def state_of_a_producer(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    me = s.producers[producer]
    first = ite(producer == "OLD", me.currentEntry == 0, me.currentEntry == m.old_entries)
    writes = disj(me.state == "Produce", me.state == "InitNewSegment")
    idle = conj(me.sending == frozenset(), me.appendAcks == frozenset())
    return conj(
        writes == (me.currentSegmentId >= 0),
        implies(starts(s, producer), conj(first, idle)),
        implies(me.sending != frozenset(), me.state == "Produce"),
        implies(writes, me.currentEntry < m.num_entries(producer)),
        implies(producer == "OLD", me.currentEntry <= m.old_entries),
        implies(producer == "NEW", me.currentEntry >= m.old_entries),
        implies(me.state == "InitNewSegment", me.sending == frozenset()),
    )


@lemma("a takeover in progress is of a segment that was opened", GROUP)
def takeover_of_an_open_segment(m: VerifiedLog, s: State) -> Expr:
    return conj(
        implies(is_some(s.currentLogTakeover), is_open(s, the(s.currentLogTakeover).segment)),
        implies(s.suspending != frozenset(), is_some(s.currentLogTakeover)),
        implies(s.acknowledging, size(s.logs) > 0),
    )


@lemma(
    "an end was asked for a segment that was opened",
    GROUP,
    segment=SegmentId,
    asker=VerifiedLog.Asker,
)
def end_of_an_open_segment(m: VerifiedLog, s: State, segment: Expr, asker: Expr) -> Expr:
    end = s.endSegments[segment][asker]
    told = disj(end.sending != frozenset(), end.unacknowledged != frozenset())
    return conj(
        implies(end.asked, is_open(s, segment)),
        implies(told, end.asked),
        implies(conj(end.asked, asker == "TAKEOVER"), segment + 1 < size(s.logs)),
    )


@lemma(
    "the coordinator is asked about segments that were opened",
    GROUP,
    slot=VerifiedLog.CoordinatorSlot,
)
def coordinator_is_asked_of_open_segments(m: VerifiedLog, s: State, slot: Expr) -> Expr:
    message = at(s.coordinatorInbox, slot)
    return conj(
        implies(
            at_coordinator(s, slot, "eNewSegment"),
            conj(is_open(s, message.segment), owner(s, message.segment) == message.producer),
        ),
        implies(
            disj(
                at_coordinator(s, slot, "eSuspendSegmentResponse"),
                at_coordinator(s, slot, "eEndSegmentResponse"),
            ),
            is_open(s, message.segment),
        ),
        implies(at_coordinator(s, slot, "eInformNodeFailure"), member(message.node, s.failed)),
    )


@lemma(
    "log nodes are told of segments that were opened",
    GROUP,
    node=LogNode,
    slot=VerifiedLog.LogNodeSlot,
)
def log_nodes_are_told_of_open_segments(m: VerifiedLog, s: State, node: Expr, slot: Expr) -> Expr:
    message = at(s.logNodeInbox[node], slot)
    return conj(
        implies(
            at_log_node(s, node, slot, "eAppendRequest"),
            conj(
                is_open(s, message.segment),
                owner(s, message.segment) == message.producer,
                belongs_to(m, message.producer, message.seqNum),
            ),
        ),
        implies(
            at_log_node(s, node, slot, "eEndSegment"),
            s.endSegments[message.segment][message.asker].asked,
        ),
        implies(at_log_node(s, node, slot, "eSuspendSegment"), is_open(s, message.segment)),
    )


@lemma(
    "producers are told of segments that were opened",
    GROUP,
    producer=Producer,
    slot=VerifiedLog.ProducerSlot,
)
def producers_are_told_of_open_segments(
    m: VerifiedLog, s: State, producer: Expr, slot: Expr
) -> Expr:
    response = at(s.producerInbox[producer], slot)
    opened = disj(response.status == "NEW_SEG_OK", response.status == "NEW_SEG_ALREADY_APPENDED")
    return conj(
        implies(
            at_producer(s, producer, slot, "eNewSegmentResponse"),
            conj(
                disj(opened, response.status == "LOG_IN_TAKEOVER"),
                implies(
                    opened,
                    conj(
                        response.segment < size(s.logs),
                        owner(s, response.segment) == response.producer,
                    ),
                ),
                implies(response.status == "NEW_SEG_OK", response.producer == producer),
            ),
        ),
        implies(
            at_producer(s, producer, slot, "eAppendResponse"),
            conj(
                ~starts(s, producer),
                belongs_to(m, producer, response.seqNum),
                disj(response.status == "APPEND_OK", response.status == "APPEND_SEG_CLOSED"),
            ),
        ),
    )


@lemma("a timer is not started more often than it may fire", GROUP)
def timers_fire(m: VerifiedLog, s: State) -> Expr:
    return conj(
        s.oldTimer.started <= s.oldTimer.left,
        s.newTimer.started <= s.newTimer.left,
        s.coordinatorTimer.started <= s.coordinatorTimer.left,
    )


@lemma("the coordinator knows of nodes that failed", GROUP, node=LogNode)
def known_failures(m: VerifiedLog, s: State, node: Expr) -> Expr:
    return conj(
        implies(member(node, s.failedNodes), member(node, s.failed)),
        implies(conj(is_some(s.unreported), the(s.unreported) == node), member(node, s.failed)),
        size(s.failed) <= m.node_failures,
    )


CONTROL = (
    replicas_differ,
    producer_owns_its_segment,
    state_of_a_producer,
    takeover_of_an_open_segment,
    end_of_an_open_segment,
    coordinator_is_asked_of_open_segments,
    log_nodes_are_told_of_open_segments,
    producers_are_told_of_open_segments,
    timers_fire,
    known_failures,
)
