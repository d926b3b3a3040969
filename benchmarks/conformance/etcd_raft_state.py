"""What the servers of etcd's raft know, and what is asked of their logs and configurations."""

from collections.abc import Callable

from bmc.lang import (
    BOOL,
    BoundedSet,
    EnumSort,
    Expr,
    Integer,
    MapSort,
    Operand,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    Sort,
    State,
    Step,
    Variable,
    action,
    conj,
    empty,
    filtered,
    implies,
    ite,
    mapping,
    member,
    record,
    size,
    the,
)


class EtcdRaftState(Protocol):
    """Sorts, variables and initial state; the steps are in the files beside this one."""

    servers = Parameter("servers", 2, 1, 64, "how many servers there are in all")
    max_term = Parameter("max_term", 2, 1, 100_000, "the last term", ends="no later election")
    log_size = Parameter(
        "log_size", 3, 1, 100_000, "entries of a log", ends="a full log is not written to"
    )
    max_messages = Parameter(
        "max_messages", 2, 1, 100_000, "messages in flight", ends="no more are sent"
    )
    max_copies = Parameter("max_copies", 2, 1, 1_000, "equal messages in flight")

    Server = Scalarset("Server", servers)
    Term = Integer("Term", 0, max_term)
    Index = Integer("Index", 0, log_size)
    Position = Integer("Index", 1, log_size)
    Copy = Integer("Copy", 0, max_copies - 1)
    Servers = SetSort(Server)
    Role = EnumSort("Role", ("StateFollower", "StatePreCandidate", "StateCandidate", "StateLeader"))
    Transition = EnumSort("Transition", ("Simple", "AutoLeave", "Explicit"))
    Change = Record(
        "Change", voters=Servers, learners=Servers, removed=Servers, transition=Transition
    )
    Entry = Record("Entry", term=Term, change=OptionSort(Change))
    Entries = MapSort(Position, OptionSort(Entry))
    Log = Record("Log", length=Index, entries=Entries)
    Config = Record(
        "Config", voters=Servers, outgoing=Servers, learners=Servers, learnersNext=Servers
    )
    Type = EnumSort(
        "Type",
        (
            *("MsgVote", "MsgVoteResp", "MsgApp", "MsgAppResp"),
            *("MsgHeartbeat", "MsgHeartbeatResp", "MsgSnap"),
        ),
    )
    Body = Record(
        "Body",
        type=Type,
        source=Server,
        dest=Server,
        term=Term,
        logTerm=Term,
        index=Index,
        count=Index,
        entries=OptionSort(Entries),
        commit=Index,
        reject=BOOL,
        config=OptionSort(Config),
    )
    Message = Record("Message", body=Body, copy=Copy)
    Messages = BoundedSet(Message, max_messages)
    Durable = Record(
        "Durable",
        currentTerm=Term,
        votedFor=OptionSort(Server),
        length=Index,
        commitIndex=Index,
        config=Config,
        applied=Index,
    )

    currentTerm = Variable(MapSort(Server, Term))
    state = Variable(MapSort(Server, Role))
    votedFor = Variable(MapSort(Server, OptionSort(Server)))
    log = Variable(MapSort(Server, Log))
    commitIndex = Variable(MapSort(Server, Index))
    votesResponded = Variable(MapSort(Server, Servers))
    votesGranted = Variable(MapSort(Server, Servers))
    matchIndex = Variable(MapSort(Server, MapSort(Server, Index)))
    pendingConfChangeIndex = Variable(MapSort(Server, Index))
    config = Variable(MapSort(Server, Config))
    applied = Variable(MapSort(Server, Index))
    history = Variable(MapSort(Server, MapSort(Position, OptionSort(Config))))
    bootstrapping = Variable(MapSort(Server, BOOL))
    outdated = Variable(MapSort(Server, Servers))
    durableState = Variable(MapSort(Server, Durable))
    messages = Variable(Messages)
    pendingMessages = Variable(Messages)
    sent = Variable(MapSort(Server, OptionSort(Body)))
    peers = Variable(Index)

    def everywhere(self, value: Operand, sort: Sort) -> Expr:
        return mapping(self.Server, lambda server: value, sort)

    @action()
    def Init(self, s: Step) -> None:
        nobody = empty(self.Servers)
        nothing = mapping(self.Position, lambda k: None, OptionSort(self.Entry))
        alone = record(
            self.Config, voters=nobody, outgoing=nobody, learners=nobody, learnersNext=nobody
        )
        s.currentTerm = self.everywhere(0, self.Term)
        s.state = self.everywhere("StateFollower", self.Role)
        s.votedFor = self.everywhere(None, OptionSort(self.Server))
        s.log = self.everywhere(record(self.Log, length=0, entries=nothing), self.Log)
        s.commitIndex = self.everywhere(0, self.Index)
        s.votesResponded = self.everywhere(nobody, self.Servers)
        s.votesGranted = self.everywhere(nobody, self.Servers)
        s.matchIndex = self.everywhere(
            self.everywhere(0, self.Index), MapSort(self.Server, self.Index)
        )
        s.pendingConfChangeIndex = self.everywhere(0, self.Index)
        s.config = self.everywhere(alone, self.Config)
        s.applied = self.everywhere(0, self.Index)
        s.history = self.everywhere(
            mapping(self.Position, lambda k: None, OptionSort(self.Config)),
            MapSort(self.Position, OptionSort(self.Config)),
        )
        s.bootstrapping = self.everywhere(False, BOOL)
        s.outdated = self.everywhere(nobody, self.Servers)
        s.durableState = self.everywhere(
            record(
                self.Durable,
                currentTerm=0,
                votedFor=None,
                length=0,
                commitIndex=0,
                config=alone,
                applied=0,
            ),
            self.Durable,
        )
        s.messages = empty(self.Messages)
        s.pendingMessages = empty(self.Messages)
        s.sent = self.everywhere(None, OptionSort(self.Body))
        s.peers = 0

    # What is asked of logs and configurations.

    def TermAt(self, log: Expr, index: Expr) -> Expr:
        return ite(conj(index > 0, index <= log.length), the(log.entries[index]).term, 0)

    def LastTerm(self, log: Expr) -> Expr:
        return self.TermAt(log, log.length)

    def IsJoint(self, config: Expr) -> Expr:
        return size(config.outgoing) > 0

    def HasQuorum(self, config: Expr, agrees: Callable[[Expr], Expr]) -> Expr:
        """Whether most of the voters agree, of a joint configuration in both halves."""

        def most(voters: Expr) -> Expr:
            some = filtered(self.Server, lambda v: conj(member(v, voters), agrees(v)))
            return size(some) * 2 > size(voters)

        return conj(most(config.voters), implies(self.IsJoint(config), most(config.outgoing)))

    def IsVoter(self, server: Expr, config: Expr) -> Expr:
        return member(server, config.voters) | member(server, config.outgoing)

    def IsMember(self, server: Expr, config: Expr) -> Expr:
        return self.IsVoter(server, config) | member(server, config.learners)

    def IsBootstrapping(self, s: State, server: Expr) -> Expr:
        """Whether a server has read a part of the list of peers only."""
        known = conj(s.peers > 0, s.log[server].length >= s.peers)
        return conj(s.bootstrapping[server], ~known)

    def Prefix(self, log: Expr, length: Expr) -> Expr:
        """The first entries of a log, as a log."""
        entries = mapping(
            self.Position,
            lambda k: ite(k <= length, log.entries[k], None),
            OptionSort(self.Entry),
        )
        return record(self.Log, length=length, entries=entries)

    def Append(self, s: Step, server: Expr, entry: Expr) -> None:
        """Append an entry to a log that has room."""
        s.require(s.log[server].length < self.log_size)
        s.log[server].entries[s.log[server].length + 1] = entry
        s.log[server].length = s.log[server].length + 1
