"""What AsyncIsr.tla states, under its own names."""

from bmc.encodings.async_isr import AsyncIsr

from bmc.lang import (
    Expr,
    State,
    conj,
    forall,
    implies,
    invariant,
    member,
)


@invariant("Versions and offsets are natural numbers.")
def TypeOk(m: AsyncIsr, s: State) -> Expr:
    """AsyncIsr!TypeOk; its sets are right by their sorts. As published, Nil is no Nat."""
    return conj(
        s.controllerState.version >= 0,
        s.leaderState.version >= 0,
        s.leaderState.pendingVersion >= 0,
        forall(m.Replica, lambda replica: s.leaderState.offsets[replica] >= 0),
        forall(s.requests, lambda message: message.change.version >= 0),
        forall(s.updates, lambda message: message.version >= 0),
    )


@invariant(
    "Every member of the controller's ISR has reached the leader's high watermark.",
    replica=AsyncIsr.Replica,
)
def ValidHighWatermark(m: AsyncIsr, s: State, replica: Expr) -> Expr:
    """AsyncIsr!ValidHighWatermark."""
    return implies(
        member(replica, s.controllerState.isr),
        s.leaderState.offsets[replica] >= m.HighWatermark(s),
    )


PUBLISHED = (TypeOk, ValidHighWatermark)

__all__ = ["PUBLISHED"]
