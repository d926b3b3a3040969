"""Proofs at all parameter values: what is proven, what must not be, and what a failure shows."""

from __future__ import annotations

import dataclasses

import pytest
from bmc.properties.async_isr import KAFKA_ASYNC_ISR
from bmc.properties.id_sequence import ID_SEQUENCE
from bmc.properties.kafka import (
    KAFKA_KIP320,
)
from bmc.properties.replicated_log import REPLICATED_LOG, REPLICATED_LOG_RETENTION

from bmc.engines.allparams.condition import Decider
from bmc.engines.allparams.prove import ParametricTask, prove_for_all
from bmc.engines.task import SILENT
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BOOL,
    Expr,
    Integer,
    KeyedSetSort,
    MapSort,
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
    Variant,
    action,
    empty,
    everything,
    exists,
    filtered,
    forall,
    implies,
    insert,
    invariant,
    is_some,
    lemma,
    lookup,
    mapping,
    member,
    one_of,
    record,
    size,
    step_invariant,
)
from bmc.lang.properties import Kind
from bmc.readings.quantified.structures import NotQuantified
from bmc.readings.quantified.vocabulary import Symbols
from bmc.system.parametric import Name, ParametricSystem, state_variable

CLAIMS = ("TypeOk", "WeakIsr", "StrongIsr", "ElectedLeaderInIsr")


def verdicts(suite: Suite, *names: str, seconds: float = 10.0) -> dict[str, Verdict]:
    task = ParametricTask(suite, names, goal_seconds=seconds, processes=2)
    return {r.property: r.verdict for r in prove_for_all(task, SILENT).results}


def system_of(suite: Suite) -> ParametricSystem:
    model = suite.model(True)
    lemmas = [suite.describe(d, model) for d in suite.declared(Kind.LEMMA)]
    claims = [suite.describe(suite.find(n), model) for n in CLAIMS]
    return ParametricSystem(model, lemmas, claims)


@pytest.mark.parametrize(
    ("suite", "claim"),
    [(ID_SEQUENCE, "TypeOk"), (REPLICATED_LOG, "TypeOk"), (KAFKA_ASYNC_ISR, "ValidHighWatermark")],
    ids=lambda x: x.name if isinstance(x, Suite) else x,
)
def test_what_holds_is_proven(suite: Suite, claim: str) -> None:
    assert verdicts(suite, claim) == {claim: Verdict.PROVED}


def test_reading_a_protocol_is_in_the_time_of_its_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    # A large protocol was read for six seconds, whatever the limit.
    looked: list[str] = []
    monkeypatch.setattr(
        ParametricSystem, "check_action", lambda _, action: looked.append(action.name)
    )
    task = ParametricTask(KAFKA_KIP320, CLAIMS, timeout=0.001)
    found = prove_for_all(task, SILENT)
    assert {r.property: r.reason for r in found.results} == dict.fromkeys(
        CLAIMS, "the time limit has passed"
    )
    assert len(looked) <= 1


@pytest.mark.nightly
def test_kip320_is_proven() -> None:
    assert verdicts(KAFKA_KIP320, *CLAIMS) == dict.fromkeys(CLAIMS, Verdict.PROVED)


@pytest.mark.parametrize(
    ("suite", "claim"),
    [
        (REPLICATED_LOG_RETENTION, "TypeOk"),
        (KAFKA_ASYNC_ISR, "TypeOk"),
        (KAFKA_KIP320, "LeaderInIsr"),
        (KAFKA_KIP320, "IsrNonEmpty"),
    ],
)
def test_what_is_false_is_not_implied_or_inductive(suite: Suite, claim: str) -> None:
    model = suite.model(True)
    lemmas = [suite.describe(d, model) for d in suite.declared(Kind.LEMMA)]
    stated = suite.describe(suite.find(claim), model)
    system = ParametricSystem(model, [*lemmas, stated], ())
    decider = Decider(system, 2.0)
    names = [n for n in system.names() if n.goal == claim]
    assert not all(decider.decide(name).closed for name in names)


