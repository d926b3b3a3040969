"""Lemmas on the ends of segments, true where an end is decided once: of the repaired protocol."""

from bmc.encodings.verified_log import VerifiedLog

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    implies,
    lemma,
    size,
)

GROUP = "ends"
SegmentId = VerifiedLog.SegmentId


@lemma("a segment has one end", GROUP, segment=SegmentId)
def ends_are_decided_once(m: VerifiedLog, s: State, segment: Expr) -> Expr:
    ends = s.endSegments[segment]
    return ~conj(ends["PRODUCER"].asked, ends["TAKEOVER"].asked)


@lemma(
    "who has closed a segment was told its end", GROUP, node=VerifiedLog.LogNode, segment=SegmentId
)
def closed_at_an_end(m: VerifiedLog, s: State, node: Expr, segment: Expr) -> Expr:
    ends = s.endSegments[segment]
    return implies(
        s.logStatus[node][segment] == "SEG_CLOSED",
        disj(ends["PRODUCER"].asked, ends["TAKEOVER"].asked),
    )


@lemma(
    "a closed segment has as many entries as its end says",
    GROUP,
    node=VerifiedLog.LogNode,
    segment=SegmentId,
    asker=VerifiedLog.Asker,
)
def closed_at_the_end(m: VerifiedLog, s: State, node: Expr, segment: Expr, asker: Expr) -> Expr:
    end = s.endSegments[segment][asker]
    return implies(
        conj(s.logStatus[node][segment] == "SEG_CLOSED", end.asked),
        size(s.logEntries[node][segment]) == end.numEntries,
    )


ENDS = (ends_are_decided_once, closed_at_an_end, closed_at_the_end)
