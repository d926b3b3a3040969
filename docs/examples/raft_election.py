"""Raft's election of leaders (Ongaro and Ousterhout, 2014): no term has two.

A server that restarts forgets its role and the votes it has received. If it forgets whom it voted
for as well, it votes twice in a term, and the term has two leaders: ``Forgetful``.
"""

from bmc.lang import (
    EnumSort,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    Variable,
    action,
    empty,
    forall,
    implies,
    insert,
    invariant,
    is_none,
    lemma,
    mapping,
    member,
    one,
    one_of,
    record,
    size,
    some,
    witness,
)


class RaftElection(Protocol):
    """Servers that elect a leader for each term; what is sent stays in a set, perhaps unread."""

    servers = Parameter("servers", default=3, low=1, high=5, about="number of servers")
    max_term = Parameter("max_term", default=1, low=0, high=4, about="no election after this term")

    Server = Scalarset("Server", servers)
    Term = Integer("Term", 0, max_term)
    Role = EnumSort("Role", ("follower", "candidate", "leader"))
    Request = Record("Request", term=Term, candidate=Server)
    Ballot = Record("Ballot", term=Term, voter=Server, candidate=Server)

    term = Variable(MapSort(Server, Term), "the term that each server is in; kept on disk")
    votedFor = Variable(MapSort(Server, OptionSort(Server)), "its vote in that term; kept on disk")
    role = Variable(MapSort(Server, Role), "what it takes itself for")
    votes = Variable(MapSort(Server, SetSort(Server)), "whose votes it has received")
    requests = Variable(SetSort(Request), "RequestVote messages ever sent")
    ballots = Variable(SetSort(Ballot), "votes ever granted")

    @action()
    def Init(self, s):
        s.term = mapping(self.Server, lambda server: 0, self.Term)
        s.votedFor = mapping(self.Server, lambda server: None, OptionSort(self.Server))
        s.role = mapping(self.Server, lambda server: "follower", self.Role)
        s.votes = mapping(self.Server, lambda server: set(), SetSort(self.Server))
        s.requests = empty(SetSort(self.Request))
        s.ballots = empty(SetSort(self.Ballot))

    @action(server=Server)
    def Timeout(self, s, server):
        s.require(s.role[server] != "leader", s.term[server] < self.max_term)
        s.term[server] = s.term[server] + 1
        s.role[server] = "candidate"
        s.votedFor[server] = some(server)
        s.votes[server] = one(server)
        asked = record(self.Request, term=s.term[server] + 1, candidate=server)
        s.requests = insert(s.requests, asked)

    @action(voter=Server, request=requests)
    def Vote(self, s, voter, request):
        newer = request.term > s.term[voter]
        undecided = (request.term == s.term[voter]) & is_none(s.votedFor[voter])
        s.require(newer | undecided)
        s.term[voter] = request.term
        s.role[voter] = "follower"
        s.votedFor[voter] = some(request.candidate)
        granted = record(self.Ballot, term=request.term, voter=voter, candidate=request.candidate)
        s.ballots = insert(s.ballots, granted)

    @action(server=Server, ballot=ballots)
    def Count(self, s, server, ballot):
        s.require(
            s.role[server] == "candidate",
            ballot.candidate == server,
            ballot.term == s.term[server],
        )
        s.votes[server] = insert(s.votes[server], ballot.voter)

    @action(server=Server)
    def BecomeLeader(self, s, server):
        s.require(s.role[server] == "candidate")
        s.require(self.is_majority(s.votes[server]))
        s.role[server] = "leader"

    @action(server=Server)
    def Restart(self, s, server):
        s.role[server] = "follower"
        s.votes[server] = set()

    Next = one_of(Timeout, Vote, Count, BecomeLeader, Restart)

    def is_majority(self, servers):
        """Whether more than half of the servers are in a set."""
        return 2 * size(servers) > self.servers

    @invariant("no term has two leaders", a=Server, b=Server)
    def ElectionSafety(self, s, a, b):
        both = (s.role[a] == "leader") & (s.role[b] == "leader")
        return implies(both & (s.term[a] == s.term[b]), a == b)

    @lemma("a vote was granted in a term that its voter has reached", ballot=Ballot)
    def ballot_is_not_newer_than_its_voter(self, s, ballot):
        return implies(member(ballot, s.ballots), ballot.term <= s.term[ballot.voter])

    @lemma("whoever granted a vote in its term remembers it", ballot=Ballot)
    def voter_remembers_its_vote(self, s, ballot):
        given = member(ballot, s.ballots) & (ballot.term == s.term[ballot.voter])
        return implies(given, s.votedFor[ballot.voter] == some(ballot.candidate))

    @lemma("nobody grants two votes in a term", one=Ballot, other=Ballot)
    def voter_votes_once_a_term(self, s, one, other):
        both = member(one, s.ballots) & member(other, s.ballots)
        same = (one.voter == other.voter) & (one.term == other.term)
        return implies(both & same, one.candidate == other.candidate)

    @lemma("who stands or leads has voted for itself", server=Server)
    def candidate_votes_for_itself(self, s, server):
        return implies(s.role[server] != "follower", s.votedFor[server] == some(server))

    @lemma("a vote that a candidate or leader counts is its own or was granted", server=Server)
    def counted_votes_were_granted(self, s, server):
        def granted(voter):
            return record(self.Ballot, term=s.term[server], voter=voter, candidate=server)

        counted = forall(
            s.votes[server], lambda voter: (voter == server) | member(granted(voter), s.ballots)
        )
        return implies(s.role[server] != "follower", counted)

    @lemma("a leader has the votes of a majority", server=Server)
    def leader_has_a_majority(self, s, server):
        return implies(s.role[server] == "leader", self.is_majority(s.votes[server]))

    @witness("there is a leader", server=Server)
    def Elected(self, s, server):
        return s.role[server] == "leader"


class Forgetful(RaftElection):
    """Servers that do not keep their vote."""

    @action(server=RaftElection.Server)
    def Restart(self, s, server):
        s.role[server] = "follower"
        s.votes[server] = set()
        s.votedFor[server] = None
