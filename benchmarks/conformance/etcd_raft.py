"""Raft as etcd runs it, by the action names of its specification, to check what its nodes trace.

The actions are those of ``etcdraft.tla`` in etcd-io/raft, in the language of bmc. It differs where
its trace says more than that specification does:

- a change of the configuration is an entry that says what changes, not the configuration after it:
  a server that joins applies all of them, beginning with an empty configuration. Joint
  configurations are entered and left as ``confchange`` does it, of which ``etcdraft.tla`` has
  nothing; that one is left is an entry that nobody traces;
- ``Start`` and ``Bootstrap`` are what ``RawNode.Bootstrap`` does with its list of peers, of which
  all servers are given the same: ``peers`` is its length, known once a server was Ready with it;
- a handler is one step. A term that is adopted, a conflict that is cut and an answer that is sent
  are part of it, as in ``raft.Step``. Of a leader that hears of its own term it knows no step.
  What comes with an earlier term is ignored, and while a leader's lease lasts (CheckQuorum) so are
  candidates;
- a leader tells its own commit index, also to whom has not all that is committed;
- a snapshot brings the configuration at its index with it, which ``history`` has for each server:
  the answer to it is traced before the configuration is. ``LoadSnapshot`` and ``LoadConfig`` are
  what a server does that begins with a snapshot in its storage;
- a change is proposed whether or not the server is a member already, as the library does: the
  specification has members removed only, and others added;
- ``sent`` is the last message that a server sent, so that a log can show what it was.

Messages are bags: of equal ones each has a number. Compaction is not in it (a log keeps what a
snapshot has), nor are messages of pre-votes, reads and transfers, of which etcd traces nothing.
"""

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
    coerce,
    conj,
    disj,
    empty,
    exists,
    filtered,
    first,
    forall,
    implies,
    insert,
    invariant,
    is_none,
    is_some,
    ite,
    last,
    mapping,
    maximum,
    member,
    minimum,
    record,
    remove,
    size,
    the,
    union_of,
    witness,
)


