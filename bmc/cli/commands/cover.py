"""`bmc cover`: which actions happen and which witnesses are reached, so that nothing is vacuous."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import write_cost
from bmc.cli.shared.options import (
    FullOption,
    JsonOption,
    ParameterOption,
    ProtocolArgument,
    TimeoutOption,
    VerboseOption,
)
from bmc.lang.deadlock import DEADLOCK

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.engines.explicit import Exploration
    from bmc.engines.task import Task
    from bmc.reports.exploration.coverage import Coverage


def cover(
    protocol: ProtocolArgument,
    parameters: ParameterOption = None,
    max_states: Annotated[
        int | None, typer.Option("--max-states", metavar="N", help="Stop after so many states.")
    ] = None,
    timeout: TimeoutOption = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show which actions happen and which witnesses are reached.

    Exit code 0 when all are, or the protocol explains why they cannot be at these parameters; 1
    when a complete exploration misses another one, or when one that is explained is reached; 3
    when an incomplete exploration misses one, or a witness speaks of history, which explorations
    leave out. With --full the shortest trace to each witness is shown.
    """
    with Answer("cover", as_json, verbose) as answer:
        from bmc.cli.shared.request import Request
        from bmc.engines.task import Task
        from bmc.lang.properties import Kind

        request = Request.of(protocol, parameters, timeout)
        witnesses = tuple(d.name for d in request.suite.declared(Kind.WITNESS))
        stated = any(declared.name == DEADLOCK for declared in request.suite.properties)
        looked_for = witnesses if stated else (*witnesses, DEADLOCK)
        request, known = request.explorable(looked_for)
        task = Task(request.suite, request.parameters, known, timeout=request.left(timeout))
        _cover(answer, request, task, max_states, full)
        if len(known) < len(looked_for) and answer.code == outcome.OK:
            answer.code = outcome.UNKNOWN


def _cover(
    answer: Answer, request: Request, task: Task, max_states: int | None, full: bool
) -> None:
    from bmc.cli.shared.widening import text_reason, with_room
    from bmc.engines.explicit import explore as engine
    from bmc.engines.task import Interrupted
    from bmc.reports.exploration.coverage import Coverage, coverage_json, write_coverage
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.vocabulary import Vocabulary

    latest: list[tuple[Request, Progress]] = []

    def search(request: Request, task: Task, progress: Progress) -> Exploration:
        latest[:] = [(request, progress)]
        with progress:
            found = engine(task, progress, max_states=max_states)
        said = text_reason(request, found.overflow)
        if said is None:
            return found
        return replace(found, stopped_because=said, overflow_reason=said)

    try:
        request, task, progress, found = with_room(request, task, search, lambda one: one.overflow)
    except KeyboardInterrupt as error:
        ((request, progress),) = latest
        if not isinstance(error, Interrupted):
            _answer_interrupted(answer, request, progress)
            return
        found = cast("Exploration", error.found)
    coverage = Coverage.of(found, request.suite, request.parameters)
    answer.code = _code(coverage)
    words = Vocabulary.of(request.suite, request.parameters)
    scope = Scope.of(request.suite, request.parameters)
    if answer.as_json:
        content = {
            "protocol": request.name,
            "parameters": request.parameters,
            "scope": scope_json(scope),
        }
        answer.document(content | coverage_json(coverage) | {"facts": progress.facts})
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    write_coverage(answer.page, words, coverage, full)
    write_cost(answer, progress)


def _answer_interrupted(answer: Answer, request: Request, progress: Progress) -> None:
    from bmc.cli.shared.decide import INTERRUPTED
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.runs import write_interruption

    answer.code = outcome.UNKNOWN
    scope = Scope.of(request.suite, request.parameters)
    if answer.as_json:
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(scope),
                "distinct_states": None,
                "complete": False,
                "stopped_because": INTERRUPTED,
                "fired": {},
                "witnesses": {},
                "explained": request.suite.unreached(request.parameters),
                "missed": [],
                "disproved": [],
                "facts": progress.learnt(),
            }
        )
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    write_interruption(answer.page, answer.seconds, progress.learnt())


def _code(coverage: Coverage) -> int:
    if coverage.disproved:
        return outcome.VIOLATION
    if not coverage.missed:
        return outcome.OK
    return outcome.VIOLATION if coverage.found.complete else outcome.UNKNOWN
