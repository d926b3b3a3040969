"""What is stated about the kafka encodings: published properties, lemmas, witnesses, suites.

Nothing here knows an engine or a solver; the lemmas are candidates, and only a proof makes use
of one.
"""

from dataclasses import replace

from bmc.encodings.kafka import (
    KafkaTruncateToHighWatermark,
    Kip101,
    Kip279,
    Kip320,
    Kip320Deployed,
    Kip320DeployedUnclean,
    Kip320FirstTry,
)
from bmc.properties.kafka.commit import COMMIT, CommitHistory
from bmc.properties.kafka.control import CONTROL
from bmc.properties.kafka.deployed import COMMITS_KEPT, DEPLOYED_LEMMAS, FENCED
from bmc.properties.kafka.fencing import FENCING
from bmc.properties.kafka.logs import LOGS
from bmc.properties.kafka.published import PUBLISHED, HighWatermarkInLog
from bmc.properties.kafka.rankings import RANKINGS
from bmc.properties.kafka.temporal import FETCHING, TEMPORAL
from bmc.properties.kafka.witnesses import WITNESSES

from bmc.lang import Protocol, Suite

REFUTED = {
    "LeaderInIsr": "no leader is elected in the initial state, and None is in no ISR",
    "IsrNonEmpty": "the controller may remove the last member once there is no leader",
}


LOST = "an unclean leader need not have what was committed"


def _suite(name: str, protocol: type[Protocol], about: str, aliases: tuple[str, ...] = ()) -> Suite:
    return Suite(
        name=name,
        protocol=protocol,
        about=about,
        properties=(*PUBLISHED, HighWatermarkInLog, *WITNESSES),
        lemmas=(*CONTROL, *LOGS, *FENCING, *COMMIT),
        history=CommitHistory,
        refuted=REFUTED,
        aliases=aliases,
    )


KAFKA_TRUNCATE_TO_HW = _suite(
    "kafka-truncate-to-hw",
    KafkaTruncateToHighWatermark,
    "Kafka replication before KIP-101: followers truncate to their high watermark",
)
KAFKA_KIP101 = _suite(
    "kafka-kip101", Kip101, "Kafka replication with KIP-101: truncation by leader epoch"
)
KAFKA_KIP279 = _suite(
    "kafka-kip279", Kip279, "Kafka replication with KIP-279: truncation by comparing logs"
)
KAFKA_KIP320_FIRST_TRY = _suite(
    "kafka-kip320-first-try",
    Kip320FirstTry,
    "The first attempt at KIP-320: fetches are fenced by the epochs of records",
)
KAFKA_KIP320 = replace(
    _suite(
        "kafka-kip320",
        Kip320,
        "Kafka replication with KIP-320: everything is fenced by leader epoch",
        aliases=("kafka",),
    ),
    temporal=TEMPORAL,
    specifications=(FETCHING,),
    rankings=RANKINGS,
)
KAFKA_KIP320_DEPLOYED = Suite(
    name="kafka-kip320-deployed",
    protocol=Kip320Deployed,
    about="KIP-320 as brokers with a ZooKeeper controller run it, with restarts",
    properties=(*PUBLISHED, HighWatermarkInLog, *COMMITS_KEPT, *FENCED, *WITNESSES),
    lemmas=DEPLOYED_LEMMAS,
    history=CommitHistory,
    refuted=REFUTED,
)
KAFKA_KIP320_DEPLOYED_UNCLEAN = Suite(
    name="kafka-kip320-deployed-unclean",
    protocol=Kip320DeployedUnclean,
    about="KIP-320 as brokers run it, with unclean leader election",
    properties=(*PUBLISHED, HighWatermarkInLog, *COMMITS_KEPT, *FENCED, *WITNESSES),
    lemmas=DEPLOYED_LEMMAS,
    history=CommitHistory,
    refuted=REFUTED
    | dict.fromkeys(("WeakIsr", "StrongIsr", "CommitsAreKept", "NothingCommittedIsCut"), LOST)
    | {"JoinsWhileFollowing": "an unclean leader comes from outside the ISR"},
)

__all__ = [
    "KAFKA_KIP101",
    "KAFKA_KIP279",
    "KAFKA_KIP320",
    "KAFKA_KIP320_DEPLOYED",
    "KAFKA_KIP320_DEPLOYED_UNCLEAN",
    "KAFKA_KIP320_FIRST_TRY",
    "KAFKA_TRUNCATE_TO_HW",
]
