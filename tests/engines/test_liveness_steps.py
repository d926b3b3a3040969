"""What is claimed of steps is decided alike by every engine: a step that stutters is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bmc.engines.engine import temporal_engine
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BOOL,
    Expr,
    History,
    LanguageError,
    Protocol,
    State,
    Step,
    Term,
    Variable,
    action,
    after,
    lemma,
    one_of,
)
from bmc.lang.build import TRUE
from bmc.lang.suite import Suite
from bmc.lang.temporal import (
    Formula,
    Specification,
    always,
    eventually,
    every_step,
    happens,
    leads_to,
    shown,
    temporal,
    weak,
)

from .test_liveness import COUNTER, Counter
from .test_liveness_symbolic import asked


class TestSteps:
    """What is said of steps: a step that stutters is none."""

    BOTH = Specification("Both", (weak("Up"), weak("Reset")))

    @staticmethod
    def suite() -> Suite:
        @temporal("it is reset again and again", specification="Both")
        def ResetAgain(m: Counter, s: State, t: State) -> Formula:
            return always(happens(t.number < s.number))

        @temporal("it is reset again and again, though nobody has to")
        def ResetUnfairly(m: Counter, s: State, t: State) -> Formula:
            return always(happens(t.number < s.number))

        @temporal("every step goes up by one, or back to the start")
        def Steps(m: Counter, s: State, t: State) -> Formula:
            return every_step((t.number == s.number + 1) | (t.number == 0))

        @temporal("in the end every step goes up", specification="Both")
        def OnlyUp(m: Counter, s: State, t: State) -> Formula:
            return eventually(every_step(t.number > s.number))

        @temporal("after a 2 some step goes to 3", n=Counter.Number)
        def OneMore(m: Counter, s: State, t: State, n: Expr) -> Formula:
            return leads_to((s.number == 2) & (n == 3), happens(t.number == n))

        @temporal("something happens now or later", specification="Nobody")
        def Anything(m: Counter, s: State, t: State) -> Formula:
            return happens(TRUE)

        return replace(
            COUNTER,
            temporal=(ResetAgain, ResetUnfairly, Steps, OnlyUp, OneMore, Anything),
            specifications=(TestSteps.BOTH, *COUNTER.specifications),
        )

    @pytest.mark.parametrize(
        ("by", "claim", "states"),
        [
            ("explicit", "ResetAgain", None),
            ("explicit", "ResetUnfairly", 4),
            ("explicit", "Steps", None),
            ("explicit", "OnlyUp", 4),
            ("explicit", "OneMore", None),
            ("explicit", "Anything", 1),
            ("lasso", "ResetAgain", None),
            ("lasso", "ResetUnfairly", 4),
            ("lasso", "OnlyUp", 4),
            ("lasso", "Anything", 1),
            ("monitored", "ResetAgain", None),
        ],
    )
    def test_every_engine_says_what_is_so(self, by: str, claim: str, states: int | None) -> None:
        found = asked(by, self.suite(), claim)
        if states is None:
            proves = temporal_engine(by).proves
            assert found.verdict is (Verdict.PROVED if proves else Verdict.UNKNOWN)
        else:
            assert found.lasso is not None
            assert len(found.lasso.trace) == states

    def test_a_formula_of_steps_reads_as_in_tla(self) -> None:
        suite = self.suite()
        stated = suite.describe_temporal("ResetAgain", suite.model(False))
        assert shown(stated.formula) == "[]<><<number' < number>>_vars"
        stated = suite.describe_temporal("OnlyUp", suite.model(False))
        assert shown(stated.formula) == "<>[][number < number']_vars"

    def test_the_state_after_a_step_is_read_of_steps_only(self) -> None:
        @temporal("a prime outside of a step")
        def Wrong(m: Counter, s: State, t: State) -> Formula:
            return always(t.number > s.number)

        with pytest.raises(LanguageError, match=r"happens\(...\) or every_step"):
            asked("explicit", replace(COUNTER, temporal=(Wrong,)), "Wrong")


class Idle(Protocol):
    """A step that can always be taken and changes nothing."""

    on = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.on = False

    @action()
    def Look(self, s: Step) -> None:
        s.on = s.on & TRUE

    Next = one_of(Look)
    Looks = Specification("Looks", (weak("Look"),))

    @temporal("a step changes something and nothing: false", specification="Looks")
    def Odd(self, s: State, t: State) -> Formula:
        return happens(t.on == s.on)

    @lemma("a history is in the proof", group="looks")
    def looked_or_not(self, s: State) -> Term:
        return s.looked | ~s.looked


class Looking(History):
    looked = Variable(BOOL, "whether an odd number of looks was taken")

    def initially(self, s: Step) -> None:
        s.looked = False

    @after(Idle.Look)
    def look(self, s: Step) -> None:
        s.looked = ~s.looked


@pytest.mark.parametrize("by", ["explicit", "inductive", "monitored"])
def test_what_a_history_remembers_is_no_change(by: str) -> None:
    """A step that only a history saw was taken for one of the protocol: both judges agreed."""
    suite = replace(Suite.of(Idle, "idle"), history=Looking)
    assert asked(by, suite, "Odd").verdict is Verdict.VIOLATED
