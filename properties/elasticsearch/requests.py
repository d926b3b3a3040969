"""Lemmas on numbers and names: how far they can go, and what a request id and a value identify."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import ClientValue, NextClientValue, Node, Seq
from bmc.encodings.elasticsearch.messages import Call, is_replication, replication, trim
from bmc.properties.elasticsearch.words import (
    active,
    filled,
    in_flight,
    operations,
    when_in_flight,
)

from bmc.lang import (
    Expr,
    Record,
    State,
    conj,
    disj,
    filtered,
    implies,
    is_none,
    is_some,
    ite,
    lemma,
    lookup,
    size,
    the,
)

GROUP = "requests"
Place = Record("Place", node=Node, seq=Seq)


@lemma("an operation took each slot", GROUP, n=Node, seq=Seq)
def slots_no_more_than_operations(
    m: ElasticsearchReplication, s: State, n: Expr, seq: Expr
) -> Expr:
    return implies(filled(s, n, seq), seq <= operations(s))


@lemma("messages speak of slots that operations took", GROUP, call=Call)
def messages_of_taken_slots(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        ite(
            is_replication(message),
            replication(message).seq <= operations(s),
            trim(message).maxseq <= operations(s),
        ),
    )


@lemma("a call's request id was handed out", GROUP, call=Call)
def request_id_was_handed_out(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    return when_in_flight(s, call, call.req < s.nextRequestId)


@lemma("request ids suffice: one an operation, and one a slot and promotion", GROUP)
def request_ids_suffice(m: ElasticsearchReplication, s: State) -> Expr:
    def decided(n: Expr) -> Expr:
        """The node will not be promoted any more."""
        return disj(~active(s, n), s.clusterStateOnNode[n].routingTable[n] != "Replica")

    values = size(filtered(NextClientValue, lambda v: v <= s.nextClientValue))
    resyncs = size(filtered(Place, lambda place: decided(place.node)))
    return s.nextRequestId + m.max_client_value <= values + resyncs


@lemma("what is replicated for a client is a document of an earlier request", GROUP, call=Call)
def client_message_has_document(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    document = replication(message).document
    return when_in_flight(
        s,
        call,
        implies(
            conj(is_replication(message), replication(message).client),
            conj(
                is_some(document),
                the(document).value < s.nextClientValue,
                replication(message).sterm == replication(message).rterm,
            ),
        ),
    )


@lemma("an acknowledged value was handed out", GROUP, value=ClientValue)
def acked_value_was_handed_out(m: ElasticsearchReplication, s: State, value: Expr) -> Expr:
    return implies(is_some(lookup(s.clientResponses.acked, value)), value < s.nextClientValue)


@lemma("what is in flight for a client is not acknowledged yet", GROUP, call=Call)
def in_flight_not_acked(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    document = replication(message).document
    return when_in_flight(
        s,
        call,
        implies(
            conj(is_replication(message), replication(message).client),
            is_none(lookup(s.clientResponses.acked, the(document).value)),
        ),
    )


@lemma("calls of one request id say the same", GROUP, one=Call, other=Call)
def request_id_identifies(m: ElasticsearchReplication, s: State, one: Expr, other: Expr) -> Expr:
    here, there = in_flight(s, one), in_flight(s, other)
    return implies(
        conj(
            is_some(lookup(s.messages, one)),
            is_some(lookup(s.messages, other)),
            one.req == other.req,
        ),
        conj(here.content == there.content, here.caller == there.caller),
    )


@lemma("a value in flight for a client has one request id", GROUP, one=Call, other=Call)
def value_identifies(m: ElasticsearchReplication, s: State, one: Expr, other: Expr) -> Expr:
    here, there = in_flight(s, one), in_flight(s, other)
    return implies(
        conj(
            is_some(lookup(s.messages, one)),
            is_some(lookup(s.messages, other)),
            is_replication(here),
            is_replication(there),
            replication(here).client,
            replication(there).client,
            the(replication(here).document).value == the(replication(there).document).value,
        ),
        one.req == other.req,
    )


REQUESTS = (
    slots_no_more_than_operations,
    messages_of_taken_slots,
    request_id_was_handed_out,
    request_ids_suffice,
    client_message_has_document,
    acked_value_was_handed_out,
    in_flight_not_acked,
    request_id_identifies,
    value_identifies,
)

__all__ = ["REQUESTS"]
