"""Raft's replicated log (Ongaro and Ousterhout, 2014): what is committed is never replaced.

A leader commits an entry of its own term once a majority holds it, and with it all entries before.
If it counts for entries of earlier terms as well, a later leader that lacks such an entry can still
be elected and replace it, which is figure 8 of the paper: ``CountsOldEntries``.
"""

from bmc.lang import (
    BOOL,
    TRUE,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    Sequence,
    SetSort,
    Variable,
    action,
    append,
    at,
    forall,
    implies,
    invariant,
    ite,
    mapping,
    member,
    one_of,
    size,
    take,
    witness,
)


class RaftLog(Protocol):
    """Elections and what leaders send are single steps; an entry is the term it was written in."""

    servers = Parameter("servers", default=3, low=1, high=5, about="number of servers")
    max_term = Parameter("max_term", default=3, low=1, high=6, about="no election after this term")
    log_size = Parameter("log_size", default=2, low=1, high=4, about="no write to a longer log")

    Server = Scalarset("Server", servers)
    Term = Integer("Term", 0, max_term)
    Length = Integer("Length", 0, log_size)
    Log = Sequence(Term, log_size)

    term = Variable(MapSort(Server, Term), "the term that each server is in")
    leads = Variable(MapSort(Server, BOOL), "whether it was elected in that term")
    log = Variable(MapSort(Server, Log), "the terms of its entries")
    commit = Variable(MapSort(Server, Length), "how many of its entries it knows to be committed")

    @action()
    def Init(self, s):
        s.term = mapping(self.Server, lambda server: 0, self.Term)
        s.leads = mapping(self.Server, lambda server: False, BOOL)
        s.log = mapping(self.Server, lambda server: (), self.Log)
        s.commit = mapping(self.Server, lambda server: 0, self.Length)

    @action(server=Server, voters=SetSort(Server), term=Term)
    def Elect(self, s, server, voters, term):
        s.require(member(server, voters), self.is_majority(voters))
        s.require(forall(voters, lambda voter: s.term[voter] < term))
        s.require(forall(voters, lambda voter: self.is_up_to_date(s.log[server], s.log[voter])))
        s.term = mapping(
            self.Server, lambda one: ite(member(one, voters), term, s.term[one]), self.Term
        )
        s.leads = mapping(
            self.Server, lambda one: (one == server) | (s.leads[one] & ~member(one, voters)), BOOL
        )

    @action(leader=Server)
    def Write(self, s, leader):
        s.require(s.leads[leader], size(s.log[leader]) < self.log_size)
        s.log[leader] = append(s.log[leader], s.term[leader])

    @action(leader=Server, server=Server)
    def Heartbeat(self, s, leader, server):
        s.require(s.leads[leader], s.term[server] < s.term[leader])
        s.term[server] = s.term[leader]
        s.leads[server] = False

    @action(leader=Server, follower=Server, index=Length)
    def Replicate(self, s, leader, follower, index):
        s.require(s.leads[leader], s.term[follower] == s.term[leader])
        s.require(index < size(s.log[leader]))
        s.require((index == 0) | self.agree(s, leader, follower, index - 1))
        s.require(~self.agree(s, leader, follower, index))
        s.log[follower] = append(take(s.log[follower], index), at(s.log[leader], index))

    @action(leader=Server, holders=SetSort(Server), last=Length)
    def Commit(self, s, leader, holders, last):
        s.require(s.leads[leader], s.commit[leader] <= last, last < size(s.log[leader]))
        s.require(self.is_majority(holders))
        s.require(forall(holders, lambda one: s.term[one] == s.term[leader]))
        s.require(forall(holders, lambda one: self.agree(s, leader, one, last)))
        s.require(self.counts(s, leader, last))
        s.commit[leader] = last + 1

    @action(leader=Server, follower=Server)
    def Learn(self, s, leader, follower):
        s.require(s.leads[leader], s.term[follower] == s.term[leader])
        s.require(s.commit[follower] < s.commit[leader])
        s.require(self.agree(s, leader, follower, s.commit[leader] - 1))
        s.commit[follower] = s.commit[leader]

    Next = one_of(Elect, Write, Heartbeat, Replicate, Commit, Learn)

    def is_majority(self, servers):
        """Whether more than half of the servers are in a set."""
        return 2 * size(servers) > self.servers

    def is_up_to_date(self, log, other):
        """Whether a log's last entry is of a later term than the other's, or it is no shorter."""
        return self.ends_later(log, other) | (
            ~self.ends_later(other, log) & (size(log) >= size(other))
        )

    def ends_later(self, log, other):
        """Whether the last entry of a log is of a later term than that of the other."""
        return (size(log) > 0) & implies(
            size(other) > 0, at(log, size(log) - 1) > at(other, size(other) - 1)
        )

    def agree(self, s, leader, server, index):
        """Whether a server has the leader's entry at an index that the leader has."""
        there = index < size(s.log[server])
        return there & (at(s.log[server], index) == at(s.log[leader], index))

    def counts(self, s, leader, index):
        """Whether a leader may count who holds an entry: one of its own term."""
        return at(s.log[leader], index) == s.term[leader]

    @invariant("no term has two leaders", a=Server, b=Server)
    def ElectionSafety(self, s, a, b):
        return implies(s.leads[a] & s.leads[b] & (s.term[a] == s.term[b]), a == b)

    @invariant("what is committed is the same everywhere", a=Server, b=Server, index=Length)
    def StateMachineSafety(self, s, a, b, index):
        both = (index < s.commit[a]) & (index < s.commit[b])
        there = (index < size(s.log[a])) & (index < size(s.log[b]))
        return implies(both, there & (at(s.log[a], index) == at(s.log[b], index)))

    @witness("an entry of an earlier term is committed", server=Server)
    def OldEntryCommitted(self, s, server):
        return (s.commit[server] > 0) & (at(s.log[server], 0) < s.term[server])


class CountsOldEntries(RaftLog):
    """Leaders that count who holds an entry of any term."""

    max_term = Parameter("max_term", default=4, low=1, high=6, about="no election after this term")
    log_size = Parameter("log_size", default=1, low=1, high=4, about="no write to a longer log")

    def counts(self, s, leader, index):
        return TRUE
