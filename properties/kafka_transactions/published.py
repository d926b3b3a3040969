"""What kafka_transactions_for_web.tla states, under its own names."""

from bmc.encodings.kafka_transactions import KafkaTransactions

from bmc.lang import (
    Expr,
    State,
    conj,
    disj,
    forall,
    invariant,
)


def _is_one_of(code: Expr, *codes: str) -> Expr:
    return disj(*(code == one for one in codes))


@invariant("Every message in flight has a type, and the fields and codes of that type.")
def TypeOK(m: KafkaTransactions, s: State) -> Expr:
    """KafkaTransactions!TypeOK; fields that it leaves free are right by their sorts."""
    return conj(
        forall(
            s.init_pid_responses,
            lambda msg: conj(
                _is_one_of(msg.head.code, "OK", "ConcurrentTransactions", "NotCoordinator"),
                msg.pid >= -1,
                msg.head.pepoch >= -1,
            ),
        ),
        forall(
            s.add_partitions_requests,
            lambda msg: conj(msg.pid >= 0, msg.pepoch >= 0),
        ),
        forall(
            s.add_partitions_responses,
            lambda msg: _is_one_of(
                msg.code,
                "OK",
                "ConcurrentTransactions",
                "NotCoordinator",
                "ProducerFenced",
                "InvalidProducerIdMapping",
            ),
        ),
    )


@invariant("No request for a producer id is answered with a state that should not arise.")
def NoBadStateResponse(m: KafkaTransactions, s: State) -> Expr:
    """KafkaTransactions!NoBadStateResponse."""
    return forall(
        s.init_pid_responses,
        lambda msg: ~_is_one_of(msg.head.code, "IllegalState", "InvalidTransition"),
    )


PUBLISHED = (TypeOK, NoBadStateResponse)

__all__ = ["PUBLISHED"]
