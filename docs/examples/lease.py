"""A lease on clocks that differ by a bounded skew (Gray and Cheriton, 1989).

A client that stops a skew before the lease ends on its own clock has stopped when the server's
clock says that it has ended. One that trusts its clock holds on for too long: ``Trusting``.
"""

from bmc.lang import (
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    Variable,
    action,
    forall,
    implies,
    invariant,
    lemma,
    mapping,
    one_of,
    witness,
)


class Lease(Protocol):
    """A server grants a lease until a point in time; everybody has a clock."""

    clients = Parameter("clients", default=2, low=1, high=5, about="number of clients")
    length = Parameter("length", default=2, low=1, high=6, about="ticks that a lease lasts")
    skew = Parameter("skew", default=1, low=0, high=4, about="the most that clocks differ by")
    horizon = Parameter("horizon", default=5, low=1, high=30, about="no lease ends after this")

    Client = Scalarset("Client", clients)
    Time = Integer("Time", 0, horizon)

    now = Variable(Time, "the server's clock")
    ends = Variable(Time, "when the lease that the server granted last ends")
    clock = Variable(MapSort(Client, Time), "the clients' clocks")
    until = Variable(MapSort(Client, Time), "when each client's lease ends")

    @action()
    def Init(self, s):
        s.now = 0
        s.ends = 0
        s.clock = mapping(self.Client, lambda client: 0, self.Time)
        s.until = mapping(self.Client, lambda client: 0, self.Time)

    @action()
    def ServerTicks(self, s):
        s.require(s.now < self.horizon)
        s.require(forall(self.Client, lambda client: s.now < s.clock[client] + self.skew))
        s.now = s.now + 1

    @action(client=Client)
    def ClientTicks(self, s, client):
        s.require(s.clock[client] < self.horizon, s.clock[client] < s.now + self.skew)
        s.clock[client] = s.clock[client] + 1

    @action(client=Client)
    def Grant(self, s, client):
        s.require(s.now >= s.ends, s.now + self.length <= self.horizon)
        s.ends = s.now + self.length
        s.until[client] = s.now + self.length

    Next = one_of(ServerTicks, ClientTicks, Grant)

    def holds(self, s, client):
        """Whether a client believes that it has the lease, by what it knows."""
        return s.clock[client] + self.skew < s.until[client]

    @invariant("two clients never believe that they have the lease", a=Client, b=Client)
    def OneHolder(self, s, a, b):
        return implies(self.holds(s, a) & self.holds(s, b), a == b)

    @lemma("clocks differ by the skew at most", client=Client)
    def skewed(self, s, client):
        return (s.now <= s.clock[client] + self.skew) & (s.clock[client] <= s.now + self.skew)

    @lemma("a lease that has not ended is the last one", client=Client)
    def last_granted(self, s, client):
        return (s.until[client] <= s.ends) & (s.ends <= s.now + self.length)

    @lemma("only one lease has not ended", a=Client, b=Client)
    def one_lease(self, s, a, b):
        return implies((s.until[a] > s.now) & (s.until[b] > s.now), a == b)

    @witness("a client has the lease", client=Client)
    def Held(self, s, client):
        return self.holds(s, client)


class Trusting(Lease):
    """Clients that take their clock for the server's."""

    def holds(self, s, client):
        return s.clock[client] < s.until[client]
