"""Lemmas on checkpoints: what is known as global is confirmed locally.

They need that a copy which confirmed a slot hears of no primary that knows less: true of three
copies, where a second failover leaves one, and false of four (see the tests).
"""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import Node, Seq
from bmc.encodings.elasticsearch.messages import (
    Call,
    is_replication,
    is_request,
    request,
    response,
    trim,
)
from bmc.encodings.elasticsearch.translog import MaxConfirmedSeq
from bmc.properties.elasticsearch.words import (
    acceptable,
    active,
    in_flight,
    presumes_primary,
    succeeded,
    term,
    when_in_flight,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    implies,
    is_some,
    lemma,
    lookup,
    the,
)

GROUP = "checkpoints"


@lemma("active copies confirmed what one knows as global", GROUP, n=Node, r=Node)
def active_copies_confirmed(m: ElasticsearchReplication, s: State, n: Expr, r: Expr) -> Expr:
    return implies(
        conj(active(s, n), active(s, r)),
        s.globalCheckPoint[n] <= MaxConfirmedSeq(s.tlog[r]),
    )


@lemma("a copy that obeys a primary confirmed what that knows as global", GROUP, c=Node, r=Node)
def obedient_copies_confirmed(m: ElasticsearchReplication, s: State, c: Expr, r: Expr) -> Expr:
    return implies(
        conj(
            presumes_primary(s, c),
            s.clusterStateOnNode[c].routingTable[r] == "Replica",
            s.currentTerm[r] <= s.currentTerm[c],
        ),
        s.globalCheckPoint[c] <= MaxConfirmedSeq(s.tlog[r]),
    )


@lemma("a request is obeyed by who confirmed what it says is global", GROUP, call=Call)
def requests_confirmed(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(is_request(message), term(message) >= s.currentTerm[call.callee]),
            request(message).globalCP <= MaxConfirmedSeq(s.tlog[call.callee]),
        ),
    )


@lemma("active copies confirmed what a call makes one know as global", GROUP, call=Call, r=Node)
def calls_confirmed(m: ElasticsearchReplication, s: State, call: Expr, r: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(acceptable(s, message), active(s, r)),
            request(message).globalCP <= MaxConfirmedSeq(s.tlog[r]),
        ),
    )


@lemma("who obeys a primary confirmed what that tracks", GROUP, c=Node, r=Node)
def tracked_is_confirmed(m: ElasticsearchReplication, s: State, c: Expr, r: Expr) -> Expr:
    return implies(
        conj(presumes_primary(s, c), s.currentTerm[r] <= s.currentTerm[c]),
        s.localCheckPoint[c][r] <= MaxConfirmedSeq(s.tlog[r]),
    )


@lemma(
    "who answered has confirmed what it says, until it hears of a later primary", GROUP, call=Call
)
def answers_confirmed(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                is_replication(message),
                succeeded(message),
                s.currentTerm[call.callee] == term(message),
            ),
            response(message).localCP <= MaxConfirmedSeq(s.tlog[call.callee]),
        ),
    )


@lemma("a global checkpoint advances by reports of all", GROUP, call=Call, r=Node)
def advance_was_reported(m: ElasticsearchReplication, s: State, call: Expr, r: Expr) -> Expr:
    message = in_flight(s, call)
    c = message.caller
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                is_request(message),
                presumes_primary(s, c),
                s.clusterStateOnNode[c].routingTable[r] == "Replica",
                s.globalCheckPoint[c] > request(message).globalCP,
            ),
            s.localCheckPoint[c][r] >= s.globalCheckPoint[c],
        ),
    )


@lemma("the first primary knows as global no more than each copy reported", GROUP, c=Node, r=Node)
def first_primary_waits_for_all(m: ElasticsearchReplication, s: State, c: Expr, r: Expr) -> Expr:
    return implies(
        conj(
            presumes_primary(s, c),
            s.currentTerm[c] == 1,
            s.clusterStateOnNode[c].routingTable[r] == "Replica",
        ),
        s.globalCheckPoint[c] <= s.localCheckPoint[c][r],
    )


