"""What the campaign has found, each as the protocol a user would have written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bmc.engines import bounded, explicit, kinduction, portfolio
from bmc.engines.agreement import require_agreement
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.ic3 import prove as ic3
from bmc.engines.task import SILENT, Task
from bmc.evidence.independent.judge import judge
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang import (
    BOOL,
    FALSE,
    Expr,
    History,
    Integer,
    MapSort,
    Parameter,
    Protocol,
    Scalarset,
    SetSort,
    State,
    Step,
    Suite,
    Term,
    Variable,
    Variant,
    action,
    after,
    empty,
    inject,
    insert,
    invariant,
    lemma,
    mapping,
    member,
    one,
    one_of,
    size,
)
from bmc.lang.errors import BoundTooSmall
from bmc.lang.properties import Kind
from bmc.readings.quantified.structures import NotQuantified


class Polls(Protocol):
    """Somebody asks a set of nodes, which an action chooses whole."""

    nodes = Parameter("nodes", 2, 1, 3, "nodes")
    Node = Scalarset("Node", nodes)
    asked = Variable(SetSort(Node))

    @action()
    def Init(self, s: Step) -> None:
        s.asked = empty(SetSort(self.Node))

    @action(some=SetSort(Node))
    def Ask(self, s: Step, some: Expr) -> None:
        s.asked = some

    Next = one_of(Ask)

    @invariant()
    def NeverBoth(self, s: State) -> Term:
        return size(s.asked) < 2

    @invariant(n=Node)
    def Fine(self, s: State, n: Expr) -> Term:
        return (size(s.asked) <= 2) | member(n, s.asked)


@pytest.mark.parametrize("engine", [kinduction.prove, ic3.prove])
def test_an_action_chooses_a_set(engine: Callable[[Task], Any]) -> None:
    """Every symbolic engine ended with "no argument's sort"."""
    suite = Suite.of(Polls, "Polls")
    violated, proved = engine(Task(suite, {}, ("NeverBoth", "Fine"), 3))
    assert violated.verdict is Verdict.VIOLATED
    assert len(violated.trace) == 2
    assert proved.verdict is Verdict.PROVED
    found = bounded.check(Task(suite, {"nodes": 3}, ("NeverBoth",), 3))[0]
    assert found.verdict is Verdict.VIOLATED


class Letters(Protocol):
    """A set of messages of two kinds."""

    nodes = Parameter("nodes", 2, 1, 2, "nodes")
    Node = Scalarset("Node", nodes)
    Letter = Variant("Letter", vote=Node, reset=BOOL)
    sent = Variable(SetSort(Letter))

    @action()
    def Init(self, s: Step) -> None:
        s.sent = empty(SetSort(self.Letter))

    @action(n=Node)
    def Vote(self, s: Step, n: Expr) -> None:
        s.sent = insert(s.sent, inject(self.Letter, "vote", n))

    Next = one_of(Vote)

    @invariant()
    def NoReset(self, s: State) -> Term:
        return ~member(inject(self.Letter, "reset", True), s.sent)


def test_sets_of_variants_have_clauses_and_an_independent_judge() -> None:
    """IC3 had no name for an element, the independent judge no list of them."""
    suite = Suite.of(Letters, "Letters")
    found = ic3.prove(Task(suite, {}, ("NoReset",), lemmas=False))[0]
    assert found.verdict is Verdict.PROVED
    assert found.certificate is not None
    assert judge(found.certificate, suite).claims == ("NoReset",)


class Switch(Protocol):
    """A lamp that is switched for ever."""

    on = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.on = False

    @action()
    def Turn(self, s: Step) -> None:
        s.on = ~s.on

    Next = one_of(Turn)

    @invariant()
    def Lamp(self, s: State) -> Term:
        return s.on | ~s.on


class Turns(History):
    """Counts further than it can."""

    Count = Integer("Count", 0, 2)
    turns = Variable(Count)

    def initially(self, s: Step) -> None:
        s.turns = 0

    @after("Turn")
    def turned(self, s: Step) -> None:
        s.turns = s.turns + 1


class TurnsAtOnce(Turns):
    """Counts further than it can with the first step."""

    def initially(self, s: Step) -> None:
        s.turns = 2


@pytest.mark.parametrize("history", [Turns, TurnsAtOnce])
def test_a_history_that_leaves_its_bounds_proves_nothing(history: type[History]) -> None:
    """The base of the induction was looked at without ghosts: a contradiction, exit 4."""

    def Counts(m: Switch, s: State) -> Term:
        return s.turns >= 0

    declared = Suite.of(Switch, "Switch").declared(Kind.INVARIANT)
    suite = Suite("Switch", Switch, "", declared, (lemma("")(Counts),), history)
    for engine in (kinduction, ic3):
        result = engine.prove(Task(suite, {}, ("Lamp",), 4))[0]
        assert result.verdict is Verdict.UNKNOWN
        assert "Turn" in (result.reason or "")


@pytest.mark.parametrize("history", [Turns, TurnsAtOnce])
def test_a_history_that_leaves_its_bounds_denies_no_proof_without_it(
    history: type[History],
) -> None:
    """An engine that needs no history proved a claim: a contradiction, exit 4."""
    declared = Suite.of(Switch, "Switch").declared(Kind.INVARIANT)
    suite = Suite("Switch", Switch, "", declared, (), history)
    told = portfolio.prove(Task(suite, {}, ("Lamp",), 4))
    assert [one.verdict for one in told] == [Verdict.PROVED]
    leaving = kinduction.prove(Task(suite, {}, ("Lamp",), 4))[0]
    assert leaving.of_history
    require_agreement("Lamp", {"one": told[0], "other": leaving})
    with pytest.raises(Contradiction, match="leaves the bounds"):
        require_agreement("Lamp", {"one": told[0], "other": replace(leaving, of_history=False)})


class TurnsFromTheEnd(Turns):
    """Has no room for where it begins."""

    def initially(self, s: Step) -> None:
        s.turns = 3


def test_a_history_without_room_for_its_start_is_named() -> None:
    """The protocol's Init was told to be what is wrong, and its parameters too small."""
    declared = Suite.of(Switch, "Switch").declared(Kind.INVARIANT)
    suite = Suite("Switch", Switch, "", declared, (), TurnsFromTheEnd)
    with pytest.raises(BoundTooSmall, match=r"gives turns an initial value .*no-lemmas"):
        kinduction.prove(Task(suite, {}, ("Lamp",), 4))
    without = kinduction.prove(Task(suite, {}, ("Lamp",), 4, lemmas=False))
    assert [one.verdict for one in without] == [Verdict.PROVED]