class Counting(Protocol):
    """Counts pairs of its members, which has no first-order reading, and much that has one."""

    nodes = Parameter("nodes", 2, 1, 4, "nodes")
    limit = Parameter("limit", 2, 0, 9, "the last number")
    Node = Scalarset("Node", nodes)
    Number = Integer("Number", 0, limit)
    Pair = Record("Pair", one=Node, other=Node)
    up = Variable(SetSort(Node))
    least = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.up = empty(SetSort(self.Node))
        s.least = 0

    @action(node=Node)
    def Join(self, s: Step, node: Expr) -> None:
        s.up = insert(s.up, node)

    Next = one_of(Join)

    @invariant("there are at least as many pairs as nodes")
    def Counted(self, s: State) -> Term:
        pairs = filtered(self.Pair, lambda pair: member(pair.one, s.up))
        return size(pairs) >= size(s.up)

    @invariant("more nodes than there are never join")
    def NoMore(self, s: State) -> Term:
        return size(s.up) <= self.nodes

    @invariant("the number is a number")
    def Small(self, s: State) -> Term:
        return s.least >= 0

    @step_invariant("nobody leaves")
    def Grows(self, s: State, t: State) -> Term:
        return s.up <= t.up

    @step_invariant("nobody joins")
    def Stays(self, s: State, t: State) -> Term:
        return s.up == t.up

    @invariant("somebody is up", node=Node)
    def Everybody(self, s: State, node: Expr) -> Term:
        return member(node, s.up)


COUNTING = Suite.of(Counting, "counting")


def test_a_cardinality_is_refused_with_its_line_and_the_rest_is_proven() -> None:
    names = ("Counted", "NoMore", "Small", "Grows", "Stays", "Everybody")
    task = ParametricTask(COUNTING, names, goal_seconds=2.0, processes=1)
    proof = prove_for_all(task, SILENT)
    found = {r.property: r.verdict for r in proof.results}
    assert found == {
        "Counted": Verdict.UNKNOWN,
        "NoMore": Verdict.PROVED,
        "Small": Verdict.PROVED,
        "Grows": Verdict.PROVED,
        "Stays": Verdict.UNKNOWN,
        "Everybody": Verdict.UNKNOWN,
    }
    line = Counting.Counted.function.__code__.co_firstlineno  # type: ignore[attr-defined]
    assert r"Cardinality({pair \in Pair :" in proof.unread["Counted"]
    assert "not a SUBSET Pair" in proof.unread["Counted"]
    assert f"test_allparams.py:{line}" in proof.unread["Counted"]


class Emptiable(Protocol):
    """Its scalarset may be empty: then what holds of some node does not hold."""

    nodes = Parameter("nodes", 1, 0, 4, "nodes")
    Node = Scalarset("Node", nodes)
    up = Variable(SetSort(Node))

    @action()
    def Init(self, s: Step) -> None:
        s.up = everything(self.Node)

    @action(node=Node)
    def Join(self, s: Step, node: Expr) -> None:
        s.up = insert(s.up, node)

    Next = one_of(Join)

    @invariant("somebody is up")
    def Inhabited(self, s: State) -> Term:
        return exists(self.Node, lambda node: member(node, s.up))


def test_a_scalarset_that_may_be_empty_is_refused() -> None:
    with pytest.raises(NotQuantified, match="may be empty"):
        verdicts(Suite.of(Emptiable, "emptiable"), "Inhabited")


def test_a_set_of_variants_says_what_to_write() -> None:
    """It was said that the sort "cannot be a key", where the protocol has none."""
    said = r"variable sent: a set of Sent, .* say one for each of its cases \(Ask, Tell\)"
    with pytest.raises(NotQuantified, match=said):
        state_variable(Symbols({}), "sent", SetSort(Variant("Sent", Ask=BOOL, Tell=BOOL)))


class Ranges(Protocol):
    """An integer sort that is empty at the least parameters, and one that is a step too small."""

    last = Parameter("last", 2, 0, 9, "the last number")
    room = Parameter("room", 2, 1, 9, "how far the counter goes")
    Number = Integer("Number", 1, last)
    Count = Integer("Count", 0, room)
    held = Variable(MapSort(Number, Count))
    count = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.held = mapping(self.Number, lambda number: 0, self.Count)
        s.count = 0

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.count < self.room)
        s.count = s.count + 1

    Next = one_of(Up)

    @invariant("there is a number: false where the sort is empty")
    def Inhabited(self, s: State) -> Term:
        return exists(self.Number, lambda number: s.held[number] >= 0)

    @invariant("the counter keeps inside")
    def Inside(self, s: State) -> Term:
        return s.count <= self.room

    @invariant("the counter stays below the default room: false at larger ones")
    def BelowDefault(self, s: State) -> Term:
        return s.count <= 2


class Overflowing(Ranges):
    """The same without the guard that keeps the counter inside."""

    @action()
    def Up(self, s: Step) -> None:
        s.count = s.count + 1

    Next = one_of(Up)


RANGES = Suite.of(Ranges, "ranges")


