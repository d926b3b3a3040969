"""Small protocols whose answers are known by looking at them."""

from bmc.lang import (
    BOOL,
    FALSE,
    Expr,
    Integer,
    KeyedSetSort,
    MapSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    Sequence,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    append,
    at,
    conj,
    exists,
    forall,
    implies,
    insert,
    invariant,
    is_none,
    is_some,
    lemma,
    mapping,
    one_of,
    record,
    step_invariant,
    tail,
)
from bmc.lang.build import lookup


class Dials(Protocol):
    """Three dials that are turned by themselves: 108^3 states."""

    Number = Integer("Number", 0, 107)
    a = Variable(Number)
    b = Variable(Number)
    c = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.a = 0
        s.b = 0
        s.c = 0

    @action()
    def TurnA(self, s: Step) -> None:
        s.require(s.a < 107)
        s.a = s.a + 1

    @action()
    def TurnB(self, s: Step) -> None:
        s.require(s.b < 107)
        s.b = s.b + 1

    @action()
    def TurnC(self, s: Step) -> None:
        s.require(s.c < 107)
        s.c = s.c + 1

    Next = one_of(TurnA, TurnB, TurnC)

    @invariant("no dial shows more than 107")
    def Shown(self, s: State) -> Term:
        return conj(s.a <= 107, s.b <= 107, s.c <= 107)


class DeadEnd(Protocol):
    """Two steps lead to the bad state, which has no successor."""

    Place = Integer("Place", 0, 2)
    place = Variable(Place)

    @action()
    def Init(self, s: Step) -> None:
        s.place = 0

    @action()
    def Walk(self, s: Step) -> None:
        s.require(s.place < 2)
        s.place = s.place + 1

    Next = one_of(Walk)

    @invariant("the end is never reached")
    def NeverAtTheEnd(self, s: State) -> Term:
        return s.place != 2

    @invariant("the walk stays inside")
    def Inside(self, s: State) -> Term:
        return s.place <= 2

    @step_invariant("the place only grows")
    def Grows(self, s: State, t: State) -> Term:
        return t.place > s.place

    @step_invariant("the last step is never taken")
    def NoLastStep(self, s: State, t: State) -> Term:
        return ~((s.place == 1) & (t.place == 2))


class BadStart(DeadEnd):
    """The initial state is bad in two ways."""

    @invariant("it starts elsewhere")
    def NotAtTheStart(self, s: State) -> Term:
        return s.place != 0

    @invariant("it starts beyond the start")
    def Beyond(self, s: State) -> Term:
        return s.place > 0


class Pair(Protocol):
    """Two counters in step; that the first is small needs the lemma that they are equal."""

    limit = Parameter("limit", 4, 1, 30, "where both start again")

    Count = Integer("Count", 0, limit)
    one = Variable(Count)
    other = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.one = 0
        s.other = 0

    @action()
    def Advance(self, s: Step) -> None:
        s.require(s.one < self.limit - 1)
        s.one = s.one + 1
        s.other = s.other + 1

    @action()
    def Reset(self, s: Step) -> None:
        s.one = 0
        s.other = 0

    Next = one_of(Advance, Reset)

    @invariant("the second counter stays below the limit")
    def OtherBelowLimit(self, s: State) -> Term:
        return s.other < self.limit

    @lemma("both counters are equal", "control")
    def equal(self, s: State) -> Term:
        return s.one == s.other

    @lemma("the first counter is never 1, which is false", "control")
    def wrong(self, s: State) -> Term:
        return s.one != 1

    @lemma("the first counter is even, which is false at once after a step", "control")
    def wrong_too(self, s: State) -> Term:
        return (s.one == 0) | (s.one == 2) | (s.one == 4)


class Ring(Protocol):
    """A counter that runs 0, 1, 2, 0, …; states 5 to 7 run into 7 and are not reachable.

    That 7 is never reached needs k = 3: 5 and 6 lead to it without being bad themselves.
    """

    Place = Integer("Place", 0, 7)
    place = Variable(Place)

    @action()
    def Init(self, s: Step) -> None:
        s.place = 0

    @action()
    def Around(self, s: Step) -> None:
        s.require(s.place < 2)
        s.place = s.place + 1

    @action()
    def Back(self, s: Step) -> None:
        s.require(s.place == 2)
        s.place = 0

    @action()
    def Astray(self, s: Step) -> None:
        s.require(s.place >= 5, s.place < 7)
        s.place = s.place + 1

    Next = one_of(Around, Back, Astray)

    @invariant("7 is never reached")
    def NotSeven(self, s: State) -> Term:
        return s.place != 7


