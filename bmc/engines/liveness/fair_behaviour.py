"""That some behaviour meets a specification's fairness: a claim about none proves nothing.

A model's own actions can always be taken fairly. Steps that a formula says need not be: where no
action takes them, what is enabled may have to happen and never does. And fairness may ask for a
step that leaves the constraint to which a claim is limited. Three questions are asked, the
cheapest first:

* is a behaviour fair in which what has waited longest is always taken next? (Not asked of a claim
  with limits: such a behaviour need not stay within them.)
* has the graph of all states, where they are few, a fair loop?
* is there a fair lasso of a few steps?
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from bmc.engines.liveness.conditions import OF_NOTHING
from bmc.engines.liveness.decide import decide
from bmc.engines.liveness.lasso_search import LassoSearch
from bmc.engines.liveness.question import Question
from bmc.engines.liveness.scheduled import scheduled
from bmc.engines.task import Deadline, OutOfTime
from bmc.evidence.certificate import Certificate, CertificateError
from bmc.evidence.panel import NotDecided
from bmc.evidence.verdict import Contradiction, Verdict
from bmc.lang.suite import Suite
from bmc.lang.temporal import FairSteps
from bmc.system.transition import TransitionSystem

__all__ = ["NOT_FOUND", "require_fair_behaviour", "why_none_is_known"]

NOT_FOUND = "it was not found that any behaviour meets the fairness conditions"

_SECONDS = 30.0
"""How long each question may take."""
_STATES = 20_000
"""How many states there may be for all of them to be looked at."""


def require_fair_behaviour(certificate: Certificate, suite: Suite, deadline: Deadline) -> None:
    """Make sure that a proof of a temporal claim is about some behaviour.

    Raises CertificateError where it is about none, and NotDecided where none is found.
    """
    if certificate.watching is None:
        return
    claim = certificate.watching.claim
    asked = Question(suite, certificate.parameters, (claim,))
    reason = why_none_is_known(asked, claim, deadline)
    if reason in OF_NOTHING:
        raise CertificateError(reason)
    if reason is not None:
        raise NotDecided(reason)


def why_none_is_known(question: Question, claim: str, deadline: Deadline) -> str | None:
    """Return why no behaviour is known to meet the fairness of a proved claim; None where one is.

    Raises NoInitialState, and Contradiction where the graph of all states refutes the claim.
    """
    model = question.suite.model(ghosts=False)
    stated = question.suite.describe_temporal(claim, model)
    specification = question.suite.specification(stated.specification, model)
    limited = stated.limits is not None
    if not limited and not any(isinstance(one, FairSteps) for one in specification.fairness):
        return None
    system = TransitionSystem(model, question.parameters)
    wrong = stated.of_none()
    with suppress(OutOfTime):
        if not limited and scheduled(system, wrong, specification, _within(deadline)) is not None:
            return None
    all_states = replace(
        question, claims=(claim,), max_states=_STATES, timeout=_within(deadline).remaining()
    )
    (found,) = decide(all_states)
    if found.verdict is Verdict.PROVED:
        return None
    if found.verdict is Verdict.VIOLATED:
        raise Contradiction(f"{claim} is said to be proved, and all states refute it")
    if found.reason in OF_NOTHING:
        return found.reason
    search, within = LassoSearch(system, wrong, specification), _within(deadline)
    try:
        while search.reason is None:
            if search.deepen(within) is not None:
                return None
    except OutOfTime:
        return NOT_FOUND
    return f"{NOT_FOUND}: {search.reason}"


def _within(deadline: Deadline) -> Deadline:
    left = deadline.remaining()
    return Deadline(_SECONDS if left is None else min(left, _SECONDS))
