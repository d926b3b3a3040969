"""What is stated of KIP-320 as brokers run it, beside what the published model states.

The lemmas are those of the published model but for what no longer holds: a follower may be at an
epoch before its leader is, its log need not be a prefix of its leader's until it has fetched, and
a broker that restarts has an epoch and no leader.
"""

from bmc.encodings.kafka import KafkaReplication
from bmc.properties.kafka.commit import COMMIT, committed, committed_record
from bmc.properties.kafka.control import (
    CONTROL,
    epoch_comes_with_a_leader,
    leader_comes_from_the_request,
    leader_is_as_new_as_its_followers,
    quorum_isr_is_the_latest,
)
from bmc.properties.kafka.logs import LOGS, follower_prefix
from bmc.properties.kafka.words import elected, leads_at, presumes, request, sent

from bmc.lang import (
    Expr,
    Operand,
    State,
    conj,
    disj,
    exists,
    forall,
    implies,
    invariant,
    is_none,
    is_some,
    ite,
    lemma,
    member,
    step_invariant,
)

Replica = KafkaReplication.Replica
Offset = KafkaReplication.Offset
LeaderEpoch = KafkaReplication.LeaderEpoch


@invariant(
    "Every member of the quorum's ISR has every record that was ever committed.",
    replica=Replica,
    offset=Offset,
)
def CommitsAreKept(m: KafkaReplication, s: State, replica: Expr, offset: Expr) -> Expr:
    """It sees a commit that a restart forgets, which the high watermarks do not tell any more."""
    log = s.replicaLog[replica]
    return implies(
        conj(committed(s, offset), member(replica, s.quorumState.isr)),
        conj(log.endOffset > offset, is_some(log.records[offset]))
        & (log.records[offset] == committed_record(s, offset)),
    )


@step_invariant("No replica cuts a record below its own high watermark.", replica=Replica)
def NothingCommittedIsCut(m: KafkaReplication, s: State, after: State, replica: Expr) -> Expr:
    return after.replicaLog[replica].endOffset >= s.replicaState[replica].hw


@step_invariant(
    "A log changes only with a leader of its replica's epoch, which takes itself for the leader.",
    replica=Replica,
)
def LogsChangeWithinAnEpoch(m: KafkaReplication, s: State, after: State, replica: Expr) -> Expr:
    """What KIP-320 fences: who writes leads itself, who fetches or truncates follows the other."""

    def led_by(leader: Expr) -> Expr:
        return conj(
            presumes(s, leader),
            after.replicaState[replica].leader == leader,
            after.replicaState[replica].leaderEpoch == s.replicaState[leader].leaderEpoch,
        )

    same = after.replicaLog[replica] == s.replicaLog[replica]
    return disj(same, exists(m.Replica, led_by))


@step_invariant("Who joins the ISR follows the leader, in the quorum's epoch.", replica=Replica)
def JoinsWhileFollowing(m: KafkaReplication, s: State, after: State, replica: Expr) -> Expr:
    state, quorum = s.replicaState[replica], s.quorumState
    joins = ~member(replica, quorum.isr) & member(replica, after.quorumState.isr)
    return implies(
        joins,
        conj(
            is_some(quorum.leader),
            state.leader == quorum.leader,
            state.leaderEpoch == quorum.leaderEpoch,
        ),
    )


@step_invariant(
    "Of a broker without a leader only the high watermark and the epoch change, to the quorum's.",
    replica=Replica,
)
def NoOldRequestAfterARestart(m: KafkaReplication, s: State, after: State, replica: Expr) -> Expr:
    """A request that was sent before has no later epoch, so the broker does not adopt it."""
    before, then = s.replicaState[replica], after.replicaState[replica]
    return implies(
        is_none(then.leader) & (then != before),
        conj(then.leaderEpoch == s.quorumState.leaderEpoch, then.isr == before.isr),
    )


