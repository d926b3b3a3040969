"""The liveness monitor of the P program: the log is read to its end at last."""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.witnesses import AllLogEntriesConsumed

from bmc.lang import State
from bmc.lang.temporal import Formula, eventually, temporal


@temporal("The consumer has read all entries of NEW but the last, in the end.")
def Progress(m: VerifiedLog, s: State) -> Formula:
    """``spec Progress``, at so many losses, timeouts and failures as the parameters allow."""
    return eventually(AllLogEntriesConsumed(m, s))


TEMPORAL = (Progress,)
