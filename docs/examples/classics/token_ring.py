"""Mutual exclusion by a token that goes round a ring (Le Lann, 1977).

Whoever holds the token works and passes it on, so everybody comes to work. A greedy holder that may
keep the token as long as it has something to do keeps all others from it, whatever is weakly fair.
"""

from bmc.lang import (
    BOOL,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Variable,
    action,
    ite,
    mapping,
    one_of,
)
from bmc.lang.ranking import helpful, rank, ranking
from bmc.lang.temporal import Specification, always, eventually, leads_to, temporal, weak


class TokenRing(Protocol):
    """Processes in a ring, of which one holds the token."""

    processes = Parameter("processes", default=3, low=2, high=12, about="how many processes")
    Place = Integer("Place", 0, processes - 1)

    holder = Variable(Place, "who has the token")
    wants = Variable(MapSort(Place, BOOL), "who has something to do")

    Fair = Specification("Fair", (weak("Work"), weak("Pass")))

    @action()
    def Init(self, s):
        s.holder = 0
        s.wants = mapping(self.Place, lambda p: False, BOOL)

    @action(p=Place)
    def Want(self, s, p):
        s.require(~s.wants[p])
        s.wants[p] = True

    def after(self, s):
        return ite(s.holder == self.processes - 1, 0, s.holder + 1)

    @action()
    def Work(self, s):
        s.require(s.wants[s.holder])
        s.wants[s.holder] = False
        s.holder = self.after(s)

    @action()
    def Pass(self, s):
        s.require(~s.wants[s.holder])
        s.holder = self.after(s)

    Next = one_of(Want, Work, Pass)

    @temporal("whoever wants to work does", specification="Fair", p=Place)
    def Works(self, s, p):
        return leads_to(s.wants[p], ~s.wants[p])

    @temporal("the token comes by again and again", specification="Fair", p=Place)
    def ComesBy(self, s, p):
        return always(eventually(s.holder == p))

    def far(self, s, p):
        """How many times the token is handed on until p has it."""
        return ite(s.holder <= p, p - s.holder, p - s.holder + self.processes)

    @ranking("the token comes nearer", proves="Works", p=Place)
    def Nearer(self, s, p):
        idle = ite(s.wants[s.holder], 0, 1)
        works = helpful("Work", when=s.wants[s.holder])
        passes = helpful("Pass", when=~s.wants[s.holder])
        return rank(self.far(s, p), idle, by=[works, passes])


class GreedyRing(TokenRing):
    """A holder passes the token on when it has nothing to do."""

    @action()
    def Work(self, s):
        s.require(s.wants[s.holder])
        s.wants[s.holder] = False
