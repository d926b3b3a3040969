"""Replication of logs in etcd's raft: entries, heartbeats, and what is committed."""

from collections.abc import Callable

from etcd_raft_network import Network

from bmc.lang import (
    Expr,
    Operand,
    OptionSort,
    Step,
    action,
    coerce,
    conj,
    exists,
    implies,
    ite,
    last,
    mapping,
    maximum,
    minimum,
    record,
    the,
)


class Replication(Network):
    """From a request of a client to the commit index."""

    @action(leader=Network.Server)
    def ClientRequest(self, s: Step, leader: Expr) -> None:
        s.require(s.state[leader] == "StateLeader")
        entry = record(self.Entry, term=s.currentTerm[leader], change=None)
        self.Append(s, leader, entry)

    @action(
        leader=Network.Server,
        follower=Network.Server,
        previous=Network.Index,
        count=Network.Index,
    )
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

    @action(leader=Network.Server)
    def AppendEntriesToSelf(self, s: Step, leader: Expr) -> None:
        s.require(s.state[leader] == "StateLeader")
        self.Send(
            s, "MsgAppResp", leader, leader, s.currentTerm[leader], index=s.log[leader].length
        )

    @action(leader=Network.Server, follower=Network.Server)
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

    @action(message=Network.messages)
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

    @action(message=Network.messages)
    def ReceiveAppendEntriesResponse(self, s: Step, message: Expr) -> None:
        m = message.body
        later = self.Take(s, message, "MsgAppResp", "MsgHeartbeatResp")
        self.AdoptTerm(s, m, later)
        before = s.matchIndex[m.dest][m.source]
        counts = conj(m.term >= s.currentTerm[m.dest], ~m.reject)
        s.matchIndex[m.dest][m.source] = ite(counts, maximum(before, m.index), before)

    @action(leader=Network.Server)
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