def test_a_history_without_room_for_its_start_denies_no_proof_without_it() -> None:
    """Nobody beside k-induction was asked; of a claim about the ghost nobody can say anything."""

    def Turned(m: Switch, s: State) -> Term:
        return s.turns >= 0

    declared = (*Suite.of(Switch, "Switch").declared(Kind.INVARIANT), invariant("")(Turned))
    suite = Suite("Switch", Switch, "", declared, (), TurnsFromTheEnd)
    told = portfolio.prove(Task(suite, {}, ("Lamp",), 4))
    assert [one.verdict for one in told] == [Verdict.PROVED]
    with pytest.raises(BoundTooSmall, match=r"gives turns an initial value .*no-lemmas"):
        portfolio.prove(Task(suite, {}, ("Turned",), 4))


class Absent(Protocol):
    """A message that nobody can send, beside nodes that are interchangeable."""

    nodes = Parameter("nodes", 2, 1, 3, "nodes")
    guests = Parameter("guests", 0, 0, 2, "guests")
    Node = Scalarset("Node", nodes)
    Guest = Scalarset("Guest", guests)
    Letter = Variant("Letter", note=Node, visit=Guest)
    last = Variable(Letter)

    @action(n=Node)
    def Init(self, s: Step, n: Expr) -> None:
        s.last = inject(self.Letter, "note", n)

    @action(n=Node)
    def Write(self, s: Step, n: Expr) -> None:
        s.last = inject(self.Letter, "note", n)

    Next = one_of(Write)

    @invariant(n=Node)
    def Someone(self, s: State, n: Expr) -> Term:
        return (s.last == inject(self.Letter, "note", n)) | (s.last != s.last) | ~(n != n)


def test_a_case_without_values_is_renamed() -> None:
    """Symmetry took the last of no names: IndexError."""
    suite = Suite.of(Absent, "Absent")
    task = Task(suite, {}, ("Someone",), 3)
    found = explicit.explore(task, symmetry=True)
    assert (found.distinct_states, found.representatives) == (2, 1)
    for engine in (kinduction, ic3):
        assert engine.prove(task)[0].verdict is Verdict.PROVED


class Views(Protocol):
    """A set of what nodes may see, each a map."""

    nodes = Parameter("nodes", 2, 1, 2, "nodes")
    Node = Scalarset("Node", nodes)
    View = MapSort(Node, BOOL)
    seen = Variable(SetSort(View))

    @action()
    def Init(self, s: Step) -> None:
        s.seen = empty(SetSort(self.View))

    @action(n=Node)
    def See(self, s: Step, n: Expr) -> None:
        s.seen = insert(s.seen, mapping(self.Node, lambda m: m == n, BOOL))

    Next = one_of(See)

    @invariant()
    def NotNobody(self, s: State) -> Term:
        return ~member(mapping(self.Node, lambda m: FALSE, BOOL), s.seen)


def test_sets_of_maps_have_clauses() -> None:
    """IC3 had no name for an element, though sets may hold maps."""
    found = ic3.prove(Task(Suite.of(Views, "Views"), {}, ("NotNobody",), lemmas=False))[0]
    assert found.verdict is Verdict.PROVED


class Counted(Polls):
    """A guard that counts sets of nodes, which first-order logic does not."""

    @action(some=SetSort(Polls.Node))
    def Ask(self, s: Step, some: Expr) -> None:
        s.require(size(one(some)) < 2)
        s.asked = some

    Next = one_of(Ask)


def test_what_cannot_be_read_at_all_parameters_is_refused_as_such() -> None:
    """The refusal came out of a worker as its failure, and ended as one of bmc's own."""
    task = ParametricTask(Suite.of(Counted, "Counted"), ("Fine",), 20.0, 5.0, processes=1)
    with pytest.raises(NotQuantified, match=r"not a SUBSET SUBSET Node"):
        prove_for_all(task, SILENT)
