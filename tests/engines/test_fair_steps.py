"""Fairness of steps that a formula says: every engine decides under it what it decides under that
of the actions which take these steps, and a condition that is wrong is found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bmc.engines.engine import AUTO, temporal_engine
from bmc.engines.liveness import fair_behaviour
from bmc.engines.liveness import scheduled as scheduling
from bmc.engines.liveness.conditions import NO_FAIR_BEHAVIOUR
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.decide_by import decide_by
from bmc.engines.liveness.fair_behaviour import NOT_FOUND, why_none_is_known
from bmc.engines.liveness.lasso_search import search_lassos
from bmc.engines.liveness.question import Question
from bmc.engines.liveness.scheduled import scheduled
from bmc.engines.task import Deadline
from bmc.evidence.lasso import Excuse, FairText, Lasso, TemporalResult
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang import Suite
from bmc.lang.build import FALSE, TRUE
from bmc.lang.fingerprint import temporal_digest
from bmc.lang.temporal import FairSteps, Now, Specification, strong, weak
from bmc.system.transition import TransitionSystem
from tests.campaign.engines import NothingToCheck, TooMany
from tests.campaign.temporal import LONGEST, Nobody, question_of

from .fair_steps import said_by_formulas
from .liveness_machines import MUTEX

CLAIMS = {
    "EntersUnfairly": Verdict.VIOLATED,
    "EntersWeakly": Verdict.VIOLATED,
    "EntersStrongly": Verdict.PROVED,
    "SomebodyEnters": Verdict.PROVED,
}


def asked(by: str, question: Question) -> TemporalResult:
    (found,) = temporal_engine(by).decide(question, Nobody())  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("by", ["explicit", "lasso"])
def test_a_lock_is_decided_as_under_fairness_of_its_actions(by: str, claim: str) -> None:
    found = asked(by, said_by_formulas(Question(MUTEX, {}, (claim,), depth=6)))
    if by == "lasso" and CLAIMS[claim] is Verdict.PROVED:
        assert found.verdict is Verdict.UNKNOWN
    else:
        assert found.verdict is CLAIMS[claim]
    if found.lasso is not None:
        assert all(isinstance(met.condition, FairText) for met in found.lasso.met)


def test_the_monitor_proves_it_with_a_certificate() -> None:
    found = asked("monitored", said_by_formulas(Question(MUTEX, {}, ("SomebodyEnters",))))
    assert (found.verdict, found.certificate is not None) == (Verdict.PROVED, True)


@pytest.mark.parametrize("number", range(40, 60))
def test_random_claims_are_decided_alike(number: int) -> None:
    try:
        question = question_of(number)
    except (TooMany, NothingToCheck):
        return
    said = said_by_formulas(question)
    (one,), (other,) = decide(question), decide(said)
    assert one.verdict is other.verdict
    bounded = replace(said, depth=LONGEST)
    (searched,) = search_lassos(bounded, Nobody())  # type: ignore[arg-type]
    (known,) = search_lassos(replace(question, depth=LONGEST), Nobody())  # type: ignore[arg-type]
    assert searched.verdict is known.verdict
    if searched.lasso is not None and known.lasso is not None:
        assert len(searched.lasso.trace) == len(known.lasso.trace)


def under(**changed: Any) -> Suite:
    """The lock, strongly fair by formulas, with something else in each condition."""
    question = said_by_formulas(Question(MUTEX, {}, ("EntersStrongly",)))
    fair = next(one for one in question.suite.specifications if one.name == "EachStrong")
    conditions = []
    for one in fair.fairness:
        assert isinstance(one, FairSteps)
        conditions.append(replace(one, **changed))
    others = [one for one in question.suite.specifications if one.name != "EachStrong"]
    specifications = (*others, Specification("EachStrong", tuple(conditions)))
    return replace(question.suite, specifications=specifications)


def test_weak_is_not_strong() -> None:
    found = asked("explicit", Question(under(strong=False), {}, ("EntersStrongly",)))
    assert found.verdict is Verdict.VIOLATED


def test_what_is_taken_has_to_be_enabled() -> None:
    """Were nothing ever enabled, every loop would meet the condition."""
    with pytest.raises(Contradiction, match="not enabled"):
        asked("explicit", Question(under(enabled=FALSE), {}, ("EntersStrongly",)))


def test_what_no_step_is_meets_no_specification() -> None:
    """It is enabled for ever and never taken: no behaviour is fair, so nothing is claimed."""
    question = Question(under(enabled=TRUE, step=FALSE), {}, ("EntersStrongly",))
    found = asked("explicit", question)
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, NO_FAIR_BEHAVIOUR)


@pytest.mark.parametrize("by", ["monitored", "inductive", AUTO])
def test_nobody_proves_what_is_claimed_of_no_behaviour(by: str) -> None:
    question = Question(under(enabled=TRUE, step=FALSE), {}, ("EntersStrongly",))
    (found,) = decide_by(by, question)
    assert (found.verdict, found.certificate) == (Verdict.UNKNOWN, None)
    assert found.reason is not None
    assert NO_FAIR_BEHAVIOUR in found.reason


def fair_lasso(question: Question) -> Lasso | None:
    """A fair behaviour of a question's one claim, as it is scheduled."""
    model = question.suite.model(ghosts=False)
    stated = question.suite.describe_temporal(question.claims[0], model)
    specification = question.suite.specification(stated.specification, model)
    wrong = replace(stated, arguments=(), formula=Now(FALSE))
    system = TransitionSystem(model, question.parameters)
    return scheduled(system, wrong, specification, Deadline(None))


