"""What is stated about the replicated logs."""

from bmc.encodings.replicated_log import ReplicatedLog, ReplicatedLogRetention

from bmc.lang import (
    Expr,
    State,
    Suite,
    invariant,
    witness,
)


@invariant("Records stand exactly between a log's start and its end.")
def TypeOk(m: ReplicatedLog, s: State) -> Expr:
    """FiniteReplicatedLog!TypeOk, of either version."""
    return m.log.TypeOk(s)


@witness("a log is full", replica=ReplicatedLog.Replica)
def FullLog(m: ReplicatedLog, s: State, replica: Expr) -> Expr:
    return m.log.IsFull(s, replica)


REPLICATED_LOG = Suite(
    name="replicated-log",
    protocol=ReplicatedLog,
    about="Bounded logs that are appended to, truncated and copied",
    properties=(TypeOk, FullLog),
)
REPLICATED_LOG_RETENTION = Suite(
    name="replicated-log-retention",
    protocol=ReplicatedLogRetention,
    about="The replicated log with start offsets: records expire at the head",
    properties=(TypeOk, FullLog),
)

__all__ = ["REPLICATED_LOG", "REPLICATED_LOG_RETENTION"]
