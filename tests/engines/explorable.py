"""Small protocols to explore, and how their exploration is asked for."""

from __future__ import annotations

from bmc.engines.explicit import Exploration, explore
from bmc.engines.task import Task
from bmc.evidence.trace import Trace
from bmc.lang import (
    BOOL,
    FALSE,
    TRUE,
    Expr,
    History,
    Integer,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    after,
    invariant,
    is_some,
    ite,
    lemma,
    step_invariant,
    the,
    witness,
)


def run(
    protocol: type[Protocol], *properties: str, timeout: float | None = None, **options: int | bool
) -> Exploration:
    suite = Suite.of(protocol, protocol.__name__)
    return explore(Task(suite, {}, properties, timeout=timeout), **options)  # type: ignore[arg-type]


def values(trace: Trace, name: str) -> list[object]:
    return [step.state[name] for step in trace.steps]


class Counter(Protocol):
    """Counts up to the limit, by one or by two."""

    limit = Parameter("limit", 9, 0, 100_000, "the last number")
    Number = Integer("Number", 0, limit)
    n = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.n = 0

    @action()
    def One(self, s: Step) -> None:
        s.require(s.n < self.limit)
        s.n = s.n + 1

    @action()
    def Two(self, s: Step) -> None:
        s.require(s.n + 1 < self.limit)
        s.n = s.n + 2

    @action()
    def Never(self, s: Step) -> None:
        s.require(s.n > self.limit)

    Next = (One, Two, Never)

    @invariant()
    def Small(self, s: State) -> Term:
        return s.n <= self.limit

    @invariant()
    def BelowFive(self, s: State) -> Term:
        return s.n < 5

    @invariant(k=Number)
    def NoneIsSeven(self, s: State, k: Expr) -> Term:
        return (s.n != 7) | (k != 7)

    @step_invariant()
    def Grows(self, s: State, t: State) -> Term:
        return t.n > s.n

    @step_invariant()
    def ByOne(self, s: State, t: State) -> Term:
        return (t.n == s.n + 1) | (s.n < 4)

    @witness()
    def Six(self, s: State) -> Term:
        return s.n == 6

    @witness(k=Number)
    def SomeNumber(self, s: State, k: Expr) -> Term:
        return (s.n == k) & (k == 3)

    @witness()
    def Beyond(self, s: State) -> Term:
        return s.n > self.limit


EVERYTHING = ("Small", "BelowFive", "NoneIsSeven", "Grows", "ByOne", "Six", "SomeNumber", "Beyond")


class DeadEnd(Protocol):
    """Two steps lead to a bad state without successors."""

    Stage = Integer("Stage", 0, 2)
    stage = Variable(Stage)

    @action()
    def Init(self, s: Step) -> None:
        s.stage = 0

    @action(to=Stage)
    def Advance(self, s: Step, to: Expr) -> None:
        s.require(to == s.stage + 1)
        s.stage = to

    Next = (Advance,)

    @invariant()
    def Good(self, s: State) -> Term:
        return s.stage < 2


class Confined(Counter):
    """The counter where a constraint cuts off what follows 4."""

    def Constraint(self, s: State) -> Term:
        return s.n <= 4


class Overflowing(Protocol):
    """Counts without looking at the end of its sort."""

    Number = Integer("Number", 0, 2)
    n = Variable(Number)
    flag = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.n = 0
        s.flag = False

    @action()
    def Flip(self, s: Step) -> None:
        s.flag = ~s.flag

    @action()
    def Count(self, s: Step) -> None:
        s.n = s.n + 1

    Next = (Flip, Count)

    @invariant()
    def NoFlag(self, s: State) -> Term:
        return ~s.flag

    @invariant()
    def Small(self, s: State) -> Term:
        return s.n <= 2


class PartialConstraint(Protocol):
    """Its constraint reads a value that a step removes."""

    Number = Integer("Number", 0, 2)
    held = Variable(OptionSort(Number))

    @action(start=Number)
    def Init(self, s: Step, start: Expr) -> None:
        s.held = start

    @action()
    def Drop(self, s: Step) -> None:
        s.require(is_some(s.held))
        s.held = None

    Next = (Drop,)

    def Constraint(self, s: State) -> Term:
        return the(s.held) < 2


