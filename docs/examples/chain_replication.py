"""Chain replication (van Renesse and Schneider, 2004): writes enter at the head, reads at the tail.

What the tail has, every node before it has, so nothing that was read is lost when a node fails. A
read at any other node may return what dies with it: ``ReadsAnywhere``.
"""

from bmc.lang import (
    BOOL,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Variable,
    action,
    exists,
    forall,
    implies,
    invariant,
    lemma,
    mapping,
    maximum,
    one_of,
    witness,
)


class ChainReplication(Protocol):
    """Nodes in a row. Writes have an order, so a node is known by how many of them it has."""

    nodes = Parameter("nodes", default=3, low=1, high=6, about="length of the chain")
    writes = Parameter("writes", default=2, low=1, high=6, about="no write after so many")

    Node = Integer("Node", 0, nodes - 1)
    Count = Integer("Count", 0, writes)

    alive = Variable(MapSort(Node, BOOL), "who has not failed")
    stored = Variable(MapSort(Node, Count), "how many writes each node has")
    read = Variable(Count, "the most writes that a client has seen")

    @action()
    def Init(self, s):
        s.alive = mapping(self.Node, lambda node: True, BOOL)
        s.stored = mapping(self.Node, lambda node: 0, self.Count)
        s.read = 0

    @action(node=Node)
    def Write(self, s, node):
        s.require(s.alive[node], forall(self.Node, lambda n: implies(n < node, ~s.alive[n])))
        s.require(s.stored[node] < self.writes)
        s.stored[node] = s.stored[node] + 1

    @action(sender=Node, receiver=Node)
    def Forward(self, s, sender, receiver):
        s.require(sender < receiver, s.alive[sender], s.alive[receiver])
        s.require(forall(self.Node, lambda n: implies((sender < n) & (n < receiver), ~s.alive[n])))
        s.require(s.stored[receiver] < s.stored[sender])
        s.stored[receiver] = s.stored[receiver] + 1

    @action(node=Node)
    def Read(self, s, node):
        s.require(s.alive[node], forall(self.Node, lambda n: implies(n > node, ~s.alive[n])))
        s.read = maximum(s.read, s.stored[node])

    @action(node=Node)
    def Fail(self, s, node):
        s.require(s.alive[node], exists(self.Node, lambda n: (n != node) & s.alive[n]))
        s.alive[node] = False

    Next = one_of(Write, Forward, Read, Fail)

    @invariant("every node that lives has what was read", node=Node)
    def NothingReadIsLost(self, s, node):
        return implies(s.alive[node], s.read <= s.stored[node])

    @lemma("a node has what those behind it have", a=Node, b=Node)
    def in_order(self, s, a, b):
        return implies((a < b) & s.alive[a] & s.alive[b], s.stored[b] <= s.stored[a])

    @lemma("somebody lives")
    def somebody_lives(self, s):
        return exists(self.Node, lambda node: s.alive[node])

    @witness("the last of the chain is asked about a write", node=Node)
    def ReadAfterAFailure(self, s, node):
        return ~s.alive[node] & (s.read > 0)


class ReadsAnywhere(ChainReplication):
    """Every node answers reads."""

    @action(node=ChainReplication.Node)
    def Read(self, s, node):
        s.require(s.alive[node])
        s.read = maximum(s.read, s.stored[node])
