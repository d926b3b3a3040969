"""What `bmc prove` adds when an induction fails: the study of the first failure it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bmc.cli.shared.advice import advice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bmc.analysis.cti import CtiAnalysis
    from bmc.engines.task import Task
    from bmc.evidence.verdict import Result
    from bmc.lang.suite import Suite
    from bmc.reports.vocabulary import Vocabulary

SECONDS = 30.0
"""What a study may take; no more than is left of the user's limit."""
_TOO_LITTLE = 1.0


def studied(task: Task, results: Sequence[Result], spent: float) -> CtiAnalysis | None:
    """The study of the first failed induction; None where there is none, or no time for it.

    ``spent`` is how many seconds of the task's limit are gone. The verdicts are known by then:
    whatever happens here, they are what the command answers.
    """
    failed = next((r for r in results if r.induction_failure is not None), None)
    left = SECONDS if task.timeout is None else min(SECONDS, task.timeout - spent)
    if failed is None or failed.induction_failure is None or left < _TOO_LITTLE:
        return None
    from bmc.analysis.cti import study
    from bmc.analysis.mining.mine import MiningOptions
    from bmc.cli.shared.progress import Progress

    failure, progress = failed.induction_failure, Progress()

    def look() -> CtiAnalysis:
        with progress:
            return study(task, failure, failed.lemmas, MiningOptions(seconds=left), progress)

    return advice("the study of the failed induction", look)


def told(suite: Suite, words: Vocabulary, found: CtiAnalysis | None) -> dict[str, Any] | None:
    """Return a study as JSON data, if there is one."""
    if found is None:
        return None
    from bmc.reports.proofs.cti_analysis import study_json

    return study_json(suite, words, found)
