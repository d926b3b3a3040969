"""Paxos (Lamport, *Paxos made simple*, 2001): at most one value is chosen.

A proposer asks a majority what it has accepted, and proposes the value of the highest ballot that
it hears of. One that proposes a value of its own instead makes two be chosen: ``Stubborn``.
"""

from bmc.lang import (
    TRUE,
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
    disj,
    empty,
    exists,
    filtered,
    forall,
    implies,
    insert,
    invariant,
    is_none,
    lemma,
    mapping,
    member,
    one_of,
    record,
    size,
    some,
    witness,
)


class Paxos(Protocol):
    """Acceptors that vote in ballots; a prepare message is known by its ballot."""

    acceptors = Parameter("acceptors", default=3, low=1, high=5, about="number of acceptors")
    values = Parameter("values", default=2, low=1, high=3, about="values to choose from")
    max_ballot = Parameter("max_ballot", default=1, low=0, high=3, about="the last ballot")

    Acceptor = Scalarset("Acceptor", acceptors)
    Value = Scalarset("Value", values)
    Ballot = Integer("Ballot", -1, max_ballot)
    Promise = Record(
        "Promise", acceptor=Acceptor, ballot=Ballot, accepted=Ballot, value=OptionSort(Value)
    )
    Vote = Record("Vote", acceptor=Acceptor, ballot=Ballot, value=Value)

    promised = Variable(MapSort(Acceptor, Ballot), "no vote in a ballot before this; -1 is none")
    accepted = Variable(MapSort(Acceptor, Ballot), "the ballot of its last vote")
    value = Variable(MapSort(Acceptor, OptionSort(Value)), "the value of its last vote")
    promises = Variable(SetSort(Promise), "answers to prepare messages")
    proposed = Variable(MapSort(Ballot, OptionSort(Value)), "what is proposed in each ballot")
    votes = Variable(SetSort(Vote), "votes ever cast")

    @action()
    def Init(self, s):
        s.promised = mapping(self.Acceptor, lambda a: -1, self.Ballot)
        s.accepted = mapping(self.Acceptor, lambda a: -1, self.Ballot)
        s.value = mapping(self.Acceptor, lambda a: None, OptionSort(self.Value))
        s.promises = empty(SetSort(self.Promise))
        s.proposed = mapping(self.Ballot, lambda b: None, OptionSort(self.Value))
        s.votes = empty(SetSort(self.Vote))

    @action(acceptor=Acceptor, ballot=Ballot)
    def Prepare(self, s, acceptor, ballot):
        s.require(ballot > s.promised[acceptor])
        s.promised[acceptor] = ballot
        answer = record(
            self.Promise,
            acceptor=acceptor,
            ballot=ballot,
            accepted=s.accepted[acceptor],
            value=s.value[acceptor],
        )
        s.promises = insert(s.promises, answer)

    @action(ballot=Ballot, value=Value)
    def Propose(self, s, ballot, value):
        answered = filtered(
            self.Acceptor,
            lambda a: exists(s.promises, lambda p: (p.ballot == ballot) & (p.acceptor == a)),
        )
        s.require(is_none(s.proposed[ballot]), self.is_majority(answered))
        s.require(self.may_propose(s, ballot, value))
        s.proposed[ballot] = some(value)

    @action(acceptor=Acceptor, ballot=Ballot, value=Value)
    def Accept(self, s, acceptor, ballot, value):
        s.require(ballot >= s.promised[acceptor], s.proposed[ballot] == some(value))
        s.promised[acceptor] = ballot
        s.accepted[acceptor] = ballot
        s.value[acceptor] = some(value)
        vote = record(self.Vote, acceptor=acceptor, ballot=ballot, value=value)
        s.votes = insert(s.votes, vote)

    Next = one_of(Prepare, Propose, Accept)

    def is_majority(self, acceptors):
        """Whether more than half of the acceptors are in a set."""
        return 2 * size(acceptors) > self.acceptors

    def may_propose(self, s, ballot, value):
        """Whether no answer names a value, or one of the highest ballot names this."""

        def answers(of_all):
            return forall(s.promises, lambda p: implies(p.ballot == ballot, of_all(p)))

        return disj(
            answers(lambda p: is_none(p.value)),
            exists(
                s.promises,
                lambda p: (
                    (p.ballot == ballot)
                    & (p.value == some(value))
                    & answers(lambda other: other.accepted <= p.accepted)
                ),
            ),
        )

    def chosen(self, s, value):
        """Whether a majority has voted for a value in one ballot."""
        return exists(
            self.Ballot,
            lambda ballot: self.is_majority(
                filtered(
                    self.Acceptor,
                    lambda a: self.voted(s, a, ballot, value),
                )
            ),
        )

    @invariant("at most one value is chosen", a=Value, b=Value)
    def Agreement(self, s, a, b):
        return implies(self.chosen(s, a) & self.chosen(s, b), a == b)

    def voted(self, s, acceptor, ballot, value):
        """Whether an acceptor ever voted for a value in a ballot."""
        return member(record(self.Vote, acceptor=acceptor, ballot=ballot, value=value), s.votes)

    @lemma("-1 is no ballot: nothing is proposed in it")
    def nothing_is_proposed_before_ballots(self, s):
        return is_none(s.proposed[-1])

    @lemma("what is voted for was proposed", vote=Vote)
    def vote_was_proposed(self, s, vote):
        return implies(member(vote, s.votes), s.proposed[vote.ballot] == some(vote.value))

    @lemma("an acceptor keeps its last vote, and votes in no ballot before its promise", vote=Vote)
    def last_vote_is_kept(self, s, vote):
        last = s.accepted[vote.acceptor]
        return implies(member(vote, s.votes), vote.ballot <= last) & (
            last <= s.promised[vote.acceptor]
        )

    @lemma("what an acceptor takes for its last vote is a vote of its own", acceptor=Acceptor)
    def last_vote_was_cast(self, s, acceptor):
        last = s.accepted[acceptor]
        return forall(
            self.Value,
            lambda value: implies(
                s.value[acceptor] == some(value), self.voted(s, acceptor, last, value)
            ),
        ) & implies(is_none(s.value[acceptor]), last == -1)

    @lemma("an answer holds: its acceptor votes in no ballot between", promise=Promise, vote=Vote)
    def promise_is_kept(self, s, promise, vote):
        own = member(vote, s.votes) & (vote.acceptor == promise.acceptor)
        between = (promise.accepted < vote.ballot) & (vote.ballot < promise.ballot)
        return implies(
            member(promise, s.promises),
            (promise.ballot <= s.promised[promise.acceptor])
            & (promise.accepted < promise.ballot)
            & ~(own & between),
        )

    @lemma("an answer names a vote of its acceptor, or says that there is none", promise=Promise)
    def promise_tells_a_vote(self, s, promise):
        told = forall(
            self.Value,
            lambda value: implies(
                promise.value == some(value),
                self.voted(s, promise.acceptor, promise.accepted, value),
            ),
        )
        none = implies(is_none(promise.value), promise.accepted == -1)
        return implies(member(promise, s.promises), told & none)

    @lemma(
        "beside what is proposed, nothing can be chosen in an earlier ballot",
        ballot=Ballot,
        value=Value,
        earlier=Ballot,
        other=Value,
    )
    def proposal_is_safe(self, s, ballot, value, earlier, other):
        never = filtered(
            self.Acceptor,
            lambda a: (s.promised[a] > earlier) & ~self.voted(s, a, earlier, other),
        )
        proposed = (s.proposed[ballot] == some(value)) & (earlier < ballot) & (value != other)
        return implies(proposed, self.is_majority(never))

    @witness("a value is chosen", value=Value)
    def Chosen(self, s, value):
        return self.chosen(s, value)


class Stubborn(Paxos):
    """Proposers that do not look at what was accepted."""

    def may_propose(self, s, ballot, value):
        return TRUE
