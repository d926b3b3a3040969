"""What is stated about the elasticsearch encoding: published properties, lemmas, witnesses.

Nothing here knows an engine or a solver; the lemmas are candidates, and only a proof makes use
of one.
"""

from bmc.encodings.elasticsearch import ElasticsearchReplication
from bmc.properties.elasticsearch.acknowledged import ACKNOWLEDGED
from bmc.properties.elasticsearch.checkpoints import CHECKPOINTS
from bmc.properties.elasticsearch.control import CONTROL
from bmc.properties.elasticsearch.copies import COPIES
from bmc.properties.elasticsearch.entries import ENTRIES
from bmc.properties.elasticsearch.history import SettledHistory
from bmc.properties.elasticsearch.published import PUBLISHED
from bmc.properties.elasticsearch.requests import REQUESTS
from bmc.properties.elasticsearch.resync import RESYNC
from bmc.properties.elasticsearch.temporal import DELIVERED, TEMPORAL
from bmc.properties.elasticsearch.witnesses import WITNESSES

from bmc.lang import Suite, Unreached

_ALONE = Unreached("of two nodes, one that is promoted is left alone", {"nodes": 2})
_ONE_WRITE = Unreached(
    "it takes two writes, and the constraint allows one", {"max_client_value": 2}
)
_EXPLAINED = {
    **dict.fromkeys(
        (
            "HandleTrimTranslogRequest",
            "HandleTrimTranslogResponse",
            "Resyncing",
            "Trimmed",
            "PendingConfirmation",
        ),
        _ALONE,
    ),
    **dict.fromkeys(("ReplicaKnowsGlobalCheckPoint", "Hole", "Filled"), _ONE_WRITE),
}

ELASTICSEARCH = Suite(
    name="elasticsearch",
    protocol=ElasticsearchReplication,
    about="Elasticsearch's replication of a shard: translogs, checkpoints, failover and resync",
    properties=(*PUBLISHED, *WITNESSES),
    lemmas=(*CONTROL, *REQUESTS, *ENTRIES, *COPIES, *ACKNOWLEDGED, *RESYNC, *CHECKPOINTS),
    history=SettledHistory,
    explained=_EXPLAINED,
    temporal=TEMPORAL,
    specifications=(DELIVERED,),
)

__all__ = ["ELASTICSEARCH"]
