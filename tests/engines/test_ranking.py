"""Rankings prove what is so, and each thing that is asked of one is needed.

A wrong ranking of a claim that is false is refused, with the reason; without the check that refuses
it the claim would be *proved*, and the exploration of all states says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bmc.cli.shared import catalogue
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.question import Question
from bmc.engines.liveness.ranked import prove_by_ranking
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.independent.judge import judge
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from bmc.lang import BOOL, Expr, Integer, Protocol, State, Step, Suite, Variable, action, one_of
from bmc.lang.errors import LanguageError, SortError
from bmc.lang.ranking import Helpful, Rank, RankingDeclaration, helpful, rank, ranking
from bmc.lang.temporal import Fairness, Formula, Specification, eventually, strong, temporal, weak
from bmc.lang.terms import Term
from bmc.system.fair_conditions import fair_conditions
from bmc.system.ranked import RankMonitor
from tests.campaign.engines import Disagreement
from tests.campaign.temporal import Nobody, agree

CLASSICS = Path(__file__).parents[2] / "docs/examples/classics"
Ranks = Callable[[Any, State], Rank]


def by_ranking(suite: Suite, claim: str, **parameters: int) -> TemporalResult:
    (found,) = prove_by_ranking(Question(suite, parameters, (claim,)), Nobody())  # type: ignore[arg-type]
    return found


def classic(where: str) -> Suite:
    return catalogue.find(str(CLASSICS / where))


@pytest.mark.parametrize(
    ("where", "claim", "parameters"),
    [
        ("token_ring.py:TokenRing", "Works", {"processes": 2}),
        ("alternating_bit.py:AlternatingBit", "Arrive", {"capacity": 1}),
        ("termination_detection.py:TerminationDetection", "Detects", {"processes": 3}),
    ],
)
def test_classics_are_proved_and_both_judges_accept(
    where: str, claim: str, parameters: dict[str, int]
) -> None:
    suite = classic(where)
    found = by_ranking(suite, claim, **parameters)
    assert found.verdict is Verdict.PROVED, found.reason
    assert found.certificate is not None
    read = Certificate.from_json(found.certificate.to_json())
    assert certify(read, suite).claims == (claim,)
    assert judge(read, suite).claims == (claim,)


def test_the_same_ranking_does_not_prove_that_a_greedy_ring_works() -> None:
    found = by_ranking(classic("token_ring.py:GreedyRing"), "Works", processes=2)
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    assert "the rank rises (on Work" in found.reason


def test_side_by_side_a_ranking_gives_the_certificate() -> None:
    question = Question(classic("token_ring.py:TokenRing"), {"processes": 3}, ("Works",))
    (found,) = decide_by("auto", question, certified=True)
    assert (found.verdict, found.engine) == (Verdict.PROVED, "ranked")


class Switch(Protocol):
    """A switch that anybody flips, a lift that goes up and down, and a place to arrive at."""

    Floor = Integer("Floor", 0, 1)

    on = Variable(BOOL)
    floor = Variable(Floor)
    arrived = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.on, s.floor, s.arrived = False, 1, False

    @action()
    def Flip(self, s: Step) -> None:
        s.on = ~s.on

    @action()
    def Arrive(self, s: Step) -> None:
        s.require(s.on)
        s.arrived = True

    @action()
    def ArriveInTheDark(self, s: Step) -> None:
        s.require(~s.on)
        s.arrived = True

    @action()
    def Up(self, s: Step) -> None:
        s.require(s.floor < 1)
        s.floor = s.floor + 1

    @action()
    def Down(self, s: Step) -> None:
        s.require(s.floor > 0)
        s.floor = s.floor - 1

    @action(f=Floor)
    def Leave(self, s: Step, f: Expr) -> None:
        s.require(s.floor == f)
        s.arrived = True

    Next = one_of(Flip, Arrive, ArriveInTheDark, Up, Down, Leave)


@temporal("one arrives", specification="Given")
def Arrives(m: Switch, s: State) -> Formula:
    return eventually(s.arrived)


def switch(why: Ranks, *fairness: Fairness) -> Suite:
    def Why(m: Switch, s: State) -> Rank:
        return why(m, s)

    return Suite(
        "switch",
        Switch,
        "a switch",
        (),
        temporal=(Arrives,),
        specifications=(Specification("Given", fairness),),
        rankings=(RankingDeclaration(Why, "", "Arrives", {}),),
    )


def by(*parts: Helpful, measure: Any = 0) -> Rank:
    return rank(measure, by=parts)


FALSE_CLAIMS: dict[str, tuple[str, Suite]] = {
    "nobody": (
        "no action is helpful",
        switch(lambda m, s: by(helpful("Flip", when=s.arrived)), weak("Flip")),
    ),
    "up and down": (
        "the rank rises (on Up",
        switch(
            lambda m, s: by(
                helpful("Down", when=s.floor > 0),
                helpful("Leave", when=s.floor == 0, per={"f": 0}),
                measure=s.floor,
            ),
            weak("Down"),
            weak("Leave", per=("f",)),
        ),
    ),
    "to and fro": (
        "ArriveInTheDark is helpful no more though the rank did not fall",
        switch(
            lambda m, s: by(helpful("Arrive", when=s.on), helpful("ArriveInTheDark", when=~s.on)),
            weak("Arrive"),
            weak("ArriveInTheDark"),
        ),
    ),
    "from floor to floor": (
        "Leave(f) is helpful no more though the rank did not fall",
        switch(lambda m, s: by(helpful("Leave", per={"f": s.floor})), weak("Leave", per=("f",))),
    ),
    "in vain": (
        "Flip is taken and the rank does not fall",
        switch(lambda m, s: by(helpful("Flip")), weak("Flip")),
    ),
    "not possible": (
        "Arrive cannot be taken",
        switch(lambda m, s: by(helpful("Arrive")), strong("Arrive")),
    ),
    "waiting for nothing": (
        "while Arrive waits, Leave(f) cannot be taken",
        switch(
            lambda m, s: by(helpful("Arrive", waiting=by(helpful("Leave", per={"f": 0})))),
            strong("Arrive"),
            weak("Leave", per=("f",)),
        ),
    ),
}


@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_a_wrong_ranking_is_refused_and_nothing_else_refuses_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason, suite = FALSE_CLAIMS[name]
    found = by_ranking(suite, "Arrives")
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    assert reason in found.reason
    (explored,) = decide(Question(suite, {}, ("Arrives",)))
    assert explored.verdict is Verdict.VIOLATED

    asked = RankMonitor._found
    kind = reason.split(" (")[0].rsplit(", ")[-1].split(" ", 1)[1]

    def without(self: Any, *given: Any) -> Iterator[tuple[str, Term]]:
        for text, wrong in asked(self, *given):
            if not text.endswith(kind):
                yield text, wrong

    monkeypatch.setattr(RankMonitor, "_found", without)
    wrong = by_ranking(replace(suite), "Arrives")
    assert wrong.verdict is Verdict.PROVED, wrong.reason
    with pytest.raises(Disagreement, match="ranked proves what explicit refutes"):
        agree(0, [explored, wrong])


def waits_for_light(m: Switch, s: State) -> Rank:
    return by(helpful("Arrive", waiting=by(helpful("Flip"))))


class TestStrongFairness:
    def test_what_can_be_taken_again_and_again_is_taken(self) -> None:
        suite = switch(waits_for_light, strong("Arrive"), weak("Flip"))
        found = by_ranking(suite, "Arrives")
        assert found.verdict is Verdict.PROVED, found.reason
        assert decide(Question(suite, {}, ("Arrives",)))[0].verdict is Verdict.PROVED

    def test_weak_fairness_is_not_enough(self) -> None:
        found = by_ranking(switch(waits_for_light, weak("Arrive"), weak("Flip")), "Arrives")
        assert found.verdict is Verdict.UNKNOWN
        assert found.reason is not None
        assert "lets Arrive wait, which is weakly fair" in found.reason

    def test_weak_taken_for_strong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What a judge would accept, who makes the monitor in the same way, others refute."""
        suite = switch(waits_for_light, weak("Arrive"), weak("Flip"))

        def planted(*given: Any) -> Any:
            return tuple(
                replace(one, fairness=replace(one.fairness, strong=True))
                for one in fair_conditions(*given)
            )

        monkeypatch.setattr("bmc.system.ranked.fair_conditions", planted)
        wrong = by_ranking(suite, "Arrives")
        assert wrong.verdict is Verdict.PROVED
        with pytest.raises(Disagreement, match="ranked proves what explicit refutes"):
            agree(0, [*decide(Question(suite, {}, ("Arrives",))), wrong])

    def test_a_certificate_is_rejected_once_fairness_is_less(self) -> None:
        fair = switch(waits_for_light, strong("Arrive"), weak("Flip"))
        certificate = by_ranking(fair, "Arrives").certificate
        assert certificate is not None
        assert certify(certificate, fair).claims == ("Arrives",)
        for less in ((weak("Arrive"), weak("Flip")), (strong("Arrive"),), ()):
            with pytest.raises(CertificateError, match="leans on what does not exist"):
                certify(certificate, switch(waits_for_light, *less))


