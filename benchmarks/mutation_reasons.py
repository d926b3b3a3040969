"""Why nothing notices mutants that have steps or states of their own, as we read the protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

_SHRINK = (
    "when, and for what reason, a member leaves the ISR: whoever is not in it is neither waited "
    "for nor elected"
)
_BEHIND = (
    "the follower's high watermark stays behind: what is not known to be committed is claimed of "
    "nobody"
)
_FALSE = (
    "the claims that such an ISR or log violates, WeakIsr and StrongIsr, are false of the protocol "
    "itself, at these parameters or with three replicas"
)
_ANSWER = "the client is not told: claims about answers are about those that came; progress is lost"
_KAFKA = (
    (
        "ControllerElectLeader.guard2.dropped",
        "the leader is elected again, in a new epoch, which fences it and lets it go on",
    ),
    ("ControllerShrinkIsr.*", _SHRINK),
    ("*LeaderShrinkIsr*.guard*", _SHRINK),
    ("*Fetch.replicaState.*", _BEHIND),
    ("FollowerReplicate.replicaState.*", _BEHIND),
    ("LeaderWrite.nextRecordId.off-by-one", "ids are skipped: they only tell records apart"),
)
_PARTED = (
    ("LeaderExpandIsr*", _FALSE),
    ("FollowerTruncate.guard*", _FALSE),
    ("FollowerReplicate.guard*", _FALSE),
)
_BOTH = "both halves are steps of the controller: one replica is elected, others leave the ISR"
_DEPLOYED = (
    *(one for one in _KAFKA if one[0] != "*LeaderShrinkIsr*.guard*"),
    ("ControllerFailover.guard1.*", _BOTH),
    ("UncleanElection.guard1.*", _BOTH),
    (
        "AdoptLeader.guard3.off-by-one",
        "a follower takes the request of its epoch again, or one that has restarted does, which "
        "else rejoins",
    ),
    (
        "LearnHighWatermark.guard2.*",
        "of brokers with the epoch that a follower has, the one that it follows leads until it "
        "restarts: what it has known to be committed is",
    ),
    ("Rejoin.guard1.*", "a follower that has not restarted is told again whom it follows"),
)
_OLD = (
    "the replica that it follows leads no more, which the follower has not heard: at these "
    "parameters it could have fetched before"
)
_FAILED = (
    "two steps as one: FailResponseMessage makes it an answer that failed, as it may any other"
)
_AGAIN = (
    "the message stays and is handled again: as one that is late, which is ignored, or as a retry"
)
_STOPPED = "who has stopped takes nothing from its inbox, and what its timer sends is lost"
_BETWEEN = (
    "a message is handled between the sends of another handler: what these say is decided already, "
    "and what it causes does not wait for them"
)
_KEPT = (
    "what is kept is together as in a state of the protocol: only inboxes differ "
    "(mutation_observed.py)"
)
_LOG = (
    ("Coordinator_eNewSegment.2.guard2.negated", _KEPT),
    ("Coordinator_eEndSegmentResponse.1.guard2.negated", _KEPT),
    ("Coordinator_eTimeOut.2.guard8.*", _KEPT),
    ("Coordinator_eInformNodeFailure.coordinatorInbox.unchanged", _KEPT),
    (
        "Coordinator_eInformNodeFailure.guard2.*",
        "a report is taken in the middle of an acknowledgement: without that, what is "
        "kept is together as in a state of the protocol (mutation_observed.py)",
    ),
    ("Producer_eNewSegmentResponse.2.producerInbox.unchanged", _STOPPED),
    ("Producer_eAppendResponse.4.producerInbox.unchanged", _STOPPED),
    ("Producer_eAppendResponse.4.oldTimer.unchanged", _STOPPED),
    ("Producer_eNewSegmentResponse.3.producerInbox.unchanged", _AGAIN),
    ("Producer_eAppendResponse.2.producerInbox.unchanged", _AGAIN),
    ("Producer_eTimeOut.2.producerInbox.unchanged", _AGAIN),
    ("Coordinator_eTakeOverLog.4.coordinatorInbox.unchanged", _AGAIN),
    ("Coordinator_eSuspendSegmentResponse.2.coordinatorInbox.unchanged", _AGAIN),
    (
        "Coordinator_eTakeOverLog.1.guard12.*",
        "the first segment may lie on any nodes: that these are called the first ones is a "
        "convention of the encoding",
    ),
    ("Coordinator_eNewSegment.2.guard2.dropped", _BETWEEN),
    ("Coordinator_eEndSegmentResponse.1.guard2.dropped", _BETWEEN),
    ("Coordinator_eTimeOut.1.guard2.dropped", _BETWEEN),
    (
        "Coordinator_eNewSegment.1.producerInbox.sum1.left-out",
        "the producer takes the answer for one to an earlier request, and waits where it would "
        "halt: the other one goes on",
    ),
    (
        "Producer_eProducerTakeOverLog.oldTimer.unchanged",
        "a timer that is not started: the request is not made again, which matters only where it "
        "was lost",
    ),
)
REASONS: Mapping[str, Sequence[tuple[str, str]]] = {
    "kafka-kip320": _KAFKA,
    "kafka-kip320-deployed": _DEPLOYED,
    "kafka-kip320-deployed-unclean": _DEPLOYED,
    "kafka-kip320-first-try": (*_KAFKA, *_PARTED, ("FollowerFetch.guard1.*", _OLD)),
    "kafka-kip279": _KAFKA,
    "kafka-kip101": (
        *_KAFKA,
        ("FollowerReplicate.guard1.*", _OLD),
        (
            "BecomeFollowerTruncateKip101.2.guard4.off-by-one",
            "a follower takes the request of its epoch again, and cuts what it then fetches again",
        ),
    ),
    "kafka-truncate-to-hw": (*_KAFKA, *_PARTED),
    "kafka-async-isr": (
        (
            "ControllerShrinkIsr.guard1.*",
            "who is no member is taken out: the ISR is announced again with a later version",
        ),
    ),
    "replicated-log-retention": (
        (
            "TruncateTo.1.guard2.*",
            "a log without records that begins where it ends: two steps as one, a truncation to "
            "there and retention up to there",
        ),
        (
            "TruncateTo.2.guard2.*",
            "a truncation to 0 keeps the start, and the log ends before it starts: as published, "
            "one to any other end below the start does so, too",
        ),
        (
            "TruncateFromTailTillOffset.guard2.*",
            "retention goes beyond the end, and the log ends before it starts: as published, a "
            "truncation does so, too",
        ),
        (
            "TruncateFromTailTillOffset.logs.part1.unchanged",
            "records before the start stay: no operator reads them",
        ),
    ),
    "kafka-transactions": (
        (
            "ReceiveInitPidRequest.4.pid_source.unchanged",
            "with one transactional id no other one can be given the same producer id",
        ),
    ),
    "verified-log": _LOG,
    "elasticsearch": (
        ("ClientRequest.1.nextRequestId.*", "an id is used again: nothing reads the ids"),
        ("*.clientResponses.unchanged", _ANSWER),
        (
            "ClientRequest.2.guard2.*",
            "the primary without replicas waits for no answer, so that its client never gets one: "
            "progress is lost",
        ),
        (
            "HandleReplicationRequest.1.guard1.*",
            "an answer with an old term is taken for a request, and answered as failed: the "
            "primary is told once more, or instead",
        ),
        (
            "Handle*.messages.unchanged",
            "the message stays and is handled again: a copy that has an operation takes it again, "
            "and an answer that was counted counts for the same copy",
        ),
        (
            "HandleReplicationResponse.1.globalCheckPoint.unchanged",
            "the global checkpoint stays behind, and claims speak of what is below it",
        ),
        ("HandleReplicationResponse.2.guard3.*", _FAILED),
        ("HandleReplicationResponse.3.guard3.*", _FAILED),
        ("HandleTrimTranslogResponse.1.guard3.*", _FAILED),
        ("FailRequestMessage.guard1.*", "answers fail as well as requests: a retry follows both"),
    ),
}
"""By protocol: patterns of names of faults, the first that fits counts."""


def reason(protocol: str, fault: str) -> str | None:
    """Return why nothing notices a fault, None where that is open."""
    for pattern, said in REASONS.get(protocol, ()):
        if fnmatchcase(fault, pattern):
            return said
    return None
