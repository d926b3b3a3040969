"""States of interest that must be reachable, so that no proof about kafka is vacuous."""

from bmc.encodings.kafka import KafkaReplication
from bmc.properties.kafka.words import leads_at, presumes

from bmc.lang import (
    Expr,
    State,
    conj,
    member,
    witness,
)

Replica = KafkaReplication.Replica


@witness("a record is committed: a high watermark has advanced", replica=Replica)
def SomethingCommitted(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    return s.replicaState[replica].hw > 0


@witness("two replicas presume leadership at once", one=Replica, other=Replica)
def TwoLeaders(m: KafkaReplication, s: State, one: Expr, other: Expr) -> Expr:
    return conj(one != other, presumes(s, one), presumes(s, other))


@witness("a deposed leader still has an ISR larger than the quorum's", one=Replica, other=Replica)
def ZombieIsr(m: KafkaReplication, s: State, one: Expr, other: Expr) -> Expr:
    return conj(
        presumes(s, one),
        ~leads_at(s, one, s.quorumState.leaderEpoch),
        member(other, s.replicaState[one].isr),
        ~member(other, s.quorumState.isr),
    )


WITNESSES = (SomethingCommitted, TwoLeaders, ZombieIsr)
