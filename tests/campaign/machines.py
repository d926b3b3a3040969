"""Protocols written by hand, each to tell one kind of fault."""

from __future__ import annotations

from bmc.lang import (
    BOOL,
    FALSE,
    Expr,
    Integer,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    State,
    Step,
    Term,
    Variable,
    action,
    empty,
    exists,
    implies,
    insert,
    invariant,
    is_none,
    lemma,
    mapping,
    member,
    one_of,
    step_invariant,
    the,
)


class Ladder(Protocol):
    """Up to the third rung, and back to the floor."""

    Rung = Integer("Rung", 0, 3)
    rung = Variable(Rung)
    mark = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.rung = 0
        s.mark = False

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.rung < 3)
        s.rung = s.rung + 1

    @action()
    def Back(self, s: Step) -> None:
        s.require(s.rung == 3)
        s.rung = 0

    Next = one_of(Up, Back)

    @invariant()
    def NotThree(self, s: State) -> Term:
        return s.rung != 3

    @invariant()
    def NotOne(self, s: State) -> Term:
        return s.rung != 1

    @invariant()
    def MarkIsSet(self, s: State) -> Term:
        return s.mark

    @invariant()
    def MarkIsNot(self, s: State) -> Term:
        return ~s.mark

    @step_invariant()
    def NeverBack(self, s: State, t: State) -> Term:
        return s.rung < t.rung

    @step_invariant()
    def NotOneFromTwo(self, s: State, t: State) -> Term:
        return implies(s.rung == 2, t.rung != 1) & ~t.mark


class Late(Protocol):
    """Waits at 0, and never returns to it: "not 1" holds of two states in a row before it fails."""

    Stage = Integer("Stage", 0, 3)
    stage = Variable(Stage)

    @action(start=Stage)
    def Init(self, s: Step, start: Expr) -> None:
        s.require(start != 1, start != 3)
        s.stage = start

    @action()
    def On(self, s: Step) -> None:
        s.require(s.stage < 3)
        s.stage = s.stage + 1

    Next = one_of(On)

    @invariant()
    def NotOne(self, s: State) -> Term:
        return s.stage != 1

    @lemma()
    def AtMostTwo(self, s: State) -> Term:
        return s.stage <= 2

    @lemma()
    def NotZero(self, s: State) -> Term:
        return s.stage != 0

    @invariant()
    def NotThree(self, s: State) -> Term:
        return s.stage != 3


class Turns(Protocol):
    """Two actions, each of which breaks a claim that the other one keeps."""

    a = Variable(BOOL)
    b = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.a = False
        s.b = False

    @action()
    def First(self, s: Step) -> None:
        s.a = True

    @action()
    def Middle(self, s: Step) -> None:
        s.a = s.a

    @action()
    def Last(self, s: Step) -> None:
        s.b = True

    Next = one_of(First, Middle, Last)

    @invariant()
    def FirstBreaks(self, s: State) -> Term:
        return ~s.a

    @invariant()
    def LastBreaks(self, s: State) -> Term:
        return ~s.b

    @step_invariant()
    def NeverA(self, s: State, t: State) -> Term:
        return ~t.a


class Stamped(Protocol):
    """Every step leaves a stamp, which the start has not: that no step leads to where there is
    none says nothing of the start. What is torn was marked and not stamped before."""

    marked = Variable(BOOL)
    stamp = Variable(BOOL)
    torn = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.marked, s.stamp, s.torn = False, False, False

    @action()
    def Write(self, s: Step) -> None:
        s.marked, s.stamp, s.torn = ~s.marked, True, s.torn | (s.marked & ~s.stamp)

    Next = one_of(Write)

    @invariant()
    def NeverTorn(self, s: State) -> Term:
        return ~s.torn


class Nowhere(Turns):
    """No state is initial, and everything holds in all of them."""

    @action()
    def Init(self, s: Step) -> None:
        s.require(FALSE)
        s.a = False
        s.b = False

    @invariant()
    def Anything(self, s: State) -> Term:
        return s.a | ~s.a


