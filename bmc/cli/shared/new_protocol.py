"""The protocol that `bmc new` makes, and its test, as text."""

PROTOCOL = '''\
"""A lock that a server hands to one client at a time, by messages that arrive in any order."""

from bmc.lang import (
    BOOL,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    Variable,
    action,
    empty,
    implies,
    insert,
    invariant,
    lemma,
    member,
    one_of,
    remove,
    witness,
)


class LockService(Protocol):
    """One server, some clients. A message on its way is a member of a set, by who it is about."""

    clients = Parameter("clients", default=3, low=1, high=8, about="number of clients")

    Client = Scalarset("Client", clients)

    free = Variable(BOOL, "whether the server has the lock")
    grants = Variable(SetSort(Client), "Grant messages on their way, by receiver")
    inside = Variable(SetSort(Client), "who believes to hold the lock")
    releases = Variable(SetSort(Client), "Release messages on their way, by sender")

    # The initial state: every variable gets a value.
    @action()
    def Init(self, s):
        s.free = True
        s.grants = empty(SetSort(self.Client))
        s.inside = empty(SetSort(self.Client))
        s.releases = empty(SetSort(self.Client))

    # An action happens for some choice of its arguments, where everything required is true. What
    # it does not assign stays as it is.
    @action(client=Client)
    def Grant(self, s, client):
        s.require(s.free)
        s.free = False
        s.grants = insert(s.grants, client)

    @action(client=Client)
    def Enter(self, s, client):
        s.require(member(client, s.grants))
        s.grants = remove(s.grants, client)
        s.inside = insert(s.inside, client)

    @action(client=Client)
    def Leave(self, s, client):
        s.require(member(client, s.inside))
        s.inside = remove(s.inside, client)
        s.releases = insert(s.releases, client)

    @action(client=Client)
    def Free(self, s, client):
        s.require(member(client, s.releases))
        s.releases = remove(s.releases, client)
        s.free = True

    Next = one_of(Grant, Enter, Leave, Free)

    # What has to be true in every reachable state. Try it: let Grant forget what it requires.
    @invariant("no two clients are inside", a=Client, b=Client)
    def MutualExclusion(self, s, a, b):
        return implies(member(a, s.inside) & member(b, s.inside), a == b)

    # What helps to prove it by induction; it is proved like everything else, or not used.
    @lemma("the lock is in one place at most", a=Client, b=Client)
    def one_place(self, s, a, b):
        return implies(self.has(s, a) & self.has(s, b), a == b)

    @lemma("while the server has the lock, no client does", client=Client)
    def free_means_free(self, s, client):
        return implies(s.free, ~self.has(s, client))

    @lemma("no client has the lock twice", client=Client)
    def once(self, s, client):
        granted, entered = member(client, s.grants), member(client, s.inside)
        released = member(client, s.releases)
        return ~(granted & entered) & ~(granted & released) & ~(entered & released)

    # What has to be possible: a protocol that does nothing violates nothing.
    @witness("somebody is inside", client=Client)
    def SomebodyInside(self, s, client):
        return member(client, s.inside)

    def has(self, s, client):
        """Whether the lock is with a client, or on its way to or from it."""
        on_its_way = member(client, s.grants) | member(client, s.releases)
        return member(client, s.inside) | on_its_way
'''

TESTS = '''\
"""The lock service does what it says. Run it with pytest."""

from bmc.lang import invariant, member

from bmc import check, prove
from lock_service import LockService


class Idle(LockService):
    """What would be true if the lock were never handed out."""

    @invariant("nobody gets inside", client=LockService.Client)
    def NobodyInside(self, s, client):
        return ~member(client, s.inside)


def test_no_two_clients_are_inside():
    assert prove(LockService, "MutualExclusion").proved


def test_the_lemmas_suffice_for_an_induction():
    assert prove(LockService, engine="kinduction", clients=4).proved


def test_somebody_gets_inside():
    assert check(Idle, "NobodyInside", depth=3).violated
'''
