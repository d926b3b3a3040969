"""Temporal claims by k-induction beside a monitor: what helps it is proven, and judged again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bmc.engines.liveness import inductive
from bmc.engines.liveness.guesses import Denied, lemmas_beside
from bmc.engines.liveness.inductive import prove_by_induction
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline, Task
from bmc.evidence.both_judges import confirm
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.certify import certify
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang.build import FALSE
from bmc.lang.properties import Property
from bmc.system import fair_monitor, watched
from bmc.system.fair_monitor import Return, Rounds
from tests.campaign.temporal import Nobody

from .liveness_machines import MUTEX

# What its tests share is made once, also when they run in parallel.
pytestmark = pytest.mark.xdist_group("liveness inductive")


def asked(claim: str) -> TemporalResult:
    (found,) = prove_by_induction(Question(MUTEX, {}, (claim,)), Nobody())  # type: ignore[arg-type]
    return found


def helped(claim: str, closing: Rounds | Return) -> tuple[Property, ...]:
    task = Task(watched.watched(MUTEX, claim, closing), {}, (claim,))
    return lemmas_beside(task, Nobody(), Deadline(None))


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    found = asked("SomebodyEnters")
    assert (found.engine, found.verdict) == ("inductive", Verdict.PROVED)
    assert found.certificate is not None
    return Certificate.from_json(found.certificate.to_json())


def test_its_certificate_is_judged_against_the_protocol(certificate: Certificate) -> None:
    assert certify(certificate, MUTEX).claims == ("SomebodyEnters",)
    assert confirm(certificate, MUTEX, solvers=("z3",)).claims == ("SomebodyEnters",)


def test_it_leans_on_lemmas_that_it_carries(certificate: Certificate) -> None:
    assert certificate.lemmas
    with pytest.raises(CertificateError):
        certify(replace(certificate, lemmas=()), MUTEX)


@pytest.mark.parametrize("closing", [Rounds(1), Return()])
def test_lemmas_beside_a_monitor(closing: Rounds | Return) -> None:
    """Who is not followed has met nothing: without that no induction closes."""
    said = {one.text for one in helped("SomebodyEnters", closing)}
    assert "~met WF_vars(Enter) \\/ ~off" in said


def test_a_claim_that_is_seen_to_be_false_has_none() -> None:
    with pytest.raises(Denied):
        helped("EntersWeakly", Rounds(1))


def test_a_lemma_that_is_false_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> tuple[Property, ...]:
        return (replace(helped("SomebodyEnters", Rounds(1))[0], body=FALSE, arguments=()),)

    monkeypatch.setattr(inductive, "lemmas_beside", wrong)
    assert asked("EntersStrongly").verdict is Verdict.UNKNOWN
    assert asked("EntersWeakly").verdict is Verdict.VIOLATED


def test_a_condition_dropped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = fair_monitor.fair_conditions

    def planted(*given: Any) -> Any:
        return tuple(one for one in conditions(*given) if one.fairness.actions != ("Enter",))

    monkeypatch.setattr(fair_monitor, "fair_conditions", planted)
    with pytest.raises(Contradiction, match=r"does not meet WF_vars\(Enter\)"):
        asked("SomebodyEnters")
