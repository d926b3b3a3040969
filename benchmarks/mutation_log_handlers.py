"""What a machine of the verified log does with the message that it takes from its inbox.

Steps in which it has no such effect swallow a message, answer another one, or answer nobody.
"""

from bmc.encodings.verified_log import VerifiedLog

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    exists,
    implies,
    insert,
    is_none,
    is_some,
    ite,
    member,
    size,
    step_invariant,
    the,
)

LogNode = VerifiedLog.LogNode
Producer = VerifiedLog.Producer


def _grew(before: Expr, after: Expr) -> Expr:
    return size(after) > size(before)


def _was_lost(s: State, t: State) -> Expr:
    return t.dropsLeft < s.dropsLeft


def _reached(m: VerifiedLog, s: State, t: State, producer: Expr) -> Expr:
    """Whether a producer was sent something, which may be lost."""
    grew = _grew(s.producerInbox[producer], t.producerInbox[producer])
    return disj(grew, _was_lost(s, t), m.gone(s, producer))


def _told(m: VerifiedLog, s: State, t: State, segment: Expr) -> Expr:
    """Whether the first node of a segment was sent something, which may be lost."""
    node = m.node_at(s, segment, 0)
    return disj(_grew(s.logNodeInbox[node], t.logNodeInbox[node]), _was_lost(s, t), ~s.isUp[node])


@step_invariant("What the coordinator takes from its inbox it does something about.")
def CoordinatorActs(m: VerifiedLog, s: State, t: State) -> Expr:
    return implies(
        size(t.coordinatorInbox) < size(s.coordinatorInbox),
        conj(
            *(
                implies(at(s.coordinatorInbox, 0).event == event, acts(m, s, t))
                for event, acts in _COORDINATOR.items()
            )
        ),
    )


def _new_segment(m: VerifiedLog, s: State, t: State) -> Expr:
    req, taken = at(s.coordinatorInbox, 0), is_some(s.currentLogTakeover)
    inbox = t.producerInbox[req.producer]
    answer = at(inbox, size(inbox) - 1).status
    return ite(
        conj(~taken, m.IsLastSegment(s, req.segment)),
        conj(t.endSegments[req.segment]["PRODUCER"].asked, _told(m, s, t, req.segment)),
        conj(
            _reached(m, s, t, req.producer),
            implies(
                _grew(s.producerInbox[req.producer], inbox),
                (answer == "LOG_IN_TAKEOVER") == taken,
            ),
        ),
    )


def _take_over(m: VerifiedLog, s: State, t: State) -> Expr:
    req, last = at(s.coordinatorInbox, 0), size(s.logs) - 1
    retry = conj(is_some(s.currentLogTakeover), the(s.currentLogTakeover).segment == last)
    now = t.currentLogTakeover
    begun = conj(is_some(now), the(now).producer == req.producer, _told(m, s, t, last))
    return ite(
        size(s.logs) == 0,
        conj(size(t.logs) == 1, _reached(m, s, t, req.producer)),
        disj(
            retry,
            ite(
                at(s.logs, last).producer == req.producer,
                _reached(m, s, t, req.producer),
                begun,
            ),
        ),
    )


def _suspended(m: VerifiedLog, s: State, t: State) -> Expr:
    req = at(s.coordinatorInbox, 0)
    return ite(
        conj(m.IsLastSegment(s, req.segment), is_some(s.currentLogTakeover)),
        conj(
            is_none(t.currentLogTakeover),
            size(t.logs) > size(s.logs),
            _told(m, s, t, req.segment),
        ),
        conj(s.logs == t.logs, s.endSegments == t.endSegments),
    )


def _ended(m: VerifiedLog, s: State, t: State) -> Expr:
    req = at(s.coordinatorInbox, 0)
    return ite(
        m.IsLastSegment(s, req.segment),
        conj(size(t.logs) > size(s.logs), _reached(m, s, t, req.producer)),
        s.logs == t.logs,
    )


def _timed_out(m: VerifiedLog, s: State, t: State) -> Expr:
    """Whatever is not acknowledged is sent again, or the takeover is."""
    due = exists(
        m.SegmentId,
        lambda of: exists(m.Asker, lambda by: exists(m.Place, lambda to: m.due(s, of, by, to))),
    )
    sent = exists(
        LogNode,
        lambda node: disj(_grew(s.logNodeInbox[node], t.logNodeInbox[node]), ~s.isUp[node]),
    )
    return implies(disj(due, is_some(s.currentLogTakeover)), disj(sent, _was_lost(s, t)))


