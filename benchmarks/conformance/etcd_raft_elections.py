"""Elections of etcd's raft: timeouts, requests for votes and the answers to them."""

from etcd_raft_network import Network

from bmc.lang import (
    Expr,
    Step,
    action,
    conj,
    empty,
    insert,
    is_none,
    ite,
    mapping,
    member,
)


class Elections(Network):
    """From a timeout to a leader, and back."""

    @action(server=Network.Server)
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

    @action(server=Network.Server)
    def PreCampaign(self, s: Step, server: Expr) -> None:
        """A server asks whether an election would help; its term stays."""
        s.require(
            (s.state[server] == "StateFollower") | (s.state[server] == "StateCandidate"),
            self.IsVoter(server, s.config[server]),
        )
        s.state[server] = "StatePreCandidate"

    @action(server=Network.Server)
    def StepDownToFollower(self, s: Step, server: Expr) -> None:
        s.require(s.state[server] != "StateFollower")
        s.state[server] = "StateFollower"

    @action(candidate=Network.Server, voter=Network.Server)
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

    @action(message=Network.messages)
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

    @action(message=Network.messages)
    def ReceiveRequestVoteResponse(self, s: Step, message: Expr) -> None:
        m = message.body
        later = self.Take(s, message, "MsgVoteResp")
        self.AdoptTerm(s, m, later)
        counts = m.term >= s.currentTerm[m.dest]
        responded, granted = s.votesResponded[m.dest], s.votesGranted[m.dest]
        s.votesResponded[m.dest] = ite(counts, insert(responded, m.source), responded)
        s.votesGranted[m.dest] = ite(counts & ~m.reject, insert(granted, m.source), granted)

    @action(candidate=Network.Server)
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