class Votes(Protocol):
    """Everybody votes once, and who has all votes leads."""

    nodes = Parameter("nodes", 3, 1, 3, "nodes")
    Node = Scalarset("Node", nodes)
    vote = Variable(MapSort(Node, OptionSort(Node)))
    leads = Variable(SetSort(Node))

    @action()
    def Init(self, s: Step) -> None:
        s.vote = mapping(self.Node, lambda n: None, OptionSort(self.Node))
        s.leads = empty(SetSort(self.Node))

    @action(n=Node, of=Node)
    def Vote(self, s: Step, n: Expr, of: Expr) -> None:
        s.require(is_none(s.vote[n]))
        s.vote[n] = of

    @action(n=Node)
    def Lead(self, s: Step, n: Expr) -> None:
        s.require(~exists(self.Node, lambda m: s.vote[m] != n))
        s.leads = insert(s.leads, n)

    Next = one_of(Vote, Lead)

    @invariant(n=Node, m=Node)
    def OneLeader(self, s: State, n: Expr, m: Expr) -> Term:
        return implies(member(n, s.leads) & member(m, s.leads), n == m)

    @lemma(n=Node, m=Node)
    def LeaderVoted(self, s: State, n: Expr, m: Expr) -> Term:
        return implies(member(n, s.leads), s.vote[m] == n)

    @invariant(n=Node, m=Node)
    def SameVote(self, s: State, n: Expr, m: Expr) -> Term:
        return is_none(s.vote[n]) | is_none(s.vote[m]) | (s.vote[n] == s.vote[m])

    @invariant(n=Node, m=Node)
    def NobodyElse(self, s: State, n: Expr, m: Expr) -> Term:
        return (n == m) | ~member(m, s.leads) | ~member(m, s.leads)


class Sums(Protocol):
    """Sums and differences of numbers below and above 0."""

    Number = Integer("Number", -3, 4)
    Small = Integer("Number", -2, 2)
    x = Variable(Number)
    y = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.x = 1
        s.y = -3

    @action(a=Small)
    def Add(self, s: Step, a: Expr) -> None:
        s.require(s.x + s.y + a <= 4, -3 <= s.x + s.y + a)
        s.y = s.x + s.y + a

    @action(a=Small)
    def Take(self, s: Step, a: Expr) -> None:
        s.require(a - s.y <= 3, -2 < a - s.y, s.x < s.y)
        s.x = a - s.y

    Next = one_of(Add, Take)

    @invariant()
    def NotBelow(self, s: State) -> Term:
        return s.y - s.x < 7

    @invariant()
    def NotFarBelow(self, s: State) -> Term:
        return s.x + s.y != 7

    @invariant()
    def SumIsSmall(self, s: State) -> Term:
        return s.x + s.y <= 6

    @invariant()
    def Order(self, s: State) -> Term:
        return (s.x <= s.y) | (s.y < s.x)


class Holder(Protocol):
    """What is held may be none, where a claim and a guard read it all the same."""

    Number = Integer("Number", 0, 2)
    held = Variable(OptionSort(Number))
    other = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.held = 0
        s.other = 0

    @action()
    def Drop(self, s: Step) -> None:
        s.require(the(s.held) == 2)
        s.held = None

    @action()
    def More(self, s: Step) -> None:
        s.require(s.held != None, the(s.held) < 2)  # noqa: E711
        s.held = the(s.held) + 1

    Next = one_of(More, Drop)

    @invariant()
    def Small(self, s: State) -> Term:
        return the(s.held) < 3

    @invariant()
    def Zero(self, s: State) -> Term:
        return s.other == 0


class Fence(Ladder):
    """The ladder, of which the constraint leaves two rungs."""

    def Constraint(self, s: State) -> Term:
        return s.rung < 3

    @invariant()
    def Inside(self, s: State) -> Term:
        return s.rung <= 2


class Related(Protocol):
    """What :data:`RELATED` differs from in one thing each."""

    limit = Parameter("limit", 1, 1, 3, "the last number")
    Number = Integer("Number", 0, 3)
    n = Variable(Number)
    some = Variable(SetSort(Number))
    more = Variable(SetSort(Number))

    @action()
    def Init(self, s: Step) -> None:
        s.n = 0
        s.some = empty(SetSort(self.Number))
        s.more = empty(SetSort(self.Number))

    @action(x=some)
    def Set(self, s: Step, x: Expr) -> None:
        s.require(s.n < 2)
        s.n = x

    Next = one_of(Set)


class OtherConstraint(Related):
    def Constraint(self, s: State) -> Term:
        return s.n < 2


class OtherGuard(Related):
    @action(x=Related.some)
    def Set(self, s: Step, x: Expr) -> None:
        s.require(s.n < 3)
        s.n = x

    Next = one_of(Set)


class OtherValue(Related):
    @action(x=Related.some)
    def Set(self, s: Step, x: Expr) -> None:
        s.require(s.n < 2)
        s.n = s.n

    Next = one_of(Set)


class OtherChoice(Related):
    @action(x=Related.more)
    def Set(self, s: Step, x: Expr) -> None:
        s.require(s.n < 2)
        s.n = x

    Next = one_of(Set)


class OtherStart(Related):
    @action()
    def Init(self, s: Step) -> None:
        s.n = 1
        s.some = empty(SetSort(self.Number))
        s.more = empty(SetSort(self.Number))


RELATED = {
    one.__name__: one
    for one in (Related, OtherConstraint, OtherGuard, OtherValue, OtherChoice, OtherStart)
}
