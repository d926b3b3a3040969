"""States of interest that must be reachable, so that no proof about AsyncIsr is vacuous."""

from bmc.encodings.async_isr import AsyncIsr

from bmc.lang import (
    Expr,
    State,
    conj,
    everything,
    member,
    witness,
)


@witness("the high watermark has advanced")
def HighWatermarkAdvanced(m: AsyncIsr, s: State) -> Expr:
    return m.HighWatermark(s) > 0


@witness(
    "the controller has removed a replica the leader still counts in", replica=AsyncIsr.Replica
)
def LeaderIsBehind(m: AsyncIsr, s: State, replica: Expr) -> Expr:
    return conj(
        ~member(replica, s.controllerState.isr),
        member(replica, s.leaderState.isr),
    )


@witness("a replica that left has joined again")
def ReplicaRejoined(m: AsyncIsr, s: State) -> Expr:
    """The ISR starts complete and each version changes it, so here it shrank and grew."""
    return conj(s.leaderState.version > 0, s.leaderState.isr == everything(m.Replica))


WITNESSES = (HighWatermarkAdvanced, LeaderIsBehind, ReplicaRejoined)

__all__ = ["WITNESSES"]
