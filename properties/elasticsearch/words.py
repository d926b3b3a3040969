"""The words that the elasticsearch properties share."""

from bmc.encodings.elasticsearch.constants import ClientValue, Node, Seq
from bmc.encodings.elasticsearch.messages import (
    is_replication,
    is_request,
    replication,
    request,
    response,
    trim,
)

from bmc.lang import (
    Expr,
    Operand,
    State,
    conj,
    disj,
    exists,
    filtered,
    forall,
    implies,
    is_none,
    is_some,
    ite,
    lookup,
    member,
    size,
    the,
)


def active(s: State, n: Operand) -> Expr:
    """``ActiveShard(n)``."""
    return s.clusterStateOnMaster.routingTable[n] != "Unassigned"


def presumes_primary(s: State, n: Operand) -> Expr:
    """The node believes itself to be the primary."""
    return s.clusterStateOnNode[n].routingTable[n] == "Primary"


def applied_where_active(s: State) -> Expr:
    """``ClusterStateAppliedOnAllNodesWithActiveShards``."""
    return forall(
        Node,
        lambda n: implies(active(s, n), s.clusterStateOnNode[n] == s.clusterStateOnMaster),
    )


def same_operation(s: State, one: Operand, other: Operand, seq: Operand) -> Expr:
    """Both translogs have an entry in the slot, and it is the same but for the pc marker."""
    here, there = s.tlog[one][seq], s.tlog[other][seq]
    return conj(
        is_some(here),
        is_some(there),
        the(here).document == the(there).document,
        the(here).primaryTerm == the(there).primaryTerm,
    )


def same_slot(s: State, one: Operand, other: Operand, seq: Operand) -> Expr:
    """Neither translog has an entry in the slot, or both have the same."""
    holes = conj(is_none(s.tlog[one][seq]), is_none(s.tlog[other][seq]))
    return disj(holes, same_operation(s, one, other, seq))


def copies_agree(s: State) -> Expr:
    """All active copies hold the same in every slot."""
    return forall(
        Node,
        lambda n1: forall(
            Node,
            lambda n2: implies(
                conj(n1 != n2, active(s, n1), active(s, n2)),
                forall(Seq, lambda j: same_slot(s, n1, n2, j)),
            ),
        ),
    )


def filled(s: State, n: Operand, seq: Operand) -> Expr:
    """The node has an entry in the slot."""
    return is_some(s.tlog[n][seq])


def operations(s: State) -> Expr:
    """How many client requests there were."""
    return size(filtered(ClientValue, lambda v: v < s.nextClientValue))


def when_in_flight(s: State, call: Operand, fact: Expr) -> Expr:
    """``fact``, where the call is in flight."""
    return implies(is_some(lookup(s.messages, call)), fact)


def in_flight(s: State, call: Operand) -> Expr:
    """The message of a call that is in flight."""
    return the(lookup(s.messages, call))


def term(m: Expr) -> Expr:
    """The term of the primary that called."""
    return ite(is_replication(m), replication(m).rterm, trim(m).primaryTerm)


def acceptable(s: State, m: Expr) -> Expr:
    """A request that an active copy would obey."""
    callee = m.call.callee
    return conj(is_request(m), active(s, callee), term(m) >= s.currentTerm[callee])


def stored(s: State, n: Operand, m: Expr) -> Expr:
    """The node holds the operation of a replication message."""
    slot = s.tlog[n][replication(m).seq]
    return conj(
        is_some(slot),
        the(slot).document == replication(m).document,
        the(slot).primaryTerm == replication(m).sterm,
    )


def succeeded(m: Expr) -> Expr:
    """A response that says so."""
    return conj(~is_request(m), response(m).success)


def has_voice(s: State, c: Operand) -> Expr:
    """A presumed primary that some active copy would still obey."""
    return conj(
        presumes_primary(s, c),
        exists(Node, lambda r: conj(active(s, r), s.currentTerm[r] <= s.currentTerm[c])),
    )


def locked(s: State, seq: Operand) -> Expr:
    """A global checkpoint at or above the slot is known to an active copy or a presumed primary,
    or is about to be."""
    return disj(
        exists(
            Node,
            lambda n: conj(
                s.globalCheckPoint[n] >= seq, disj(active(s, n), presumes_primary(s, n))
            ),
        ),
        exists(s.messages, lambda ms: conj(acceptable(s, ms), request(ms).globalCP >= seq)),
    )


def settled(s: State, seq: Operand) -> Expr:
    """The slot is, or was, at or below such a global checkpoint."""
    return disj(member(seq, s.settled), locked(s, seq))


def reported(s: State, c: Operand, r: Operand, seq: Operand) -> Expr:
    """``r`` has confirmed the slot to the primary ``c``, or the response is in flight."""
    return disj(
        s.localCheckPoint[c][r] >= seq,
        exists(
            s.messages,
            lambda ms: conj(
                is_replication(ms),
                succeeded(ms),
                ms.caller == c,
                ms.call.callee == r,
                response(ms).localCP >= seq,
            ),
        ),
    )


def never_checked(s: State, c: Operand, seq: Operand) -> Expr:
    """A copy that ``c`` waits for obeys a later primary and has not confirmed the slot: the
    global checkpoint of ``c`` will never reach it."""
    return exists(
        Node,
        lambda i: conj(
            s.clusterStateOnNode[c].routingTable[i] != "Unassigned",
            s.currentTerm[i] > s.currentTerm[c],
            ~reported(s, c, i, seq),
        ),
    )


def doomed(s: State, req: Operand) -> Expr:
    """The client request was answered as failed, or will be."""

    def fails(ms: Expr) -> Expr:
        rterm = replication(ms).rterm
        return ite(
            is_request(ms),
            s.currentTerm[ms.call.callee] > rterm,
            conj(~response(ms).success, rterm < s.clusterStateOnMaster.primaryTerm),
        )

    return disj(
        member(req, s.clientResponses.failed),
        exists(s.messages, lambda ms: conj(ms.call.req == req, is_replication(ms), fails(ms))),
    )
