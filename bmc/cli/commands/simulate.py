"""`bmc simulate`: random walks, for a first look at a protocol too large for anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import write_cost
from bmc.cli.shared.options import (
    AllOption,
    FullOption,
    JsonOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    TimeoutOption,
    VerboseOption,
    WalkSeedOption,
)

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.engines.simulate import Simulation, Walks
    from bmc.engines.task import Task


def simulate(
    protocol: ProtocolArgument,
    walks: Annotated[int, typer.Option("--walks", metavar="N", help="How many walks.")] = 1000,
    length: Annotated[
        int, typer.Option("--length", metavar="N", help="The most steps of a walk.")
    ] = 100,
    seed: WalkSeedOption = 0,
    traces: Annotated[
        int, typer.Option("--traces", metavar="N", help="Show so many of the walks.")
    ] = 0,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    timeout: TimeoutOption = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Walk at random and watch properties.

    Nothing met is exit code 0, and no proof. A trace that is shown need not be the shortest.
    """
    with Answer("simulate", as_json, verbose) as answer:
        from bmc.cli.shared.request import NothingAsked, Request
        from bmc.engines.simulate import Walks
        from bmc.engines.task import Task

        request = Request.of(protocol, parameters, timeout)
        try:
            wanted = request.claims(properties, every)
        except NothingAsked:
            if properties:
                raise
            # To see which actions happen is worth a walk, even where nothing is stated.
            wanted = ()
        task = Task(request.suite, request.parameters, wanted, timeout=request.left(timeout))
        _simulate(answer, request, task, Walks(walks, length, seed, traces), full)


def _simulate(answer: Answer, request: Request, task: Task, walks: Walks, full: bool) -> None:
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.widening import begun
    from bmc.engines.simulate import Simulation
    from bmc.engines.simulate import simulate as engine
    from bmc.engines.task import Interrupted

    progress = Progress()
    try:
        with begun(task.suite), progress:
            found = engine(task, walks, progress)
    except KeyboardInterrupt as error:
        partial = error.found if isinstance(error, Interrupted) else None
        if not isinstance(partial, Simulation):
            raise
        found = partial
    answer.code = _code(found)
    _answer(answer, request, walks, found, progress, full)


def _code(found: Simulation) -> int:
    if found.violations:
        return outcome.VIOLATION
    return outcome.OK if _is_clean(found) else outcome.UNKNOWN


def _is_clean(found: Simulation) -> bool:
    return found.stopped_because is None and not found.without_value


def _answer(
    answer: Answer,
    request: Request,
    walks: Walks,
    found: Simulation,
    progress: Progress,
    full: bool,
) -> None:
    from bmc.reports.exploration.simulations import simulation_json, write_simulation
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import ResultWriter, write_heading
    from bmc.reports.vocabulary import Vocabulary

    words = Vocabulary.of(request.suite, request.parameters)
    scope = Scope.of(request.suite, request.parameters)
    if answer.as_json:
        from bmc.reports.documents import ResultDocuments

        documents = ResultDocuments(request.suite, words)
        content = {
            "protocol": request.name,
            "parameters": request.parameters,
            "scope": scope_json(scope),
        }
        answer.document(content | simulation_json(documents, walks, found))
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    write_simulation(answer.page, words, walks, found, full)
    writer = ResultWriter(
        answer.page,
        request.suite,
        words,
        walked=_is_clean(found),
        full=full,
        verbose=answer.verbose,
    )
    writer.table(found.verdicts())
    writer.evidence(found.verdicts())
    write_cost(answer, progress)
