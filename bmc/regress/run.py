"""Judging a whole lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bmc.engines.task import SILENT, Observer
from bmc.regress.folder import Stored
from bmc.regress.for_all import judge_for_all
from bmc.regress.judging import Effort, judge, unanswered
from bmc.regress.outcome import Case, Finding, Judgement
from bmc.regress.pool import Died, in_parallel
from bmc.system.no_model import NO_MODEL

_NOT_JUDGED = "interrupted before it was judged"


class Run:
    """Judges cases, at most ``jobs`` at once.

    ``judgements`` are complete in the order of the cases at any time: what is not judged yet,
    or never will be because the run was interrupted, is unknown.
    """

    def __init__(self, cases: Sequence[Case], stored: Stored, effort: Effort) -> None:
        self.cases = tuple(cases)
        self.stored = stored
        self.effort = effort
        self._found: dict[int, Finding] = {}

    def judge(
        self,
        jobs: int,
        observer: Observer = SILENT,
        tell: Callable[[Judgement], None] = lambda judgement: None,
    ) -> tuple[Judgement, ...]:
        """Judge all, and tell each judgement as soon as there is one.

        What is locked of a protocol that is no model at its parameters is unusable. Raises
        KeyboardInterrupt when it is interrupted, what an engine raises when it contradicts
        itself, and why a case that is not locked yet is no model.
        """
        works = {
            f"{number}. {case.protocol}": partial(_judged, case, self.stored, self.effort)
            for number, case in enumerate(self.cases, 1)
        }
        in_parallel(works, jobs, observer, partial(self._answered, tell))
        return self.judgements

    def _answered(
        self, tell: Callable[[Judgement], None], number: int, answer: Finding | Died
    ) -> None:
        if isinstance(answer, Died):
            answer = self._unanswered(self.cases[number], answer.why)
        self._found[number] = answer
        tell(Judgement(self.cases[number], answer))

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """What is known so far."""
        return tuple(
            Judgement(case, self._found.get(number) or self._unanswered(case, _NOT_JUDGED))
            for number, case in enumerate(self.cases)
        )

    def _unanswered(self, case: Case, reason: str) -> Finding:
        return unanswered(case, self.stored, self.effort, reason)


def _judged(case: Case, stored: Stored, effort: Effort, observer: Observer) -> Finding:
    judging = judge_for_all if case.for_all else judge
    try:
        return judging(case, stored, effort, observer)
    except NO_MODEL as error:
        if case.locked is None:
            raise
        # Raised, it would take the verdicts of all other models with it.
        return Finding(replace(case, unusable=str(error)).unread())
