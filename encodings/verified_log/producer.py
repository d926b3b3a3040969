"""Producer.p: append an entry to all nodes of the segment, or ask for another segment."""

from bmc.encodings.verified_log.network import Network

from bmc.lang import (
    BOOL,
    Expr,
    Operand,
    State,
    Step,
    action,
    coerce,
    conj,
    disj,
    exists,
    forall,
    implies,
    insert,
    ite,
    member,
    remove,
    size,
)


class Producer(Network):
    """``machine Producer``, twice: NEW takes the log over from OLD.

    A method named like a state is the state's entry. ``goto`` ends a handler. What a state
    ignores is handled by doing nothing.
    """

    def num_entries(self, producer: Operand) -> Expr:
        """Where a producer's entries end: OLD writes the first, NEW those after."""
        whole = coerce(self.old_entries + self.new_entries, self.NextSeqNum)
        return ite(coerce(producer, self.Producer) == "OLD", self.old_entries, whole)

    def old_is_producer(self, s: State) -> Expr:
        """Whether ``currentProducers`` of SingleActiveProducer still is OLD. It is NEW once NEW
        or, for a segment that is not empty, the coordinator has announced the takeover."""
        new = s.producers["NEW"].state
        return conj(
            disj(new == "Init", new == "TakeOverLog"),
            ~exists(
                self.SegmentId,
                lambda segment: conj(
                    s.endSegments[segment]["TAKEOVER"].asked,
                    s.endSegments[segment]["TAKEOVER"].numEntries > 0,
                ),
            ),
        )

    def TakeOverLog(self, s: Step, producer: Expr, drop: Expr) -> None:
        s.producers[producer].state = "TakeOverLog"
        self.start_producer_timer(s, producer)
        self.send_to_coordinator(s, self.to_coordinator("eTakeOverLog", producer=producer), drop)

    def InitNewSegment(self, s: Step, producer: Expr, drop: Expr) -> None:
        """``lastEntry`` is never assigned in P, so it is 0."""
        me = s.producers[producer]
        me.state = "InitNewSegment"
        self.start_producer_timer(s, producer)
        request = self.to_coordinator(
            "eNewSegment",
            segment=me.currentSegmentId,
            numEntries=me.currentSegmentEntries,
            producer=producer,
        )
        self.send_to_coordinator(s, request, drop)

    def Produce(
        self, s: Step, producer: Expr, segment: Expr, currentEntry: Expr, drop: Expr
    ) -> None:
        me = s.producers[producer]
        me.state = "Produce"
        me.currentSegmentId = segment
        me.sending = self.others()
        s.highestPossibleCommit = ite(
            conj(producer == "OLD", self.old_is_producer(s)), currentEntry, s.highestPossibleCommit
        )
        self.start_producer_timer(s, producer)
        self.send_append(s, producer, segment, currentEntry, 0, drop)

    def send_append(
        self,
        s: Step,
        producer: Expr,
        segment: Expr,
        currentEntry: Expr,
        place: Operand,
        drop: Expr,
    ) -> None:
        request = self.to_log_node(
            "eAppendRequest", segment=segment, producer=producer, seqNum=currentEntry
        )
        self.send_to_log_node(s, self.node_at(s, segment, place), request, drop)

    @action(fairness="weak", producer=Network.Producer, place=Network.Place, drop=BOOL)
    def Producer_sends_eAppendRequest(
        self, s: Step, producer: Expr, place: Expr, drop: Expr
    ) -> None:
        me = s.producers[producer]
        s.require(member(place, me.sending))
        s.require(forall(self.Place, lambda to: implies(to < place, ~member(to, me.sending))))
        self.send_append(s, producer, me.currentSegmentId, me.currentEntry, place, drop)
        me.sending = remove(me.sending, place)

    @action(fairness="weak", producer=Network.Producer, drop=BOOL)
    def Producer_eProducerTakeOverLog(self, s: Step, producer: Expr, drop: Expr) -> None:
        """A producer's start; NEW's when OLD has taken over, as CreateProducers makes sure by
        asking it (``eTookOverLog``)."""
        old = s.producers["OLD"].state
        s.require(self.turn(s), s.producers[producer].state == "Init")
        s.require(implies(producer == "NEW", conj(old != "Init", old != "TakeOverLog")))
        self.TakeOverLog(s, producer, drop)

    @action(fairness="weak", producer=Network.Producer, drop=BOOL)
    def Producer_eNewSegmentResponse(self, s: Step, producer: Expr, drop: Expr) -> None:
        """Its assert is ``NewSegmentIsOpened``."""
        response = self.producer_hears(s, producer, "eNewSegmentResponse")
        me = s.producers[producer]
        taken_over = conj(me.state == "TakeOverLog", response.status == "NEW_SEG_OK")
        next_segment = response.segment == me.currentSegmentId + 1
        answered = conj(me.state == "InitNewSegment", next_segment)
        lost = disj(response.status == "LOG_IN_TAKEOVER", response.producer != producer)
        with s.either():
            s.require(~taken_over, ~answered, ~drop)
            self.producer_goes_on(s, producer)
        with s.either():
            s.require(answered, lost, ~drop)
            self.halt(s, producer)
        with s.either():
            s.require(taken_over | conj(answered, ~lost))
            self.producer_goes_on(s, producer)
            me.currentSegmentEntries = 0
            self.Produce(s, producer, response.segment, me.currentEntry, drop)

    def halt(self, s: Step, producer: Expr) -> None:
        s.producers[producer].state = "halt"
        self.forget_producer(s, producer)

    @action(fairness="weak", producer=Network.Producer, drop=BOOL)
    def Producer_eAppendResponse(self, s: Step, producer: Expr, drop: Expr) -> None:
        """Its assert is ``AppendIsAnswered``. Acknowledgements that are left when a segment is
        found closed are kept, and those of earlier entries are counted, as in P."""
        response = self.producer_hears(s, producer, "eAppendResponse")
        me = s.producers[producer]
        ours = conj(me.state == "Produce", response.segment == me.currentSegmentId)
        closed = conj(response.status == "APPEND_SEG_CLOSED", response.seqNum == me.currentEntry)
        appendAcks = insert(me.appendAcks, response.node)
        complete = self.is_replicated(appendAcks)
        done = me.currentEntry + 1 == self.num_entries(producer)
        with s.either():
            s.require(~ours, ~drop)
            self.producer_goes_on(s, producer)
        with s.either():
            s.require(ours, closed)
            self.producer_goes_on(s, producer)
            self.InitNewSegment(s, producer, drop)
        with s.either():
            s.require(ours, ~closed, ~complete, ~drop)
            self.producer_goes_on(s, producer)
            me.appendAcks = appendAcks
        with s.either():
            s.require(ours, ~closed, complete, done, ~drop)
            self.announce(s, producer, response)
            me.state = "Done"
            self.forget_producer(s, producer)
        with s.either():
            s.require(ours, ~closed, complete, ~done)
            self.producer_goes_on(s, producer)
            self.announce(s, producer, response)
            me.appendAcks = frozenset()
            me.currentSegmentEntries = me.currentSegmentEntries + 1
            self.Produce(s, producer, me.currentSegmentId, me.currentEntry + 1, drop)

    def is_replicated(self, appendAcks: Expr) -> Expr:
        return size(appendAcks) >= self.num_replicas

    def announce(self, s: Step, producer: Expr, response: Expr) -> None:
        """``announce eLogEntryCommitted``, and on to the next entry."""
        me = s.producers[producer]
        me.currentEntry = me.currentEntry + 1
        committed = s.committed[me.currentSegmentId]
        s.committed[me.currentSegmentId] = insert(committed, response.seqNum)

    @action(fairness="weak", producer=Network.Producer, drop=BOOL)
    def Producer_eTimeOut(self, s: Step, producer: Expr, drop: Expr) -> None:
        _ = self.producer_receives(s, producer, "eTimeOut")
        me = s.producers[producer]
        with s.either():
            s.require(me.state == "TakeOverLog")
            self.TakeOverLog(s, producer, drop)
        with s.either():
            s.require(me.state == "Produce")
            me.appendAcks = frozenset()
            self.InitNewSegment(s, producer, drop)
        with s.either():
            s.require(me.state == "InitNewSegment")
            self.InitNewSegment(s, producer, drop)
