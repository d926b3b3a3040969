"""Tiny protocols whose properties need lemmas that nobody states."""

from bmc.lang import (
    EnumSort,
    Expr,
    MapSort,
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
    empty,
    everything,
    forall,
    implies,
    insert,
    invariant,
    is_none,
    mapping,
    member,
    one_of,
    record,
    remove,
    size,
    some,
)


class Lock(Protocol):
    """A lock that nodes hand on in messages."""

    nodes = Parameter("nodes", 3, 2, 3, "how many nodes there are")

    Node = Scalarset("Node", nodes)
    Grant = Record("Grant", source=Node, target=Node)
    holders = Variable(SetSort(Node))
    sent = Variable(SetSort(Grant))

    @action(node=Node)
    def Init(self, s: Step, node: Expr) -> None:
        s.holders = insert(empty(SetSort(self.Node)), node)
        s.sent = empty(SetSort(self.Grant))

    @action(source=Node, target=Node)
    def Send(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(member(source, s.holders))
        s.holders = remove(s.holders, source)
        s.sent = insert(s.sent, record(self.Grant, source=source, target=target))

    @action(source=Node, target=Node)
    def Receive(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(member(record(self.Grant, source=source, target=target), s.sent))
        s.sent = remove(s.sent, record(self.Grant, source=source, target=target))
        s.holders = insert(s.holders, target)

    Next = one_of(Send, Receive)

    @invariant("one node holds the lock at most", one=Node, other=Node)
    def Mutex(self, s: State, one: Expr, other: Expr) -> Expr:
        return implies(conj(member(one, s.holders), member(other, s.holders)), one == other)

    @invariant("nobody ever gives the lock away: false after a step", node=Node)
    def Kept(self, s: State, node: Expr) -> Expr:
        return s.sent == empty(SetSort(self.Grant))


class CountingLock(Lock):
    """The same, but few grants are in flight: every step counts them."""

    Node = Lock.Node
    Grant = Lock.Grant

    @action(source=Node, target=Node)
    def Send(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(size(s.sent) < 2)
        Lock.Send.function(self, s, source, target)

    @action(source=Node, target=Node)
    def Receive(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(size(s.sent) < 3)
        Lock.Receive.function(self, s, source, target)

    Next = one_of(Send, Receive)


Vote = EnumSort("Vote", ("open", "yes", "no"))
Outcome = EnumSort("Outcome", ("none", "commit", "abort"))


class Commit(Protocol):
    """Participants vote, a coordinator decides, and everybody learns it."""

    nodes = Parameter("nodes", 3, 2, 4, "how many participants there are")

    Node = Scalarset("Node", nodes)
    vote = Variable(MapSort(Node, Vote))
    decision = Variable(Outcome)
    learnt = Variable(MapSort(Node, Outcome))

    @action()
    def Init(self, s: Step) -> None:
        s.vote = mapping(self.Node, lambda node: "open", Vote)
        s.decision = "none"
        s.learnt = mapping(self.Node, lambda node: "none", Outcome)

    @action(node=Node)
    def Yes(self, s: Step, node: Expr) -> None:
        s.require(s.vote[node] == "open")
        s.vote[node] = "yes"

    @action(node=Node)
    def No(self, s: Step, node: Expr) -> None:
        s.require(s.vote[node] == "open")
        s.vote[node] = "no"
        s.learnt[node] = "abort"

    @action()
    def Decide(self, s: Step) -> None:
        s.require(s.decision == "none")
        s.require(forall(self.Node, lambda node: s.vote[node] == "yes"))
        s.decision = "commit"

    @action()
    def GiveUp(self, s: Step) -> None:
        s.require(s.decision == "none")
        s.decision = "abort"

    @action(node=Node)
    def Learn(self, s: Step, node: Expr) -> None:
        s.require(s.decision != "none")
        s.learnt[node] = s.decision

    Next = one_of(Yes, No, Decide, GiveUp, Learn)

    @invariant("nobody commits what another aborts", one=Node, other=Node)
    def Agreement(self, s: State, one: Expr, other: Expr) -> Expr:
        return ~conj(s.learnt[one] == "commit", s.learnt[other] == "abort")


class Ballot(Protocol):
    """Nodes choose one each; who was chosen by a majority may lead, and so may those who are few.

    ``members`` are those who may depose a leader, if more than half of them want to.
    """

    nodes = Parameter("nodes", 3, 2, 4, "how many nodes there are")

    Node = Scalarset("Node", nodes)
    Choice = OptionSort(Node)
    choice = Variable(MapSort(Node, Choice))
    counted = Variable(MapSort(Node, SetSort(Node)))
    leads = Variable(SetSort(Node))
    members = Variable(SetSort(Node))

    @action()
    def Init(self, s: Step) -> None:
        s.choice = mapping(self.Node, lambda _: None, self.Choice)
        s.counted = mapping(self.Node, lambda _: empty(SetSort(self.Node)), SetSort(self.Node))
        s.leads = empty(SetSort(self.Node))
        s.members = everything(self.Node)

    @action(node=Node, other=Node)
    def Choose(self, s: Step, node: Expr, other: Expr) -> None:
        s.require(is_none(s.choice[node]))
        s.choice[node] = some(other)

    @action(node=Node, other=Node)
    def Count(self, s: Step, node: Expr, other: Expr) -> None:
        s.require(s.choice[other] == some(node))
        s.counted[node] = insert(s.counted[node], other)

    @action(node=Node)
    def Lead(self, s: Step, node: Expr) -> None:
        s.require(size(s.counted[node]) * 2 > size(everything(self.Node)))
        s.leads = insert(s.leads, node)

    @action(node=Node, quorum=SetSort(Node))
    def Depose(self, s: Step, node: Expr, quorum: Expr) -> None:
        s.require(size(quorum) * 2 > size(s.members))
        s.require(quorum <= s.members)
        s.leads = remove(s.leads, node)

    Next = one_of(Choose, Count, Lead, Depose)

    @invariant("there is one leader at most", one=Node, other=Node)
    def OneLeader(self, s: State, one: Expr, other: Expr) -> Expr:
        return implies(conj(member(one, s.leads), member(other, s.leads)), one == other)
