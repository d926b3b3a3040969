"""The words that the kafka lemmas share: short names for parts of the state."""

from bmc.encodings.kafka import KafkaReplication

from bmc.lang import (
    Expr,
    Operand,
    State,
    conj,
    exists,
    implies,
    is_some,
    ite,
    lookup,
    member,
    the,
)


def presumes(s: State, leader: Operand) -> Expr:
    """The replica believes itself to be the leader."""
    return s.replicaState[leader].leader == leader


def leads_at(s: State, leader: Operand, epoch: Operand) -> Expr:
    """The replica believes itself to be the leader of exactly this epoch."""
    return conj(presumes(s, leader), s.replicaState[leader].leaderEpoch == epoch)


def sent(s: State, epoch: Operand) -> Expr:
    """There is a LeaderAndIsr request of this epoch."""
    return is_some(lookup(s.leaderAndIsrRequests, epoch))


def request(s: State, epoch: Operand) -> Expr:
    """The LeaderAndIsr request of this epoch, which exists."""
    return the(lookup(s.leaderAndIsrRequests, epoch))


def elected(s: State, epoch: Operand, leader: Operand) -> Expr:
    """The controller made this replica the leader of this epoch."""
    return conj(sent(s, epoch), request(s, epoch).leader == leader)


def in_isr_of(s: State, epoch: Operand, replica: Operand) -> Expr:
    """The replica is in the ISR of an epoch that has a request: as its leader has it while it is
    at that epoch, else as the request had it."""

    def at_epoch(leader: Expr) -> Expr:
        return elected(s, epoch, leader) & (s.replicaState[leader].leaderEpoch == epoch)

    return ite(
        exists(KafkaReplication.Replica, at_epoch),
        exists(
            KafkaReplication.Replica,
            lambda leader: conj(at_epoch(leader), member(replica, s.replicaState[leader].isr)),
        ),
        member(replica, request(s, epoch).isr),
    )


def written(s: State, replica: Operand, offset: Operand) -> Expr:
    """The replica has a record at this offset."""
    log = s.replicaLog[replica]
    return conj(log.endOffset > offset, is_some(log.records[offset]))


def entry(s: State, replica: Operand, offset: Operand) -> Expr:
    """The record a replica has at this offset, which is written."""
    return the(s.replicaLog[replica].records[offset])


def same_entry(s: State, one: Operand, other: Operand, offset: Operand) -> Expr:
    """Both replicas have a record at this offset, and it is the same."""
    return conj(
        written(s, one, offset),
        written(s, other, offset),
        s.replicaLog[one].records[offset] == s.replicaLog[other].records[offset],
    )


def when_written(s: State, replica: Operand, offset: Operand, fact: Operand) -> Expr:
    """``fact``, where the replica has a record at this offset."""
    return implies(written(s, replica, offset), fact)
