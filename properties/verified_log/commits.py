"""Lemmas on what is committed, where each producer writes one entry.

Then a producer has committed nothing while it asks for another segment, and each segment has at
most one entry.
"""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import (
    at_coordinator,
    at_log_node,
    at_producer,
    belongs_to,
    is_committed,
    owner,
    starts,
    was_sent,
)

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    implies,
    is_none,
    lemma,
    member,
    size,
)

GROUP = "commits"
LogNode = VerifiedLog.LogNode
Offset = VerifiedLog.Offset
Producer = VerifiedLog.Producer
SegmentId = VerifiedLog.SegmentId


@lemma("who still writes has committed nothing", GROUP, producer=Producer)
def nothing_committed_yet(m: VerifiedLog, s: State, producer: Expr) -> Expr:
    return s.producers[producer].currentSegmentEntries == 0


@lemma(
    "a producer's request ends a segment before its entry", GROUP, slot=VerifiedLog.CoordinatorSlot
)
def requested_ends_are_empty(m: VerifiedLog, s: State, slot: Expr) -> Expr:
    message = at(s.coordinatorInbox, slot)
    return implies(
        at_coordinator(s, slot, "eNewSegment"),
        conj(message.numEntries == 0, message.lastEntry == 0),
    )


@lemma("an end that a producer asked for is before its entry", GROUP, segment=SegmentId)
def asked_ends_are_empty(m: VerifiedLog, s: State, segment: Expr) -> Expr:
    end = s.endSegments[segment]["PRODUCER"]
    asked_by_the_owner = implies(end.asked, end.newProducer == owner(s, segment))
    return conj(end.numEntries == 0, end.lastEntry == 0, asked_by_the_owner)


@lemma(
    "a takeover's end is after an entry of the owner that is committed", GROUP, segment=SegmentId
)
def takeovers_commit(m: VerifiedLog, s: State, segment: Expr) -> Expr:
    end = s.endSegments[segment]["TAKEOVER"]
    return conj(
        end.numEntries <= 1,
        implies(end.numEntries > 0, end.asked),
        implies(
            end.numEntries > 0,
            conj(
                is_committed(s, end.lastEntry),
                belongs_to(m, owner(s, segment), end.lastEntry),
                was_sent(s, segment, end.lastEntry),
            ),
        ),
    )


@lemma("a suspended log node tells its last entry", GROUP, slot=VerifiedLog.CoordinatorSlot)
def last_entry_is_the_owners(m: VerifiedLog, s: State, slot: Expr) -> Expr:
    message = at(s.coordinatorInbox, slot)
    return implies(
        at_coordinator(s, slot, "eSuspendSegmentResponse"),
        conj(
            message.numEntries <= 1,
            implies(
                message.numEntries > 0,
                conj(
                    belongs_to(m, owner(s, message.segment), message.lastEntry),
                    was_sent(s, message.segment, message.lastEntry),
                ),
            ),
        ),
    )


@lemma(
    "what a closed segment holds is committed",
    GROUP,
    node=LogNode,
    segment=SegmentId,
    offset=Offset,
)
def closed_entries_are_committed(
    m: VerifiedLog, s: State, node: Expr, segment: Expr, offset: Expr
) -> Expr:
    entries = s.logEntries[node][segment]
    return implies(
        conj(offset < size(entries), s.logStatus[node][segment] == "SEG_CLOSED"),
        is_committed(s, at(entries, offset)),
    )


@lemma(
    "an answer to an append tells where the entry is stored",
    GROUP,
    producer=Producer,
    slot=VerifiedLog.ProducerSlot,
)
def answers_tell_what_is_stored(m: VerifiedLog, s: State, producer: Expr, slot: Expr) -> Expr:
    response = at(s.producerInbox[producer], slot)
    return implies(
        conj(at_producer(s, producer, slot, "eAppendResponse"), response.status == "APPEND_OK"),
        member(response.node, s.stored[response.seqNum]),
    )


@lemma("acknowledged entries are stored", GROUP, producer=Producer, entry=VerifiedLog.SeqNum)
def acknowledged_is_stored(m: VerifiedLog, s: State, producer: Expr, entry: Expr) -> Expr:
    me = s.producers[producer]
    return implies(belongs_to(m, producer, entry), me.appendAcks <= s.stored[entry])


@lemma("OLD was the producer when it sent its first entry", GROUP)
def old_sent_first(m: VerifiedLog, s: State) -> Expr:
    return implies(~starts(s, "OLD"), s.highestPossibleCommit >= 0)


@lemma("NEW starts when OLD has taken the log over", GROUP)
def new_waits_for_old(m: VerifiedLog, s: State) -> Expr:
    return implies(starts(s, "OLD"), s.producers["NEW"].state == "Init")


@lemma("before NEW starts there is no takeover", GROUP, segment=SegmentId)
def no_takeover_before_new(m: VerifiedLog, s: State, segment: Expr) -> Expr:
    return implies(
        s.producers["NEW"].state == "Init",
        conj(
            is_none(s.currentLogTakeover),
            ~s.endSegments[segment]["TAKEOVER"].asked,
            s.endSegments[segment]["PRODUCER"].newProducer == "OLD",
            implies(segment < size(s.logs), owner(s, segment) == "OLD"),
        ),
    )


@lemma(
    "before NEW starts the coordinator is sent nothing of it",
    GROUP,
    slot=VerifiedLog.CoordinatorSlot,
)
def no_message_before_new(m: VerifiedLog, s: State, slot: Expr) -> Expr:
    message = at(s.coordinatorInbox, slot)
    return implies(
        conj(s.producers["NEW"].state == "Init", slot < size(s.coordinatorInbox)),
        conj(message.producer == "OLD", message.event != "eSuspendSegmentResponse"),
    )


@lemma(
    "before NEW starts no segment is suspended", GROUP, node=LogNode, slot=VerifiedLog.LogNodeSlot
)
def no_suspension_before_new(m: VerifiedLog, s: State, node: Expr, slot: Expr) -> Expr:
    return implies(
        s.producers["NEW"].state == "Init", ~at_log_node(s, node, slot, "eSuspendSegment")
    )


COMMITS = (
    nothing_committed_yet,
    requested_ends_are_empty,
    asked_ends_are_empty,
    takeovers_commit,
    last_entry_is_the_owners,
    closed_entries_are_committed,
    answers_tell_what_is_stored,
    acknowledged_is_stored,
    old_sent_first,
    new_waits_for_old,
    no_takeover_before_new,
    no_message_before_new,
    no_suspension_before_new,
)
