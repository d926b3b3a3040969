"""What progress Elasticsearch's replication promises: answers to clients, copies that agree."""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.encodings.elasticsearch.constants import ClientValue, Node, RequestId
from bmc.encodings.elasticsearch.messages import is_replication, replication
from bmc.properties.elasticsearch.words import active, copies_agree

from bmc.lang import (
    Expr,
    State,
    conj,
    exists,
    implies,
    is_some,
    lookup,
    member,
    the,
)
from bmc.lang.temporal import (
    Formula,
    Specification,
    always,
    entails,
    eventually,
    every_step,
    leads_to,
    temporal,
    weak,
)

DELIVERED = Specification(
    "Delivered",
    (
        weak("HandleReplicationRequest"),
        weak("HandleReplicationResponse"),
        weak("HandleTrimTranslogRequest"),
        weak("HandleTrimTranslogResponse"),
        weak("ApplyClusterStateFromMaster", per=("n",)),
    ),
)
"""What is sent is handled, and nodes apply what the master decides; the text is fair to nothing."""


def _sent(s: State, value: Expr, req: Expr) -> Expr:
    """A client's write of a value is on its way to a replica, in a request of that id."""
    return exists(
        s.messages,
        lambda ms: conj(
            is_replication(ms),
            ms.call.req == req,
            replication(ms).client,
            the(replication(ms).document).value == value,
        ),
    )


def _answered(s: State, value: Expr, req: Expr) -> Expr:
    acked = is_some(lookup(s.clientResponses.acked, value))
    return acked | member(req, s.clientResponses.failed)


@temporal(
    "Every request of a client is answered, that it is stored or that it failed.",
    specification="Delivered",
    value=ClientValue,
    req=RequestId,
)
def EveryRequestIsAnswered(
    m: ElasticsearchReplication, s: State, value: Expr, req: Expr
) -> Formula:
    return leads_to(_sent(s, value, req), _answered(s, value, req))


@temporal(
    "The same as published, where no message has to be handled.",
    value=ClientValue,
    req=RequestId,
)
def EveryRequestIsAnsweredAsPublished(
    m: ElasticsearchReplication, s: State, value: Expr, req: Expr
) -> Formula:
    return leads_to(_sent(s, value, req), _answered(s, value, req))


def _changes_stop(s: State, t: State) -> Formula:
    """From some time on no client writes and the master's cluster state stays."""
    same = conj(
        t.nextClientValue == s.nextClientValue, t.clusterStateOnMaster == s.clusterStateOnMaster
    )
    return eventually(every_step(same))


@temporal(
    "Once changes stop, all active copies come to hold the same, and keep it.",
    specification="Delivered",
)
def CopiesAgreeOnceChangesStop(m: ElasticsearchReplication, s: State, t: State) -> Formula:
    return entails(_changes_stop(s, t), eventually(always(copies_agree(s))))


@temporal(
    "Once changes stop, every active copy learns that what was acknowledged is on all of them.",
    specification="Delivered",
    n=Node,
    value=ClientValue,
)
def CopiesLearnTheCheckpoint(
    m: ElasticsearchReplication, s: State, t: State, n: Expr, value: Expr
) -> Formula:
    """False: a replica hears of the global checkpoint with the next request only."""
    r = lookup(s.clientResponses.acked, value)
    knows = implies(conj(is_some(r), active(s, n)), the(r).seq <= s.globalCheckPoint[n])
    return entails(_changes_stop(s, t), eventually(always(knows)))


TEMPORAL = (
    EveryRequestIsAnswered,
    EveryRequestIsAnsweredAsPublished,
    CopiesAgreeOnceChangesStop,
    CopiesLearnTheCheckpoint,
)

__all__ = ["DELIVERED", "TEMPORAL"]
