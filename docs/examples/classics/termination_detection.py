"""Termination detection in a ring (Dijkstra, Feijen and van Gasteren, EWD 840, 1983).

A token goes round and becomes black where somebody has woken up somebody else since it came by.
When a white token is back at a white process 0 that has nothing to do, nobody has.
"""

from bmc.lang import (
    BOOL,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    SetSort,
    Variable,
    action,
    filtered,
    forall,
    implies,
    invariant,
    ite,
    mapping,
    member,
    one_of,
    size,
)
from bmc.lang.ranking import helpful, rank, ranking
from bmc.lang.temporal import Specification, eventually, leads_to, temporal, weak


class TerminationDetection(Protocol):
    """Processes that wake each other up, and a token that goes round."""

    processes = Parameter("processes", default=3, low=2, high=8, about="how many processes")
    Place = Integer("Place", 0, processes - 1)

    active = Variable(MapSort(Place, BOOL))
    black = Variable(MapSort(Place, BOOL), "who has woken up somebody")
    token = Variable(Place)
    tokenBlack = Variable(BOOL)

    Fair = Specification("Fair", (weak("Probe", "Pass"),))

    @action(idle=SetSort(Place))
    def Init(self, s, idle):
        s.active = mapping(self.Place, lambda p: ~member(p, idle), BOOL)
        s.black = mapping(self.Place, lambda p: False, BOOL)
        s.token = 0
        s.tokenBlack = True

    def detected(self, s):
        """What process 0 takes for the end."""
        return (s.token == 0) & ~s.tokenBlack & ~s.black[0] & ~s.active[0]

    def over(self, s):
        return forall(self.Place, lambda p: ~s.active[p])

    @action()
    def Probe(self, s):
        """Process 0 sends the token round once more."""
        s.require(s.token == 0, s.tokenBlack | s.black[0])
        s.token = self.processes - 1
        s.tokenBlack = False
        s.black[0] = False

    @action()
    def Pass(self, s):
        s.require(s.token > 0, ~s.active[s.token])
        s.token = s.token - 1
        s.tokenBlack = s.tokenBlack | s.black[s.token]
        s.black[s.token] = False

    @action(p=Place)
    def Rest(self, s, p):
        s.require(s.active[p])
        s.active[p] = False

    @action(p=Place, other=Place)
    def Wake(self, s, p, other):
        s.require(s.active[p], p != other, ~s.active[other])
        s.active[other] = True
        s.black[p] = s.black[p] | (other > p)

    Next = one_of(Probe, Pass, Rest, Wake)

    @invariant("what is detected is so")
    def Safe(self, s):
        return implies(self.detected(s), self.over(s))

    @temporal("when all rest, it is detected", specification="Fair")
    def Detects(self, s):
        return leads_to(self.over(s), self.detected(s))

    @ranking("the token whitens all that it passes", proves="Detects")
    def Whitens(self, s):
        blacks = size(filtered(self.Place, lambda p: s.black[p]))
        by = helpful("Probe", "Pass")
        return rank(blacks, ite(s.tokenBlack, 1, 0), s.token, by=by, meanwhile=self.over(s))

    @temporal("in the end all rest", specification="Fair")
    def Ends(self, s):
        return eventually(self.over(s))
