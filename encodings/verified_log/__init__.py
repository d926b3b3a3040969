"""The verified log of b-hilprecht/verified-distributed-log, 04-producer-takeover.

A file a machine of the P program; no property belongs here.
"""

from bmc.encodings.verified_log.log import VerifiedLog
from bmc.encodings.verified_log.repaired import VerifiedLogRepaired
from bmc.encodings.verified_log.waiting import VerifiedLogRepairedWaiting, VerifiedLogWaiting

__all__ = [
    "VerifiedLog",
    "VerifiedLogRepaired",
    "VerifiedLogRepairedWaiting",
    "VerifiedLogWaiting",
]
