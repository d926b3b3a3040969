"""What is stated about the verified log: the P monitors and asserts, and what users rely on."""

from bmc.encodings.verified_log import (
    VerifiedLog,
    VerifiedLogRepaired,
    VerifiedLogRepairedWaiting,
    VerifiedLogWaiting,
)
from bmc.properties.verified_log.appends import APPENDS
from bmc.properties.verified_log.asserts import ASSERTS
from bmc.properties.verified_log.commits import COMMITS
from bmc.properties.verified_log.control import CONTROL
from bmc.properties.verified_log.ends import ENDS
from bmc.properties.verified_log.monitors import MONITORS
from bmc.properties.verified_log.reliance import RELIANCE
from bmc.properties.verified_log.temporal import TEMPORAL
from bmc.properties.verified_log.witnesses import WITNESSES

from bmc.lang import Suite, Unreached

PROPERTIES = (*MONITORS, *ASSERTS, *RELIANCE, *WITNESSES)

LEMMAS = (*CONTROL, *APPENDS, *COMMITS)
"""Where each producer writes one entry; whatever else the bounds are."""

REFUTED = {
    "ConsumerSeesCommitted": "a lost eEndSegment gives a segment two ends, and consumers either",
    "CommittedNotTruncated": "the coordinator's retries send the earlier of a segment's two ends",
    "ClosedReplicasAgree": "they do so to each replica at another time",
}
"""True of the first protocol only without lost messages (the last two: or without retries)."""

_BY_BOUND = {
    "old_producer_timeouts": ("OldProducerTimer_fires",),
    "new_producer_timeouts": ("NewProducerTimer_fires",),
    "coordinator_timeouts": ("CoordinatorTimer_fires", "Coordinator_eTimeOut"),
    "node_failures": (
        "FailureInjector_sends_eShutDown",
        "FailureInjector_sends_eInformNodeFailure",
        "LogNode_eShutDown",
        "Coordinator_eInformNodeFailure",
    ),
}
EXPLAINED = {
    **{
        action: Unreached(f"{bound} = 0 allows none", {bound: 0})
        for bound, actions in _BY_BOUND.items()
        for action in actions
    },
    "Producer_eTimeOut": Unreached(
        "the bounds on the producers' timeouts allow none",
        {"old_producer_timeouts": 0, "new_producer_timeouts": 0},
    ),
}
"""With none of an event allowed, neither it nor what handles it happens."""

WAITING = ("whoever would send to a full inbox waits",)

VERIFIED_LOG = Suite(
    name="verified-log",
    protocol=VerifiedLog,
    about="A log in segments on a few nodes each, and its takeover by another producer",
    properties=PROPERTIES,
    temporal=TEMPORAL,
    refuted=REFUTED,
    explained=EXPLAINED,
)
VERIFIED_LOG_REPAIRED = Suite(
    name="verified-log-repaired",
    protocol=VerifiedLogRepaired,
    about="The verified log, its segments' ends decided only once",
    properties=PROPERTIES,
    explained=EXPLAINED,
)
VERIFIED_LOG_WAITING = Suite(
    name="verified-log-waiting",
    protocol=VerifiedLogWaiting,
    about="The verified log, where senders wait while an inbox is full",
    properties=PROPERTIES,
    lemmas=LEMMAS,
    refuted=REFUTED,
    explained=EXPLAINED,
    notes=WAITING,
)
VERIFIED_LOG_REPAIRED_WAITING = Suite(
    name="verified-log-repaired-waiting",
    protocol=VerifiedLogRepairedWaiting,
    about="The repaired verified log, where senders wait while an inbox is full",
    properties=PROPERTIES,
    lemmas=(*LEMMAS, *ENDS),
    explained=EXPLAINED,
    notes=WAITING,
)

__all__ = [
    "VERIFIED_LOG",
    "VERIFIED_LOG_REPAIRED",
    "VERIFIED_LOG_REPAIRED_WAITING",
    "VERIFIED_LOG_WAITING",
]
