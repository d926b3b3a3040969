"""Lemmas on the data plane: what copies hold that a primary counts on.

A primary's claim on a slot is judged by what copies *reported*: either all copies it waits for
hold what it holds, or one of them obeys a later primary and never checked the slot, in which case
its global checkpoint never gets there.
"""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import Node, Seq
from bmc.encodings.elasticsearch.messages import (
    Call,
    is_replication,
    is_request,
    replication,
    trim,
)
from bmc.properties.elasticsearch.words import (
    acceptable,
    active,
    filled,
    has_voice,
    in_flight,
    never_checked,
    presumes_primary,
    reported,
    same_operation,
    settled,
    stored,
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
    lemma,
    the,
)

GROUP = "copies"


@lemma("who reported to a primary knows its term", GROUP, c=Node, r=Node)
def reporter_knows_the_term(m: ElasticsearchReplication, s: State, c: Expr, r: Expr) -> Expr:
    return implies(
        conj(presumes_primary(s, c), s.localCheckPoint[c][r] > 0),
        s.currentTerm[r] >= s.currentTerm[c],
    )


@lemma("who reported to a caller knows the call's term", GROUP, call=Call, r=Node)
def reporter_knows_the_callers_term(
    m: ElasticsearchReplication, s: State, call: Expr, r: Expr
) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(s.localCheckPoint[message.caller][r] > 0, s.currentTerm[r] >= term(message)),
    )


@lemma("who answered with success knows the term", GROUP, call=Call)
def responder_knows_the_term(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(succeeded(message), s.currentTerm[call.callee] >= term(message)),
    )


@lemma("only who was primary tracks other copies", GROUP, c=Node, r=Node)
def only_primaries_track(m: ElasticsearchReplication, s: State, c: Expr, r: Expr) -> Expr:
    return implies(
        s.clusterStateOnNode[c].routingTable[c] == "Replica", s.localCheckPoint[c][r] == 0
    )


@lemma(
    "what an active copy holds confirmed at a primary's term is the primary's",
    GROUP,
    c=Node,
    r=Node,
    seq=Seq,
)
def confirmed_is_the_primarys(
    m: ElasticsearchReplication, s: State, c: Expr, r: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(
            presumes_primary(s, c),
            active(s, r),
            s.currentTerm[r] == s.currentTerm[c],
            filled(s, r, seq),
            ~the(s.tlog[r][seq]).pc,
        ),
        same_operation(s, c, r, seq),
    )


@lemma(
    "an active copy holds what it reported, unless the primary will never get there",
    GROUP,
    c=Node,
    r=Node,
    seq=Seq,
)
def reported_is_the_primarys(
    m: ElasticsearchReplication, s: State, c: Expr, r: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(presumes_primary(s, c), active(s, r), reported(s, c, r, seq)),
        disj(same_operation(s, c, r, seq), never_checked(s, c, seq)),
    )


@lemma(
    "a later primary holds what an earlier one holds, unless that one will never get there",
    GROUP,
    c=Node,
    later=Node,
    seq=Seq,
)
def later_primary_agrees(
    m: ElasticsearchReplication, s: State, c: Expr, later: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(
            presumes_primary(s, c),
            presumes_primary(s, later),
            s.currentTerm[c] < s.currentTerm[later],
        ),
        disj(same_operation(s, c, later, seq), never_checked(s, c, seq)),
    )


@lemma(
    "a later primary's call leaves what an earlier one holds, unless that one never gets there",
    GROUP,
    c=Node,
    call=Call,
    seq=Seq,
)
def later_call_agrees(
    m: ElasticsearchReplication, s: State, c: Expr, call: Expr, seq: Expr
) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                presumes_primary(s, c),
                is_request(message),
                s.currentTerm[c] < term(message),
                disj(
                    conj(
                        is_replication(message),
                        replication(message).seq == seq,
                        ~stored(s, c, message),
                    ),
                    conj(~is_replication(message), trim(message).maxseq < seq),
                ),
            ),
            never_checked(s, c, seq),
        ),
    )


@lemma("active copies agree on what is settled", GROUP, n1=Node, n2=Node, seq=Seq)
def active_copies_agree_on_settled(
    m: ElasticsearchReplication, s: State, n1: Expr, n2: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(settled(s, seq), active(s, n1), active(s, n2)), same_operation(s, n1, n2, seq)
    )


@lemma("a primary with a voice agrees on what is settled", GROUP, c=Node, n=Node, seq=Seq)
def voices_agree_on_settled(
    m: ElasticsearchReplication, s: State, c: Expr, n: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(settled(s, seq), has_voice(s, c), active(s, n)), same_operation(s, c, n, seq)
    )


@lemma("no acceptable call changes what is settled", GROUP, call=Call, seq=Seq)
def calls_agree_on_settled(m: ElasticsearchReplication, s: State, call: Expr, seq: Expr) -> Expr:
    message = in_flight(s, call)
    callee = call.callee
    return when_in_flight(
        s,
        call,
        implies(
            conj(settled(s, seq), acceptable(s, message)),
            conj(
                implies(
                    conj(is_replication(message), replication(message).seq == seq),
                    stored(s, callee, message),
                ),
                implies(
                    conj(~is_replication(message), trim(message).maxseq < seq),
                    the(s.tlog[callee][seq]).primaryTerm >= term(message),
                ),
            ),
        ),
    )


COPIES = (
    reporter_knows_the_term,
    reporter_knows_the_callers_term,
    responder_knows_the_term,
    only_primaries_track,
    confirmed_is_the_primarys,
    reported_is_the_primarys,
    later_primary_agrees,
    later_call_agrees,
    active_copies_agree_on_settled,
    voices_agree_on_settled,
    calls_agree_on_settled,
)

__all__ = ["COPIES"]
