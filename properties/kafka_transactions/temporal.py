"""The states that LivenessSpec promises to reach and never to leave, each ``<>[](…)``.

The properties are stated here and not yet decided: EventuallyAllClientsGetPid is
``<>[]AllClientsHavePid``, EventuallyOneClientAddsAllPartitions is ``<>[]OneClientAddedAll``. The
fairness they need stands with the actions. As witnesses both states have to be reachable.
"""

from bmc.encodings.kafka_transactions import KafkaTransactions
from bmc.encodings.kafka_transactions.types import Client, TopicPartition

from bmc.lang import Expr, State, Term, conj, everything, forall, witness


@witness("every client has a producer id")
def AllClientsHavePid(m: KafkaTransactions, s: State) -> Term:
    return forall(Client, lambda c: s.client[c].pid > -1)


@witness("a client has begun a transaction and added all partitions", c=Client)
def OneClientAddedAll(m: KafkaTransactions, s: State, c: Expr) -> Term:
    return conj(
        s.client[c].state == "BegunTxn",
        s.client[c].partitions == everything(TopicPartition),
    )


EVENTUALLY_ALWAYS = {
    "EventuallyAllClientsGetPid": AllClientsHavePid,
    "EventuallyOneClientAddsAllPartitions": OneClientAddedAll,
}

__all__ = ["EVENTUALLY_ALWAYS"]
