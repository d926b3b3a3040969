"""Lemmas on client requests: who holds what may still be, or is, acknowledged."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import ClientValue, Node
from bmc.encodings.elasticsearch.messages import (
    Call,
    is_replication,
    is_request,
    replication,
    response,
    trim,
)
from bmc.properties.elasticsearch.words import (
    acceptable,
    active,
    doomed,
    has_voice,
    in_flight,
    presumes_primary,
    stored,
    term,
    when_in_flight,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    implies,
    is_some,
    lemma,
    lookup,
    the,
)

GROUP = "acknowledged"


def pending(s: State, message: Expr) -> Expr:
    """May still be acknowledged to a client."""
    return conj(is_replication(message), replication(message).client, ~doomed(s, message.call.req))


def unanswered(s: State, message: Expr, n: Expr) -> Expr:
    """The node has not taken this message's operation: it has the request, or has failed."""
    return exists(
        s.messages,
        lambda ms: conj(
            ms.call.req == message.call.req,
            ms.call.callee == n,
            disj(is_request(ms), ~response(ms).success),
        ),
    )


@lemma("who took a pending operation holds it", GROUP, call=Call, n=Node)
def pending_is_held(m: ElasticsearchReplication, s: State, call: Expr, n: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(pending(s, message), active(s, n), n != message.caller),
            disj(
                unanswered(s, message, n),
                conj(stored(s, n, message), s.currentTerm[n] >= term(message)),
            ),
        ),
    )


@lemma("a later primary holds a pending operation", GROUP, call=Call, n=Node)
def later_primary_holds_pending(m: ElasticsearchReplication, s: State, call: Expr, n: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(pending(s, message), presumes_primary(s, n), s.currentTerm[n] > term(message)),
            stored(s, n, message),
        ),
    )


@lemma("a later primary's calls leave a pending operation", GROUP, call=Call, later=Call)
def later_call_leaves_pending(
    m: ElasticsearchReplication, s: State, call: Expr, later: Expr
) -> Expr:
    here, there = in_flight(s, call), in_flight(s, later)
    return implies(
        conj(
            is_some(lookup(s.messages, call)),
            is_some(lookup(s.messages, later)),
            pending(s, here),
            is_request(there),
            term(there) > term(here),
        ),
        conj(
            implies(
                conj(is_replication(there), replication(there).seq == replication(here).seq),
                conj(
                    replication(there).document == replication(here).document,
                    replication(there).sterm == replication(here).sterm,
                ),
            ),
            implies(~is_replication(there), trim(there).maxseq >= replication(here).seq),
        ),
    )


def holds_acked(s: State, n: Expr, value: Expr) -> Expr:
    """The node holds the acknowledged operation."""
    acked = the(lookup(s.clientResponses.acked, value))
    slot = s.tlog[n][acked.seq]
    document = the(slot).document
    return conj(
        is_some(slot),
        is_some(document),
        the(document).id == acked.id,
        the(document).value == acked.value,
        the(slot).primaryTerm == acked.primaryTerm,
    )


@lemma("a primary with a voice holds what is acknowledged", GROUP, c=Node, value=ClientValue)
def voices_hold_acked(m: ElasticsearchReplication, s: State, c: Expr, value: Expr) -> Expr:
    return implies(
        conj(is_some(lookup(s.clientResponses.acked, value)), has_voice(s, c)),
        holds_acked(s, c, value),
    )


@lemma("no acceptable call changes what is acknowledged", GROUP, call=Call, value=ClientValue)
def calls_leave_acked(m: ElasticsearchReplication, s: State, call: Expr, value: Expr) -> Expr:
    message = in_flight(s, call)
    acked = the(lookup(s.clientResponses.acked, value))
    return when_in_flight(
        s,
        call,
        implies(
            conj(is_some(lookup(s.clientResponses.acked, value)), acceptable(s, message)),
            conj(
                implies(
                    conj(is_replication(message), replication(message).seq == acked.seq),
                    stored(s, call.callee, message),
                ),
                implies(
                    conj(~is_replication(message), trim(message).maxseq < acked.seq),
                    acked.primaryTerm >= term(message),
                ),
            ),
        ),
    )


ACKNOWLEDGED = (
    pending_is_held,
    later_primary_holds_pending,
    later_call_leaves_pending,
    voices_hold_acked,
    calls_leave_acked,
)

__all__ = ["ACKNOWLEDGED"]
