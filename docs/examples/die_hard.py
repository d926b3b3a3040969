"""The jugs of *Die Hard 3*, after DieHard.tla: four gallons with jugs of five and three.

The claim that it cannot be done is false, and the trace that shows it is the solution. With jugs of
six and three it is true.
"""

from bmc.lang import (
    Integer,
    Parameter,
    Protocol,
    Variable,
    action,
    invariant,
    minimum,
    one_of,
)


class DieHard(Protocol):
    """Two jugs without marks, and a tap."""

    large = Parameter("large", default=5, low=1, high=12, about="gallons of the large jug")
    small = Parameter("small", default=3, low=1, high=12, about="gallons of the small jug")
    goal = Parameter("goal", default=4, low=1, high=12, about="gallons that are wanted")

    Gallons = Integer("Gallons", 0, large + small)

    big = Variable(Gallons, "what is in the large jug")
    little = Variable(Gallons, "what is in the small jug")

    @action()
    def Init(self, s):
        s.big = 0
        s.little = 0

    @action()
    def FillBig(self, s):
        s.big = self.large

    @action()
    def FillLittle(self, s):
        s.little = self.small

    @action()
    def EmptyBig(self, s):
        s.big = 0

    @action()
    def EmptyLittle(self, s):
        s.little = 0

    @action()
    def LittleToBig(self, s):
        poured = minimum(s.little, self.large - s.big)
        s.big = s.big + poured
        s.little = s.little - poured

    @action()
    def BigToLittle(self, s):
        poured = minimum(s.big, self.small - s.little)
        s.big = s.big - poured
        s.little = s.little + poured

    Next = one_of(FillBig, FillLittle, EmptyBig, EmptyLittle, LittleToBig, BigToLittle)

    @invariant("there is never as much as is wanted in the large jug")
    def NotSolved(self, s):
        return s.big != self.goal
