"""Snapshots of etcd's raft: a leader sends what it has applied, with the configuration there."""

from etcd_raft_network import Network

from bmc.lang import (
    Expr,
    Step,
    action,
    conj,
    empty,
    is_some,
    ite,
    last,
    record,
    the,
)


class Snapshots(Network):
    """A snapshot takes the place of a log, and later of the configuration."""

    @action(leader=Network.Server, follower=Network.Server, index=Network.Position)
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

    @action(message=Network.messages)
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

    @action(server=Network.Server)
    def RestoreConfig(self, s: Step, server: Expr) -> None:
        """The configuration of a snapshot becomes effective."""
        index = s.applied[server]
        s.require(index > 0, is_some(s.history[server][index]))
        s.config[server] = the(s.history[server][index])
