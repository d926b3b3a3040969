"""Lemmas on the way to equal copies: what the master's primary still has to tell a copy."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import Node, Seq
from bmc.encodings.elasticsearch.messages import (
    is_replication,
    is_request,
    replication,
    response,
)
from bmc.properties.elasticsearch.words import (
    active,
    filled,
    presumes_primary,
    same_operation,
    settled,
)

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    implies,
    lemma,
)

GROUP = "resync"


def leads(s: State, c: Expr) -> Expr:
    """The master's primary, which knows that it is."""
    return conj(s.clusterStateOnMaster.routingTable[c] == "Primary", presumes_primary(s, c))


def untold(s: State, c: Expr, r: Expr, ms: Expr) -> Expr:
    """A call of ``c`` to ``r`` that is not carried out: a request, or a failure."""
    return conj(ms.caller == c, ms.call.callee == r, disj(is_request(ms), ~response(ms).success))


@lemma("the primary's entries are on their way to a copy, or there", GROUP, c=Node, r=Node, seq=Seq)
def entries_on_their_way(
    m: ElasticsearchReplication, s: State, c: Expr, r: Expr, seq: Expr
) -> Expr:
    return implies(
        conj(leads(s, c), active(s, r), c != r, filled(s, c, seq)),
        disj(
            settled(s, seq),
            conj(s.currentTerm[r] == s.currentTerm[c], same_operation(s, c, r, seq)),
            exists(
                s.messages,
                lambda ms: conj(
                    untold(s, c, r, ms), is_replication(ms), replication(ms).seq == seq
                ),
            ),
        ),
    )


@lemma(
    "a trim is on its way to a copy, or it holds no more than its primary",
    GROUP,
    c=Node,
    r=Node,
    seq=Seq,
)
def trim_on_its_way(m: ElasticsearchReplication, s: State, c: Expr, r: Expr, seq: Expr) -> Expr:
    return implies(
        conj(leads(s, c), active(s, r), c != r),
        disj(
            exists(s.messages, lambda ms: conj(untold(s, c, r, ms), ~is_replication(ms))),
            conj(
                s.currentTerm[r] == s.currentTerm[c],
                implies(filled(s, r, seq), filled(s, c, seq)),
            ),
        ),
    )


RESYNC = (entries_on_their_way, trim_on_its_way)

__all__ = ["RESYNC"]