class PartialGuard(Protocol):
    """An action's guard has no value in a state in which the action is enabled nowhere."""

    Number = Integer("Number", 0, 2)
    held = Variable(OptionSort(Number))

    @action()
    def Init(self, s: Step) -> None:
        s.held = 0

    @action()
    def Drop(self, s: Step) -> None:
        s.require(is_some(s.held))
        s.held = None

    @action()
    def Look(self, s: Step) -> None:
        s.require(the(s.held) > 1)
        s.held = 0

    Next = (Drop, Look)


class StartsNowhere(PartialConstraint):
    """Its constraint has no value at the start."""

    @action()
    def Init(self, s: Step) -> None:
        s.held = None

    Next = (PartialConstraint.Drop,)


class Heights(Protocol):
    """Starts in two ways at each of many choices, most of which a first guard leaves out."""

    Number = Integer("Number", 0, 60)
    n = Variable(Number)
    m = Variable(Number)
    far = Variable(BOOL)

    @action(a=Number, b=Number, c=Number)
    def Init(self, s: Step, a: Expr, b: Expr, c: Expr) -> None:
        s.require(a < 3)
        s.require(a + b == 40)
        s.n = a
        with s.either():
            s.require(c < b - 20)
            s.m = c
            s.far = TRUE
        with s.either():
            s.m = b
            s.far = FALSE

    @action()
    def Fall(self, s: Step) -> None:
        s.require(s.n > 0)
        s.n = s.n - 1

    Next = (Fall,)


class ManyStarts(Protocol):
    """Starts at every sum of two choices below 5 that is no 3."""

    Number = Integer("Number", 0, 4)
    Half = Integer("Number", 0, 2)
    n = Variable(Number)

    @action(a=Half, b=Half)
    def Init(self, s: Step, a: Expr, b: Expr) -> None:
        s.require(a + b != 3)
        s.n = a + b

    @action()
    def Fall(self, s: Step) -> None:
        s.require(s.n > 0)
        s.n = s.n - 1

    Next = (Fall,)

    @invariant()
    def NotThree(self, s: State) -> Term:
        return s.n != 3

    @invariant()
    def NotFour(self, s: State) -> Term:
        return s.n != 4


class NoStart(ManyStarts):
    """No start satisfies the guard."""

    @action()
    def Init(self, s: Step) -> None:
        s.require(FALSE)
        s.n = 0


class NoChoice(ManyStarts):
    """There is nothing to start with: a pair of something that is not there and a truth value."""

    Pair = Record("Pair", one=Integer("None", 1, 0), two=BOOL)

    @action(pair=Pair)
    def Init(self, s: Step, pair: Expr) -> None:
        s.n = ite(pair.two, 0, 1)


class NoStartInside(ManyStarts):
    """No start satisfies the constraint."""

    def Constraint(self, s: State) -> Term:
        return s.n > 4


class Twice(DeadEnd):
    """The same claim made twice."""

    @invariant()
    def NotOne(self, s: State) -> Term:
        return s.stage != 1

    @invariant()
    def NotOneEither(self, s: State) -> Term:
        return s.stage != 1


class Alike(Protocol):
    """Three actions, two of which take the same step."""

    n = Variable(Integer("Number", 0, 1))

    @action()
    def Init(self, s: Step) -> None:
        s.n = 0

    @action()
    def Begin(self, s: Step) -> None:
        s.n = 1

    @action()
    def Again(self, s: Step) -> None:
        s.n = 1

    @action()
    def End(self, s: Step) -> None:
        s.n = 0

    Next = (Begin, Again, End)


class Visits(History):
    """How often the counter moved, up to 3."""

    Count = Integer("Count", 0, 3)
    visits = Variable(Count)

    def initially(self, s: Step) -> None:
        s.visits = 0

    @after("One")
    def moved(self, s: Step) -> None:
        s.visits = s.visits


@lemma("the history counts", "H")
def Counted(m: Counter, s: State) -> Term:
    return s.visits == 0


@invariant()
def Misspelt(m: Counter, s: State) -> Term:
    return s.vists == 0
