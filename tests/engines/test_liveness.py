"""Temporal claims are decided as TLA+ means them, and no lasso is shown that is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bmc.engines.liveness.conditions import NO_FAIR_BEHAVIOUR
from bmc.engines.liveness.decide import Question, decide
from bmc.engines.liveness.decide_by import decide_by
from bmc.evidence.lasso import Excuse, TemporalResult, judged
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang import (
    Integer,
    LanguageError,
    Parameter,
    Protocol,
    State,
    Step,
    Suite,
    Term,
    UnknownName,
    Variable,
    action,
    one_of,
)
from bmc.lang.build import argument, ite, some, the
from bmc.lang.sorts import BOOL
from bmc.lang.temporal import (
    Formula,
    Not,
    Now,
    Specification,
    always,
    both,
    either_of,
    entails,
    eventually,
    leads_to,
    never,
    shown,
    strong,
    temporal,
    until,
    weak,
)
from bmc.lang.terms import boolean
from bmc.readings.value import Interpreter
from bmc.system.transition import TransitionSystem

from .liveness_machines import MUTEX


def result(suite: Suite, name: str) -> TemporalResult:
    (found,) = decide(Question(suite, {}, (name,)))
    return found


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("EntersUnfairly", Verdict.VIOLATED),
        ("EntersWeakly", Verdict.VIOLATED),
        ("EntersStrongly", Verdict.PROVED),
        ("SomebodyEnters", Verdict.PROVED),
    ],
)
def test_a_lock_starves_unless_entering_is_strongly_fair(claim: str, verdict: Verdict) -> None:
    assert result(MUTEX, claim).verdict is verdict


def test_stuttering_is_called_stuttering() -> None:
    lasso = result(MUTEX, "EntersUnfairly").lasso
    assert lasso is not None
    assert lasso.closing is None
    assert lasso.loop == len(lasso.trace) - 1


def test_each_condition_of_a_loop_has_its_excuse() -> None:
    lasso = result(MUTEX, "EntersWeakly").lasso
    assert lasso is not None
    assert len(lasso.met) == 4
    starved = [m for m in lasso.met if m.condition.actions == ("Enter",) and m.arguments["p"] == 0]
    assert [m.how for m in starved] == [Excuse.DISABLED]


class Counter(Protocol):
    """A number that is counted up to its limit, and may be reset there."""

    limit = Parameter("limit", default=3, low=1, high=9, about="where it ends")
    Number = Integer("Number", 0, limit)
    number = Variable(Number)

    @action()
    def Init(self, s: Step) -> None:
        s.number = 0

    @action(fairness="weak")
    def Up(self, s: Step) -> None:
        s.require(s.number < self.limit)
        s.number = s.number + 1

    @action()
    def Reset(self, s: Step) -> None:
        s.require(s.number == self.limit)
        s.number = 0

    Next = one_of(Up, Reset)


@temporal("it is at the limit again and again")
def Returns(m: Counter, s: State) -> Formula:
    return always(eventually(s.number == m.limit))


@temporal("in the end it stays at the limit")
def Stays(m: Counter, s: State) -> Formula:
    return eventually(always(s.number == m.limit))


@temporal("in the end it stays at the limit", specification="Nobody")
def StaysUnfairly(m: Counter, s: State) -> Formula:
    return eventually(always(s.number == m.limit))


@temporal("it is at zero at some time: it begins there", specification="Nobody")
def Begins(m: Counter, s: State) -> Formula:
    return eventually(s.number == 0)


@temporal("again and again it is elsewhere than at one", specification="Nobody")
def LeavesOne(m: Counter, s: State) -> Formula:
    return always(eventually(s.number != 1))


COUNTER = Suite(
    "counter",
    Counter,
    "a counter",
    (),
    temporal=(Returns, Stays, StaysUnfairly, Begins, LeavesOne),
    specifications=(Specification("Nobody", ()),),
)


def test_the_fairness_of_actions_is_that_of_spec() -> None:
    assert result(COUNTER, "Returns").verdict is Verdict.PROVED
    lasso = result(COUNTER, "Stays").lasso
    assert lasso is not None
    assert lasso.closing is not None
    assert len(lasso.trace) - lasso.loop == 4
    stopped = result(COUNTER, "StaysUnfairly").lasso
    assert stopped is not None
    assert len(stopped.trace) == 1


def test_a_formula_without_a_value_decides_nothing() -> None:
    @temporal("there is no value to speak of")
    def Beyond(m: Counter, s: State) -> Formula:
        nothing = ite(s.number == 0, None, some(s.number))
        return always(Not(Now(boolean(the(nothing) == 0))))

    found = result(replace(COUNTER, temporal=(Beyond,)), "Beyond")
    assert (found.verdict, found.lasso) == (Verdict.UNKNOWN, None)
    assert "has no value in a reachable state" in (found.reason or "")


@pytest.mark.parametrize("engine", ["explicit", "lasso", "inductive"])
def test_a_long_formula_without_a_value_is_told_in_an_excerpt(engine: str) -> None:
    """Its parts are shared: the whole text has a part for each way to them."""

    @temporal("there is no value to speak of")
    def Beyond(m: Counter, s: State) -> Formula:
        shared = s.number == 0
        for _ in range(60):
            shared = (shared & (s.number < 9)) | shared
        nothing = ite(shared, None, some(s.number))
        return always(Not(Now(boolean(shared & (the(nothing) == 0)))))

    suite = replace(COUNTER, temporal=(Beyond,))
    (found,) = decide_by(engine, Question(suite, {}, ("Beyond",), timeout=60))
    assert found.verdict is Verdict.UNKNOWN
    assert "…" in (found.reason or "")


def test_a_limit_is_no_answer() -> None:
    (found,) = decide(Question(COUNTER, {"limit": 9}, ("Returns",), max_states=1))
    assert (found.verdict, found.lasso) == (Verdict.UNKNOWN, None)


class TestBadInput:
    def test_fairness_of_what_is_no_action(self) -> None:
        wrong = replace(COUNTER, specifications=(Specification("Nobody", (weak("Down"),)),))
        with pytest.raises(LanguageError, match=r"Down, which is no action: .* Up, Reset"):
            result(wrong, "StaysUnfairly")

    def test_fairness_per_an_argument_that_there_is_not(self) -> None:
        wrong = replace(
            COUNTER, specifications=(Specification("Nobody", (weak("Up", per=("p",)),)),)
        )
        with pytest.raises(LanguageError, match="Up has no argument 'p'"):
            result(wrong, "StaysUnfairly")

    def test_a_specification_that_there_is_not(self) -> None:
        with pytest.raises(UnknownName, match="no specification 'Nobody'"):
            result(replace(COUNTER, specifications=()), "StaysUnfairly")

    def test_a_claim_that_says_nothing_of_time(self) -> None:
        @temporal()
        def Low(m: Counter, s: State) -> Term:
            return s.number < 2

        with pytest.raises(LanguageError, match="returns no temporal formula"):
            result(replace(COUNTER, temporal=(Low,)), "Low")

    def test_the_state_after_a_step_where_no_step_is_spoken_of(self) -> None:
        @temporal()
        def Rises(m: Counter, s: State, t: State) -> Formula:
            return eventually(t.number > s.number)

        with pytest.raises(LanguageError, match=r"say what holds of a step with happens\("):
            result(replace(COUNTER, temporal=(Rises,)), "Rises")


class TestTheJudge:
    """A lasso that is none is a contradiction, whoever made it."""

    system = TransitionSystem(MUTEX.model(False), {})
    interpreter = Interpreter(system.model, system.domains)

    def judge(self, states: list[tuple[str, str]], loop: int, claim: str) -> None:
        stated = MUTEX.describe_temporal(claim, self.system.model)
        specification = MUTEX.specification(stated.specification, self.system.model)
        concrete = [{"phase": pair} for pair in states]
        judged(self.interpreter, concrete, loop, specification, stated, (0,))

    START = ("idle", "idle")
    WAITS = ("waiting", "idle")
    BOTH = ("waiting", "waiting")
    OTHER = ("waiting", "critical")

    def test_the_true_one_is_accepted(self) -> None:
        self.judge([self.START, self.WAITS, self.BOTH, self.OTHER], 1, "EntersWeakly")

    def test_weak_taken_for_strong(self) -> None:
        with pytest.raises(Contradiction, match="does not meet SF_vars"):
            self.judge([self.START, self.WAITS, self.BOTH, self.OTHER], 1, "EntersStrongly")

    def test_a_condition_dropped(self) -> None:
        with pytest.raises(Contradiction, match="does not meet WF_vars"):
            self.judge([self.START, self.WAITS], 1, "EntersWeakly")

    def test_a_loop_that_does_not_close(self) -> None:
        with pytest.raises(Contradiction, match="does not close"):
            self.judge([self.START, self.WAITS, self.BOTH], 1, "EntersUnfairly")

    def test_a_claim_that_holds_on_it(self) -> None:
        with pytest.raises(Contradiction, match="does not violate it"):
            self.judge([self.START], 0, "EntersUnfairly")


def test_claims_read_as_in_tla() -> None:
    p, q, r = (Now(argument(name, BOOL)) for name in "pqr")
    assert shown(leads_to(p, q)) == "p ~> q"
    assert shown(always(eventually(p))) == "[]<>p"
    assert shown(eventually(always(p))) == "<>[]p"
    assert shown(never(p)) == "[]~p"
    assert shown(never(Not(p))) == "[]p"
    assert shown(Not(always(p))) == "<>~p"
    assert shown(leads_to(both(p, q), always(leads_to(q, p)))) == "(p /\\ q) ~> [](q ~> p)"
    assert shown(either_of(p)) == "p"
    assert shown(either_of(always(p), eventually(q), r)) == "[]p \\/ <>q \\/ r"
    again = [always(eventually(one)) for one in (p, q, r)]
    assert shown(either_of(*again)) == "[]<>p \\/ []<>q \\/ []<>r"
    assert shown(always(either_of(*again))) == "[]([]<>p \\/ []<>q \\/ []<>r)"
    assert shown(either_of(eventually(Not(p)), eventually(Not(q)))) == "<>~p \\/ <>~q"
    assert shown(entails(always(p), again[1])) == "[]p => []<>q"
    assert shown(entails(again[0], again[1])) == "[]<>p => []<>q"
    assert shown(entails(both(p, q), eventually(r))) == "(p /\\ q) => <>r"


def test_a_sign_before_a_connective_has_its_parentheses() -> None:
    p, q, r = (Now(argument(name, BOOL)) for name in "pqr")
    assert shown(both(either_of(Not(p), q), r)) == "(~p \\/ q) /\\ r"
    assert shown(both(p, both(q, r))) == "p /\\ (q /\\ r)"
    assert shown(Not(both(p, q))) == "~(p /\\ q)"
    assert shown(always(Not(both(p, q)))) == "[](~(p /\\ q))"
    assert shown(eventually(leads_to(p, q))) == "<>(p ~> q)"
    assert shown(until(p, either_of(q, r))) == "p \\U (q \\/ r)"


def test_a_claim_about_no_behaviour_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    from bmc.engines.liveness import decide as engine

    monkeypatch.setattr(engine, "has_fair_cycle", lambda product, conditions: False)
    found = result(COUNTER, "Returns")
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, NO_FAIR_BEHAVIOUR)


def test_strong_fairness_is_more_than_weak() -> None:
    assert str(strong("A", per=("r",))) == "SF_vars(A(r))"
    assert str(weak("A", "B")) == "WF_vars(A \\/ B)"
