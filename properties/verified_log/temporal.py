"""The liveness monitor of the P program, the log is read to its end at last; and readers go on."""

from bmc.encodings.verified_log import VerifiedLog
from bmc.properties.verified_log.witnesses import AllLogEntriesConsumed

from bmc.lang import Expr, State, conj, disj, integer, member, size
from bmc.lang.temporal import Formula, always, entails, eventually, leads_to, temporal


def is_another_s_twin(m: VerifiedLog, s: State) -> Expr:
    """Whether nodes failed that the first segment would lie on, while enough others are left.

    Nodes are alike until the first segment is made, which therefore is on the first of them
    (:meth:`bmc.encodings.verified_log.broadcasts.Broadcasts.chosen`). Where one of these fails
    before, the model stops and the program goes on, as it does in a behaviour of the model in which
    nodes are called otherwise.
    """
    replicas = integer(m.num_replicas)
    gone = disj(*(conj(replicas > place, member(place, s.failedNodes)) for place in range(3)))
    enough = size(s.failedNodes) + m.num_replicas <= m.log_nodes
    return conj(size(s.logs) == 0, gone, enough)


@temporal("The consumer has read all entries of NEW but the last, in the end.")
def Progress(m: VerifiedLog, s: State) -> Formula:
    """``spec Progress``, at so many losses, timeouts and failures as the parameters allow."""
    return eventually(AllLogEntriesConsumed(m, s) | is_another_s_twin(m, s))


@temporal("The same where each timer that is started fires in the end.")
def ProgressWhereTimersFire(m: VerifiedLog, s: State) -> Formula:
    timers = (s.oldTimer, s.newTimer, s.coordinatorTimer)
    fired = conj(*(timer.started == 0 for timer in timers))
    read = eventually(AllLogEntriesConsumed(m, s) | is_another_s_twin(m, s))
    return entails(always(eventually(fired)), read)


@temporal(
    "A consumer of a segment that has a successor comes to the next one in the end.",
    segment=VerifiedLog.SegmentId,
)
def ReadersPassSegments(m: VerifiedLog, s: State, segment: Expr) -> Formula:
    here = s.consumer.currentSegmentId == segment
    return leads_to(conj(here, segment + 1 < size(s.logs)), s.consumer.currentSegmentId > segment)


TEMPORAL = (Progress, ProgressWhereTimersFire, ReadersPassSegments)
