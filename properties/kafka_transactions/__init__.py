"""What is stated about kafka transactions: published properties and our own, witnesses, the suite.

The specification's temporal properties and its fairness, LivenessSpec, are in ``temporal``.
"""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.properties.kafka_transactions.answers import ANSWERS
from bmc.properties.kafka_transactions.exchange import EXCHANGE
from bmc.properties.kafka_transactions.leaders import LEADERS
from bmc.properties.kafka_transactions.numbers import NUMBERS
from bmc.properties.kafka_transactions.published import PUBLISHED
from bmc.properties.kafka_transactions.reliance import RELIANCE
from bmc.properties.kafka_transactions.states import STATES
from bmc.properties.kafka_transactions.temporal import LIVENESS_SPEC, REACHED, TEMPORAL
from bmc.properties.kafka_transactions.witnesses import WITNESSES

from bmc.lang import Suite, Unreached

_REUSED = (
    "pid_source goes back to the id of whoever asks again: 3 transactional ids and 4 clients are "
    "enough, or 2 and 3 with one coordinator change"
)

_COPIED = (
    "a follower copies an entry that is not committed; once it leads it knows of no transition, so "
    "that the next request gets the same epoch: 2 coordinator changes are enough"
)

KAFKA_TRANSACTIONS = Suite(
    name="kafka-transactions",
    protocol=KafkaTransactions,
    about="Kafka transactions: producer ids, coordinators that move, fenced clients",
    properties=(*PUBLISHED, *RELIANCE, *ANSWERS, *WITNESSES, *REACHED),
    lemmas=(*STATES, *LEADERS, *EXCHANGE, *NUMBERS),
    explained={
        "UnknownProducer": Unreached(
            "who takes over one log partition forgets the ids of the others, and there are none",
            {"txn_log_partitions": 1},
        )
    },
    temporal=TEMPORAL,
    specifications=(LIVENESS_SPEC,),
    refuted={
        "ProducerIdUnique": _REUSED,
        "ClientProducerIdUnique": _REUSED,
        "ClientEpochUnique": _COPIED,
    },
)

__all__ = ["KAFKA_TRANSACTIONS"]
