"""Sizes in proofs at all parameter values: what follows from them; no axiom is believed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.engines.allparams.condition import Decider
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import SILENT
from bmc.evidence.certificate import CertificateError
from bmc.evidence.counting import contradiction, counterexample, require_true
from bmc.evidence.parametric_certificate import ParametricCertificate
from bmc.evidence.parametric_certify import certify_parametric
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang import (
    Expr,
    Integer,
    KeyedSetSort,
    MapSort,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Scalarset,
    SetSort,
    State,
    Step,
    Suite,
    Term,
    Variable,
    action,
    empty,
    everything,
    exists,
    filtered,
    implies,
    insert,
    invariant,
    is_none,
    is_some,
    lemma,
    lookup,
    mapping,
    member,
    one,
    one_of,
    remove,
    size,
    some,
)
from bmc.lang.properties import Kind
from bmc.readings.quantified import counting
from bmc.readings.quantified.counting import AXIOMS, CountingAxiom, SetWords, axioms_about
from bmc.readings.quantified.formulas import LogicSort, add, le, lt, number, or_
from bmc.solving.first_order_cvc5 import GroundChecker
from bmc.solving.first_order_z3 import GroundSolver, Z3Terms
from bmc.solving.interface import Answer
from bmc.system.parametric import Name, ParametricSystem

WORDS = SetWords(LogicSort("Elem", "Node"), True)


class Sets(Protocol):
    """Sets that may be anything: a claim follows from what sizes are, or it does not."""

    nodes = Parameter("nodes", 3, 1, 4, "nodes")
    last = Parameter("last", 2, 0, 9, "the last number")
    Node = Scalarset("Node", nodes)
    Number = Integer("Number", 0, last)
    a = Variable(SetSort(Node))
    b = Variable(SetSort(Node))
    c = Variable(SetSort(Node))
    of = Variable(MapSort(Node, SetSort(Node)))
    numbers = Variable(SetSort(Number))
    Entry = Record("Entry", node=Node, number=Number)
    entries = Variable(KeyedSetSort(Entry, "node"))

    @action()
    def Init(self, s: Step) -> None:
        s.a = s.b = s.c = empty(SetSort(self.Node))
        s.of = mapping(self.Node, lambda node: empty(SetSort(self.Node)), SetSort(self.Node))
        s.numbers = empty(SetSort(self.Number))
        s.entries = frozenset()

    @action()
    def Stay(self, s: Step) -> None:
        s.a = s.a

    Next = one_of(Stay)

    def most(self, held: Expr) -> Term:
        return 2 * size(held) > self.nodes

    def meet(self, *held: Expr) -> Term:
        return exists(self.Node, lambda n: forall_of(lambda one: member(n, one), held))

    @invariant("two majorities meet")
    def Majorities(self, s: State) -> Term:
        return implies(self.most(s.a) & self.most(s.b), self.meet(s.a, s.b))

    @invariant("three sets of more than two thirds meet")
    def TwoThirds(self, s: State) -> Term:
        def large(held: Expr) -> Term:
            return 3 * size(held) > 2 * self.nodes

        return implies(large(s.a) & large(s.b) & large(s.c), self.meet(s.a, s.b, s.c))

    @invariant("two sets meet that together are more than everything")
    def Flexible(self, s: State) -> Term:
        return implies(size(s.a) + size(s.b) > self.nodes, self.meet(s.a, s.b))

    @invariant("two majorities of a set meet")
    def Relative(self, s: State) -> Term:
        of_c = (2 * size(s.a) > size(s.c)) & (2 * size(s.b) > size(s.c))
        return implies(of_c & (s.a <= s.c) & (s.b <= s.c), self.meet(s.a, s.b))

    @invariant("a majority with one more is a majority", node=Node)
    def Grown(self, s: State, node: Expr) -> Term:
        return implies(self.most(s.a), self.most(insert(s.a, node)))

    @invariant("everything is a majority, and its majorities are those of a size")
    def Whole(self, s: State) -> Term:
        full = everything(self.Node)
        return self.most(full) & (size(s.a) <= size(full))

    @invariant("sizes of sets of a member, and of one member less", node=Node)
    def Single(self, s: State, node: Expr) -> Term:
        less = size(remove(s.a, node))
        return (size(one(node)) == 1) & (size(s.a) <= less + 1) & (less <= size(s.a))

    @invariant("numbers can be counted too")
    def Numbers(self, s: State) -> Term:
        return implies(size(s.numbers) == 0, ~exists(s.numbers, lambda n: n >= 0))

    @invariant("records are counted by their key")
    def Keyed(self, s: State) -> Term:
        nodes = filtered(self.Node, lambda n: is_some(lookup(s.entries, n)))
        return (size(s.entries) <= self.nodes) & (size(s.entries) == size(nodes))

    @invariant("sets of nodes by node are counted apart", x=Node, y=Node)
    def Apart(self, s: State, x: Expr, y: Expr) -> Term:
        both = self.most(s.of[x]) & self.most(s.of[y])
        return implies(both, self.meet(s.of[x], s.of[y]))

    @invariant("false: two halves meet")
    def Halves(self, s: State) -> Term:
        def half(held: Expr) -> Term:
            return 2 * size(held) >= self.nodes

        return implies(half(s.a) & half(s.b), self.meet(s.a, s.b))

    @invariant("false: three sets of two thirds meet")
    def ExactThirds(self, s: State) -> Term:
        def large(held: Expr) -> Term:
            return 3 * size(held) >= 2 * self.nodes

        return implies(large(s.a) & large(s.b) & large(s.c), self.meet(s.a, s.b, s.c))

    @invariant("false: majorities of a set that are not inside of it meet")
    def Outside(self, s: State) -> Term:
        return implies(
            (2 * size(s.a) > size(s.c)) & (2 * size(s.b) > size(s.c)), self.meet(s.a, s.b)
        )

    @invariant("false: sets of one size are one set")
    def SameSize(self, s: State) -> Term:
        return implies(size(s.a) == size(s.b), s.a == s.b)


def forall_of(said: Callable[[Expr], Term], held: tuple[Expr, ...]) -> Term:
    found = said(held[0])
    for one_more in held[1:]:
        found = found & said(one_more)
    return found


SETS = Suite.of(Sets, "sets")
TRUE_CLAIMS = (
    "Majorities",
    "TwoThirds",
    "Flexible",
    "Relative",
    "Grown",
    "Whole",
    "Single",
    "Numbers",
    "Keyed",
    "Apart",
)
FALSE_CLAIMS = ("Halves", "ExactThirds", "Outside", "SameSize")


def is_implied(claim: str, seconds: float) -> bool:
    model = SETS.model(True)
    system = ParametricSystem(model, (), [SETS.describe(SETS.find(claim), model)])
    return Decider(system, seconds).decide(Name(claim)).closed


@pytest.mark.parametrize("claim", TRUE_CLAIMS)
def test_what_is_true_of_sizes_follows(claim: str) -> None:
    assert is_implied(claim, 30.0)


@pytest.mark.parametrize("claim", FALSE_CLAIMS)
def test_what_is_false_of_sizes_does_not(claim: str) -> None:
    assert not is_implied(claim, 0.5)


@pytest.mark.parametrize("axiom", AXIOMS, ids=lambda a: a.name)
def test_each_axiom_is_true_of_all_finite_sets(axiom: CountingAxiom) -> None:
    (shown,) = require_true([axiom.of(WORDS)])
    assert shown.says == axiom.says
    assert counterexample(axiom.of(WORDS), 4 if axiom.sets < 3 else 3) is None


HALVES = CountingAxiom(
    "halves_meet",
    "two sets of half the size meet",
    2,
    0,
    True,
    lambda x, s, e: or_(
        lt(add(x.size(s[0]), x.size(s[0])), x.all),
        lt(add(x.size(s[1]), x.size(s[1])), x.all),
        x.some(x.within(s[0]), x.within(s[1])),
    ),
)
SMALL = CountingAxiom(
    "at_most_five",
    "no set has more than five members",
    1,
    0,
    False,
    lambda x, s, e: le(x.size(s[0]), number(5)),
)
EQUAL = CountingAxiom(
    "one_size_one_set",
    "of two sets of one size, one has what the other has",
    2,
    1,
    False,
    lambda x, s, e: or_(
        lt(x.size(s[0]), x.size(s[1])),
        lt(x.size(s[1]), x.size(s[0])),
        counting.not_(x.has(s[0], e[0])),
        x.has(s[1], e[0]),
    ),
)
FALSE_AXIOMS = (HALVES, SMALL, EQUAL)


@pytest.mark.parametrize("axiom", FALSE_AXIOMS, ids=lambda a: a.name)
def test_a_false_axiom_is_refused_by_either_solver(axiom: CountingAxiom) -> None:
    against = contradiction(axiom.of(WORDS))
    assert GroundChecker().check(against, None) is Answer.SAT
    solver = GroundSolver(Z3Terms(), 10_000)
    for formula in against:
        solver.add(formula)
    assert solver.check() is True
    with pytest.raises(CertificateError, match=f"{axiom.name}.* is false"):
        require_true([axiom.of(WORDS)])


def test_small_sets_alone_show_an_axiom_false_or_are_not_enough() -> None:
    assert counterexample(HALVES.of(WORDS), 2) is not None
    assert counterexample(EQUAL.of(WORDS), 2) is not None
    assert all(counterexample(SMALL.of(WORDS), n) is None for n in (1, 2, 3))


def test_an_axiom_about_everything_is_none_of_sorts_without_a_number() -> None:
    numbers = SetWords(LogicSort("Int", "Number"), False)
    assert not any(one.axiom.whole for one in axioms_about(numbers))
    with pytest.raises(CertificateError, match="says more than sizes"):
        require_true([HALVES.of(numbers)])


class Election(Protocol):
    """Each node votes once; who has a majority of the votes leads."""

    nodes = Parameter("nodes", 3, 1, 4, "nodes")
    Node = Scalarset("Node", nodes)
    voted = Variable(MapSort(Node, OptionSort(Node)))
    leads = Variable(SetSort(Node))

    @action()
    def Init(self, s: Step) -> None:
        s.voted = mapping(self.Node, lambda node: None, OptionSort(self.Node))
        s.leads = empty(SetSort(self.Node))

    @action(node=Node, choice=Node)
    def Vote(self, s: Step, node: Expr, choice: Expr) -> None:
        s.require(is_none(s.voted[node]))
        s.voted[node] = some(choice)

    @action(node=Node)
    def Lead(self, s: Step, node: Expr) -> None:
        s.require(self.elected(s, node))
        s.leads = insert(s.leads, node)

    Next = one_of(Vote, Lead)

    def elected(self, s: State, node: Expr) -> Term:
        return 2 * size(self.votes(s, node)) > self.nodes

    def votes(self, s: State, node: Expr) -> Term:
        return filtered(self.Node, lambda n: s.voted[n] == some(node))

    @lemma("who leads was elected", node=Node)
    def leader_was_elected(self, s: State, node: Expr) -> Term:
        return implies(member(node, s.leads), self.elected(s, node))

    @invariant("there is one leader", x=Node, y=Node)
    def OneLeader(self, s: State, x: Expr, y: Expr) -> Term:
        return implies(member(x, s.leads) & member(y, s.leads), x == y)


class HalfElection(Election):
    """Half of the votes are enough: two may lead."""

    def elected(self, s: State, node: Expr) -> Term:
        return 2 * size(self.votes(s, node)) >= self.nodes


ELECTION = Suite.of(Election, "election")
HALF = Suite.of(HalfElection, "half-election")
Document = dict[str, Any]


@lru_cache
def proven() -> Document:
    task = ParametricTask(ELECTION, ("OneLeader",), goal_seconds=30.0, processes=1)
    proof = prove_for_all(task, SILENT)
    assert [r.verdict for r in proof.results] == [Verdict.PROVED]
    assert [a.name for a in proof.axioms] == list(
        proof.certificate.axioms if proof.certificate else ()
    )
    assert proof.certificate is not None
    return proof.certificate.to_json()


def test_a_proof_with_majorities_lists_its_axioms_and_is_accepted() -> None:
    found = certify_parametric(ParametricCertificate.from_json(proven()), ELECTION)
    assert "!cardinality.two_sets_meet.Node[nodes]" in proven()["axioms"]
    assert [a.name for a in found.axioms] == proven()["axioms"]


@pytest.mark.parametrize("listed", [[], ["!cardinality.halves_meet.Node[nodes]"]])
def test_a_list_of_other_axioms_is_rejected(listed: list[str]) -> None:
    changed = ParametricCertificate.from_json({**proven(), "axioms": listed})
    with pytest.raises(CertificateError, match="axioms about sizes"):
        certify_parametric(changed, ELECTION)


def test_half_of_the_votes_is_unknown_and_never_a_violation() -> None:
    task = ParametricTask(HALF, ("OneLeader",), goal_seconds=0.5, processes=1)
    proof = prove_for_all(task, SILENT)
    assert [r.verdict for r in proof.results] == [Verdict.UNKNOWN]
    assert proof.results[0].trace is None
    assert proof.certificate is None


def test_a_planted_false_axiom_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """With it a false claim is proven, and the judge refuses the proof."""
    monkeypatch.setattr(counting, "AXIOMS", (*AXIOMS, HALVES))
    task = ParametricTask(HALF, ("OneLeader",), goal_seconds=30.0, processes=1)
    with pytest.raises(Contradiction, match=r"halves_meet.* is false of 2 elements"):
        prove_for_all(task, SILENT)


def test_the_documented_axioms_are_those_there_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "all-parameters.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page.partition("## Majorities")[2], re.MULTILINE)
    assert rows[: len(AXIOMS)] == [(axiom.name, axiom.says) for axiom in AXIOMS]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("protocol", "claim"),
    [("raft_election.py:RaftElection", "ElectionSafety"), ("paxos.py:Paxos", "Agreement")],
)
def test_raft_and_paxos_are_proven(protocol: str, claim: str) -> None:
    suite = catalogue.find(str(Path(__file__).parents[2] / "docs" / "examples" / protocol))
    proof = prove_for_all(ParametricTask(suite, (claim,), goal_seconds=120.0), SILENT)
    assert [r.verdict for r in proof.results] == [Verdict.PROVED]
    assert proof.axioms


@pytest.mark.nightly
@pytest.mark.parametrize("protocol", ["raft_election.py:Forgetful", "paxos.py:Stubborn"])
def test_their_bugs_are_not(protocol: str) -> None:
    suite = catalogue.find(str(Path(__file__).parents[2] / "docs" / "examples" / protocol))
    claims = tuple(p.name for p in suite.properties if p.kind is Kind.INVARIANT)
    proof = prove_for_all(ParametricTask(suite, claims, goal_seconds=3.0), SILENT)
    assert {r.verdict for r in proof.results} == {Verdict.UNKNOWN}
