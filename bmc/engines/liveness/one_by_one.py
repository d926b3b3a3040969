"""What engines share that decide one temporal claim after another, each beside its monitor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bmc.engines.liveness.fair_behaviour import why_none_is_known
from bmc.engines.liveness.question import Question
from bmc.engines.task import Deadline
from bmc.engines.team import Relay
from bmc.evidence.lasso import TemporalResult
from bmc.evidence.verdict import Verdict
from bmc.lang.terms import Term

Deciding = Callable[[Question, str, Deadline, Relay], TemporalResult]
"""Decides the claim of a name within what is left of the time."""


def decide_each(
    question: Question, observer: Relay, decide: Deciding
) -> tuple[TemporalResult, ...]:
    """Return a result for each claim, in order, and tell each as soon as it is there.

    What is proved of no behaviour that is known is unknown.
    """
    deadline = Deadline(question.timeout)
    results = []
    missing: dict[tuple[str, Term | None], str | None] = {}
    model = question.suite.model(ghosts=False)
    for name in question.claims:
        found = decide(question, name, deadline, observer)
        if found.verdict is Verdict.PROVED:
            limits = question.suite.describe_temporal(name, model).limits
            about = found.specification, limits
            if about not in missing:
                observer.phase(f"{name}: looking for a behaviour that is fair")
                missing[about] = why_none_is_known(question, name, deadline)
            reason = missing[about]
            if reason is not None:
                found = replace(
                    found,
                    verdict=Verdict.UNKNOWN,
                    reason=reason,
                    certificate=None,
                    checked_by=None,
                )
        results.append(found)
        observer.decided(results[-1])
    return tuple(results)


class WithoutVerdicts(Relay):
    """Passes on what is done, and no verdict: that of the monitor is none of the claim."""

    def __init__(self, outer: Relay) -> None:
        self._outer = outer

    def phase(self, text: str) -> None:
        """Tell what is being done now."""
        self._outer.phase(text)

    def fact(self, text: str) -> None:
        """Keep it back."""

    def decided(self, result: object) -> None:
        """Keep it back."""

    def so_far(self, result: object) -> None:
        """Keep it back."""
