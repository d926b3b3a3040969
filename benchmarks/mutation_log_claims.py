"""What the machines of the verified log may conclude from what they hold and hear.

The P program states none of these. A fault in a handler that spoils neither what is committed nor
what is read violates them.
"""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import at_coordinator, at_producer

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    exists,
    implies,
    invariant,
    is_some,
    member,
    size,
    step_invariant,
    the,
)

LogNode = VerifiedLog.LogNode
Producer = VerifiedLog.Producer
SegmentId = VerifiedLog.SegmentId


@invariant("Only nodes that failed are down, and they hold nothing.", node=LogNode)
def DownNodesHoldNothing(m: VerifiedLog, s: State, node: Expr) -> Expr:
    def blank(segment: Expr) -> Expr:
        return conj(
            size(s.logEntries[node][segment]) == 0,
            s.logStatus[node][segment] == "SEG_NOT_INIT",
            ~s.knowsTakeover[node][segment],
        )

    nothing = conj(
        size(s.logNodeInbox[node]) == 0, ~exists(SegmentId, lambda segment: ~blank(segment))
    )
    return implies(~s.isUp[node], conj(member(node, s.failed), nothing))


@invariant(
    "A segment of which a node holds entries is not new to it.", node=LogNode, segment=SegmentId
)
def HeldSegmentsAreKnown(m: VerifiedLog, s: State, node: Expr, segment: Expr) -> Expr:
    return implies(
        size(s.logEntries[node][segment]) > 0, s.logStatus[node][segment] != "SEG_NOT_INIT"
    )


def taken_over(s: State, segment: Expr) -> Expr:
    """Whether the coordinator has told nodes of a takeover of a segment."""
    takeover = s.currentLogTakeover
    return disj(
        conj(is_some(takeover), the(takeover).segment == segment),
        s.endSegments[segment]["TAKEOVER"].asked,
    )


@invariant("A segment is suspended only for a takeover.", node=LogNode, segment=SegmentId)
def SuspendedForATakeover(m: VerifiedLog, s: State, node: Expr, segment: Expr) -> Expr:
    return implies(s.logStatus[node][segment] == "SEG_SUSPENDED", taken_over(s, segment))


@invariant(
    "A node that says what a segment holds takes no more entries of it, unless it has failed.",
    slot=VerifiedLog.CoordinatorSlot,
)
def AnsweredSegmentsTakeNoMore(m: VerifiedLog, s: State, slot: Expr) -> Expr:
    """Or another node of the segment has."""
    segment = at(s.coordinatorInbox, slot).segment
    holds_still = exists(
        LogNode, lambda node: disj(~s.isUp[node], m.refuses_appends(s.logStatus[node][segment]))
    )
    return implies(at_coordinator(s, slot, "eSuspendSegmentResponse"), holds_still)


@invariant(
    "A segment that only a takeover has ended was closed by it.", node=LogNode, segment=SegmentId
)
def TakeoversAreRemembered(m: VerifiedLog, s: State, node: Expr, segment: Expr) -> Expr:
    return implies(
        conj(s.logStatus[node][segment] == "SEG_CLOSED", ~s.endSegments[segment]["PRODUCER"].asked),
        s.knowsTakeover[node][segment],
    )


@invariant("Once a takeover has ended a segment it is over.")
def TakeoversEnd(m: VerifiedLog, s: State) -> Expr:
    takeover = s.currentLogTakeover
    return implies(is_some(takeover), ~s.endSegments[the(takeover).segment]["TAKEOVER"].asked)


@invariant("Another segment is opened only when the one before it was ended.", segment=SegmentId)
def SegmentsAreEnded(m: VerifiedLog, s: State, segment: Expr) -> Expr:
    ends = s.endSegments[segment]
    return implies(segment + 1 < size(s.logs), disj(ends["PRODUCER"].asked, ends["TAKEOVER"].asked))


@invariant("A takeover is for the producer that asks, from another.")
def TakeoversAreFromAnother(m: VerifiedLog, s: State) -> Expr:
    takeover = s.currentLogTakeover
    return implies(
        is_some(takeover), at(s.logs, the(takeover).segment).producer != the(takeover).producer
    )


@invariant("A producer that is done has committed all its entries.", producer=Producer)
def DoneIsCommitted(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    me = s.producers[producer]
    return conj(
        implies(me.state == "Done", me.currentEntry == m.num_entries(producer)),
        ~exists(
            m.SeqNum,
            lambda entry: conj(
                me.state == "Done",
                _writes(m, producer, entry),
                ~exists(SegmentId, lambda segment: member(entry, s.committed[segment])),
            ),
        ),
    )


def _writes(m: VerifiedLog, producer: Expr, entry: Expr) -> Expr:
    return conj(entry < m.num_entries(producer), disj(producer == "OLD", entry >= m.old_entries))


@invariant("A producer halts only once another has the log.", producer=Producer)
def HaltedForAnother(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    """It is told so by the coordinator."""
    return implies(
        s.producers[producer].state == "halt",
        exists(
            SegmentId, lambda segment: disj(taken_over(s, segment), _others(s, producer, segment))
        ),
    )


def _others(s: State, producer: Expr, segment: Expr) -> Expr:
    return conj(segment < size(s.logs), at(s.logs, segment).producer != producer)


@step_invariant("A consumer reads each segment from its beginning, and on until it passes it.")
def ConsumersGoOnInOrder(m: VerifiedLog, s: State, t: State) -> Expr:
    before, after = s.consumer, t.consumer
    passed = after.currentSegmentId != before.currentSegmentId
    return conj(
        implies(before.consumed != after.consumed, after.currentOffset > before.currentOffset),
        implies(passed, after.currentOffset == 0),
        implies(after.currentOffset < before.currentOffset, passed),
    )


@step_invariant(
    "Whoever is sent an answer, what it answers is gone from the inbox.", producer=Producer
)
def AnswersAreToWhatIsHandled(m: VerifiedLog, s: State, t: State, producer: Expr) -> Expr:
    """A message of another machine to a producer costs one of that machine's, or is a broadcast."""
    grew = size(t.producerInbox[producer]) > size(s.producerInbox[producer])
    told = exists(
        VerifiedLog.ProducerSlot,
        lambda slot: conj(
            slot == size(s.producerInbox[producer]),
            at_producer(t, producer, slot, "eNewSegmentResponse"),
        ),
    )
    return implies(
        conj(grew, told),
        disj(size(t.coordinatorInbox) < size(s.coordinatorInbox), s.acknowledging),
    )


LOG_CLAIMS = (
    DownNodesHoldNothing,
    HeldSegmentsAreKnown,
    SuspendedForATakeover,
    AnsweredSegmentsTakeNoMore,
    TakeoversAreRemembered,
    TakeoversEnd,
    SegmentsAreEnded,
    TakeoversAreFromAnother,
    DoneIsCommitted,
    HaltedForAnother,
    ConsumersGoOnInOrder,
    AnswersAreToWhatIsHandled,
)

__all__ = ["LOG_CLAIMS"]
