"""AsyncIsr.tla of hachikuji/kafka-specification.

``Leader`` of the specification is one of ``Replicas``; the others are interchangeable. So
``Replica`` is an optional follower, and no follower is the leader.

``requests`` holds every message that was ever sent, and so does ``updates``. The controller
writes a version once, which makes the version a key of ``updates``. The leader may ask for
several changes of one version, each time by a single replica that leaves or joins: version and
replica are the key of ``requests``. The specification's message does not name that replica; it
is the one in which the message's ISR and the leader's of that version differ. That both are
keys is checked, not assumed.
"""

from bmc.lang import (
    Card,
    Drawing,
    Expr,
    Integer,
    KeyedSetSort,
    MapSort,
    Messages,
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
    choose,
    conj,
    disj,
    empty,
    everything,
    exists,
    insert,
    lifeline,
    lifelines,
    mapping,
    member,
    one_of,
    record,
    remove,
)

Nil = -1
Leader = None


class AsyncIsr(Protocol):
    """ISR changes that travel as requests and updates, each with a version."""

    replicas = Parameter("replicas", 3, 2, 9, "number of replicas, the leader included")
    max_offset = Parameter("max_offset", 1, 1, 64, "the last offset the leader writes")
    max_version = Parameter("max_version", 2, 0, 64, "the last version the controller writes")

    Follower = Scalarset("Follower", replicas - 1)
    Replica = OptionSort(Follower)
    # One more than the constraint admits: the step that leaves it still has a value.
    Offset = Integer("Offset", 0, max_offset + 1)
    Version = Integer("Version", 0, max_version + 1)
    VersionOpt = Integer("Version", Nil, max_version + 1)

    ControllerState = Record("ControllerState", isr=SetSort(Replica), version=Version)
    LeaderState = Record(
        "LeaderState",
        isr=SetSort(Replica),
        version=Version,
        pendingIsr=SetSort(Replica),
        pendingVersion=VersionOpt,
        offsets=MapSort(Replica, Offset),
    )
    Update = Record("Update", isr=SetSort(Replica), version=Version)
    Change = Record("Change", version=Version, replica=Follower)
    Request = Record("Request", isr=SetSort(Replica), change=Change)

    controllerState = Variable(ControllerState, "the ISR as the controller has written it")
    leaderState = Variable(LeaderState, "the ISR as the leader knows it, and all offsets")
    requests = Variable(KeyedSetSort(Request, "change"), "all changes the leader asked for")
    updates = Variable(KeyedSetSort(Update, "version"), "all changes the controller announced")

    def HighWatermark(self, s: State) -> Expr:
        """The least of the offsets; it has no value for an ISR without members."""
        return choose(
            self.Offset,
            lambda offset: exists(
                self.Replica,
                lambda replica: conj(
                    member(replica, s.leaderState.isr | s.leaderState.pendingIsr),
                    s.leaderState.offsets[replica] == offset,
                ),
            ),
        )

    def ControllerWriteIsr(self, s: Step, isr: Expr, version: Expr) -> None:
        s.controllerState = record(self.ControllerState, isr=isr, version=version)
        s.updates = insert(s.updates, record(self.Update, isr=isr, version=version))

    @action(replica=Follower)
    def ControllerShrinkIsr(self, s: Step, replica: Expr) -> None:
        s.require(member(replica, s.controllerState.isr))
        version = s.controllerState.version + 1
        isr = remove(s.controllerState.isr, replica)
        self.ControllerWriteIsr(s, isr, version)

    @action(message=requests)
    def ControllerHandleRequest(self, s: Step, message: Expr) -> None:
        s.require(message.change.version == s.controllerState.version)
        version = s.controllerState.version + 1
        self.ControllerWriteIsr(s, message.isr, version)

    def LeaderRequestIsr(self, s: Step, isr: Expr, replica: Expr) -> None:
        """What both kinds of requests have in common."""
        version = s.leaderState.version
        change = record(self.Change, version=version, replica=replica)
        s.requests = insert(s.requests, record(self.Request, isr=isr, change=change))
        s.leaderState.pendingIsr = s.leaderState.pendingIsr | isr
        s.leaderState.pendingVersion = version

    @action(replica=Follower)
    def LeaderRequestShrinkIsr(self, s: Step, replica: Expr) -> None:
        s.require(member(replica, s.leaderState.isr))
        self.LeaderRequestIsr(s, remove(s.leaderState.isr, replica), replica)

    @action(replica=Follower)
    def LeaderRequestExpandIsr(self, s: Step, replica: Expr) -> None:
        """The specification lets the leader join too; it never leaves."""
        s.require(
            ~member(replica, s.leaderState.isr),
            s.leaderState.offsets[replica] >= self.HighWatermark(s),
        )
        self.LeaderRequestIsr(s, insert(s.leaderState.isr, replica), replica)

    @action()
    def LeaderWrite(self, s: Step) -> None:
        s.leaderState.offsets[Leader] = s.leaderState.offsets[Leader] + 1

    @action(update=updates)
    def LeaderHandleUpdate(self, s: Step, update: Expr) -> None:
        s.require(update.version > s.leaderState.version)
        s.leaderState.isr = update.isr
        s.leaderState.version = update.version
        s.leaderState.pendingIsr = frozenset()
        s.leaderState.pendingVersion = Nil

    @action(replica=Follower)
    def FollowerReplicate(self, s: Step, replica: Expr) -> None:
        s.require(s.leaderState.offsets[replica] < s.leaderState.offsets[Leader])
        s.leaderState.offsets[replica] = s.leaderState.offsets[replica] + 1

    @action()
    def Init(self, s: Step) -> None:
        s.controllerState = record(self.ControllerState, isr=everything(self.Replica), version=0)
        s.leaderState = record(
            self.LeaderState,
            isr=everything(self.Replica),
            version=0,
            pendingIsr=empty(SetSort(self.Replica)),
            pendingVersion=Nil,
            offsets=mapping(self.Replica, lambda replica: 0, self.Offset),
        )
        s.requests = frozenset()
        s.updates = frozenset()

    Next = one_of(
        ControllerShrinkIsr,
        ControllerHandleRequest,
        LeaderRequestShrinkIsr,
        LeaderRequestExpandIsr,
        LeaderWrite,
        LeaderHandleUpdate,
        FollowerReplicate,
    )

    def Constraint(self, s: State) -> Expr:
        """The bounds under which the specification is checked; it states none itself."""
        return conj(
            s.leaderState.offsets[Leader] <= self.max_offset,
            s.controllerState.version <= self.max_version,
        )

    def drawn(self, s: State) -> Drawing:
        """The controller, the leader, and the followers, which only have offsets."""

        def follower(me: Expr) -> Card:
            known = disj(
                member(me, s.leaderState.isr),
                member(me, s.leaderState.pendingIsr),
            )
            return Card(
                role={"in the leader's ISR": known},
                facts={"offset": s.leaderState.offsets[me]},
            )

        leader = {
            "offset": s.leaderState.offsets[Leader],
            "ISR": s.leaderState.isr,
            "version": s.leaderState.version,
            "pending ISR": s.leaderState.pendingIsr,
            "pending version": s.leaderState.pendingVersion,
        }
        controller = {"ISR": s.controllerState.isr, "version": s.controllerState.version}
        return Drawing(
            (
                lifeline("controller", Card(facts=controller)),
                lifeline("leader", Card(facts=leader)),
                lifelines(self.Follower, follower),
            ),
            messages=(
                Messages(s.requests, "leader", "controller"),
                Messages(s.updates, "controller", "leader"),
            ),
            arrows={"FollowerReplicate": ("leader", "replica")},
            actors={"Controller*": "controller", "Leader*": "leader", "Follower*": "replica"},
        )
