"""Words the properties of the verified log are written with."""

from bmc.encodings.verified_log import VerifiedLog

from bmc.lang import (
    Expr,
    Operand,
    State,
    at,
    conj,
    disj,
    exists,
    implies,
    ite,
    last,
    member,
    size,
)

Offset = VerifiedLog.Offset
SegmentId = VerifiedLog.SegmentId


def is_committed(s: State, entry: Expr) -> Expr:
    """Whether ``eLogEntryCommitted`` was announced of an entry, by whomever."""
    return exists(SegmentId, lambda segment: member(entry, s.committed[segment]))


def durable_in_coordinator(s: State, entry: Expr) -> Expr:
    """Whether ``eDurableInCoordinator`` was announced: a takeover has found the entry."""

    def found(segment: Expr) -> Expr:
        end = s.endSegments[segment]["TAKEOVER"]
        return conj(end.asked, end.numEntries > 0, end.lastEntry == entry)

    return exists(SegmentId, found)


def holds(s: State, node: Operand, segment: Operand, entry: Expr) -> Expr:
    """Whether a log node has an entry in a segment."""
    entries = s.logEntries[node][segment]
    return exists(Offset, lambda offset: conj(offset < size(entries), at(entries, offset) == entry))


def last_seq_num(s: State) -> Expr:
    """The consumer's ``lastSeqNum``."""
    return last(VerifiedLog.SeqNum, lambda entry: member(entry, s.consumer.consumed), -1)


def handled_latest_end(s: State, node: Expr, segment: Expr) -> Expr:
    """Whether a node that has closed a segment has handled the latest end that was decided: the
    takeover's if there is one, for a takeover opens the next segment at once."""
    return implies(s.endSegments[segment]["TAKEOVER"].asked, s.knowsTakeover[node][segment])


def owner(s: State, segment: Operand) -> Expr:
    """The producer that a segment was opened for."""
    return at(s.logs, segment).producer


def is_open(s: State, segment: Expr) -> Expr:
    """Whether the coordinator has a segment in its list."""
    return segment < size(s.logs)


def belongs_to(m: VerifiedLog, segment_owner: Expr, entry: Expr) -> Expr:
    """Whether an entry is one of those that a producer writes."""
    return ite(segment_owner == "OLD", entry < m.old_entries, entry >= m.old_entries)


def starts(s: State, producer: Operand) -> Expr:
    """Whether a producer has had no segment yet."""
    state = s.producers[producer].state
    return (state == "Init") | (state == "TakeOverLog")


def at_log_node(s: State, node: Operand, slot: Expr, event: str) -> Expr:
    """Whether a log node has such a message in this slot of its inbox."""
    inbox = s.logNodeInbox[node]
    return conj(slot < size(inbox), at(inbox, slot).event == event)


def at_coordinator(s: State, slot: Expr, event: str) -> Expr:
    """Whether the coordinator has such a message in this slot of its inbox."""
    inbox = s.coordinatorInbox
    return conj(slot < size(inbox), at(inbox, slot).event == event)


def at_producer(s: State, producer: Operand, slot: Expr, event: str) -> Expr:
    """Whether a producer has such a message in this slot of its inbox."""
    inbox = s.producerInbox[producer]
    return conj(slot < size(inbox), at(inbox, slot).event == event)


def was_sent(s: State, segment: Expr, entry: Operand) -> Expr:
    """Whether the owner of a segment is that far with it, or has left it."""
    me = s.producers[owner(s, segment)]
    stopped = (me.state == "Done") | (me.state == "halt")
    return disj(
        stopped,
        me.currentSegmentId > segment,
        conj(me.currentSegmentId == segment, entry <= me.currentEntry),
    )
