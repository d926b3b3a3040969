"""Consumer.p together with LogNode's ``eReadRequest``: one step reads once.

A read changes nothing but the consumer, an answer that comes late is either for another position
(and ignored) or for the one the consumer has been at all along, and what is lost is asked for
again. So a read at the moment when the log node handles it is as good as all its messages.
"""

from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    Expr,
    State,
    Step,
    action,
    at,
    conj,
    disj,
    insert,
    size,
)


class Consumer(Network):
    """``machine Consumer``; it never stops. READ_NO_MORE_ENTRIES is no step.

    Of the entries it has read, ``lastSeqNum`` is the greatest.
    """

    def can_ask(self, s: State, place: Expr) -> Expr:
        """Whether there is a node at this place of the segment that the consumer reads."""
        segment = s.consumer.currentSegmentId
        return conj(segment < size(s.logs), s.isUp[self.node_at(s, segment, place)])

    def entries_at(self, s: State, place: Expr) -> Expr:
        """What that node holds of the segment."""
        segment = s.consumer.currentSegmentId
        return s.logEntries[self.node_at(s, segment, place)][segment]

    def is_closed_at(self, s: State, place: Expr) -> Expr:
        """Whether that node knows that the segment is closed."""
        segment = s.consumer.currentSegmentId
        return s.logStatus[self.node_at(s, segment, place)][segment] == "SEG_CLOSED"

    def reads_ok(self, s: State, place: Expr) -> Expr:
        """READ_OK: the last entry of a segment is told only once the segment is closed."""
        after = s.consumer.currentOffset + 1
        held = size(self.entries_at(s, place))
        return conj(
            self.can_ask(s, place),
            disj(after < held, conj(after == held, self.is_closed_at(s, place))),
        )

    def entry_read(self, s: State, place: Expr) -> Expr:
        """``response.seqNum`` of READ_OK."""
        return at(self.entries_at(s, place), s.consumer.currentOffset)

    @action(fairness="weak", place=Network.Place)
    def Consumer_reads(self, s: Step, place: Expr) -> None:
        """``place`` is chosen among the nodes. Its assert is ``EntriesAreReadInOrder``."""
        consumer = s.consumer
        with s.either():
            s.require(self.reads_ok(s, place))
            consumer.currentOffset = consumer.currentOffset + 1
            consumer.consumed = insert(consumer.consumed, self.entry_read(s, place))
        with s.either():
            # READ_NEW_SEGMENT
            s.require(self.can_ask(s, place), self.is_closed_at(s, place))
            s.require(size(self.entries_at(s, place)) <= consumer.currentOffset)
            consumer.currentSegmentId = consumer.currentSegmentId + 1
            consumer.currentOffset = 0
