"""What progress KIP-320 promises: as published, and where followers do fetch."""

from bmc.encodings.kafka.kip320 import Kip320
from bmc.encodings.kafka.replication import KafkaReplication

from bmc.lang import Expr, State, conj, exists, is_some, member
from bmc.lang.temporal import (
    Formula,
    Specification,
    always,
    entails,
    eventually,
    leads_to,
    strong,
    temporal,
    weak,
)

PUBLISHED_FAIRNESS = (
    strong("FencedLeaderIncHighWatermark"),
    strong("FencedLeaderExpandIsr"),
    strong("LeaderWrite"),
    weak("FencedBecomeFollowerAndTruncate"),
    weak("BecomeLeader"),
)

FETCHING = Specification(
    "Fetching",
    (*PUBLISHED_FAIRNESS, weak("FencedFollowerFetch", per=("follower", "leader"))),
)
"""The published fairness, and that a follower which can fetch does."""

Replica, LeaderEpoch = KafkaReplication.Replica, KafkaReplication.LeaderEpoch


def _leads(s: State, r: Expr) -> Expr:
    return conj(
        s.quorumState.leader == r, s.replicaState[r].leader == r, s.replicaState[r].leaderEpoch >= 0
    )


def _follows(s: State, r: Expr, leader: Expr) -> Expr:
    return conj(
        s.replicaState[r].leader == leader,
        s.replicaState[r].leaderEpoch == s.replicaState[leader].leaderEpoch,
    )


def _kept_waiting(s: State, r: Expr, o: Expr) -> Expr:
    return conj(s.replicaLog[r].endOffset > o, s.replicaState[r].hw <= o)


def asked_to_lead(s: State, r: Expr, e: Expr) -> Expr:
    """Whether a replica is asked to lead at an epoch."""
    return exists(s.leaderAndIsrRequests, lambda q: (q.leaderEpoch == e) & (q.leader == r))


def told_of_a_leader(s: State, r: Expr, e: Expr) -> Expr:
    """Whether a replica is told of another one that leads at an epoch."""
    return exists(
        s.leaderAndIsrRequests,
        lambda q: conj(q.leaderEpoch == e, is_some(q.leader), ~(q.leader == r)),
    )


@temporal("Whoever is asked to lead does, or meets a later epoch.", r=Replica, e=LeaderEpoch)
def LeaderComesUp(m: Kip320, s: State, r: Expr, e: Expr) -> Formula:
    return leads_to(asked_to_lead(s, r, e), s.replicaState[r].leaderEpoch >= e)


@temporal("Whoever is told of a leader follows it, or a later one.", r=Replica, e=LeaderEpoch)
def FollowerComesUp(m: Kip320, s: State, r: Expr, e: Expr) -> Formula:
    return leads_to(told_of_a_leader(s, r, e), s.replicaState[r].leaderEpoch >= e)


def _stable_leader_commits(s: State, r: Expr, o: Expr) -> Formula:
    waiting = _kept_waiting(s, r, o)
    return entails(eventually(always(_leads(s, r))), always(eventually(~waiting)))


@temporal(
    "What a leader that stays has in its log comes below its high watermark.",
    specification="Fetching",
    r=Replica,
    o=KafkaReplication.Offset,
)
def StableLeaderCommits(m: Kip320, s: State, r: Expr, o: Expr) -> Formula:
    return _stable_leader_commits(s, r, o)


@temporal(
    "The same under the published fairness, where nobody has to fetch.",
    r=Replica,
    o=KafkaReplication.Offset,
)
def StableLeaderCommitsAsPublished(m: Kip320, s: State, r: Expr, o: Expr) -> Formula:
    return _stable_leader_commits(s, r, o)


@temporal(
    "What a leader has in its log comes below its high watermark or is cut, deposed or not.",
    specification="Fetching",
    r=Replica,
    o=KafkaReplication.Offset,
)
def EveryLeaderCommits(m: Kip320, s: State, r: Expr, o: Expr) -> Formula:
    return leads_to(
        (s.replicaState[r].leader == r) & _kept_waiting(s, r, o), ~_kept_waiting(s, r, o)
    )


def _stable_follower_joins(s: State, r: Expr, leader: Expr) -> Formula:
    stays = always(_leads(s, leader) & _follows(s, r, leader))
    return leads_to(stays, member(r, s.replicaState[leader].isr))


@temporal(
    "Whoever stays with a leader that stays comes into its ISR.",
    specification="Fetching",
    r=Replica,
    leader=Replica,
)
def StableFollowerJoins(m: Kip320, s: State, r: Expr, leader: Expr) -> Formula:
    return _stable_follower_joins(s, r, leader)


@temporal(
    "The same under the published fairness, where nobody has to fetch.",
    r=Replica,
    leader=Replica,
)
def StableFollowerJoinsAsPublished(m: Kip320, s: State, r: Expr, leader: Expr) -> Formula:
    return _stable_follower_joins(s, r, leader)


TEMPORAL = (
    LeaderComesUp,
    FollowerComesUp,
    StableLeaderCommits,
    StableLeaderCommitsAsPublished,
    EveryLeaderCommits,
    StableFollowerJoins,
    StableFollowerJoinsAsPublished,
)

__all__ = ["FETCHING", "TEMPORAL", "asked_to_lead", "told_of_a_leader"]
