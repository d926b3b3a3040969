"""Changes of the configuration in etcd's raft, by way of joint ones where there are several."""

from etcd_raft_network import Network

from bmc.lang import (
    Expr,
    Operand,
    Step,
    action,
    conj,
    empty,
    filtered,
    forall,
    implies,
    insert,
    is_none,
    is_some,
    ite,
    member,
    record,
    size,
    the,
)


class Membership(Network):
    """Changes are proposed by a leader as entries, and become effective where these are applied."""

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

    @action(leader=Network.Server, server=Network.Server, transition=Network.Transition)
    def AddNewServer(self, s: Step, leader: Expr, server: Expr, transition: Expr) -> None:
        self.Propose(s, leader, self.ChangeOf(voters=server, transition=transition))

    @action(leader=Network.Server, server=Network.Server, transition=Network.Transition)
    def AddLearner(self, s: Step, leader: Expr, server: Expr, transition: Expr) -> None:
        self.Propose(s, leader, self.ChangeOf(learners=server, transition=transition))

    @action(leader=Network.Server, server=Network.Server, transition=Network.Transition)
    def DeleteServer(self, s: Step, leader: Expr, server: Expr, transition: Expr) -> None:
        self.Propose(s, leader, self.ChangeOf(removed=server, transition=transition))

    @action(
        leader=Network.Server,
        voters=Network.Servers,
        learners=Network.Servers,
        removed=Network.Servers,
        transition=Network.Transition,
    )
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

    @action(leader=Network.Server)
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

    @action(server=Network.Server, index=Network.Position)
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
