"""The lemma on fencing: an epoch whose ISR nobody has left still covers every later ISR."""

from bmc.encodings.kafka import KafkaReplication
from bmc.properties.kafka.words import in_isr_of, request, sent

from bmc.lang import (
    Expr,
    State,
    conj,
    forall,
    implies,
    lemma,
    member,
)

GROUP = "fencing"
LeaderEpoch = KafkaReplication.LeaderEpoch


def _not_left(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return forall(
        m.Replica,
        lambda replica: implies(
            in_isr_of(s, epoch, replica), s.replicaState[replica].leaderEpoch <= epoch
        ),
    )


@lemma(
    "while nobody in an epoch's ISR has moved on, the quorum's ISR is inside it",
    GROUP,
    epoch=LeaderEpoch,
)
def quorum_isr_inside_unfenced_isr(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return implies(
        conj(sent(s, epoch), _not_left(m, s, epoch)),
        forall(
            m.Replica,
            lambda replica: implies(
                member(replica, s.quorumState.isr), in_isr_of(s, epoch, replica)
            ),
        ),
    )


@lemma(
    "while nobody in an epoch's ISR has moved on, the ISRs of later requests are inside it",
    GROUP,
    epoch=LeaderEpoch,
    later=LeaderEpoch,
)
def later_isr_inside_unfenced_isr(m: KafkaReplication, s: State, epoch: Expr, later: Expr) -> Expr:
    return implies(
        conj(epoch < later, sent(s, epoch), sent(s, later), _not_left(m, s, epoch)),
        forall(
            m.Replica,
            lambda replica: implies(
                member(replica, request(s, later).isr), in_isr_of(s, epoch, replica)
            ),
        ),
    )


FENCING = (quorum_isr_inside_unfenced_isr, later_isr_inside_unfenced_isr)
