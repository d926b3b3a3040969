"""The engines for temporal claims say the same, and a fault planted in one of them is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import sleep
from typing import Any, cast

import pytest

from bmc.engines.engine import (
    AUTO,
    TEMPORAL_ENGINES,
    TemporalEngine,
    UnknownEngine,
    temporal_engine,
)
from bmc.engines.liveness import decide as explicit
from bmc.engines.liveness import decide_by as side_by_side
from bmc.engines.liveness import lasso_search, monitored
from bmc.engines.liveness.conditions import FairRules, fair_conditions
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.lasso_search import LassoSearch, search_lassos
from bmc.engines.liveness.monitored import prove_by_monitor
from bmc.engines.liveness.question import Question
from bmc.engines.task import Interrupted
from bmc.engines.team import Report, Team
from bmc.evidence.both_judges import confirm
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Contradiction, Verdict, Why
from bmc.lang import Expr, LanguageError, State
from bmc.lang.sorts import BOOL
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.temporal import (
    Formula,
    Now,
    Specification,
    always,
    both,
    eventually,
    leads_to,
    temporal,
    weak,
)
from bmc.system import fair_monitor
from bmc.system.automaton import automaton

from .liveness_machines import EACH_STRONG, MUTEX
from .test_liveness import COUNTER, Counter

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("liveness symbolic")

BOUND = 8
KNOWN = (
    (MUTEX, "EntersWeakly", 4),
    (MUTEX, "EntersStrongly", None),
    (COUNTER, "Returns", None),
    (COUNTER, "Stays", 4),
    (COUNTER, "StaysUnfairly", 1),
    (COUNTER, "Begins", None),
    (COUNTER, "LeavesOne", 2),
)


LEFT_OPEN = {("inductive", "EntersStrongly"), ("inductive", "Returns")}
"""What takes more than clauses of three literals, and is unknown to whom has only these."""


class Nobody:
    """Is told what happens, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda told: None


def asked(by: str, suite: Suite, claim: str) -> TemporalResult:
    question = Question(suite, {}, (claim,), depth=BOUND)
    (found,) = temporal_engine(by).decide(question, Nobody())  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("by", "suite", "claim", "states"),
    [
        pytest.param(
            by, *known, marks=pytest.mark.nightly if (by.name, known[1]) in LEFT_OPEN else ()
        )
        for by in TEMPORAL_ENGINES
        for known in KNOWN
        if not by.ranks
    ],
    ids=lambda one: str(getattr(one, "name", one)),
)
def test_every_engine_says_what_is_known(
    by: TemporalEngine, suite: Suite, claim: str, states: int | None
) -> None:
    found = asked(by.name, suite, claim)
    if states is not None:
        assert found.verdict is Verdict.VIOLATED
        assert found.lasso is not None
        assert len(found.lasso.trace) >= states
        if by.name == "lasso":
            assert len(found.lasso.trace) == states
    else:
        proves = by.proves and (by.name, claim) not in LEFT_OPEN
        assert found.verdict is (Verdict.PROVED if proves else Verdict.UNKNOWN)
        assert (found.certificate is not None) is (proves and by.certifies)


def test_a_search_that_stops_says_how_far_it_came() -> None:
    found = asked("lasso", MUTEX, "EntersStrongly")
    assert (found.depth, found.reason) == (
        BOUND,
        f"no lasso within {BOUND} steps; a longer one is not searched",
    )


