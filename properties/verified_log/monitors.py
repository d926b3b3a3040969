"""The monitors of the P program (PSpec), under their own names, as invariants.

What a monitor remembers is the history in the state, or follows from the state: an entry of OLD
is committed by OLD exactly if it is below OLD's ``currentEntry``.
"""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.words import durable_in_coordinator, is_committed

from bmc.lang import (
    Expr,
    State,
    disj,
    implies,
    invariant,
    member,
    size,
)


@invariant(
    "What a consumer reads is considered committed by a producer or the coordinator.",
    entry=VerifiedLog.SeqNum,
)
def ReadCommitted(m: VerifiedLog, s: State, entry: Expr) -> Expr:
    """``spec ReadCommitted``."""
    return implies(member(entry, s.consumer.consumed), is_committed(s, entry))


@invariant(
    "What is announced as committed was stored by enough log nodes, or is in the coordinator.",
    entry=VerifiedLog.SeqNum,
)
def CommitDurability(m: VerifiedLog, s: State, entry: Expr) -> Expr:
    """``spec CommitDurability``. It counts nodes that once stored the entry in any segment."""
    return implies(
        is_committed(s, entry),
        disj(durable_in_coordinator(s, entry), size(s.stored[entry]) >= m.num_replicas),
    )


@invariant("OLD commits nothing that it sent only after another took the log over.")
def SingleActiveProducer(m: VerifiedLog, s: State) -> Expr:
    """``spec SingleActiveProducer``; once NEW is the producer, it stays the producer."""
    return implies(
        ~m.old_is_producer(s),
        s.producers["OLD"].currentEntry - 1 <= s.highestPossibleCommit,
    )


MONITORS = (ReadCommitted, CommitDurability, SingleActiveProducer)
