"""KafkaReplication.tla: the state and the operators that every variant shares.

``None`` of the specification is none; its ``Nil`` epoch is -1, as there, and its Nil record is
none. A request is known by its leader epoch, so ``leaderAndIsrRequests`` is a set with a key:
that no epoch is ever given to two requests is checked, not assumed.
"""

from bmc.encodings.id_sequence import Sequencer
from bmc.encodings.replicated_log import ReplicatedLogOperators

from bmc.lang import (
    Card,
    Drawing,
    Expr,
    Integer,
    KeyedSetSort,
    Log,
    MapSort,
    Messages,
    Operand,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    State,
    Step,
    Variable,
    action,
    conj,
    disj,
    empty,
    everything,
    forall,
    implies,
    insert,
    is_some,
    lifeline,
    lifelines,
    mapping,
    member,
    minimum,
    one,
    record,
)
from bmc.lang.drawing import Telling

Nil = -1


class KafkaReplication(Protocol):
    """A partition, its replicas, the quorum state and the controller that writes it."""

    replicas = Parameter("replicas", 3, 1, 9, "number of replicas")
    # These are upper bounds in guards and nothing else, so a larger one only adds executions.
    log_size = Parameter(
        "log_size",
        2,
        1,
        64,
        "offsets a log can hold",
        monotone=True,
        ends="a full log is not written to",
    )
    max_records = Parameter(
        "max_records",
        2,
        1,
        64,
        "records the producers write",
        monotone=True,
        ends="no record after the last id",
    )
    max_leader_epoch = Parameter(
        "max_leader_epoch",
        2,
        0,
        64,
        "the last leader epoch",
        monotone=True,
        ends="no request of the controller after the last epoch",
    )

    Replica = Scalarset("Replica", replicas)
    ReplicaOpt = OptionSort(Replica)
    Offset = Integer("Offset", 0, log_size - 1)
    RecordId = Integer("RecordId", 0, max_records - 1)
    LeaderEpoch = Integer("LeaderEpoch", 0, max_leader_epoch)
    LeaderEpochOpt = Integer("LeaderEpoch", Nil, max_leader_epoch)

    LogRecord = Record("LogRecord", id=RecordId, epoch=LeaderEpoch)
    QuorumState = Record(
        "QuorumState", leaderEpoch=LeaderEpochOpt, leader=ReplicaOpt, isr=SetSort(Replica)
    )
    LeaderAndIsrRequest = Record(
        "LeaderAndIsrRequest", leaderEpoch=LeaderEpoch, leader=ReplicaOpt, isr=SetSort(Replica)
    )
    ReplicaState = Record(
        "ReplicaState",
        hw=Offset.to(log_size),
        leaderEpoch=LeaderEpochOpt,
        leader=ReplicaOpt,
        isr=SetSort(Replica),
    )

    RecordSeq = Sequencer("nextRecordId", max_records - 1)
    LeaderEpochSeq = Sequencer("nextLeaderEpoch", max_leader_epoch)
    ReplicaLog = ReplicatedLogOperators("replicaLog", Replica, Offset, LogRecord, log_size)

    replicaLog = Variable(ReplicaLog.Logs, "the log of each replica")
    replicaState = Variable(MapSort(Replica, ReplicaState), "what each replica knows")
    nextRecordId = Variable(RecordId.to(max_records), "the id of the next record")
    nextLeaderEpoch = Variable(LeaderEpoch.to(max_leader_epoch + 1), "the next leader epoch")
    leaderAndIsrRequests = Variable(
        KeyedSetSort(LeaderAndIsrRequest, "leaderEpoch"), "all requests ever sent"
    )
    quorumState = Variable(QuorumState, "the state kept in ZooKeeper")

    @action()
    def Init(self, s: Step) -> None:
        self.LeaderEpochSeq.Init(s)
        self.RecordSeq.Init(s)
        self.ReplicaLog.Init(s)
        unknown = record(
            self.ReplicaState, hw=0, leaderEpoch=Nil, leader=None, isr=empty(SetSort(self.Replica))
        )
        s.replicaState = mapping(self.Replica, lambda replica: unknown, self.ReplicaState)
        s.quorumState = record(
            self.QuorumState, leaderEpoch=Nil, leader=None, isr=everything(self.Replica)
        )
        s.leaderAndIsrRequests = frozenset()

    def ReplicaPresumesLeadership(self, s: State, replica: Operand) -> Expr:
        return s.replicaState[replica].leader == replica

    def ReplicaIsFollowing(self, s: State, follower: Operand, leader: Operand) -> Expr:
        return s.replicaState[follower].leader == leader

    def IsTrueLeader(self, s: State, leader: Expr) -> Expr:
        return conj(
            s.quorumState.leader == leader,
            self.ReplicaPresumesLeadership(s, leader),
            s.replicaState[leader].leaderEpoch == s.quorumState.leaderEpoch,
        )

    def ControllerUpdateIsr(self, s: Step, newLeader: Operand, newIsr: Operand) -> None:
        """The ``newLeaderEpoch`` of the specification's ``\\E`` is the sequence's next id."""
        newLeaderEpoch = s.nextLeaderEpoch
        self.LeaderEpochSeq.NextId(s, newLeaderEpoch)
        s.quorumState = record(
            self.QuorumState, leaderEpoch=newLeaderEpoch, leader=newLeader, isr=newIsr
        )
        newControllerState = record(
            self.LeaderAndIsrRequest, leaderEpoch=newLeaderEpoch, leader=newLeader, isr=newIsr
        )
        s.leaderAndIsrRequests = insert(s.leaderAndIsrRequests, newControllerState)

    @action(replica=Replica)
    def ControllerShrinkIsr(self, s: Step, replica: Expr) -> None:
        """Its last case may empty the ISR: no leader is elected and the last member leaves."""
        leader, isr = s.quorumState.leader, s.quorumState.isr
        with s.either():
            s.require(leader == replica, isr == one(replica))
            self.ControllerUpdateIsr(s, None, isr)
        with s.either():
            s.require(leader == replica, isr != one(replica))
            self.ControllerUpdateIsr(s, None, isr - one(replica))
        with s.either():
            s.require(leader != replica, member(replica, isr))
            self.ControllerUpdateIsr(s, leader, isr - one(replica))

    @action(newLeader=Replica)
    def ControllerElectLeader(self, s: Step, newLeader: Expr) -> None:
        s.require(member(newLeader, s.quorumState.isr), s.quorumState.leader != newLeader)
        self.ControllerUpdateIsr(s, newLeader, s.quorumState.isr)

    @action(fairness="weak", leader=Replica, leaderAndIsrRequest=leaderAndIsrRequests)
    def BecomeLeader(self, s: Step, leader: Expr, leaderAndIsrRequest: Expr) -> None:
        """``leader`` names the request's leader, which is not None."""
        s.require(
            leaderAndIsrRequest.leader == leader,
            leaderAndIsrRequest.leaderEpoch > s.replicaState[leader].leaderEpoch,
        )
        s.replicaState[leader].leaderEpoch = leaderAndIsrRequest.leaderEpoch
        s.replicaState[leader].leader = leader
        s.replicaState[leader].isr = leaderAndIsrRequest.isr

    @action(fairness="strong", replica=Replica, id=RecordId, offset=Offset)
    def LeaderWrite(self, s: Step, replica: Expr, id: Expr, offset: Expr) -> None:
        s.require(self.ReplicaPresumesLeadership(s, replica))
        self.RecordSeq.NextId(s, id)
        newRecord = record(self.LogRecord, id=id, epoch=s.replicaState[replica].leaderEpoch)
        self.ReplicaLog.Append(s, replica, newRecord, offset)

    def QuorumUpdateLeaderAndIsr(self, s: Step, leader: Expr, newIsr: Expr) -> None:
        s.require(self.IsTrueLeader(s, leader))
        s.quorumState.isr = newIsr
        s.replicaState[leader].isr = newIsr

    def IsFollowerCaughtUp(self, s: State, leader: Expr, follower: Expr, endOffset: Expr) -> Expr:
        return conj(
            self.ReplicaIsFollowing(s, follower, leader),
            disj(
                endOffset == 0,
                conj(
                    endOffset > 0,
                    self.ReplicaLog.HasSomeEntry(s, leader, endOffset - 1),
                    self.ReplicaLog.HasOffset(s, follower, endOffset - 1),
                ),
            ),
        )

    @action(leader=Replica, replica=Replica)
    def LeaderShrinkIsr(self, s: Step, leader: Expr, replica: Expr) -> None:
        isr = s.replicaState[leader].isr
        endOffset = self.ReplicaLog.GetEndOffset(s, leader)
        s.require(
            member(replica, isr - one(leader)),
            ~self.IsFollowerCaughtUp(s, leader, replica, endOffset),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr - one(replica))

    @action(fairness="strong", leader=Replica, replica=Replica)
    def LeaderExpandIsr(self, s: Step, leader: Expr, replica: Expr) -> None:
        isr = s.replicaState[leader].isr
        leaderHw = s.replicaState[leader].hw
        s.require(
            ~member(replica, isr),
            self.IsFollowerCaughtUp(s, leader, replica, leaderHw),
        )
        self.QuorumUpdateLeaderAndIsr(s, leader, isr | one(replica))

    @action(fairness="strong", offset=Offset, leader=Replica)
    def LeaderIncHighWatermark(self, s: Step, offset: Expr, leader: Expr) -> None:
        s.require(
            self.ReplicaPresumesLeadership(s, leader),
            s.replicaState[leader].hw == offset,
            forall(
                self.Replica,
                lambda follower: implies(
                    member(follower, s.replicaState[leader].isr),
                    self.ReplicaIsFollowing(s, follower, leader)
                    & self.ReplicaLog.HasOffset(s, follower, offset),
                ),
            ),
        )
        s.replicaState[leader].hw = s.replicaState[leader].hw + 1

    def BecomeFollowerAndTruncateTo(
        self, s: Step, leader: Expr, replica: Expr, truncationOffset: Expr, request: Expr
    ) -> None:
        """``request`` is the leaderAndIsrRequest of the specification's ``\\E``. Its disjunct
        ``leader = None`` is dead: every caller takes the leader from Replicas."""
        s.require(
            leader != replica,
            request.leader == leader,
            request.leaderEpoch > s.replicaState[replica].leaderEpoch,
        )
        self.ReplicaLog.TruncateTo(s, replica, truncationOffset)
        s.replicaState[replica] = record(
            self.ReplicaState,
            leaderEpoch=request.leaderEpoch,
            leader=leader,
            isr=request.isr,
            hw=minimum(truncationOffset, s.replicaState[replica].hw),
        )

    @action(follower=Replica, leader=Replica)
    def FollowerReplicate(self, s: Step, follower: Expr, leader: Expr) -> None:
        s.require(
            self.ReplicaPresumesLeadership(s, leader),
            self.ReplicaIsFollowing(s, follower, leader),
        )
        self.FetchFrom(s, leader, follower)

    def FetchFrom(self, s: Step, leader: Expr, follower: Expr) -> None:
        """What FollowerReplicate, FollowerFetch and FencedFollowerFetch do once admitted."""
        self.ReplicaLog.ReplicateTo(s, leader, follower)
        newEndOffset = self.ReplicaLog.GetEndOffset(s, follower) + 1
        leaderHw = s.replicaState[leader].hw
        s.replicaState[follower].hw = minimum(leaderHw, newEndOffset)

    def drawn(self, s: State) -> Drawing:
        """The controller, and a lifeline for each replica with its log."""
        quorum = s.quorumState

        def card(replica: Expr) -> Card:
            log, state = s.replicaLog[replica], s.replicaState[replica]
            return Card(
                role={"leader": state.leader == replica, "follower": is_some(state.leader)},
                logs={"log": Log(log.records, ("id", "epoch"), "epoch", state.hw)},
                facts={"epoch": state.leaderEpoch, "leader": state.leader, "ISR": state.isr},
            )

        facts = {"epoch": quorum.leaderEpoch, "leader": quorum.leader, "ISR": quorum.isr}

        def request(m: Expr) -> dict[str, Operand]:
            return {"epoch": m.leaderEpoch, "leader": m.leader, "ISR": m.isr}

        return Drawing(
            (lifeline("controller", Card(facts=facts)), lifelines(self.Replica, card)),
            messages=(Messages(s.leaderAndIsrRequests, "controller", shown=request),),
            arrows={
                "*Follower*Fetch": ("leader", "follower"),
                "FollowerReplicate": ("leader", "follower"),
                "*BecomeFollower*": ("leader", "replica"),
                "*LeaderExpandIsr": ("leader", "controller"),
                "*LeaderShrinkIsr": ("leader", "controller"),
            },
            actors={
                "Controller*": "controller",
                "*BecomeFollower*": "replica",
                "*Follower*": "follower",
            },
            says=self.sentences(s),
        )

    def sentences(self, s: State) -> dict[str, Telling]:
        """Why a variant truncates where it does, for the reader of a trace."""
        return {}
