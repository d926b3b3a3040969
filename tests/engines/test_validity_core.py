"""An explanation is true: what it keeps suffices, what it leaves out is not needed."""

import re
from io import StringIO

import pytest
from bmc.properties.kafka import KAFKA_KIP320

from bmc.analysis.validity_core import ValidityCore, explain
from bmc.engines.conjuncts import Conjunct, conjunct, names, within_bounds
from bmc.engines.ic3.prove import prove as ic3
from bmc.engines.induction import Induction
from bmc.engines.kinduction import prove
from bmc.engines.task import SILENT, Deadline, Task
from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    Integer,
    Protocol,
    State,
    Step,
    Term,
    Variable,
    action,
    invariant,
    ite,
    lemma,
    one_of,
    step_invariant,
)
from bmc.reports.page import Page
from bmc.reports.proofs.validity_core import write_proof_account
from bmc.system.transition import TransitionSystem
from tests.engines import machines

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("validity core")

SMALL = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1}
CLAIMS = ("TypeOk", "StrongIsr")


def account(task: Task) -> ValidityCore:
    found = explain(task, prove(task), 60.0)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def kafka() -> ValidityCore:
    return account(Task(KAFKA_KIP320, SMALL, CLAIMS))


def inductive(lemmas: list[str]) -> set[str]:
    """The claims that z3 finds proved with exactly these lemmas, each of which must hold."""
    model = KAFKA_KIP320.model(True)
    system = TransitionSystem(model, SMALL)
    induction = Induction(system, "z3", SILENT, Deadline(None))
    stated = {n: KAFKA_KIP320.describe(KAFKA_KIP320.find(n), model) for n in (*lemmas, *CLAIMS)}
    assumed = [conjunct(system, stated[name]) for name in lemmas]
    proven = induction.strengthen(assumed, (), 1).survivors
    if len(proven) < len(assumed):
        return set()
    claims = [conjunct(system, stated[name]) for name in CLAIMS]
    return induction.implied([*claims, within_bounds(system)], proven)


@pytest.mark.nightly
def test_what_it_keeps_proves_the_claims_and_nothing_of_it_can_go(kafka: ValidityCore) -> None:
    kept = [n for n in kafka.needs if n not in CLAIMS and n != WITHIN_BOUNDS]
    assert kafka.minimal
    assert inductive(kept) == {*CLAIMS, WITHIN_BOUNDS}
    for name in kept[::6]:
        assert inductive([other for other in kept if other != name]) != {*CLAIMS, WITHIN_BOUNDS}


def test_kept_and_redundant_are_all_that_was_proven(kafka: ValidityCore) -> None:
    kept = {n for n in kafka.needs if n not in CLAIMS and n != WITHIN_BOUNDS}
    assert kept | {*kafka.redundant} == {declared.name for declared in KAFKA_KIP320.lemmas}
    assert not kept & {*kafka.redundant}
    assert kafka.redundant


def test_each_step_goes_through_with_what_it_is_said_to_lean_on(kafka: ValidityCore) -> None:
    model = KAFKA_KIP320.model(True)
    system = TransitionSystem(model, SMALL)
    induction = Induction(system, "z3", SILENT, Deadline(None))

    def stated(name: str) -> Conjunct:
        if name == WITHIN_BOUNDS:
            return within_bounds(system)
        return conjunct(system, KAFKA_KIP320.describe(KAFKA_KIP320.find(name), model))

    for name, leant in list(kafka.needs.items())[::4]:
        one, others = stated(name), [stated(other) for other in leant]
        if name in kafka.implied:
            assert induction.implied([one], others) == {name}
        else:
            step = induction._round([one, *others], (), 1)
            assert name not in step


def test_what_is_behind_a_claim_is_all_it_leans_on_in_turn(kafka: ValidityCore) -> None:
    behind = set(kafka.behind("StrongIsr"))
    assert {*kafka.needs["StrongIsr"]} <= behind
    assert all({*kafka.needs[name]} <= behind for name in behind)
    assert "StrongIsr" not in behind


def test_the_vacuity_check_is_made_at_the_parameters_of_the_proof(kafka: ValidityCore) -> None:
    assert kafka.vacuity is not None
    assert kafka.vacuity.complete
    assert all(kafka.vacuity.witnesses.values())
    alone = account(Task(KAFKA_KIP320, {**SMALL, "replicas": 1}, ("TypeOk",)))
    assert alone.vacuity is not None
    assert alone.vacuity.witnesses["TwoLeaders"] is None
    assert alone.vacuity.fired["FencedFollowerFetch"] == 0


def test_actions_that_could_leave_the_bounds_are_named() -> None:
    suite = machines.suite(machines.Pair)
    found = account(Task(suite, {}, ("OtherBelowLimit",)))
    assert found.bounds == ("Advance",)
    assert found.redundant == ()
    assert found.needs["OtherBelowLimit"] == ("equal",) or "equal" in found.behind(
        "OtherBelowLimit"
    )