def _node_failed(m: VerifiedLog, s: State, t: State) -> Expr:
    return member(at(s.coordinatorInbox, 0).node, t.failedNodes)


_COORDINATOR = {
    "eNewSegment": _new_segment,
    "eTakeOverLog": _take_over,
    "eSuspendSegmentResponse": _suspended,
    "eEndSegmentResponse": _ended,
    "eTimeOut": _timed_out,
    "eInformNodeFailure": _node_failed,
}


@step_invariant("What a producer takes from its inbox it does something about.", producer=Producer)
def ProducersAct(m: VerifiedLog, s: State, t: State, producer: Expr) -> Expr:
    inbox = s.producerInbox[producer]
    return implies(
        size(t.producerInbox[producer]) < size(inbox),
        conj(
            *(
                implies(at(inbox, 0).event == event, acts(m, s, t, producer))
                for event, acts in _PRODUCER.items()
            )
        ),
    )


@step_invariant(
    "What is left of a broadcast is not forgotten before it is sent.",
    segment=VerifiedLog.SegmentId,
    place=VerifiedLog.Place,
)
def BroadcastsAreSent(m: VerifiedLog, s: State, t: State, segment: Expr, place: Expr) -> Expr:
    def sent() -> Expr:
        node = m.node_at(s, segment, place)
        inboxes = s.logNodeInbox[node], t.logNodeInbox[node]
        return disj(_grew(*inboxes), _was_lost(s, t), ~s.isUp[node])

    def left(of: State) -> Expr:
        ends, takeover = of.endSegments[segment], s.currentLogTakeover
        suspends = conj(is_some(takeover), the(takeover).segment == segment)
        return disj(
            member(place, ends["PRODUCER"].sending),
            member(place, ends["TAKEOVER"].sending),
            conj(suspends, member(place, of.suspending)),
        )

    return implies(conj(left(s), ~left(t)), sent())


def _asked(s: State, t: State) -> Expr:
    return disj(_grew(s.coordinatorInbox, t.coordinatorInbox), _was_lost(s, t))


def _opened(m: VerifiedLog, s: State, t: State, producer: Expr) -> Expr:
    response, me = at(s.producerInbox[producer], 0), s.producers[producer]
    after = t.producers[producer]
    taken_over = conj(me.state == "TakeOverLog", response.status == "NEW_SEG_OK")
    answered = conj(me.state == "InitNewSegment", response.segment == me.currentSegmentId + 1)
    lost = disj(response.status == "LOG_IN_TAKEOVER", response.producer != producer)
    writes = conj(after.state == "Produce", after.currentSegmentId == response.segment)
    halts = after.state == "halt"
    return ite(disj(taken_over, answered), ite(answered & lost, halts, writes), me == after)


def _appended(m: VerifiedLog, s: State, t: State, producer: Expr) -> Expr:
    response, me = at(s.producerInbox[producer], 0), s.producers[producer]
    after = t.producers[producer]
    ours = conj(me.state == "Produce", response.segment == me.currentSegmentId)
    closed = conj(response.status == "APPEND_SEG_CLOSED", response.seqNum == me.currentEntry)
    done = me.currentEntry + 1 == m.num_entries(producer)
    written = ite(
        done,
        after.state == "Done",
        conj(after.state == "Produce", after.currentEntry == me.currentEntry + 1),
    )
    counted = ite(
        m.is_replicated(insert(me.appendAcks, response.node)),
        written,
        conj(after.state == "Produce", member(response.node, after.appendAcks)),
    )
    refused = conj(after.state == "InitNewSegment", _asked(s, t))
    return ite(ours, ite(closed, refused, counted), me == after)


def _waited(m: VerifiedLog, s: State, t: State, producer: Expr) -> Expr:
    me, after = s.producers[producer].state, t.producers[producer].state
    writes = me == "Produce"
    return conj(
        ite(writes, after == "InitNewSegment", after == me),
        implies(disj(writes, me == "TakeOverLog", me == "InitNewSegment"), _asked(s, t)),
    )


_PRODUCER = {
    "eNewSegmentResponse": _opened,
    "eAppendResponse": _appended,
    "eTimeOut": _waited,
}

HANDLED = (CoordinatorActs, ProducersAct, BroadcastsAreSent)

__all__ = ["HANDLED"]