@pytest.mark.parametrize("engine", ["explicit", "monitored"])
def test_ctrl_c_leaves_what_is_decided(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    def until_one_is_known(team: Team, seconds: float | None = None) -> Report | None:
        report = heard(team, seconds)
        if report is not None and report.kind == "decided":
            reports.append(report)
            return report
        if reports:
            raise KeyboardInterrupt
        return report

    heard, reports = Team.next, list[Report]()
    monkeypatch.setattr(Team, "next", until_one_is_known)
    question = Question(MUTEX, {}, ("EntersStrongly", "EntersWeakly"))
    with pytest.raises(Interrupted) as stopped:
        decide_by(engine, question)
    known, open_ = cast("tuple[TemporalResult, ...]", stopped.value.found)
    assert (known.verdict, known.why) == (Verdict.PROVED, None)
    assert (open_.verdict, open_.why) == (Verdict.UNKNOWN, Why.INTERRUPTED)
    assert open_.reason is not None
    assert open_.reason.endswith("interrupted")


def test_side_by_side_the_first_answer_counts() -> None:
    proved, violated = decide_by(AUTO, Question(MUTEX, {}, ("EntersStrongly", "EntersWeakly")))
    assert (proved.verdict, violated.verdict) == (Verdict.PROVED, Verdict.VIOLATED)
    assert proved.certificate is None
    (certified,) = decide_by(AUTO, Question(COUNTER, {}, ("Returns",)), certified=True)
    assert certified.certificate is not None


def test_who_wants_a_certificate_is_told_which_engine_that_leaves_out() -> None:
    question = Question(MUTEX, {}, ("EntersStrongly",), timeout=0.001)
    (open_,) = decide_by(AUTO, question, certified=True)
    assert open_.verdict is Verdict.UNKNOWN
    assert open_.reason is not None
    assert "explicit gives no certificate and is left out" in open_.reason


def test_the_others_begin_while_the_first_one_talks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What says how far it is, again and again, may still take for ever."""

    def talks(question: Question, observer: Any) -> tuple[TemporalResult, ...]:
        while True:
            observer.phase("on and on")
            sleep(0.05)

    monkeypatch.setattr(explicit, "decide", talks)
    monkeypatch.setattr(side_by_side, "ALONE", 0.2)
    (found,) = decide_by(AUTO, Question(COUNTER, {}, ("StaysUnfairly",)))
    assert (found.engine, found.verdict) == ("lasso", Verdict.VIOLATED)


def test_an_engine_that_fails_does_not_take_the_others_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(question: Question, observer: Any) -> tuple[TemporalResult, ...]:
        raise KeyError("lost")

    monkeypatch.setattr(explicit, "decide_on_graph", fails)
    question = Question(COUNTER, {}, ("StaysUnfairly",))
    (found,) = decide_by(AUTO, question)
    assert (found.engine, found.verdict) == ("lasso", Verdict.VIOLATED)
    with pytest.raises(KeyError, match="lost"):
        decide_by("explicit", question)


def test_an_engine_that_there_is_not() -> None:
    with pytest.raises(UnknownEngine, match="auto, explicit, inductive, lasso, monitored"):
        decide_by("ic3", Question(MUTEX, {}, ("EntersStrongly",)))


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    found = asked("monitored", MUTEX, "EntersStrongly").certificate
    assert found is not None
    return Certificate.from_json(found.to_json())


class TestCertificates:
    """The judge makes the monitor from the claim, and believes nothing else."""

    def test_it_is_judged_against_the_protocol_itself(self, certificate: Certificate) -> None:
        assert certify(certificate, MUTEX).claims == ("EntersStrongly",)
        assert confirm(certificate, MUTEX, solvers=("z3",)).claims == ("EntersStrongly",)

    def test_a_claim_under_weaker_fairness_is_another_one(self, certificate: Certificate) -> None:
        weaker = replace(EACH_STRONG, fairness=(weak("Enter", per=("p",)), EACH_STRONG.fairness[1]))
        suite = replace(MUTEX, specifications=(weaker,), temporal=(MUTEX.temporal[2],))
        with pytest.raises(CertificateError, match="belongs to another model"):
            certify(certificate, suite)

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"rounds": 3}, "belongs to another model"),
            ({"claim": "SomebodyEnters"}, "not what the certificate says"),
            ({"claim": "NobodyEnters"}, "does not exist"),
            ({"specification": "EachWeak"}, "not what the certificate says"),
            ({"formula": "TRUE"}, "not what the certificate says"),
        ],
    )
    def test_what_it_says_of_the_claim_is_compared(
        self, certificate: Certificate, changed: dict[str, Any], said: str
    ) -> None:
        assert certificate.watching is not None
        wrong = replace(certificate, watching=replace(certificate.watching, **changed))
        with pytest.raises(CertificateError, match=said):
            certify(wrong, MUTEX)

    def test_without_its_claim_it_is_about_nothing(self, certificate: Certificate) -> None:
        with pytest.raises(CertificateError, match="belongs to another model"):
            certify(replace(certificate, watching=None), MUTEX)


def test_an_argument_may_be_called_as_a_part_of_the_monitor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @temporal("from 0 on every number comes", node=Counter.Number)
    def Comes(m: Counter, s: State, node: Expr) -> Formula:
        return leads_to(s.number == 0, s.number == node)

    @temporal("from the limit on every number comes", node=Counter.Number)
    def ComesAgain(m: Counter, s: State, node: Expr) -> Formula:
        return leads_to(s.number == m.limit, s.number == node)

    monkeypatch.setattr(monitored, "CLOSINGS", (fair_monitor.Return(),))
    monkeypatch.setattr(monitored, "_counted", lambda *given: None)
    suite = replace(COUNTER, temporal=(Comes, ComesAgain))
    assert asked("monitored", suite, "Comes").verdict is Verdict.PROVED
    found = asked("monitored", suite, "ComesAgain")
    assert found.verdict is Verdict.VIOLATED
    assert found.arguments is not None
    assert found.arguments["node"] < 3


def test_a_loop_has_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without fairness a state was one that comes back as soon as it was remembered.

    The automaton looks at a state when a step is taken out of it.
    """
    monkeypatch.setattr(monitored, "CLOSINGS", (fair_monitor.Return(),))
    monkeypatch.setattr(monitored, "_counted", lambda *given: None)
    assert asked("monitored", COUNTER, "Begins").verdict is Verdict.PROVED
    lasso = asked("monitored", COUNTER, "LeavesOne").lasso
    assert lasso is not None
    assert [step.state["number"] for step in lasso.trace.steps] == [0, 1]


class TestBadFairness:
    def test_one_name_for_two_sorts(self) -> None:
        from bmc.lang import BOOL, Integer, Protocol, Step, Variable, action, one_of

        class Two(Protocol):
            Number = Integer("Number", 0, 2)
            x = Variable(BOOL)

            @action()
            def Init(self, s: Step) -> None:
                s.x = False

            @action(c=Number)
            def One(self, s: Step, c: Expr) -> None:
                s.x = c == 0

            @action(c=BOOL)
            def Other(self, s: Step, c: Expr) -> None:
                s.x = c

            Next = one_of(One, Other)

        wrong = Specification("Both", (weak("One", "Other", per=("c",)),))
        suite = Suite("two", Two, "two", (), specifications=(wrong,))
        with pytest.raises(LanguageError, match="ranges over different sorts in One, Other"):
            suite.specification("Both", suite.model(False))


class TestPlantedFaults:
    """What a search finds with a fault in it does not survive the interpreter."""

    def search(self, monkeypatch: pytest.MonkeyPatch, claim: str, rules: Any) -> None:
        monkeypatch.setattr(lasso_search, "fair_conditions", rules)
        search_lassos(Question(MUTEX, {}, (claim,), depth=BOUND), Nobody())  # type: ignore[arg-type]

    def test_a_condition_dropped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fewer(*given: Any) -> Iterator[FairRules]:
            return iter(list(fair_conditions(*given))[1:])

        with pytest.raises(Contradiction, match="does not meet WF_vars"):
            self.search(monkeypatch, "EntersWeakly", fewer)

    def test_weak_taken_for_strong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def weakened(*given: Any) -> Iterator[FairRules]:
            return (replace(one, strong=False) for one in fair_conditions(*given))

        with pytest.raises(Contradiction, match="does not meet SF_vars"):
            self.search(monkeypatch, "EntersStrongly", weakened)

    def test_one_instance_for_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Members may change names in a state, and not in what a behaviour is fair to."""

        def of_the_last(system: Any, specification: Specification) -> Iterator[FairRules]:
            for one in fair_conditions(system, specification):
                if all(system.rules[number].arguments["p"] != 0 for number in one.rules):
                    yield one

        with pytest.raises(Contradiction, match=r"does not meet SF_vars"):
            self.search(monkeypatch, "EntersStrongly", of_the_last)

    def test_a_loop_that_does_not_close(self, monkeypatch: pytest.MonkeyPatch) -> None:
        same = LassoSearch._same

        def open_ended(self: LassoSearch, one: int, other: int) -> list[Any]:
            return same(self, one, other) if other == one + 1 else []

        monkeypatch.setattr(LassoSearch, "_same", open_ended)
        with pytest.raises(Contradiction, match="does not close"):
            search_lassos(Question(COUNTER, {}, ("Stays",), depth=BOUND), Nobody())  # type: ignore[arg-type]

    def test_a_monitor_that_takes_weak_for_strong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        conditions = fair_monitor.fair_conditions

        def weakened(*given: Any) -> Any:
            return tuple(
                replace(one, fairness=replace(one.fairness, strong=False))
                for one in conditions(*given)
            )

        monkeypatch.setattr(fair_monitor, "fair_conditions", weakened)
        monkeypatch.setattr(monitored, "CLOSINGS", (fair_monitor.Return(),))
        monkeypatch.setattr(monitored, "_counted", lambda *given: None)
        with pytest.raises(Contradiction, match="does not meet SF_vars"):
            prove_by_monitor(Question(MUTEX, {}, ("EntersStrongly",)), Nobody())  # type: ignore[arg-type]


def test_an_automaton_is_the_same_whenever_it_is_made() -> None:
    """A certificate has the fingerprint of a model beside it, and is judged by another process."""

    def described(number: int) -> list[object]:
        # Other names are other terms, which sets hold in another order.
        parts = [state_variable(f"v{number}_{n}", BOOL) for n in range(5)]
        places = {part: n for n, part in enumerate(parts)}
        first, second, third, fourth, fifth = (Now(part) for part in parts)
        stated = both(leads_to(both(first, second), third), eventually(always(fourth)), fifth)
        found = automaton(stated, positive=False)
        demands = [
            [(places.get(term), wanted) for term, wanted in node.demands.items()]
            for node in found.nodes
        ]
        following = [node.following for node in found.nodes]
        return [demands, following, found.initial, found.accepting]

    assert all(described(number) == described(0) for number in range(1, 12))


def test_nothing_is_asked_twice_of_the_models_own_actions() -> None:
    """They are read where they are taken: else certificates would be of another model."""
    model = MUTEX.model(ghosts=False)
    stated = MUTEX.describe_temporal("EntersWeakly", model)
    conditions = fair_monitor.fair_conditions(
        model, MUTEX.specification(stated.specification, model)
    )
    assert conditions
    for condition in conditions:
        assert list(condition.read(None)) == []
        assert all(list(condition.read(b)) == [] for a in model.actions for b in a.branches)
