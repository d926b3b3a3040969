"""What the servers of etcd's raft send, how it is taken out of the network, and what gets lost."""

from etcd_raft_state import EtcdRaftState

from bmc.lang import (
    BoundedSet,
    Expr,
    Operand,
    State,
    Step,
    action,
    coerce,
    conj,
    disj,
    empty,
    first,
    insert,
    ite,
    maximum,
    member,
    record,
    remove,
    size,
    union_of,
)


class Network(EtcdRaftState):
    """Messages in flight are a bag: of equal ones each has a number."""

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

    def AdoptTerm(self, s: Step, m: Expr, later: Expr) -> None:
        """A server that hears of a later term follows, and has voted for nobody in it."""
        s.state[m.dest] = ite(later, "StateFollower", s.state[m.dest])
        s.votedFor[m.dest] = ite(later, None, s.votedFor[m.dest])
        s.currentTerm[m.dest] = maximum(m.term, s.currentTerm[m.dest])

    @action(message=EtcdRaftState.messages)
    def IgnoreMessage(self, s: Step, message: Expr) -> None:
        """A server passes over what is of an earlier term, or a candidate while a lease lasts."""
        m = message.body
        later = self.Take(s, message, "MsgVote", "MsgApp", "MsgHeartbeat", "MsgSnap")
        earlier = m.term < s.currentTerm[m.dest]
        s.require(earlier | conj(later, m.type == "MsgVote"))
        led = (m.type == "MsgApp") | (m.type == "MsgHeartbeat")
        known = s.outdated[m.dest]
        s.outdated[m.dest] = ite(earlier & led, insert(known, m.source), known)

    @action(server=EtcdRaftState.Server, leader=EtcdRaftState.Server)
    def TellTerm(self, s: Step, server: Expr, leader: Expr) -> None:
        """With CheckQuorum a leader of an earlier term is told of the later one."""
        s.require(member(leader, s.outdated[server]))
        s.outdated[server] = remove(s.outdated[server], leader)
        self.Send(s, "MsgAppResp", server, leader, s.currentTerm[server])

    @action(message=EtcdRaftState.messages)
    def DropMessage(self, s: Step, message: Expr) -> None:
        s.require(self.IsLastCopy(s, message))
        s.messages = remove(s.messages, message)

    @action(message=EtcdRaftState.messages)
    def DuplicateMessage(self, s: Step, message: Expr) -> None:
        s.require(self.Copies(s.messages, message.body) == 1, size(s.messages) < self.max_messages)
        again = record(self.Message, body=message.body, copy=1)
        s.messages = insert(s.messages, again)