@pytest.mark.parametrize("number", range(40, 60))
def test_what_waits_longest_is_taken_and_the_interpreter_calls_it_fair(number: int) -> None:
    """Of a model's own actions what is enabled can always be taken."""
    try:
        question = question_of(number)
    except (TooMany, NothingToCheck):
        return
    for asked in (question, said_by_formulas(question)):
        assert fair_lasso(asked) is not None


def busy() -> Question:
    """The lock, for which both ask again and again."""
    fair = (weak("Ask", per=("p",)), strong("Enter", per=("p",)), weak("Leave", per=("p",)))
    others = [one for one in MUTEX.specifications if one.name != "EachStrong"]
    specifications = (*others, Specification("EachStrong", fair))
    suite = replace(MUTEX, specifications=specifications)
    return said_by_formulas(Question(suite, {}, ("EntersStrongly",)))


def test_who_waits_is_not_passed_over_for_ever() -> None:
    lasso = fair_lasso(busy())
    assert lasso is not None
    assert {met.how for met in lasso.met} == {Excuse.TAKEN}
    assert fair_lasso(Question(under(enabled=TRUE, step=FALSE), {}, ("EntersStrongly",))) is None


def test_a_schedule_that_passes_over_somebody_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: whoever was taken keeps its place, and the same ones go round."""
    kept = scheduling._Schedule.next

    def in_one_order(self: Any, row: Any, order: Sequence[int]) -> Any:
        return kept(self, row, sorted(order))

    monkeypatch.setattr(scheduling._Schedule, "next", in_one_order)
    with pytest.raises(Contradiction, match=r"does not meet said SF_vars\(Enter"):
        fair_lasso(busy())


@pytest.mark.parametrize("found", ["by the graph", "by a lasso", "by nobody"])
def test_what_cannot_be_scheduled_is_looked_for_otherwise(
    found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_behaviour, "scheduled", lambda *given: None)
    monkeypatch.setattr(fair_behaviour, "_STATES", 10_000 if found == "by the graph" else 1)
    monkeypatch.setattr(fair_behaviour, "_SECONDS", 0.0 if found == "by nobody" else 30.0)
    question = said_by_formulas(Question(MUTEX, {}, ("SomebodyEnters",)))
    said = why_none_is_known(question, "SomebodyEnters", Deadline(None))
    assert said == (NOT_FOUND if found == "by nobody" else None)


def test_a_formula_of_fairness_is_part_of_what_is_claimed() -> None:
    """A proof under other fairness is a proof of something else."""

    def digest(suite: Suite) -> str:
        model = suite.model(ghosts=False)
        stated = suite.describe_temporal("EntersStrongly", model)
        return temporal_digest(stated, suite.specification("EachStrong", model))

    assert len({digest(under()), digest(under(strong=False)), digest(under(step=TRUE))}) == 3
