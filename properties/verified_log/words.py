"""Words the properties of the verified log are written with."""

from bmc.encodings.verified_log import VerifiedLog

from bmc.lang import Expr, Operand, State, Term, at, conj, exists, implies, last, member, size

Offset = VerifiedLog.Offset
SegmentId = VerifiedLog.SegmentId


def is_committed(s: State, entry: Expr) -> Term:
    """Whether ``eLogEntryCommitted`` was announced of an entry, by whomever."""
    return exists(SegmentId, lambda segment: member(entry, s.committed[segment]))


def durable_in_coordinator(s: State, entry: Expr) -> Term:
    """Whether ``eDurableInCoordinator`` was announced: a takeover has found the entry."""

    def found(segment: Expr) -> Term:
        end = s.endSegments[segment]["TAKEOVER"]
        return conj(end.asked, end.numEntries > 0, end.lastEntry == entry)

    return exists(SegmentId, found)


def holds(s: State, node: Operand, segment: Operand, entry: Expr) -> Term:
    """Whether a log node has an entry in a segment."""
    entries = s.logEntries[node][segment]
    return exists(Offset, lambda offset: conj(offset < size(entries), at(entries, offset) == entry))


def last_seq_num(s: State) -> Term:
    """The consumer's ``lastSeqNum``."""
    return last(VerifiedLog.SeqNum, lambda entry: member(entry, s.consumer.consumed), -1)


def handled_latest_end(s: State, node: Expr, segment: Expr) -> Term:
    """Whether a node that has closed a segment has handled the latest end that was decided: the
    takeover's if there is one, for a takeover opens the next segment at once."""
    return implies(s.endSegments[segment]["TAKEOVER"].asked, s.knowsTakeover[node][segment])
