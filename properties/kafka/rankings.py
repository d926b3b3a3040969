"""Why replicas come up: each that does is behind fewer epochs, and epochs come to an end."""

from bmc.encodings.kafka.kip320 import Kip320
from bmc.encodings.kafka.replication import KafkaReplication
from bmc.properties.kafka.temporal import asked_to_lead, told_of_a_leader

from bmc.lang import Expr, Record, State, conj, exists, filtered, is_some, size, the
from bmc.lang.ranking import Rank, helpful, rank, ranking

Replica, LeaderEpoch = KafkaReplication.Replica, KafkaReplication.LeaderEpoch
Behind = Record("Behind", replica=Replica, epoch=LeaderEpoch)


def _behind(s: State) -> Expr:
    """How many epochs replicas have still to reach, all together."""
    return size(filtered(Behind, lambda b: s.replicaState[b.replica].leaderEpoch < b.epoch))


def _without_a_leader(s: State) -> Expr:
    """Of how many epochs, those to come included, the leader has not come up."""

    def is_up(e: Expr) -> Expr:
        return exists(
            s.leaderAndIsrRequests,
            lambda q: conj(
                q.leaderEpoch == e,
                is_some(q.leader),
                s.replicaState[the(q.leader)].leaderEpoch >= e,
            ),
        )

    return size(filtered(LeaderEpoch, lambda e: ~is_up(e)))


@ranking(
    "Whoever becomes a leader is that of one more epoch.",
    proves="LeaderComesUp",
    r=Replica,
    e=LeaderEpoch,
)
def LeadersComeNearer(m: Kip320, s: State, r: Expr, e: Expr) -> Rank:
    return rank(_without_a_leader(s), by=helpful("BecomeLeader"), meanwhile=asked_to_lead(s, r, e))


@ranking(
    "Whoever becomes a leader is behind fewer epochs, and so is whoever follows one.",
    proves="FollowerComesUp",
    r=Replica,
    e=LeaderEpoch,
)
def FollowersComeNearer(m: Kip320, s: State, r: Expr, e: Expr) -> Rank:
    """Once the leader of the epoch is up there is a leader of the last epoch that anybody has."""
    missing = exists(
        s.leaderAndIsrRequests,
        lambda q: conj(
            q.leaderEpoch == e, is_some(q.leader), s.replicaState[the(q.leader)].leaderEpoch < e
        ),
    )
    return rank(
        _behind(s),
        by=[
            helpful("BecomeLeader", when=missing),
            helpful("FencedBecomeFollowerAndTruncate", when=~missing),
        ],
        meanwhile=told_of_a_leader(s, r, e),
    )


RANKINGS = (LeadersComeNearer, FollowersComeNearer)

__all__ = ["RANKINGS"]
