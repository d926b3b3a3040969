"""Requests over FIFO channels that are sent again until they are answered, and processed once.

A crash empties the channels, so a client repeats a request that has no answer yet, and the server
may get it twice. It compares numbers; a server that does not processes a request again: ``Eager``.
"""

from bmc.lang import (
    TRUE,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Sequence,
    Variable,
    action,
    append,
    at,
    invariant,
    mapping,
    minimum,
    one_of,
    size,
    tail,
    witness,
)
from bmc.lang.drawing import Card, Drawing, Inbox, lifeline


class FifoQueue(Protocol):
    """A client, a server, and a channel each way."""

    numbers = Parameter("numbers", default=2, low=1, high=6, about="how many requests there are")
    capacity = Parameter("capacity", default=2, low=1, high=4, about="messages in a channel")

    Number = Integer("Number", 0, numbers)
    Times = Integer("Times", 0, 2)

    asking = Variable(Number, "the request that the client waits for")
    expected = Variable(Number, "the request that the server waits for")
    requests = Variable(Sequence(Number, capacity), "from the client to the server")
    answers = Variable(Sequence(Number, capacity), "from the server to the client")
    processed = Variable(MapSort(Number, Times), "how often each request was: 0, 1, or more")

    @action()
    def Init(self, s):
        s.asking = 0
        s.expected = 0
        s.requests = ()
        s.answers = ()
        s.processed = mapping(self.Number, lambda number: 0, self.Times)

    @action()
    def Send(self, s):
        s.require(s.asking < self.numbers, size(s.requests) < self.capacity)
        s.requests = append(s.requests, s.asking)

    @action()
    def Serve(self, s):
        s.require(size(s.requests) > 0, size(s.answers) < self.capacity)
        number = at(s.requests, 0)
        s.requests = tail(s.requests)
        s.answers = append(s.answers, number)
        with s.either():
            s.require(self.is_new(s, number))
            s.processed[number] = minimum(s.processed[number] + 1, 2)
            s.expected = number + 1
        with s.either():
            s.require(~self.is_new(s, number))

    @action()
    def Learn(self, s):
        s.require(size(s.answers) > 0)
        s.answers = tail(s.answers)
        with s.either():
            s.require(at(s.answers, 0) == s.asking)
            s.asking = s.asking + 1
        with s.either():
            s.require(at(s.answers, 0) != s.asking)

    @action()
    def Crash(self, s):
        s.requests = ()
        s.answers = ()

    Next = one_of(Send, Serve, Learn, Crash)

    def is_new(self, s, number):
        """Whether the server takes a request for one that it has not processed."""
        return number == s.expected

    @invariant("no request is processed twice", number=Number)
    def Once(self, s, number):
        return s.processed[number] <= 1

    @invariant("what is answered was processed", number=Number)
    def AnsweredWasProcessed(self, s, number):
        return (number >= s.asking) | (s.processed[number] == 1)

    @witness("all is done")
    def AllDone(self, s):
        return s.asking == self.numbers

    def drawn(self, s):
        """Each end of the channels is a lifeline, and what it has not taken yet its inbox."""
        client = Card(facts={"asks for": s.asking}, inbox=Inbox(s.answers))
        done = {"waits for": s.expected, "processed": s.processed}
        server = Card(facts=done, inbox=Inbox(s.requests))
        return Drawing(
            (lifeline("client", client), lifeline("server", server)),
            actors={"Send": "client", "Serve": "server", "Learn": "client"},
        )


class Eager(FifoQueue):
    """A server that takes every request for a new one."""

    def is_new(self, s, number):
        return TRUE
