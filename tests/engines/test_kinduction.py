"""Induction is sound: only what holds is proved, and a failed step is never called a bug."""

import time
from typing import NoReturn

import pytest

from bmc.engines.kinduction import prove
from bmc.engines.task import OptionError, Task
from bmc.evidence.certificate import Certificate
from bmc.evidence.certify import certify
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.protocol import Protocol
from tests.engines import machines


def decide(
    protocol: type[Protocol],
    name: str,
    bound: int = 10,
    *,
    lemmas: bool = True,
    solver: str = "cadical",
) -> Result:
    """The answer about one property."""
    suite = machines.suite(protocol)
    return prove(Task(suite, {}, (name,), depth=bound, lemmas=lemmas, solver=solver))[0]


@pytest.mark.parametrize("solver", ["cadical", "z3"])
def test_a_bad_state_without_successor_is_violated(solver: str) -> None:
    result = decide(machines.DeadEnd, "NeverAtTheEnd", solver=solver)
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 3


@pytest.mark.parametrize("solver", ["cadical", "z3"])
def test_a_lemma_closes_what_the_property_alone_does_not(solver: str) -> None:
    proved = decide(machines.Pair, "OtherBelowLimit", solver=solver)
    assert proved.verdict is Verdict.PROVED
    assert proved.k == 1
    assert proved.lemmas == ("equal",)
    without = decide(machines.Pair, "OtherBelowLimit", 3, lemmas=False, solver=solver)
    assert without.verdict is Verdict.UNKNOWN
    assert without.induction_failure is not None
    assert without.trace is None


def test_false_lemmas_are_dropped_not_believed() -> None:
    class Misled(machines.Pair):
        @machines.invariant("false, and implied by the lemma that is wrong")
        def OneIsNeverOne(self, s: machines.State) -> machines.Term:
            return s.one != 1

    result = decide(Misled, "OneIsNeverOne")
    assert result.verdict is Verdict.VIOLATED
    assert result.trace is not None
    assert len(result.trace) == 2


def test_a_property_that_needs_depth_is_proved_at_that_depth_and_not_before() -> None:
    result = decide(machines.Ring, "NotSeven")
    assert result.verdict is Verdict.PROVED
    assert result.k == 3
    shallow = decide(machines.Ring, "NotSeven", 2)
    assert shallow.verdict is Verdict.UNKNOWN
    failure = shallow.induction_failure
    assert failure is not None
    assert failure.conjunct == "NotSeven"
    assert (shallow.k, failure.k) == (2, 1)
    assert [step.state["place"] for step in failure.path.steps] == [6, 7]


def test_a_certificate_of_depth_three_is_accepted_and_its_weaker_forms_are_not() -> None:
    result = decide(machines.Ring, "NotSeven")
    assert result.certificate is not None
    suite = machines.suite(machines.Ring)
    assert certify(result.certificate, suite).claims == ("NotSeven",)
    document = result.certificate.to_json() | {"k": 2}
    with pytest.raises(Exception, match="NotSeven does not hold inductively"):
        certify(Certificate.from_json(document), suite)


def test_step_invariants_are_proved_from_what_holds_before_and_after() -> None:
    assert decide(machines.DeadEnd, "Grows").verdict is Verdict.PROVED
    assert decide(machines.DeadEnd, "NoLastStep").verdict is Verdict.VIOLATED


def test_the_state_constraint_is_part_of_the_model() -> None:
    assert decide(machines.Confined, "NeverAtTheEnd").verdict is Verdict.PROVED


@pytest.mark.parametrize("solver", ["cadical", "z3"])
def test_one_representative_an_orbit_proves_all_of_it(solver: str) -> None:
    assert decide(machines.Tokens, "AtMostOne", solver=solver).verdict is Verdict.PROVED
    assert decide(machines.Tokens, "SomebodyNever", solver=solver).verdict is Verdict.VIOLATED


def test_the_shortest_failed_induction_is_shown_however_deep_it_went() -> None:
    result = decide(machines.Pair, "OtherBelowLimit", 3, lemmas=False)
    assert result.k == 3
    assert result.induction_failure is not None
    assert result.induction_failure.k == 1
    assert len(result.induction_failure.path) == 2


def test_an_induction_without_a_step_is_refused() -> None:
    with pytest.raises(OptionError, match="must be 1 or more, you gave 0"):
        decide(machines.Pair, "OtherBelowLimit", 0)


def test_a_proof_that_nobody_re_checked_is_unknown_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: object, **options: object) -> NoReturn:
        time.sleep(60)
        raise AssertionError

    monkeypatch.setattr("bmc.engines.recheck.certify", never)
    monkeypatch.setattr("bmc.engines.isolation.GRACE", 0.1)
    suite = machines.suite(machines.Pair)
    (result,) = prove(Task(suite, {}, ("OtherBelowLimit",), timeout=4.0))
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == (
        "the time limit has passed; a proof was found at k = 1, but it was not re-checked"
    )


def test_running_out_of_time_is_unknown() -> None:
    from bmc.properties.kafka import KAFKA_KIP320

    task = Task(KAFKA_KIP320, {"replicas": 5}, ("StrongIsr",), 30, timeout=0.3, lemmas=False)
    (result,) = prove(task)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert "time limit" in result.reason
    assert result.seconds < 30
