"""Mutual exclusion: a lock that starves, and Lamport's bakery in the form of a ticket line.

A test-and-set lock is free to whoever asks at the right moment. Who waits is enabled again and
again and may be passed over for ever: weak fairness is no help, strong fairness is. Whoever takes a
ticket is served in turn, and weak fairness is enough.
"""

from bmc.lang import (
    EnumSort,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    Sequence,
    Variable,
    action,
    append,
    at,
    forall,
    implies,
    invariant,
    mapping,
    one_of,
    size,
    tail,
)
from bmc.lang.temporal import Specification, leads_to, strong, temporal, weak


class TestAndSet(Protocol):
    """Processes that enter whenever nobody is inside."""

    processes = Parameter("processes", default=2, low=1, high=8, about="how many processes")
    Process = Scalarset("Process", processes)
    Phase = EnumSort("Phase", ("idle", "waiting", "critical"))

    phase = Variable(MapSort(Process, Phase))

    Weakly = Specification("Weakly", (weak("Enter", per=("p",)), weak("Leave", per=("p",))))
    Strongly = Specification("Strongly", (strong("Enter", per=("p",)), weak("Leave", per=("p",))))

    @action()
    def Init(self, s):
        s.phase = mapping(self.Process, lambda p: "idle", self.Phase)

    @action(p=Process)
    def Ask(self, s, p):
        s.require(s.phase[p] == "idle")
        s.phase[p] = "waiting"

    @action(p=Process)
    def Enter(self, s, p):
        s.require(s.phase[p] == "waiting", forall(self.Process, lambda q: s.phase[q] != "critical"))
        s.phase[p] = "critical"

    @action(p=Process)
    def Leave(self, s, p):
        s.require(s.phase[p] == "critical")
        s.phase[p] = "idle"

    Next = one_of(Ask, Enter, Leave)

    @invariant("one at a time", p=Process, q=Process)
    def Exclusion(self, s, p, q):
        return implies((s.phase[p] == "critical") & (s.phase[q] == "critical"), p == q)

    @temporal("whoever waits enters", specification="Weakly", p=Process)
    def EntersWeakly(self, s, p):
        return leads_to(s.phase[p] == "waiting", s.phase[p] == "critical")

    @temporal("whoever waits enters", specification="Strongly", p=Process)
    def EntersStrongly(self, s, p):
        return leads_to(s.phase[p] == "waiting", s.phase[p] == "critical")


class TicketLine(Protocol):
    """Processes that stand in line."""

    processes = Parameter("processes", default=2, low=1, high=8, about="how many processes")
    Process = Scalarset("Process", processes)
    Phase = EnumSort("Phase", ("idle", "waiting", "critical"))

    phase = Variable(MapSort(Process, Phase))
    line = Variable(Sequence(Process, processes), "who waits, the next one first")

    Weakly = Specification("Weakly", (weak("Enter", per=("p",)), weak("Leave", per=("p",))))

    @action()
    def Init(self, s):
        s.phase = mapping(self.Process, lambda p: "idle", self.Phase)
        s.line = ()

    @action(p=Process)
    def Ask(self, s, p):
        s.require(s.phase[p] == "idle", size(s.line) < self.processes)
        s.phase[p] = "waiting"
        s.line = append(s.line, p)

    @action(p=Process)
    def Enter(self, s, p):
        s.require(size(s.line) > 0, at(s.line, 0) == p)
        s.require(forall(self.Process, lambda q: s.phase[q] != "critical"))
        s.phase[p] = "critical"
        s.line = tail(s.line)

    @action(p=Process)
    def Leave(self, s, p):
        s.require(s.phase[p] == "critical")
        s.phase[p] = "idle"

    Next = one_of(Ask, Enter, Leave)

    @invariant("one at a time", p=Process, q=Process)
    def Exclusion(self, s, p, q):
        return implies((s.phase[p] == "critical") & (s.phase[q] == "critical"), p == q)

    @temporal("whoever waits enters", specification="Weakly", p=Process)
    def Enters(self, s, p):
        return leads_to(s.phase[p] == "waiting", s.phase[p] == "critical")
