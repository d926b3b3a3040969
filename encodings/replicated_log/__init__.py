"""The finite replicated log: per replica a bounded log that is appended to and truncated.

Holds the protocols ``replicated-log`` and ``replicated-log-retention`` and the operators that
the kafka encodings instantiate; no property belongs here.
"""

from bmc.encodings.replicated_log.log import ReplicatedLog, ReplicatedLogOperators
from bmc.encodings.replicated_log.retention import ReplicatedLogRetention

__all__ = ["ReplicatedLog", "ReplicatedLogOperators", "ReplicatedLogRetention"]
