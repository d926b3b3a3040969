"""Lemmas on the control plane: cluster states in their order, terms, and who may call whom."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.cluster import Assigned
from bmc.encodings.elasticsearch.constants import Node
from bmc.encodings.elasticsearch.messages import Call
from bmc.properties.elasticsearch.words import (
    in_flight,
    presumes_primary,
    term,
    when_in_flight,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    filtered,
    forall,
    implies,
    is_some,
    ite,
    lemma,
    lookup,
    size,
)

GROUP = "control"


def one_primary(state: Expr) -> Expr:
    """The routing table has a primary, and no other."""
    rt = state.routingTable
    return exists(
        Node,
        lambda p: conj(
            rt[p] == "Primary", forall(Node, lambda x: implies(rt[x] == "Primary", x == p))
        ),
    )


def older(state: Expr, other: Expr) -> Expr:
    """``other`` may follow on ``state``: its copies had one then, the primary only at its term."""
    rt, later = state.routingTable, other.routingTable
    return conj(
        state.primaryTerm <= other.primaryTerm,
        forall(
            Node,
            lambda x: implies(
                later[x] != "Unassigned",
                ite(
                    state.primaryTerm == other.primaryTerm,
                    rt[x] == later[x],
                    rt[x] == "Replica",
                ),
            ),
        ),
    )


@lemma("there is one primary", GROUP)
def master_has_one_primary(m: ElasticsearchReplication, s: State) -> Expr:
    return one_primary(s.clusterStateOnMaster)


@lemma("every node knows of one primary", GROUP, n=Node)
def node_has_one_primary(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return one_primary(s.clusterStateOnNode[n])


@lemma("the master's cluster state follows on every node's", GROUP, n=Node)
def node_not_ahead_of_master(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return older(s.clusterStateOnNode[n], s.clusterStateOnMaster)


@lemma("of two nodes' cluster states, one follows on the other", GROUP, n1=Node, n2=Node)
def nodes_in_one_order(m: ElasticsearchReplication, s: State, n1: Expr, n2: Expr) -> Expr:
    one, other = s.clusterStateOnNode[n1], s.clusterStateOnNode[n2]
    return disj(older(one, other), older(other, one))


@lemma("each new term costs a copy", GROUP)
def terms_cost_copies(m: ElasticsearchReplication, s: State) -> Expr:
    master = s.clusterStateOnMaster
    return master.primaryTerm + size(Assigned(master.routingTable)) <= m.nodes + 1


@lemma("each new term that a node knows of cost a copy", GROUP, n=Node)
def node_terms_cost_copies(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    state = s.clusterStateOnNode[n]
    return state.primaryTerm + size(Assigned(state.routingTable)) <= m.nodes + 1


@lemma("at a call's term there were its two copies, besides those the caller has", GROUP, call=Call)
def call_terms_cost_copies(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    state = s.clusterStateOnNode[message.caller]
    copies = filtered(Node, lambda x: disj(state.routingTable[x] != "Unassigned", x == call.callee))
    return when_in_flight(
        s,
        call,
        conj(
            term(message) < m.nodes,
            implies(
                state.primaryTerm == term(message), term(message) + size(copies) <= m.nodes + 1
            ),
        ),
    )


@lemma("no node knows a later term than the master", GROUP, n=Node)
def term_not_ahead_of_master(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return s.currentTerm[n] <= s.clusterStateOnMaster.primaryTerm


@lemma("a presumed primary works at its cluster state's term", GROUP, n=Node)
def presumed_primary_at_its_term(m: ElasticsearchReplication, s: State, n: Expr) -> Expr:
    return implies(presumes_primary(s, n), s.currentTerm[n] == s.clusterStateOnNode[n].primaryTerm)


@lemma("while a primary does not know it, nobody has heard of its term", GROUP, p=Node, n=Node)
def promotion_brings_a_new_term(m: ElasticsearchReplication, s: State, p: Expr, n: Expr) -> Expr:
    master = s.clusterStateOnMaster
    return implies(
        conj(master.routingTable[p] == "Primary", ~presumes_primary(s, p)),
        s.currentTerm[n] < master.primaryTerm,
    )


def call_fits(message: Expr, state: Expr) -> Expr:
    """A cluster state before the call's term has both as replicas, one of that term the caller as
    primary, and a later one no copy on the caller."""
    rt, caller, callee = state.routingTable, message.caller, message.call.callee
    return conj(
        implies(
            term(message) > state.primaryTerm,
            conj(rt[caller] == "Replica", rt[callee] == "Replica"),
        ),
        implies(
            term(message) == state.primaryTerm,
            conj(rt[caller] == "Primary", rt[callee] != "Primary"),
        ),
        implies(term(message) < state.primaryTerm, rt[caller] == "Unassigned"),
    )


@lemma("a primary calls others, at its own term, which it keeps", GROUP, call=Call)
def call_at_callers_term(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    message = in_flight(s, call)
    return when_in_flight(
        s,
        call,
        conj(
            message.caller != call.callee,
            s.currentTerm[message.caller] == term(message),
            s.clusterStateOnNode[message.caller].primaryTerm >= term(message),
        ),
    )


@lemma("a call fits the master's cluster state", GROUP, call=Call)
def call_fits_master(m: ElasticsearchReplication, s: State, call: Expr) -> Expr:
    return when_in_flight(s, call, call_fits(in_flight(s, call), s.clusterStateOnMaster))


@lemma("a call fits every node's cluster state", GROUP, call=Call, n=Node)
def call_fits_node(m: ElasticsearchReplication, s: State, call: Expr, n: Expr) -> Expr:
    return when_in_flight(s, call, call_fits(in_flight(s, call), s.clusterStateOnNode[n]))


@lemma(
    "calls of one term have one caller, and nobody calls who called at an earlier term",
    GROUP,
    one=Call,
    other=Call,
)
def one_caller_a_term(m: ElasticsearchReplication, s: State, one: Expr, other: Expr) -> Expr:
    here, there = in_flight(s, one), in_flight(s, other)
    return implies(
        conj(is_some(lookup(s.messages, one)), is_some(lookup(s.messages, other))),
        conj(
            implies(term(here) == term(there), here.caller == there.caller),
            implies(
                term(here) < term(there),
                conj(here.caller != there.caller, here.caller != other.callee),
            ),
        ),
    )


CONTROL = (
    master_has_one_primary,
    node_has_one_primary,
    node_not_ahead_of_master,
    nodes_in_one_order,
    terms_cost_copies,
    node_terms_cost_copies,
    call_terms_cost_copies,
    term_not_ahead_of_master,
    presumed_primary_at_its_term,
    promotion_brings_a_new_term,
    call_at_callers_term,
    call_fits_master,
    call_fits_node,
    one_caller_a_term,
)

__all__ = ["CONTROL"]