class EtcdRaft(Protocol):
    """Elections, replication and changes of the configuration, one server at a time."""

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

    # Messages.

    def Copies(self, messages: Expr, body: Expr) -> Expr:
        """How many messages are like this one: they are numbered without a gap."""
        return first(
            self.Copy,
            lambda k: ~member(record(self.Message, body=body, copy=k), messages),
            self.max_copies,
        )

    def Either(self, condition: Expr, then: str, otherwise: str) -> Expr:
        return ite(condition, coerce(then, self.Type), coerce(otherwise, self.Type))

    def From(self, messages: Expr, source: Expr) -> Expr:
        nothing = empty(self.Messages)
        return union_of(
            messages,
            lambda m: ite(m.body.source == source, insert(nothing, m), nothing),
            self.Messages,
        )

    def Without(self, messages: Expr, source: Expr) -> Expr:
        nothing = empty(self.Messages)
        return union_of(
            messages,
            lambda m: ite(m.body.source == source, nothing, insert(nothing, m)),
            self.Messages,
        )

    def Send(
        self, s: Step, type: Operand, source: Expr, dest: Expr, term: Operand, **fields: Operand
    ) -> None:
        given: dict[str, Operand] = {
            "logTerm": 0,
            "index": 0,
            "count": 0,
            "entries": None,
            "commit": 0,
            "reject": False,
            "config": None,
        }
        body = record(
            self.Body, type=type, source=source, dest=dest, term=term, **{**given, **fields}
        )
        s.require(size(s.pendingMessages) < self.max_messages)
        # Over a set of one element a binder gives a name to what is not to be computed twice.
        alone = insert(empty(BoundedSet(self.Body, 1)), body)
        s.pendingMessages = union_of(
            alone,
            lambda b: insert(
                s.pendingMessages,
                record(self.Message, body=b, copy=self.Copies(s.pendingMessages, b)),
            ),
            self.Messages,
        )
        s.sent[source] = body

    def IsLastCopy(self, s: State, message: Expr) -> Expr:
        return (message.copy + 1 == self.max_copies) | ~member(
            record(self.Message, body=message.body, copy=message.copy + 1), s.messages
        )

    def Take(self, s: Step, message: Expr, *types: str) -> Expr:
        """Take a message out of the network, of equal ones the last; whether its term is later."""
        body = message.body
        s.require(disj(*(body.type == type for type in types)))
        s.require(self.IsLastCopy(s, message))
        s.require(~self.IsBootstrapping(s, body.dest))
        s.messages = remove(s.messages, message)
        return body.term > s.currentTerm[body.dest]

    # What a server does by itself.

    @action(server=Server)
    def Start(self, s: Step, server: Expr) -> None:
        """The first thing that Bootstrap does: the term becomes 1."""
        s.require(s.currentTerm[server] == 0, s.log[server].length == 0)
        s.currentTerm[server] = 1

    @action(server=Server, peer=Server)
    def Bootstrap(self, s: Step, server: Expr, peer: Expr) -> None:
        """The next of the peers becomes an entry that is committed and applied."""
        log = s.log[server]
        added = self.ChangeOf(voters=peer)
        entry = record(self.Entry, term=1, change=added)
        s.require(
            s.currentTerm[server] == 1,
            s.durableState[server].length == 0,
            ~member(peer, s.config[server].voters),
            (s.peers == 0) | (log.length < s.peers),
            log.length < self.log_size,
        )
        s.require(
            forall(
                self.Server,
                lambda other: implies(
                    s.log[other].length > log.length,
                    s.log[other].entries[log.length + 1] == entry,
                ),
            )
        )
        self.Append(s, server, entry)
        s.commitIndex[server] = log.length + 1
        s.applied[server] = log.length + 1
        s.config[server].voters = insert(s.config[server].voters, peer)
        s.history[server][log.length + 1] = s.config[server]
        s.bootstrapping[server] = True

    @action(server=Server, index=Position)
    def LoadSnapshot(self, s: Step, server: Expr, index: Expr) -> None:
        """A server begins with a snapshot in its storage: as if all up to there were of term 1."""
        s.require(s.currentTerm[server] == 0, s.log[server].length == 0)
        blank = coerce(record(self.Entry, term=1, change=None), OptionSort(self.Entry))
        s.log[server] = record(
            self.Log,
            length=index,
            entries=mapping(
                self.Position, lambda k: ite(k <= index, blank, None), OptionSort(self.Entry)
            ),
        )
        s.commitIndex[server] = index
        s.applied[server] = index
        s.durableState[server].length = index
        s.durableState[server].commitIndex = index
        s.durableState[server].applied = index

    @action(server=Server, voters=Servers, learners=Servers)
    def LoadConfig(self, s: Step, server: Expr, voters: Expr, learners: Expr) -> None:
        """The configuration of such a snapshot: that of all others at its index."""
        index, nobody = s.applied[server], empty(self.Servers)
        config = record(
            self.Config, voters=voters, outgoing=nobody, learners=learners, learnersNext=nobody
        )
        s.require(
            s.currentTerm[server] == 0,
            index > 0,
            forall(self.Server, lambda v: ~(member(v, voters) & member(v, learners))),
            forall(
                self.Server,
                lambda other: conj(
                    is_none(s.history[other][index]) | (s.history[other][index] == config),
                    implies(other == server, is_none(s.history[other][index])),
                ),
            ),
        )
        s.config[server] = config
        s.durableState[server].config = config
        s.history[server][index] = config

    @action(server=Server)
    def Restart(self, s: Step, server: Expr) -> None:
        """A server loses what it did not persist."""
        durable, log = s.durableState[server], s.log[server]
        s.state[server] = "StateFollower"
        s.votesResponded[server] = empty(self.Servers)
        s.votesGranted[server] = empty(self.Servers)
        s.matchIndex[server] = self.everywhere(0, self.Index)
        s.pendingConfChangeIndex[server] = 0
        s.pendingMessages = self.Without(s.pendingMessages, server)
        s.currentTerm[server] = durable.currentTerm
        s.commitIndex[server] = durable.commitIndex
        s.votedFor[server] = durable.votedFor
        s.log[server] = self.Prefix(log, durable.length)
        s.bootstrapping[server] = False
        s.outdated[server] = empty(self.Servers)
        s.config[server] = durable.config
        s.applied[server] = durable.applied

    @action(server=Server)
    def Ready(self, s: Step, server: Expr) -> None:
        """What is pending is persisted, and then sent."""
        length = s.log[server].length
        bootstrapped = s.bootstrapping[server]
        s.require(implies(bootstrapped, (s.peers == 0) | (length == s.peers)))
        s.bootstrapping[server] = False
        s.peers = ite(bootstrapped, length, s.peers)
        s.durableState[server] = record(
            self.Durable,
            currentTerm=s.currentTerm[server],
            votedFor=s.votedFor[server],
            length=length,
            commitIndex=s.commitIndex[server],
            config=s.config[server],
            applied=s.applied[server],
        )
        moved = self.From(s.pendingMessages, server)
        s.require(size(s.messages) + size(moved) <= self.max_messages)
        nothing = empty(self.Messages)
        arrived = union_of(
            moved,
            lambda m: insert(
                nothing,
                record(self.Message, body=m.body, copy=m.copy + self.Copies(s.messages, m.body)),
            ),
            self.Messages,
        )
        s.messages = ite(
            size(moved) == 0,
            s.messages,
            union_of(arrived, lambda m: insert(s.messages, m), self.Messages),
        )
        s.pendingMessages = self.Without(s.pendingMessages, server)

    @action(server=Server)
    def Timeout(self, s: Step, server: Expr) -> None:
        s.require(
            s.state[server] != "StateLeader",
            self.IsVoter(server, s.config[server]),
            ~self.IsBootstrapping(s, server),
            s.currentTerm[server] < self.max_term,
        )
        s.state[server] = "StateCandidate"
        s.currentTerm[server] = s.currentTerm[server] + 1
        s.votedFor[server] = server
        s.votesResponded[server] = empty(self.Servers)
        s.votesGranted[server] = empty(self.Servers)

    @action(server=Server)
    def PreCampaign(self, s: Step, server: Expr) -> None:
        """A server asks whether an election would help; its term stays."""
        s.require(
            (s.state[server] == "StateFollower") | (s.state[server] == "StateCandidate"),
            self.IsVoter(server, s.config[server]),
        )
        s.state[server] = "StatePreCandidate"

    @action(server=Server)
    def StepDownToFollower(self, s: Step, server: Expr) -> None:
        s.require(s.state[server] != "StateFollower")
        s.state[server] = "StateFollower"

    # Elections.

    @action(candidate=Server, voter=Server)
    def RequestVote(self, s: Step, candidate: Expr, voter: Expr) -> None:
        """A candidate asks for a vote; to itself it answers at once."""
        log, own = s.log[candidate], candidate == voter
        s.require(
            s.state[candidate] == "StateCandidate",
            self.IsMember(voter, s.config[candidate]),
            ~member(voter, s.votesResponded[candidate]),
        )
        self.Send(
            s,
            self.Either(own, "MsgVoteResp", "MsgVote"),
            candidate,
            voter,
            s.currentTerm[candidate],
            logTerm=ite(own, 0, self.LastTerm(log)),
            index=ite(own, 0, log.length),
        )

    @action(message=messages)
    def ReceiveRequestVoteRequest(self, s: Step, message: Expr) -> None:
        m = message.body
        voter, log = m.dest, s.log[m.dest]
        later = self.Take(s, message, "MsgVote")
        s.require(m.term >= s.currentTerm[voter])
        upToDate = (m.logTerm > self.LastTerm(log)) | conj(
            m.logTerm == self.LastTerm(log), m.index >= log.length
        )
        free = later | is_none(s.votedFor[voter]) | (s.votedFor[voter] == m.source)
        grant = upToDate & free
        s.state[voter] = ite(later, "StateFollower", s.state[voter])
        s.votedFor[voter] = ite(grant, m.source, ite(later, None, s.votedFor[voter]))
        s.currentTerm[voter] = m.term
        self.Send(
            s,
            "MsgVoteResp",
            voter,
            m.source,
            m.term,
            reject=~grant,
        )

    @action(message=messages)
    def ReceiveRequestVoteResponse(self, s: Step, message: Expr) -> None:
        m = message.body
        later = self.Take(s, message, "MsgVoteResp")
        self.AdoptTerm(s, m, later)
        counts = m.term >= s.currentTerm[m.dest]
        responded, granted = s.votesResponded[m.dest], s.votesGranted[m.dest]
        s.votesResponded[m.dest] = ite(counts, insert(responded, m.source), responded)
        s.votesGranted[m.dest] = ite(counts & ~m.reject, insert(granted, m.source), granted)

    @action(candidate=Server)
    def BecomeLeader(self, s: Step, candidate: Expr) -> None:
        config, granted = s.config[candidate], s.votesGranted[candidate]
        s.require(
            s.state[candidate] == "StateCandidate",
            self.HasQuorum(config, lambda v: member(v, granted)),
        )
        s.state[candidate] = "StateLeader"
        s.matchIndex[candidate] = mapping(
            self.Server,
            lambda other: ite(other == candidate, s.log[candidate].length, 0),
            self.Index,
        )

    def AdoptTerm(self, s: Step, m: Expr, later: Expr) -> None:
        """A server that hears of a later term follows, and has voted for nobody in it."""
        s.state[m.dest] = ite(later, "StateFollower", s.state[m.dest])
        s.votedFor[m.dest] = ite(later, None, s.votedFor[m.dest])
        s.currentTerm[m.dest] = maximum(m.term, s.currentTerm[m.dest])

    # Replication.

    @action(leader=Server)
    def ClientRequest(self, s: Step, leader: Expr) -> None:
        s.require(s.state[leader] == "StateLeader")
        entry = record(self.Entry, term=s.currentTerm[leader], change=None)
        self.Append(s, leader, entry)

    @action(leader=Server, follower=Server, previous=Index, count=Index)
    def AppendEntries(
        self, s: Step, leader: Expr, follower: Expr, previous: Expr, count: Expr
    ) -> None:
        """A leader sends so many of its entries after the previous one."""
        log = s.log[leader]
        s.require(
            leader != follower,
            s.state[leader] == "StateLeader",
            self.IsMember(follower, s.config[leader]),
            previous >= s.matchIndex[leader][follower],
            previous + count <= log.length,
        )
        sent = mapping(
            self.Position,
            lambda k: ite(conj(k > previous, k <= previous + count), log.entries[k], None),
            OptionSort(self.Entry),
        )
        self.Send(
            s,
            "MsgApp",
            leader,
            follower,
            s.currentTerm[leader],
            logTerm=self.TermAt(log, previous),
            index=previous,
            count=count,
            entries=ite(count == 0, coerce(None, OptionSort(self.Entries)), sent),
            commit=s.commitIndex[leader],
        )

    @action(leader=Server)
    def AppendEntriesToSelf(self, s: Step, leader: Expr) -> None:
        s.require(s.state[leader] == "StateLeader")
        self.Send(
            s, "MsgAppResp", leader, leader, s.currentTerm[leader], index=s.log[leader].length
        )

    @action(leader=Server, follower=Server)
    def Heartbeat(self, s: Step, leader: Expr, follower: Expr) -> None:
        s.require(
            leader != follower,
            s.state[leader] == "StateLeader",
            self.IsMember(follower, s.config[leader]),
        )
        self.Send(
            s,
            "MsgHeartbeat",
            leader,
            follower,
            s.currentTerm[leader],
            commit=minimum(s.commitIndex[leader], s.matchIndex[leader][follower]),
        )

    @action(message=messages)
    def ReceiveAppendEntriesRequest(self, s: Step, message: Expr) -> None:
        m = message.body
        server, log, commit = m.dest, s.log[m.dest], s.commitIndex[m.dest]
        later = self.Take(s, message, "MsgApp", "MsgHeartbeat")
        s.require(
            m.term >= s.currentTerm[server],
            later | (s.state[server] != "StateLeader"),
        )
        fits = (m.index == 0) | conj(m.index <= log.length, self.TermAt(log, m.index) == m.logTerm)
        accept, beats = fits, m.type == "MsgHeartbeat"
        known, end = m.index < commit, m.index + m.count
        conflict = conj(
            m.count > 0,
            exists(
                self.Position,
                lambda k: conj(
                    k > m.index,
                    k <= minimum(end, log.length),
                    self.TermAt(log, k) != the(the(m.entries)[k]).term,
                ),
            ),
        )

        def replaced(rest: Callable[[Expr], Operand]) -> Expr:
            return mapping(
                self.Position,
                lambda k: ite(conj(k > m.index, k <= end), the(m.entries)[k], rest(k)),
                OptionSort(self.Entry),
            )

        # Whether there is a conflict is not asked at each index: twice is enough.
        cut = record(
            self.Log,
            length=end,
            entries=replaced(lambda k: ite(k <= end, log.entries[k], None)),
        )
        longer = record(
            self.Log,
            length=maximum(end, log.length),
            entries=replaced(lambda k: log.entries[k]),
        )
        writes = conj(accept, ~beats, ~known, m.count > 0)
        s.log[server] = ite(writes, ite(conflict, cut, longer), log)
        reached = ite(beats, m.commit, ite(known, commit, minimum(m.commit, end)))
        s.require(implies(accept & beats, m.commit <= log.length))
        s.commitIndex[server] = ite(accept, maximum(commit, reached), commit)
        s.state[server] = "StateFollower"
        s.votedFor[server] = ite(later, None, s.votedFor[server])
        s.currentTerm[server] = m.term
        self.Send(
            s,
            self.Either(beats, "MsgHeartbeatResp", "MsgAppResp"),
            server,
            m.source,
            m.term,
            index=ite(accept & ~beats, ite(known, commit, end), 0),
            reject=~accept,
        )

    @action(message=messages)
    def ReceiveAppendEntriesResponse(self, s: Step, message: Expr) -> None:
        m = message.body
        later = self.Take(s, message, "MsgAppResp", "MsgHeartbeatResp")
        self.AdoptTerm(s, m, later)
        before = s.matchIndex[m.dest][m.source]
        counts = conj(m.term >= s.currentTerm[m.dest], ~m.reject)
        s.matchIndex[m.dest][m.source] = ite(counts, maximum(before, m.index), before)

    @action(leader=Server)
    def AdvanceCommitIndex(self, s: Step, leader: Expr) -> None:
        log, config, commit = s.log[leader], s.config[leader], s.commitIndex[leader]
        s.require(s.state[leader] == "StateLeader")
        agreed = last(
            self.Position,
            lambda k: conj(
                k > commit,
                k <= log.length,
                self.HasQuorum(config, lambda v: s.matchIndex[leader][v] >= k),
            ),
            commit,
        )
        own = self.TermAt(log, agreed) == s.currentTerm[leader]
        s.commitIndex[leader] = ite(own, agreed, commit)

    # Changes of the configuration.

    def ChangeOf(
        self,
        voters: Expr | None = None,
        learners: Expr | None = None,
        removed: Expr | None = None,
        transition: Operand = "Simple",
    ) -> Expr:
        """A change of at most one server in each way."""

        def alone(server: Expr | None) -> Expr:
            nobody = empty(self.Servers)
            return nobody if server is None else insert(nobody, server)

        return record(
            self.Change,
            voters=alone(voters),
            learners=alone(learners),
            removed=alone(removed),
            transition=transition,
        )

    @action(leader=Server, server=Server, transition=Transition)
    def AddNewServer(self, s: Step, leader: Expr, server: Expr, transition: Expr) -> None:
        self.Propose(s, leader, self.ChangeOf(voters=server, transition=transition))

    @action(leader=Server, server=Server, transition=Transition)
    def AddLearner(self, s: Step, leader: Expr, server: Expr, transition: Expr) -> None:
        self.Propose(s, leader, self.ChangeOf(learners=server, transition=transition))

    @action(leader=Server, server=Server, transition=Transition)
    def DeleteServer(self, s: Step, leader: Expr, server: Expr, transition: Expr) -> None:
        self.Propose(s, leader, self.ChangeOf(removed=server, transition=transition))

    @action(leader=Server, voters=Servers, learners=Servers, removed=Servers, transition=Transition)
    def ChangeServers(
        self,
        s: Step,
        leader: Expr,
        voters: Expr,
        learners: Expr,
        removed: Expr,
        transition: Expr,
    ) -> None:
        """Several servers at once, by way of a joint configuration."""
        s.require(
            transition != "Simple",
            size(voters) + size(learners) + size(removed) > 1,
        )
        change = record(
            self.Change, voters=voters, learners=learners, removed=removed, transition=transition
        )
        self.Propose(s, leader, change)

    def Propose(self, s: Step, leader: Expr, change: Expr) -> None:
        """One change at a time: another one is proposed when the last was applied."""
        s.require(~self.IsJoint(s.config[leader]))
        self.AppendChange(s, leader, change)

    @action(leader=Server)
    def LeaveJoint(self, s: Step, leader: Expr) -> None:
        """A leader proposes to leave a joint configuration: an empty change."""
        s.require(self.IsJoint(s.config[leader]))
        self.AppendChange(s, leader, self.ChangeOf())

    def AppendChange(self, s: Step, leader: Expr, change: Expr) -> None:
        s.require(s.state[leader] == "StateLeader", s.pendingConfChangeIndex[leader] == 0)
        self.Append(s, leader, record(self.Entry, term=s.currentTerm[leader], change=change))
        s.pendingConfChangeIndex[leader] = s.log[leader].length + 1

    def Changed(self, config: Expr, change: Expr) -> Expr:
        """The configuration after a change: a voter becomes a learner when it left both halves."""
        leaves = size(change.voters) + size(change.learners) + size(change.removed) == 0
        joint = change.transition != "Simple"

        def outgoing(v: Expr) -> Expr:
            return ite(joint, member(v, config.voters), member(v, config.outgoing))

        def voter(v: Expr) -> Expr:
            kept = member(v, config.voters) & ~member(v, change.learners)
            return (kept & ~member(v, change.removed)) | member(v, change.voters)

        def waits(v: Expr) -> Expr:
            kept = member(v, config.learnersNext) & ~member(v, change.voters)
            demoted = member(v, change.learners) & outgoing(v)
            return ~leaves & ((kept & ~member(v, change.removed)) | demoted)

        def learner(v: Expr) -> Expr:
            kept = member(v, config.learners) & ~member(v, change.voters)
            added = member(v, change.learners) & ~outgoing(v)
            ready = leaves & member(v, config.learnersNext)
            return (kept & ~member(v, change.removed)) | added | ready

        return record(
            self.Config,
            voters=filtered(self.Server, voter),
            outgoing=filtered(self.Server, lambda v: ~leaves & outgoing(v)),
            learners=filtered(self.Server, learner),
            learnersNext=filtered(self.Server, waits),
        )

    @action(server=Server, index=Position)
    def ApplyConfChange(self, s: Step, server: Expr, index: Expr) -> None:
        """The next change that is committed and not applied becomes effective."""
        log = s.log[server]
        s.require(
            index > s.applied[server],
            index <= s.commitIndex[server],
            is_some(the(log.entries[index]).change),
            forall(
                self.Position,
                lambda k: implies(
                    conj(k > s.applied[server], k < index),
                    is_none(the(log.entries[k]).change),
                ),
            ),
        )
        config = self.Changed(s.config[server], the(the(log.entries[index]).change))
        s.config[server] = config
        s.history[server][index] = config
        s.applied[server] = index
        pending = s.pendingConfChangeIndex[server]
        s.pendingConfChangeIndex[server] = ite(pending == index, 0, pending)

    # Snapshots.

    @action(leader=Server, follower=Server, index=Position)
    def SendSnapshot(self, s: Step, leader: Expr, follower: Expr, index: Expr) -> None:
        """A leader sends what it has applied up to an index, and the configuration there."""
        log = s.log[leader]
        since = last(
            self.Position,
            lambda k: conj(k <= index, is_some(s.history[leader][k])),
            0,
        )
        s.require(
            leader != follower,
            s.state[leader] == "StateLeader",
            self.IsMember(follower, s.config[leader]),
            index <= s.commitIndex[leader],
            since > 0,
        )
        self.Send(
            s,
            "MsgSnap",
            leader,
            follower,
            s.currentTerm[leader],
            count=index,
            entries=self.Prefix(log, index).entries,
            config=s.history[leader][since],
        )

    @action(message=messages)
    def ReceiveSnapshot(self, s: Step, message: Expr) -> None:
        """A server that lacks what a snapshot has takes it for its log."""
        m = message.body
        server, log, commit = m.dest, s.log[m.dest], s.commitIndex[m.dest]
        later = self.Take(s, message, "MsgSnap")
        s.require(
            m.term >= s.currentTerm[server],
            later | (s.state[server] != "StateLeader"),
        )
        term = the(the(m.entries)[m.count]).term
        new = m.count > commit
        restores = conj(
            new,
            self.TermAt(log, m.count) != term,
            self.IsMember(server, the(m.config)),
        )
        fits = conj(new, self.TermAt(log, m.count) == term)
        s.log[server] = ite(restores, record(self.Log, length=m.count, entries=the(m.entries)), log)
        reached = ite(restores | fits, m.count, commit)
        s.commitIndex[server] = reached
        s.history[server][m.count] = ite(restores, m.config, s.history[server][m.count])
        s.applied[server] = ite(restores, m.count, s.applied[server])
        nobody = empty(self.Servers)
        nothing = record(
            self.Config, voters=nobody, outgoing=nobody, learners=nobody, learnersNext=nobody
        )
        s.config[server] = ite(restores, nothing, s.config[server])
        s.state[server] = "StateFollower"
        s.votedFor[server] = ite(later, None, s.votedFor[server])
        s.currentTerm[server] = m.term
        self.Send(
            s,
            "MsgAppResp",
            server,
            m.source,
            m.term,
            index=ite(restores, m.count, commit),
        )

    @action(server=Server)
    def RestoreConfig(self, s: Step, server: Expr) -> None:
        """The configuration of a snapshot becomes effective."""
        index = s.applied[server]
        s.require(index > 0, is_some(s.history[server][index]))
        s.config[server] = the(s.history[server][index])

    # The network.

    @action(message=messages)
    def IgnoreMessage(self, s: Step, message: Expr) -> None:
        """A server passes over what is of an earlier term, or a candidate while a lease lasts."""
        m = message.body
        later = self.Take(s, message, "MsgVote", "MsgApp", "MsgHeartbeat", "MsgSnap")
        earlier = m.term < s.currentTerm[m.dest]
        s.require(earlier | conj(later, m.type == "MsgVote"))
        led = (m.type == "MsgApp") | (m.type == "MsgHeartbeat")
        known = s.outdated[m.dest]
        s.outdated[m.dest] = ite(earlier & led, insert(known, m.source), known)

    @action(server=Server, leader=Server)
    def TellTerm(self, s: Step, server: Expr, leader: Expr) -> None:
        """With CheckQuorum a leader of an earlier term is told of the later one."""
        s.require(member(leader, s.outdated[server]))
        s.outdated[server] = remove(s.outdated[server], leader)
        self.Send(s, "MsgAppResp", server, leader, s.currentTerm[server])

    @action(message=messages)
    def DropMessage(self, s: Step, message: Expr) -> None:
        s.require(self.IsLastCopy(s, message))
        s.messages = remove(s.messages, message)

    @action(message=messages)
    def DuplicateMessage(self, s: Step, message: Expr) -> None:
        s.require(self.Copies(s.messages, message.body) == 1, size(s.messages) < self.max_messages)
        again = record(self.Message, body=message.body, copy=1)
        s.messages = insert(s.messages, again)

    Next = (
        Start,
        Bootstrap,
        LoadSnapshot,
        LoadConfig,
        Restart,
        Ready,
        Timeout,
        PreCampaign,
        StepDownToFollower,
        RequestVote,
        ReceiveRequestVoteRequest,
        ReceiveRequestVoteResponse,
        BecomeLeader,
        ClientRequest,
        AppendEntries,
        AppendEntriesToSelf,
        Heartbeat,
        ReceiveAppendEntriesRequest,
        ReceiveAppendEntriesResponse,
        AdvanceCommitIndex,
        AddNewServer,
        AddLearner,
        DeleteServer,
        ChangeServers,
        LeaveJoint,
        ApplyConfChange,
        SendSnapshot,
        ReceiveSnapshot,
        RestoreConfig,
        IgnoreMessage,
        TellTerm,
        DropMessage,
        DuplicateMessage,
    )

    # What etcdraft.tla claims.

    @invariant("at most one leader a term", i=Server, j=Server)
    def MoreThanOneLeaderInv(self, s: State, i: Expr, j: Expr) -> Expr:
        lead = conj(s.state[i] == "StateLeader", s.state[j] == "StateLeader")
        return implies(conj(s.currentTerm[i] == s.currentTerm[j], lead), i == j)

    @invariant("what two servers have committed agrees", i=Server, j=Server)
    def LogInv(self, s: State, i: Expr, j: Expr) -> Expr:
        both = minimum(s.commitIndex[i], s.commitIndex[j])
        return forall(
            self.Position,
            lambda k: implies(k <= both, s.log[i].entries[k] == s.log[j].entries[k]),
        )

    @invariant("an index and a term determine a log up to there", i=Server, j=Server)
    def LogMatchingInv(self, s: State, i: Expr, j: Expr) -> Expr:
        one_, other = s.log[i], s.log[j]
        both = minimum(one_.length, other.length)
        same = last(
            self.Position,
            lambda k: conj(k <= both, self.TermAt(one_, k) == self.TermAt(other, k)),
            0,
        )
        return forall(
            self.Position,
            lambda k: implies(k <= same, one_.entries[k] == other.entries[k]),
        )

    @invariant("a leader persists before it commits", i=Server)
    def CommittedIsDurableInv(self, s: State, i: Expr) -> Expr:
        leads = s.state[i] == "StateLeader"
        return implies(leads, s.commitIndex[i] <= s.durableState[i].length)

    @witness("somebody leads", i=Server)
    def SomebodyLeads(self, s: State, i: Expr) -> Expr:
        return s.state[i] == "StateLeader"
