"""Why the high watermark is valid: the leader always allows for what the controller may hold.

A request can only be accepted in the version it was made for, and the leader makes none for a
version it has not seen. So beyond the leader's version the controller only shrinks the ISR.
"""

from bmc.encodings.async_isr import AsyncIsr
from bmc.encodings.async_isr.async_isr import Leader

from bmc.lang import (
    Expr,
    State,
    conj,
    forall,
    implies,
    insert,
    is_none,
    is_some,
    ite,
    lemma,
    lookup,
    member,
    remove,
    the,
)

GROUP = "versions"
Follower = AsyncIsr.Follower
Replica = AsyncIsr.Replica
Version = AsyncIsr.Version


@lemma("the leader is in every ISR", GROUP)
def leader_in_every_isr(m: AsyncIsr, s: State) -> Expr:
    return conj(
        member(Leader, s.controllerState.isr),
        member(Leader, s.leaderState.isr),
        forall(s.requests, lambda message: member(Leader, message.isr)),
        forall(s.updates, lambda message: member(Leader, message.isr)),
    )


@lemma("no follower is ahead of the leader", GROUP, replica=Follower)
def follower_behind_leader(m: AsyncIsr, s: State, replica: Expr) -> Expr:
    return s.leaderState.offsets[replica] <= s.leaderState.offsets[Leader]


@lemma("the leader is not ahead of the controller", GROUP)
def leader_not_ahead(m: AsyncIsr, s: State) -> Expr:
    return s.leaderState.version <= s.controllerState.version


@lemma("no update is newer than the controller", GROUP, version=Version)
def update_was_written(m: AsyncIsr, s: State, version: Expr) -> Expr:
    return implies(version > s.controllerState.version, is_none(lookup(s.updates, version)))


@lemma(
    "no request is of a version the leader has not seen", GROUP, version=Version, replica=Follower
)
def request_is_not_ahead(m: AsyncIsr, s: State, version: Expr, replica: Expr) -> Expr:
    return implies(
        version > s.leaderState.version,
        forall(
            s.requests,
            lambda message: (
                ~conj(message.change.version == version, message.change.replica == replica)
            ),
        ),
    )


@lemma("a request of the leader's version changes its ISR by the one replica", GROUP)
def request_changes_one_replica(m: AsyncIsr, s: State) -> Expr:
    isr = s.leaderState.isr

    def changed(replica: Expr) -> Expr:
        return ite(member(replica, isr), remove(isr, replica), insert(isr, replica))

    return forall(
        s.requests,
        lambda message: implies(
            message.change.version == s.leaderState.version,
            conj(
                message.isr == changed(message.change.replica),
                message.isr <= s.leaderState.pendingIsr,
            ),
        ),
    )


@lemma("since an update the leader has not seen, the ISR has only shrunk", GROUP, version=Version)
def only_shrinks_beyond_leader(m: AsyncIsr, s: State, version: Expr) -> Expr:
    update = lookup(s.updates, version)
    return implies(
        conj(version > s.leaderState.version, is_some(update)),
        s.controllerState.isr <= the(update).isr,
    )


@lemma("the leader allows for every member of the controller's ISR", GROUP, replica=Replica)
def leader_allows_for_controller(m: AsyncIsr, s: State, replica: Expr) -> Expr:
    return implies(
        member(replica, s.controllerState.isr),
        member(replica, s.leaderState.isr | s.leaderState.pendingIsr),
    )


LEMMAS = (
    leader_in_every_isr,
    follower_behind_leader,
    leader_not_ahead,
    update_was_written,
    request_is_not_ahead,
    request_changes_one_replica,
    only_shrinks_beyond_leader,
    leader_allows_for_controller,
)

__all__ = ["LEMMAS"]
