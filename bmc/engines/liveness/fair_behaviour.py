"""That some behaviour meets a specification's fairness: a claim about none proves nothing.

A model's own actions can always be taken fairly. Steps that a formula says need not be: where no
action takes them, what is enabled may have to happen and never does.
"""

from __future__ import annotations

from bmc.engines.liveness.lasso_search import LassoSearch
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline, OutOfTime
from bmc.lang.build import FALSE
from bmc.lang.temporal import FairSteps, Now, TemporalProperty
from bmc.system.transition import TransitionSystem

__all__ = ["NOT_FOUND", "NO_FAIR_BEHAVIOUR", "why_none_is_known"]

NO_FAIR_BEHAVIOUR = "no behaviour meets the fairness conditions: every claim would hold vacuously"

NOT_FOUND = "it was not found that any behaviour meets the fairness conditions"

_SECONDS = 30.0
"""How long a fair behaviour is looked for: mostly there is a short one."""


def why_none_is_known(question: Question, claim: str, deadline: Deadline) -> str | None:
    """Return why no behaviour is known to meet the fairness of a claim; None where one is.

    One that meets it violates the claim FALSE. Raises what LassoSearch does, but for OutOfTime.
    """
    model = question.suite.model(ghosts=False)
    stated = question.suite.describe_temporal(claim, model)
    specification = question.suite.specification(stated.specification, model)
    if not any(isinstance(one, FairSteps) for one in specification.fairness):
        return None
    wrong = TemporalProperty(
        stated.name, (), Now(FALSE), "FALSE", stated.specification, stated.source
    )
    search = LassoSearch(TransitionSystem(model, question.parameters), wrong, specification)
    left = deadline.remaining()
    within = Deadline(_SECONDS if left is None else min(left, _SECONDS))
    try:
        while search.reason is None:
            if search.deepen(within) is not None:
                return None
    except OutOfTime:
        return NOT_FOUND
    return f"{NOT_FOUND}: {search.reason}"
