"""How commands end that decide properties: the verdicts, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.evidence.verdict import Result
    from bmc.reports.proofs.verdicts import ResultWriter


def telling(answer: Answer, request: Request) -> Callable[[Result], None] | None:
    """Return what writes a verdict as a line of JSON once it is known; None unless asked for.

    A property has one line, however often it is told of.
    """
    if not answer.streams:
        return None
    from bmc.reports.documents import ResultDocuments
    from bmc.reports.vocabulary import Vocabulary

    documents = ResultDocuments(request.suite, Vocabulary.of(request.suite, request.parameters))

    def tell(result: Result) -> None:
        if result.property in answer.told:
            return
        decided = {
            "protocol": request.name,
            "parameters": dict(request.parameters),
            "result": documents.result(result),
        }
        answer.told.add(result.property)
        answer.event("decided", decided)

    return tell


def write_results(
    answer: Answer,
    request: Request,
    writer: ResultWriter,
    results: tuple[Result, ...],
    progress: Progress,
    asked: Sequence[str] = (),
) -> None:
    """The verdicts, their evidence, and what else was learnt when something stays open."""
    from bmc.cli.shared.decide import is_cut_short
    from bmc.reports.proofs.scope import Scope, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.runs import write_facts, write_interruption

    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, Scope.of(request.suite, request.parameters, asked))
    writer.table(results)
    writer.evidence(results)
    writer.lemmas(results)
    if is_cut_short(results):
        write_interruption(answer.page, answer.seconds, progress.learnt())
    elif answer.code == outcome.UNKNOWN or answer.verbose:
        write_facts(answer.page, progress.facts)


def write_cost(answer: Answer, progress: Progress) -> None:
    """What took how long, and how much memory, for those who asked."""
    from bmc.reports.runs import write_phases

    if answer.verbose:
        answer.page.blank()
        write_phases(answer.page, progress.spent())
    answer.cost()
