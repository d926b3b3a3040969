"""What is stated about the verified log: the P monitors and asserts, and what users rely on."""

from bmc.encodings.verified_log import VerifiedLog, VerifiedLogRepaired
from bmc.properties.verified_log.asserts import ASSERTS
from bmc.properties.verified_log.monitors import MONITORS
from bmc.properties.verified_log.reliance import RELIANCE
from bmc.properties.verified_log.witnesses import WITNESSES

from bmc.lang import Suite

PROPERTIES = (*MONITORS, *ASSERTS, *RELIANCE, *WITNESSES)

REFUTED = {
    "ConsumerSeesCommitted": "a lost eEndSegment gives a segment two ends, and consumers either",
    "CommittedNotTruncated": "the coordinator's retries send the earlier of a segment's two ends",
    "ClosedReplicasAgree": "they do so to each replica at another time",
}
"""True of the first protocol only without lost messages (the last two: or without retries)."""

VERIFIED_LOG = Suite(
    name="verified-log",
    protocol=VerifiedLog,
    about="A log in segments on a few nodes each, and its takeover by another producer",
    properties=PROPERTIES,
    refuted=REFUTED,
)
VERIFIED_LOG_REPAIRED = Suite(
    name="verified-log-repaired",
    protocol=VerifiedLogRepaired,
    about="The verified log, its segments' ends decided only once",
    properties=PROPERTIES,
)

__all__ = ["VERIFIED_LOG", "VERIFIED_LOG_REPAIRED"]
