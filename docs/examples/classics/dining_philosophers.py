"""Dining philosophers (Dijkstra, *Hierarchical ordering of sequential processes*, 1971).

Where everybody takes the left fork first all may hold one and wait for the other: a deadlock. Where
the last one takes the right fork first there is none, and still a hungry one may never eat if
fairness is weak, since its fork is free again and again and always taken by the other.
"""

from bmc.lang import (
    EnumSort,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Variable,
    action,
    ite,
    mapping,
    one_of,
)
from bmc.lang.temporal import Specification, leads_to, strong, temporal, weak


class Philosophers(Protocol):
    """Philosophers at a round table; fork `i` is to the left of philosopher `i`."""

    philosophers = Parameter("philosophers", default=3, low=2, high=8, about="how many sit there")
    Seat = Integer("Seat", 0, philosophers - 1)
    Phase = EnumSort("Phase", ("thinking", "hungry", "holding", "eating"))

    phase = Variable(MapSort(Seat, Phase))
    fork = Variable(MapSort(Seat, OptionSort(Seat)), "who holds each fork")

    Weakly = Specification(
        "Weakly", tuple(weak(name, per=("p",)) for name in ("First", "Second", "Rest"))
    )
    Strongly = Specification(
        "Strongly",
        (strong("First", per=("p",)), strong("Second", per=("p",)), weak("Rest", per=("p",))),
    )

    def right(self, p):
        return ite(p == self.philosophers - 1, 0, p + 1)

    def first(self, p):
        """The fork that a philosopher takes first."""
        return p

    def second(self, p):
        """The fork that it takes then."""
        return self.right(p)

    @action()
    def Init(self, s):
        s.phase = mapping(self.Seat, lambda p: "thinking", self.Phase)
        s.fork = mapping(self.Seat, lambda f: None, OptionSort(self.Seat))

    @action(p=Seat)
    def Hunger(self, s, p):
        s.require(s.phase[p] == "thinking")
        s.phase[p] = "hungry"

    @action(p=Seat)
    def First(self, s, p):
        s.require(s.phase[p] == "hungry", s.fork[self.first(p)] == None)  # noqa: E711
        s.phase[p] = "holding"
        s.fork[self.first(p)] = p

    @action(p=Seat)
    def Second(self, s, p):
        s.require(s.phase[p] == "holding", s.fork[self.second(p)] == None)  # noqa: E711
        s.phase[p] = "eating"
        s.fork[self.second(p)] = p

    @action(p=Seat)
    def Rest(self, s, p):
        s.require(s.phase[p] == "eating")
        s.phase[p] = "thinking"
        s.fork = mapping(
            self.Seat, lambda f: ite(s.fork[f] == p, None, s.fork[f]), OptionSort(self.Seat)
        )

    Next = one_of(Hunger, First, Second, Rest)

    @temporal("who is hungry eats", specification="Strongly", p=Seat)
    def Eats(self, s, p):
        return leads_to(s.phase[p] == "hungry", s.phase[p] == "eating")


class LastOneTurned(Philosophers):
    """The last philosopher takes the right fork first."""

    def first(self, p):
        return ite(p == self.philosophers - 1, 0, p)

    def second(self, p):
        return ite(p == self.philosophers - 1, p, self.right(p))

    @temporal("who is hungry eats", specification="Weakly", p=Philosophers.Seat)
    def EatsWeakly(self, s, p):
        return leads_to(s.phase[p] == "hungry", s.phase[p] == "eating")
