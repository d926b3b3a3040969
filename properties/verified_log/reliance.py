"""What a user of the log relies on, and the monitors do not check."""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import handled_latest_end

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    implies,
    invariant,
    member,
    size,
    step_invariant,
)

LogNode = VerifiedLog.LogNode
SegmentId = VerifiedLog.SegmentId


@invariant(
    "Closed replicas of a segment that know the latest decision on its end hold the same entries.",
    one=LogNode,
    other=LogNode,
    segment=SegmentId,
)
def ClosedReplicasAgree(m: VerifiedLog, s: State, one: Expr, other: Expr, segment: Expr) -> Expr:
    def closed(node: Expr) -> Expr:
        return conj(
            s.isUp[node],
            s.logStatus[node][segment] == "SEG_CLOSED",
            handled_latest_end(s, node, segment),
        )

    return implies(
        conj(closed(one), closed(other)),
        s.logEntries[one][segment] == s.logEntries[other][segment],
    )


@step_invariant(
    "An entry announced as committed is never cut from a replica that is closed.",
    node=LogNode,
    segment=SegmentId,
    offset=VerifiedLog.Offset,
)
def CommittedNotTruncated(
    m: VerifiedLog, s: State, t: State, node: Expr, segment: Expr, offset: Expr
) -> Expr:
    """A log node that fails takes its entries with it; that is no truncation."""
    before, after = s.logEntries[node][segment], t.logEntries[node][segment]
    return implies(
        conj(
            t.isUp[node],
            s.logStatus[node][segment] == "SEG_CLOSED",
            offset < size(before),
            member(at(before, offset), s.committed[segment]),
        ),
        offset < size(after),
    )


@invariant(
    "A consumer that has passed a segment has seen each of its committed entries.",
    segment=SegmentId,
)
def ConsumerSeesCommitted(m: VerifiedLog, s: State, segment: Expr) -> Expr:
    return implies(
        segment < s.consumer.currentSegmentId, s.committed[segment] <= s.consumer.consumed
    )


@step_invariant(
    "What is decided on the end of a segment is never changed.",
    segment=SegmentId,
    asker=VerifiedLog.Asker,
)
def EndSegmentsNeverChange(m: VerifiedLog, s: State, t: State, segment: Expr, asker: Expr) -> Expr:
    """So a message may name the decision instead of carrying it."""
    before, after = s.endSegments[segment][asker], t.endSegments[segment][asker]
    return implies(
        before.asked,
        conj(
            after.asked,
            after.numEntries == before.numEntries,
            after.lastEntry == before.lastEntry,
            after.newProducer == before.newProducer,
        ),
    )


RELIANCE = (
    ClosedReplicasAgree,
    CommittedNotTruncated,
    ConsumerSeesCommitted,
    EndSegmentsNeverChange,
)