@lemma("a replica with a leader has an epoch", "control", replica=Replica)
def leader_comes_with_an_epoch(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    state = s.replicaState[replica]
    return implies(is_some(state.leader), state.leaderEpoch >= 0)


@lemma("a replica's leader is the one that its epoch's request names", "control", replica=Replica)
def a_leader_is_the_requests(m: KafkaReplication, s: State, replica: Expr) -> Expr:
    state = s.replicaState[replica]
    return forall(
        m.LeaderEpoch,
        lambda epoch: implies(
            is_some(state.leader) & (state.leaderEpoch == epoch),
            conj(sent(s, epoch), request(s, epoch).leader == state.leader),
        ),
    )


def _open(m: KafkaReplication, s: State, epoch: Operand) -> Expr:
    """The epoch's leader leads, or has not heard of it yet; after a restart it never will."""

    def may_lead(leader: Expr) -> Expr:
        heard = s.replicaState[leader].leaderEpoch >= epoch
        return elected(s, epoch, leader) & disj(~heard, leads_at(s, leader, epoch))

    return exists(m.Replica, may_lead)


def _in_isr_of(m: KafkaReplication, s: State, epoch: Operand, replica: Operand) -> Expr:
    """The replica is in the ISR of an open epoch: the leader's while it leads, else as sent."""

    def leads(leader: Expr) -> Expr:
        return elected(s, epoch, leader) & leads_at(s, leader, epoch)

    return ite(
        exists(m.Replica, leads),
        exists(
            m.Replica,
            lambda leader: leads(leader) & member(replica, s.replicaState[leader].isr),
        ),
        member(replica, request(s, epoch).isr),
    )


def _unfenced(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    """The epoch is open, and nobody of its ISR has a later one."""
    return conj(
        sent(s, epoch),
        _open(m, s, epoch),
        forall(
            m.Replica,
            lambda replica: implies(
                _in_isr_of(m, s, epoch, replica), s.replicaState[replica].leaderEpoch <= epoch
            ),
        ),
    )


@lemma(
    "the quorum's ISR is that of the latest epoch while it is open", "control", epoch=LeaderEpoch
)
def quorum_isr_is_that_of_the_open_epoch(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return implies(
        conj(s.nextLeaderEpoch - 1 == epoch, sent(s, epoch), _open(m, s, epoch)),
        forall(
            m.Replica,
            lambda replica: _in_isr_of(m, s, epoch, replica) == member(replica, s.quorumState.isr),
        ),
    )


@lemma(
    "while an open epoch is not fenced, the quorum's ISR is inside its own",
    "fencing",
    epoch=LeaderEpoch,
)
def quorum_isr_inside_open_isr(m: KafkaReplication, s: State, epoch: Expr) -> Expr:
    return implies(
        _unfenced(m, s, epoch),
        forall(
            m.Replica,
            lambda replica: implies(
                member(replica, s.quorumState.isr), _in_isr_of(m, s, epoch, replica)
            ),
        ),
    )


@lemma(
    "while an open epoch is not fenced, the ISRs of later requests are inside its own",
    "fencing",
    epoch=LeaderEpoch,
    later=LeaderEpoch,
)
def later_isr_inside_open_isr(m: KafkaReplication, s: State, epoch: Expr, later: Expr) -> Expr:
    return implies(
        conj(epoch < later, _unfenced(m, s, epoch), sent(s, later)),
        forall(
            m.Replica,
            lambda replica: implies(
                member(replica, request(s, later).isr), _in_isr_of(m, s, epoch, replica)
            ),
        ),
    )


COMMITS_KEPT = (CommitsAreKept, NothingCommittedIsCut)
FENCED = (LogsChangeWithinAnEpoch, JoinsWhileFollowing, NoOldRequestAfterARestart)

_REPLACED = (
    epoch_comes_with_a_leader,
    leader_comes_from_the_request,
    leader_is_as_new_as_its_followers,
    quorum_isr_is_the_latest,
    follower_prefix,
)
DEPLOYED_LEMMAS = (
    *(one for one in (*CONTROL, *LOGS, *COMMIT) if one not in _REPLACED),
    leader_comes_with_an_epoch,
    a_leader_is_the_requests,
    quorum_isr_is_that_of_the_open_epoch,
    quorum_isr_inside_open_isr,
    later_isr_inside_open_isr,
)
