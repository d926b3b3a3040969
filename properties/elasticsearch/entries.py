"""Lemmas on entries: whose they are, and what a primary has of those it speaks of."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import Node, Seq
from bmc.encodings.elasticsearch.messages import Call, is_replication, replication, trim
from bmc.encodings.elasticsearch.translog import MaxSeq
from bmc.properties.elasticsearch.words import (
    filled,
    in_flight,
    presumes_primary,
    same_operation,
    stored,
    term,
    when_in_flight,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    implies,
    ite,
    lemma,
    the,
)

GROUP = "entries"


@lemma("a presumed primary has no hole", GROUP, n=Node, seq=Seq)
def primary_has_no_hole(m: ElasticsearchReplication, s: State, n: Expr, seq: Expr) -> Expr:
    return implies(
        conj(presumes_primary(s, n), seq <= MaxSeq(s.tlog[n])),
        filled(s, n, seq),
    )


@lemma("a caller holds what it replicates", GROUP, call=Call)
def caller_holds_what_it_sends(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s, call, implies(is_replication(message), stored(s, message.caller, message))
    )


@lemma(
    "a caller has no hole, and trims what it had no entry for at its term",
    GROUP,
    call=Call,
    seq=Seq,
)
def caller_trims_beyond_its_translog(
    m: ElasticsearchReplication, s: State, call: Expr, seq: Expr
) -> Expr:
    message = in_flight(s, call)
    caller = message.caller
    return when_in_flight(
        s,
        call,
        implies(
            ~is_replication(message),
            conj(
                implies(seq <= trim(message).maxseq, filled(s, caller, seq)),
                implies(
                    conj(seq > trim(message).maxseq, filled(s, caller, seq)),
                    the(s.tlog[caller][seq]).primaryTerm == term(message),
                ),
            ),
        ),
    )


@lemma("no entry is newer than its node's term", GROUP, n=Node, seq=Seq)
def entry_not_newer_than_node(m: ElasticsearchReplication, s: State, n: Expr, seq: Expr) -> Expr:
    return implies(filled(s, n, seq), the(s.tlog[n][seq]).primaryTerm <= s.currentTerm[n])


@lemma("a presumed primary holds all entries of its term", GROUP, c=Node, r=Node, seq=Seq)
def primary_holds_entries_of_its_term(
    m: ElasticsearchReplication, s: State, c: Expr, r: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(
            presumes_primary(s, c),
            filled(s, r, seq),
            the(s.tlog[r][seq]).primaryTerm == s.currentTerm[c],
        ),
        same_operation(s, c, r, seq),
    )


@lemma("a presumed primary holds all that is sent of its term", GROUP, c=Node, call=Call)
def primary_holds_calls_of_its_term(
    m: ElasticsearchReplication, s: State, c: Expr, call: Expr
) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        implies(
            conj(
                presumes_primary(s, c),
                is_replication(message),
                replication(message).sterm == s.currentTerm[c],
            ),
            stored(s, c, message),
        ),
    )


@lemma("no entry is sent before its term, and the first primary trims nothing", GROUP, call=Call)
def calls_at_later_terms(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        ite(
            is_replication(message),
            replication(message).sterm <= term(message),
            term(message) > 1,
        ),
    )


ENTRIES = (
    primary_has_no_hole,
    caller_holds_what_it_sends,
    caller_trims_beyond_its_translog,
    entry_not_newer_than_node,
    primary_holds_entries_of_its_term,
    primary_holds_calls_of_its_term,
    calls_at_later_terms,
)

__all__ = ["ENTRIES"]