class Held(Protocol):
    """It stays within its bounds from anywhere, and its claims are inductive together."""

    Count = Integer("Count", 0, 3)
    low = Variable(Count)
    high = Variable(Count)

    @action()
    def Init(self, s: Step) -> None:
        s.low = 0
        s.high = 1

    @action()
    def Rise(self, s: Step) -> None:
        s.high = ite(s.high < 3, s.high + 1, 3)

    Next = one_of(Rise)

    @invariant("the low one is no higher")
    def InOrder(self, s: State) -> Term:
        return s.low <= s.high

    @invariant("they differ until the end")
    def Apart(self, s: State) -> Term:
        return (s.high == 3) | (s.low != s.high)

    @lemma("the low one stays")
    def stays(self, s: State) -> Term:
        return s.low == 0

    @lemma("the high one has begun")
    def begun(self, s: State) -> Term:
        return (s.high == 1) | (s.low < s.high)


def told(found: ValidityCore) -> str:
    stream = StringIO()
    write_proof_account(Page(stream), machines.suite(Held), found)
    return " ".join(stream.getvalue().split())


def test_an_action_that_stays_within_the_bounds_is_not_said_to_leave_them() -> None:
    found = account(Task(machines.suite(Held), {}, ("InOrder",)))
    assert found.bounds == ()
    assert "No action can leave the model's bounds" in told(found)


def test_lemmas_without_which_the_claims_are_inductive_together_are_needed_in_one_proof() -> None:
    suite, claims = machines.suite(Held), ("InOrder", "Apart")
    without = prove(Task(suite, {}, claims, lemmas=False))
    assert all(result.verdict is Verdict.PROVED and result.k == 1 for result in without)
    found = account(Task(suite, {}, claims))
    assert found.needs["Apart"] == ("stays", "begun")
    assert "needed in this proof: without it what is left is not inductive, or the" in told(found)


def test_a_proof_at_a_greater_depth_is_explained_at_that_depth() -> None:
    found = account(Task(machines.suite(machines.Ring), {}, ("NotSeven",)))
    assert found.k == 3
    assert found.needs["NotSeven"] == ()


def test_step_invariants_are_explained_with_the_rest() -> None:
    found = account(Task(machines.suite(machines.DeadEnd), {}, ("Grows", "Inside")))
    assert found.without == ()
    assert found.claims == ("Grows", "Inside")
    assert found.of_steps == {"Grows"}
    assert found.needs["Grows"] == ()


def test_a_step_invariant_that_needs_a_lemma_says_so() -> None:
    class Watched(machines.Pair):
        """It states what its steps do."""

        @step_invariant("after a step, both counters are equal")
        def BothAdvance(self, s: State, t: State) -> Term:
            return t.one == t.other

    found = account(Task(machines.suite(Watched), {}, ("BothAdvance",)))
    assert found.of_steps == {"BothAdvance"}
    assert found.needs["BothAdvance"] == ("equal",)


def test_the_clauses_of_ic3_are_explained_and_suffice() -> None:
    """At these parameters: what is kept is inductive, and nothing of it can go."""
    task = Task(KAFKA_KIP320, SMALL, ("StrongIsr",), 4, lemmas=False)
    found = explain(task, ic3(task), 60.0)
    assert found is not None
    assert found.claims == ("StrongIsr",)
    assert found.clauses
    kept = [name for name in found.needs if name in found.clauses]
    assert kept
    assert {*kept} <= {*found.clauses}
    # Formulas of the protocol, about any replicas; bits were shown, `~(leader = r2)`.
    texts = found.clauses.values()
    assert any(text.startswith("\\A replica \\in Replica") for text in texts)
    assert not any("r1" in text or re.search(r"~\([^()]+ = [^()]+\)", text) for text in texts)
    if found.minimal:
        assert not {*kept} & {*found.redundant}
    for name in kept:
        assert {*found.needs[name]} <= {*found.needs}


def test_what_there_was_no_time_for_is_not_said_to_need_nothing() -> None:
    task = Task(KAFKA_KIP320, SMALL, CLAIMS)
    found = explain(task, prove(task), 0.001)
    assert found is not None
    assert found.needs == {}
    assert not found.minimal
    stream = StringIO()
    write_proof_account(Page(stream), KAFKA_KIP320, found)
    assert "StrongIsr is proved; there was no time" in stream.getvalue()
    assert "holds in every state" not in stream.getvalue()


@pytest.mark.parametrize(
    ("machine", "claim", "said"),
    [
        (machines.Ring, "NotSeven", ""),
        (machines.Pair, "OtherBelowLimit", "The lemma is needed in this proof:"),
    ],
)
def test_lemmas_are_said_to_be_needed_where_there_are_some(
    machine: type[Protocol], claim: str, said: str
) -> None:
    suite = machines.suite(machine)
    found = account(Task(suite, {}, (claim,)))
    assert found.minimal
    stream = StringIO()
    write_proof_account(Page(stream), suite, found)
    assert said in stream.getvalue()
    assert bool(said) == ("needed" in stream.getvalue())


def test_nothing_proved_nothing_explained() -> None:
    task = Task(machines.suite(machines.DeadEnd), {}, ("NeverAtTheEnd",))
    assert explain(task, prove(task), 10.0) is None
    assert names([]) == ()