@pytest.mark.parametrize("fairness", [(), (weak("Up"),), (weak("Leave", per=("f",)),)])
def test_an_action_that_nothing_is_fair_to_helps_nobody(fairness: tuple[Fairness, ...]) -> None:
    found = by_ranking(switch(lambda m, s: by(helpful("Leave")), *fairness), "Arrives")
    assert found.verdict is Verdict.UNKNOWN
    assert found.reason is not None
    assert "calls Leave helpful, which the specification of Arrives is not fair" in found.reason


UNFIT: dict[str, tuple[Ranks, str]] = {
    "nothing asks for it": (
        lambda m, s: by(helpful("Leave")),
        'lean on what it has, or add weak("Leave") to it',
    ),
    "for each": (
        lambda m, s: by(helpful("Leave", per={"f": 0})),
        'add weak("Leave", per=("f",)) to it',
    ),
    "one of two": (lambda m, s: by(helpful("Up", "Leave")), 'add weak("Up", "Leave") to it'),
    "waits": (
        lambda m, s: by(helpful("Leave", waiting=by(helpful("Flip")))),
        'add strong("Leave") to it',
    ),
    "waits weakly": (waits_for_light, "ask for strong fairness or leave waiting out"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_ranking_that_fairness_does_not_fit_is_told_with_its_place(name: str) -> None:
    why, advice = UNFIT[name]
    found = by_ranking(switch(why, weak("Flip"), weak("Arrive")), "Arrives")
    assert found.reason is not None
    assert re.match(r"Why \(\S*test_ranking\.py:\d+\) ", found.reason)
    assert advice in found.reason


class TestCertificates:
    suite = switch(lambda m, s: by(helpful("Leave")), weak("Leave"))

    def certificate(self) -> Certificate:
        found = by_ranking(self.suite, "Arrives").certificate
        assert found is not None
        return found

    def test_another_ranking_is_another_model(self) -> None:
        other = switch(lambda m, s: by(helpful("Leave"), measure=s.floor), weak("Leave"))
        with pytest.raises(CertificateError, match="belongs to another model"):
            certify(self.certificate(), other)

    def test_a_ranking_that_is_gone(self) -> None:
        with pytest.raises(CertificateError, match="Arrives has no ranking 'Why'"):
            certify(self.certificate(), replace(self.suite, rankings=()))

    def test_a_monitor_does_one_thing(self) -> None:
        document = self.certificate().to_json()
        document["watching"]["rounds"] = 1
        with pytest.raises(CertificateError, match="counts rounds and has a ranking"):
            Certificate.from_json(document)
        document["watching"] = {**document["watching"], "rounds": None}
        del document["watching"]["ranking"]
        with pytest.raises(CertificateError, match="belongs to another model"):
            certify(Certificate.from_json(document), self.suite)


class TestMistakes:
    def described(self, declared: RankingDeclaration) -> None:
        suite = Suite(
            "switch",
            Switch,
            "",
            (),
            temporal=(Arrives,),
            specifications=(Specification("Given", ()),),
            rankings=(declared,),
        )
        suite.describe_ranking(declared.name, "Arrives", suite.model(False))

    def test_a_claim_that_there_is_not(self) -> None:
        @ranking("why", proves="Arrive")
        def Why(m: Switch, s: State) -> Rank:
            return by(helpful("Leave"))

        with pytest.raises(LanguageError, match="proves Arrive, which is no temporal claim"):
            self.described(Why)

    def test_other_arguments_than_the_claims(self) -> None:
        @ranking("why", proves="Arrives", f=Switch.Floor)
        def Why(m: Switch, s: State, f: Expr) -> Rank:
            return by(helpful("Leave"))

        with pytest.raises(LanguageError, match="ranks Arrives, whose arguments are"):
            self.described(Why)

    def test_no_rank(self) -> None:
        @ranking("why", proves="Arrives")
        def Why(m: Switch, s: State) -> Any:
            return s.floor

        with pytest.raises(LanguageError, match="Why returns no rank"):
            self.described(Why)

    def test_nothing_that_falls_by_itself(self) -> None:
        with pytest.raises(LanguageError, match="a rank falls by fair actions"):
            rank(0, by=[])

    def test_an_action_or_a_claim_itself_instead_of_its_name(self) -> None:
        """One failed when the rank was written into an answer, the others without a line."""
        with pytest.raises(LanguageError, match=r'a ranking names actions.*write helpful\("Action'):
            helpful(Switch.Leave)  # type: ignore[arg-type]
        with pytest.raises(LanguageError, match=r'name them, helpful\("Action"\)'):
            helpful()
        wrong: Any
        for wrong in ("Leave", ["Leave"], Switch.Leave):
            with pytest.raises(LanguageError, match="a rank falls by fair actions"):
                rank(0, by=wrong)
        for wrong in (("f",), "f"):
            with pytest.raises(LanguageError, match="per says which value each argument has"):
                helpful("Leave", per=wrong)
        with pytest.raises(LanguageError, match="waiting is a rank"):
            helpful("Leave", waiting=2)  # type: ignore[arg-type]
        for wrong in (Arrives, None, ("Arrives",)):
            with pytest.raises(LanguageError, match="names its claim by a text"):
                ranking("why", proves=wrong)
        with pytest.raises(LanguageError, match="names its claim by a text"):
            ranking(Arrives, proves="Arrives")  # type: ignore[arg-type]

    def test_what_is_no_integer(self) -> None:
        @ranking("why", proves="Arrives")
        def Why(m: Switch, s: State) -> Rank:
            return by(helpful("Leave"), measure=s.on)

        with pytest.raises(SortError, match="expected an integer"):
            self.described(Why)

    def test_an_argument_of_another_sort(self) -> None:
        """It was refused without the ranking or its line."""

        class Doors(Protocol):
            open = Variable(BOOL)
            Fair = Specification("Fair", (weak("Open", per=("door",)),))

            @action()
            def Init(self, s: Step) -> None:
                s.open = False

            @action(door=Integer("Door", 0, 1))
            def Open(self, s: Step, door: Expr) -> None:
                s.open = True

            Next = one_of(Open)

            @temporal("one opens", specification="Fair")
            def Opens(self, s: State) -> Formula:
                return eventually(s.open)

            @ranking("by the second", proves="Opens")
            def Why(self, s: State) -> Rank:
                return rank(0, by=helpful("Open", per={"door": s.open}))

        with pytest.raises(SortError, match=r"Why \(.*test_ranking.py:\d+\): the per of Open"):
            by_ranking(Suite.of(Doors, "doors"), "Opens")