def test_an_empty_range_and_a_larger_parameter_are_not_forgotten() -> None:
    assert verdicts(RANGES, "Inhabited", "Inside", "BelowDefault", seconds=2.0) == {
        "Inhabited": Verdict.UNKNOWN,
        "Inside": Verdict.PROVED,
        "BelowDefault": Verdict.UNKNOWN,
    }


def test_nothing_is_proven_where_a_bound_is_too_small() -> None:
    suite = Suite.of(Overflowing, "overflowing")
    task = ParametricTask(suite, ("Inside",), goal_seconds=2.0, processes=1)
    proof = prove_for_all(task, SILENT)
    (result,) = proof.results
    assert result.verdict is Verdict.UNKNOWN
    assert "WithinBounds" in (result.reason or "")
    assert proof.certificate is None
    assert proof.small is not None
    assert proof.small.failure.conjunct == "WithinBounds"


class Keyed(Protocol):
    """A set with a key under which a second record is put."""

    last = Parameter("last", 2, 0, 9, "the last number")
    Number = Integer("Number", 0, last)
    Entry = Record("Entry", key=Number, value=Number)
    entries = Variable(KeyedSetSort(Entry, "key"))

    @action()
    def Init(self, s: Step) -> None:
        s.entries = frozenset()

    @action(key=Number, value=Number)
    def Put(self, s: Step, key: Expr, value: Expr) -> None:
        s.entries = insert(s.entries, record(self.Entry, key=key, value=value))

    Next = one_of(Put)

    @invariant("nothing")
    def Nothing(self, s: State) -> Term:
        return forall(self.Number, lambda n: implies(is_some(lookup(s.entries, n)), n >= 0))


class KeyedOnce(Keyed):
    """The same, once a key."""

    @action(key=Keyed.Number, value=Keyed.Number)
    def Put(self, s: Step, key: Expr, value: Expr) -> None:
        s.require(~is_some(lookup(s.entries, key)))
        s.entries = insert(s.entries, record(self.Entry, key=key, value=value))

    Next = one_of(Put)


def test_the_key_of_a_set_is_proven() -> None:
    assert verdicts(Suite.of(KeyedOnce, "once"), "Nothing") == {"Nothing": Verdict.PROVED}
    assert verdicts(Suite.of(Keyed, "twice"), "Nothing", seconds=1.0) == {
        "Nothing": Verdict.UNKNOWN
    }


class Leaning(Protocol):
    """Lemmas that only hold together, one of them false."""

    last = Parameter("last", 2, 1, 9, "the last number")
    Number = Integer("Number", 0, last)
    one = Variable(Number)
    other = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.one = 0
        s.other = 0

    @action()
    def Both(self, s: Step) -> None:
        s.require(s.one < self.last - 1)
        s.one = s.one + 1
        s.other = s.other + 1

    Next = one_of(Both)

    @lemma("false", group="a")
    def wrong(self, s: State) -> Term:
        return s.one == 0

    @lemma("rests on the false one", group="b")
    def leaning(self, s: State) -> Term:
        return s.other <= 1

    @lemma("true", group="b")
    def equal(self, s: State) -> Term:
        return s.one == s.other

    @invariant("follows from the true one")
    def Below(self, s: State) -> Term:
        return s.other < self.last


def test_what_rests_on_a_false_lemma_is_dropped_with_it() -> None:
    task = ParametricTask(Suite.of(Leaning, "leaning"), ("Below",), goal_seconds=2.0, processes=2)
    proof = prove_for_all(task, SILENT)
    assert proof.certificate is not None
    assert {s.name for s in proof.certificate.invariants} == {"equal", "Below"}
    assert proof.results[0].verdict is Verdict.PROVED
    assert "wrong" not in proof.supports["Below"]
    assert proof.small is not None
    assert proof.small.failure.conjunct in ("wrong", "leaning", "Below")


def test_hypotheses_do_not_contradict_each_other() -> None:
    """A proof from contradictory lemmas would be a proof of anything."""
    suite = dataclasses.replace(KAFKA_KIP320, properties=(*KAFKA_KIP320.properties, Absurd))
    system = ParametricSystem(
        suite.model(True),
        [suite.describe(d, suite.model(True)) for d in suite.declared(Kind.LEMMA)],
        [suite.describe(Absurd, suite.model(True))],
    )
    assert not Decider(system, 3.0).decide(Name("Absurd")).closed


@invariant("false")
def Absurd(m: Protocol, s: State) -> Term:
    return s.nextLeaderEpoch < 0
