"""Leader election in a ring (Chang and Roberts, 1979).

Everybody may start by sending its own number to the next. Numbers that are greater than one's own
are passed on, others are not; whose own number comes back is the leader.
"""

from bmc.lang import (
    BOOL,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    SetSort,
    Variable,
    action,
    empty,
    insert,
    invariant,
    ite,
    mapping,
    member,
    one_of,
    remove,
)
from bmc.lang.temporal import Specification, eventually, temporal, weak


class ChangRoberts(Protocol):
    """Processes in a ring, with their places as their numbers."""

    processes = Parameter("processes", default=3, low=2, high=8, about="how many processes")
    Place = Integer("Place", 0, processes - 1)

    started = Variable(MapSort(Place, BOOL))
    inbox = Variable(MapSort(Place, SetSort(Place)), "the numbers on their way to each")
    leader = Variable(OptionSort(Place))

    Fair = Specification("Fair", (weak("Start"), weak("Receive")))
    SlowStart = Specification("SlowStart", (weak("Receive"),))

    @action()
    def Init(self, s):
        s.started = mapping(self.Place, lambda p: False, BOOL)
        s.inbox = mapping(self.Place, lambda p: empty(SetSort(self.Place)), SetSort(self.Place))
        s.leader = None

    def after(self, place):
        return ite(place == self.processes - 1, 0, place + 1)

    @action(p=Place)
    def Start(self, s, p):
        s.require(~s.started[p])
        s.started[p] = True
        s.inbox[self.after(p)] = insert(s.inbox[self.after(p)], p)

    @action(p=Place, number=Place)
    def Receive(self, s, p, number):
        s.require(member(number, s.inbox[p]))
        with s.either():
            s.require(number > p)
            s.inbox = mapping(
                self.Place,
                lambda q: ite(
                    q == p,
                    remove(s.inbox[p], number),
                    ite(q == self.after(p), insert(s.inbox[q], number), s.inbox[q]),
                ),
                SetSort(self.Place),
            )
        with s.either():
            s.require(number < p)
            s.inbox[p] = remove(s.inbox[p], number)
        with s.either():
            s.require(number == p)
            s.inbox[p] = remove(s.inbox[p], number)
            s.leader = p

    Next = one_of(Start, Receive)

    @invariant("only the greatest number wins")
    def Greatest(self, s):
        return (s.leader == None) | (s.leader == self.processes - 1)  # noqa: E711

    @temporal("somebody is elected", specification="Fair")
    def Elected(self, s):
        return eventually(s.leader != None)  # noqa: E711

    @temporal("somebody is elected", specification="SlowStart")
    def ElectedWithoutStarting(self, s):
        return eventually(s.leader != None)  # noqa: E711
