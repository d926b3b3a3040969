"""Claims that published texts do not state, for mutants that nothing else notices."""

from __future__ import annotations

from collections.abc import Mapping

from bmc.encodings.async_isr.async_isr import AsyncIsr, Nil
from bmc.encodings.replicated_log.retention import ReplicatedLogRetention
from mutation_log_claims import LOG_CLAIMS
from mutation_log_handlers import HANDLED

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    exists,
    implies,
    invariant,
    is_none,
    is_some,
    member,
    step_invariant,
)
from bmc.lang.properties import PropertyDeclaration


@invariant("What the controller has written it has announced.")
def WrittenIsAnnounced(m: AsyncIsr, s: State) -> Expr:
    """But for the version it starts with."""
    return disj(
        s.controllerState.version == 0,
        exists(
            s.updates,
            lambda update: conj(
                update.version == s.controllerState.version, update.isr == s.controllerState.isr
            ),
        ),
    )


@invariant("The leader waits for a change only if it has asked for one of that version.")
def PendingIsAskedFor(m: AsyncIsr, s: State) -> Expr:
    """What makes the maximal ISR larger than the ISR."""
    return disj(
        s.leaderState.pendingVersion == Nil,
        exists(s.requests, lambda request: request.change.version == s.leaderState.pendingVersion),
    )


@invariant("A replica is in the pending ISR only while a change is pending.", r=AsyncIsr.Replica)
def PendingIsrHasVersion(m: AsyncIsr, s: State, r: Expr) -> Expr:
    """An answered request is forgotten."""
    return implies(member(r, s.leaderState.pendingIsr), s.leaderState.pendingVersion != Nil)


@invariant("A change is pending only of the version that the leader has.")
def PendingIsCurrent(m: AsyncIsr, s: State) -> Expr:
    """An update ends what was asked for before."""
    return disj(
        s.leaderState.pendingVersion == Nil, s.leaderState.pendingVersion == s.leaderState.version
    )


@step_invariant("The high watermark does not go back.")
def HighWatermarkStays(m: AsyncIsr, s: State, after: State) -> Expr:
    """Whoever is asked into the ISR has come as far."""
    return m.HighWatermark(after) >= m.HighWatermark(s)


@step_invariant("The start of a log does not go back.", r=ReplicatedLogRetention.Replica)
def RetentionStays(m: ReplicatedLogRetention, s: State, after: State, r: Expr) -> Expr:
    """What has expired stays so."""
    return after.logs[r].startOffset >= s.logs[r].startOffset


@invariant(
    "No record stands at or behind the end of a log.",
    r=ReplicatedLogRetention.Replica,
    offset=ReplicatedLogRetention.Offset,
)
def NothingBehindTheEnd(m: ReplicatedLogRetention, s: State, r: Expr, offset: Expr) -> Expr:
    """As far as offsets go."""
    return implies(offset >= s.logs[r].endOffset, is_none(s.logs[r].records[offset]))


@invariant(
    "Between its start and its end a log has a record at every offset.",
    r=ReplicatedLogRetention.Replica,
    offset=ReplicatedLogRetention.Offset,
)
def RecordsInTheLog(m: ReplicatedLogRetention, s: State, r: Expr, offset: Expr) -> Expr:
    """Also where a truncation to before the start has left no such offset."""
    inside = conj(s.logs[r].startOffset <= offset, offset < s.logs[r].endOffset)
    return implies(inside, is_some(s.logs[r].records[offset]))


CLAIMS: Mapping[str, tuple[PropertyDeclaration, ...]] = {
    "kafka-async-isr": (
        *(WrittenIsAnnounced, PendingIsAskedFor, PendingIsrHasVersion, PendingIsCurrent),
        HighWatermarkStays,
    ),
    "replicated-log-retention": (NothingBehindTheEnd, RecordsInTheLog, RetentionStays),
    "verified-log": (*LOG_CLAIMS, *HANDLED),
}
"""By protocol; those are used that hold of it at the parameters that are explored."""
LEMMAS_OF: Mapping[str, str] = {"verified-log": "verified-log-waiting"}
"""By protocol another whose lemmas it has, too: the proof of the same protocol where senders wait.
Those are used that hold of it at the parameters that are explored."""
