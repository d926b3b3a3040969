"""How a server of etcd's raft begins, persists what it knows, and begins again."""

from etcd_raft_membership import Membership

from bmc.lang import (
    Expr,
    OptionSort,
    Step,
    action,
    coerce,
    conj,
    empty,
    forall,
    implies,
    insert,
    is_none,
    ite,
    mapping,
    member,
    record,
    size,
    union_of,
)


class Lifecycle(Membership):
    """A list of peers or a snapshot to begin with; then Ready, and Restart."""

    @action(server=Membership.Server)
    def Start(self, s: Step, server: Expr) -> None:
        """The first thing that Bootstrap does: the term becomes 1."""
        s.require(s.currentTerm[server] == 0, s.log[server].length == 0)
        s.currentTerm[server] = 1

    @action(server=Membership.Server, peer=Membership.Server)
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

    @action(server=Membership.Server, index=Membership.Position)
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

    @action(server=Membership.Server, voters=Membership.Servers, learners=Membership.Servers)
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

    @action(server=Membership.Server)
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

    @action(server=Membership.Server)
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