class Overflowing(Protocol):
    """A counter without a guard: its sort is too small after three steps."""

    Count = Integer("Count", 0, 3)
    count = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.count = 0

    @action()
    def Up(self, s: Step) -> None:
        s.count = s.count + 1

    Next = one_of(Up)

    @invariant("the counter has a value of its sort")
    def TypeOk(self, s: State) -> Term:
        return (s.count >= 0) & (s.count <= 3)


class WrongKey(Protocol):
    """Two different orders get the same number: the declared key is none."""

    Number = Integer("Number", 0, 3)
    Order = Record("Order", number=Number, urgent=BOOL)
    orders = Variable(KeyedSetSort(Order, "number"))

    @action()
    def Init(self, s: Step) -> None:
        s.orders = frozenset()

    @action(number=Number, urgent=BOOL)
    def Send(self, s: Step, number: Expr, urgent: Expr) -> None:
        s.orders = insert(s.orders, record(self.Order, number=number, urgent=urgent))

    Next = one_of(Send)

    @invariant("an order is urgent or not")
    def Trivial(self, s: State) -> Term:
        return forall(
            self.Number, lambda n: is_none(lookup(s.orders, n)) | is_some(lookup(s.orders, n))
        )


class Headless(Protocol):
    """The head of a queue is read where there is none."""

    Number = Integer("Number", 0, 3)
    queue = Variable(Sequence(Number, 2))

    @action()
    def Init(self, s: Step) -> None:
        s.queue = ()

    @action()
    def Turn(self, s: Step) -> None:
        s.queue = append(tail(s.queue), at(s.queue, 0))

    Next = one_of(Turn)

    @invariant("the queue is what it is")
    def Trivial(self, s: State) -> Term:
        return s.queue == s.queue


class Unstartable(Protocol):
    """No initial state: whatever is said of it would hold."""

    Bit = Integer("Bit", 0, 1)
    bit = Variable(Bit)

    @action()
    def Init(self, s: Step) -> None:
        s.require(FALSE)
        s.bit = 0

    @action()
    def Stay(self, s: Step) -> None:
        s.bit = s.bit

    Next = one_of(Stay)

    @invariant("false")
    def Never(self, s: State) -> Term:
        return s.bit != s.bit


class Confined(DeadEnd):
    """The dead end behind a state constraint that shuts it off."""

    def Constraint(self, s: State) -> Term:
        return s.place < 2


class ConfinedFromTheStart(DeadEnd):
    """A state constraint that no initial state satisfies."""

    def Constraint(self, s: State) -> Term:
        return s.place > 0


class Tokens(Protocol):
    """One token among interchangeable holders, passed on; at most one holds it."""

    holders = Parameter("holders", 3, 1, 6, "number of holders")

    Holder = Scalarset("Holder", holders)
    holds = Variable(MapSort(Holder, BOOL))
    started = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.holds = mapping(self.Holder, lambda h: False, BOOL)
        s.started = False

    @action(holder=Holder)
    def Start(self, s: Step, holder: Expr) -> None:
        s.require(~s.started)
        s.holds[holder] = True
        s.started = True

    @action(source=Holder, target=Holder)
    def Pass(self, s: Step, source: Expr, target: Expr) -> None:
        s.require(s.holds[source])
        s.holds[source] = False
        s.holds[target] = True

    Next = one_of(Start, Pass)

    @invariant("at most one holder has the token", one=Holder, other=Holder)
    def AtMostOne(self, s: State, one: Expr, other: Expr) -> Term:
        return implies(conj(s.holds[one], s.holds[other]), one == other)

    @invariant("some holder never gets it: false with more than one holder")
    def SomebodyNever(self, s: State) -> Term:
        return ~exists(self.Holder, lambda h: s.holds[h])

    @lemma("before the start nobody has the token", "control", holder=Holder)
    def nobody_before_start(self, s: State, holder: Expr) -> Term:
        return implies(~s.started, ~s.holds[holder])


def suite(protocol: type[Protocol]) -> Suite:
    """The suite of a protocol with its properties in the class."""
    return Suite.of(protocol, protocol.__name__)