@lemma("an answer does not set a primary back", GROUP, call=Call)
def answers_keep_global(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    c, r = message.caller, call.callee
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                is_replication(message),
                succeeded(message),
                presumes_primary(s, c),
                s.clusterStateOnNode[c].routingTable[r] == "Replica",
            ),
            disj(
                response(message).localCP >= s.globalCheckPoint[c],
                s.localCheckPoint[c][r] >= s.globalCheckPoint[c],
            ),
        ),
    )


@lemma("no request says more is global than its caller knows", GROUP, call=Call)
def calls_not_ahead(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            is_request(message),
            request(message).globalCP <= s.globalCheckPoint[message.caller],
        ),
    )


@lemma("who is told of an advance had reported it", GROUP, one=Call, other=Call)
def told_advance_was_reported(
    m: ElasticsearchReplication, s: State, one: Expr, other: Expr
) -> Expr:
    here, there = in_flight(s, one), in_flight(s, other)
    return implies(
        conj(
            is_some(lookup(s.messages, one)),
            is_some(lookup(s.messages, other)),
            is_request(here),
            is_request(there),
            here.caller == there.caller,
            request(here).globalCP < request(there).globalCP,
        ),
        s.localCheckPoint[here.caller][other.callee] >= request(there).globalCP,
    )


@lemma("a primary trims nothing up to its global checkpoint", GROUP, call=Call)
def trims_above_checkpoint(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(is_request(message), ~is_replication(message)),
            request(message).globalCP <= trim(message).maxseq,
        ),
    )


@lemma("a trim leaves what its callee confirmed at its term", GROUP, call=Call, seq=Seq)
def trim_leaves_confirmed(m: ElasticsearchReplication, s: State, call: Expr, seq: Expr) -> Expr:
    message = in_flight(s, call)
    r = call.callee
    slot = s.tlog[r][seq]
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                is_request(message),
                ~is_replication(message),
                s.currentTerm[r] == term(message),
                seq > trim(message).maxseq,
                is_some(slot),
                ~the(slot).pc,
            ),
            the(slot).primaryTerm == term(message),
        ),
    )


@lemma("a trim leaves what its callee knows as global", GROUP, call=Call)
def trim_leaves_global(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    r = call.callee
    return when_in_flight(
        s,
        call,
        implies(
            conj(is_request(message), ~is_replication(message), s.currentTerm[r] < term(message)),
            s.globalCheckPoint[r] <= trim(message).maxseq,
        ),
    )


@lemma("a trim leaves what an earlier primary knows as global", GROUP, c=Node, call=Call)
def trim_leaves_earlier_global(m: ElasticsearchReplication, s: State, c: Expr, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                is_request(message),
                ~is_replication(message),
                presumes_primary(s, c),
                s.currentTerm[c] < term(message),
            ),
            s.globalCheckPoint[c] <= trim(message).maxseq,
        ),
    )


@lemma("a trim leaves what its callee is about to know as global", GROUP, one=Call, other=Call)
def trim_leaves_told_global(m: ElasticsearchReplication, s: State, one: Expr, other: Expr) -> Expr:
    here, there = in_flight(s, one), in_flight(s, other)
    return implies(
        conj(
            is_some(lookup(s.messages, one)),
            is_some(lookup(s.messages, other)),
            one.callee == other.callee,
            is_request(here),
            is_request(there),
            ~is_replication(there),
            term(here) >= s.currentTerm[one.callee],
            term(here) < term(there),
        ),
        request(here).globalCP <= trim(there).maxseq,
    )


CHECKPOINTS = (
    active_copies_confirmed,
    obedient_copies_confirmed,
    requests_confirmed,
    calls_confirmed,
    tracked_is_confirmed,
    answers_confirmed,
    first_primary_waits_for_all,
    answers_keep_global,
    calls_not_ahead,
    advance_was_reported,
    told_advance_was_reported,
    trims_above_checkpoint,
    trim_leaves_confirmed,
    trim_leaves_global,
    trim_leaves_earlier_global,
    trim_leaves_told_global,
)

__all__ = ["CHECKPOINTS"]
