"""Which states a transaction can be in: what makes every answer one of those that are expected."""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import Broker, Offset, TransactionId, TxnLogPartition
from bmc.properties.kafka_transactions.words import addition_was_asked, adds, pid_was_asked

from bmc.lang import (
    Expr,
    State,
    at,
    conj,
    disj,
    implies,
    is_some,
    ite,
    lemma,
    size,
    the,
)

GROUP = "states"


def is_reached(txn_metadata: Expr) -> Expr:
    """A state that is stored: fencing goes on to PrepareAbort at once, and nobody commits."""
    state = txn_metadata.state
    return disj(*(state == one for one in ("Empty", "Ongoing", "PrepareAbort", "CompleteAbort")))


@lemma("metadata is in a state that is reached", GROUP, b=Broker, tid=TransactionId)
def metadata_is_in_a_reached_state(m: KafkaTransactions, s: State, b: Expr, tid: Expr) -> Expr:
    known = s.tc_tid_metadata[b][tid]
    return implies(is_some(known), is_reached(the(known)))


@lemma(
    "an entry's transition is what its callback is for, and who asked is answered but at the end",
    GROUP,
    b=Broker,
    p=TxnLogPartition,
    offset=Offset,
)
def entry_matches_its_callback(
    m: KafkaTransactions, s: State, b: Expr, p: Expr, offset: Expr
) -> Expr:
    entry = at(s.tc_log[b][p], offset)
    kinds = {
        "InitPidRequest": "Empty",
        "AddPartitionsToTxnRequest": "Ongoing",
        "PrepareAbort": "PrepareAbort",
        "CompleteAbort": "CompleteAbort",
    }
    answer = the(entry.callback.answer)
    asked = ite(
        adds(s, b, p, offset),
        addition_was_asked(s, answer.source, answer.dest),
        pid_was_asked(s, answer.source, answer.dest),
    )
    return implies(
        offset < size(s.tc_log[b][p]),
        conj(
            disj(
                *(
                    conj(entry.callback.type == type, entry.transition.state == state)
                    for type, state in kinds.items()
                )
            ),
            is_some(entry.callback.answer) == (entry.callback.type != "CompleteAbort"),
            implies(is_some(entry.callback.answer), asked),
        ),
    )


STATES = (metadata_is_in_a_reached_state, entry_matches_its_callback)

__all__ = ["STATES"]
