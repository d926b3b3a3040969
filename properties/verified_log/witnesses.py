"""States that must be reachable, so that nothing is true for want of cases."""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import holds, is_committed

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    filtered,
    member,
    size,
    witness,
)

SeqNum = VerifiedLog.SeqNum
LogNode = VerifiedLog.LogNode
SegmentId = VerifiedLog.SegmentId


@witness("an entry is committed", entry=SeqNum)
def EntryCommitted(m: VerifiedLog, s: State, entry: Expr) -> Expr:
    return is_committed(s, entry)


@witness("a log node has closed a segment that holds an entry", node=LogNode, segment=SegmentId)
def SegmentClosed(m: VerifiedLog, s: State, node: Expr, segment: Expr) -> Expr:
    return conj(s.logStatus[node][segment] == "SEG_CLOSED", size(s.logEntries[node][segment]) > 0)


@witness("NEW has taken over a log that OLD still writes")
def TakenOver(m: VerifiedLog, s: State) -> Expr:
    old, new = s.producers["OLD"].state, s.producers["NEW"].state
    return conj(old == "Produce", new == "Produce")


@witness("a log node that is up has stored an entry and cut it off", node=LogNode, entry=SeqNum)
def EntryTruncated(m: VerifiedLog, s: State, node: Expr, entry: Expr) -> Expr:
    return conj(
        s.isUp[node],
        member(node, s.stored[entry]),
        ~exists(SegmentId, lambda segment: holds(s, node, segment, entry)),
    )


@witness("the consumer has read an entry", entry=SeqNum)
def EntryConsumed(m: VerifiedLog, s: State, entry: Expr) -> Expr:
    return member(entry, s.consumer.consumed)


@witness("the consumer has read all entries of NEW but the last")
def AllLogEntriesConsumed(m: VerifiedLog, s: State) -> Expr:
    """The cold state of ``spec Progress``.

    The monitor claims that it is *always* reached at last, if timers keep firing and messages are
    not lost for ever. With so many timeouts and losses as the parameters allow that is Progress;
    what is decided here is that it can be reached.
    """
    read = filtered(
        SeqNum, lambda entry: conj(entry >= m.old_entries, member(entry, s.consumer.consumed))
    )
    writes = disj(s.producers["NEW"].state == "Produce", s.producers["NEW"].state == "Done")
    return conj(writes, size(read) >= m.new_entries - 1)


WITNESSES = (
    EntryCommitted,
    SegmentClosed,
    TakenOver,
    EntryTruncated,
    EntryConsumed,
    AllLogEntriesConsumed,
)
