"""`bmc check`: a search for violations up to a depth, with shortest traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli import outcome
from bmc.cli.answer import Answer
from bmc.cli.conclusion import write_cost, write_results
from bmc.cli.options import (
    AllOption,
    FullOption,
    JsonOption,
    OnlyOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    SolverOption,
    TimeoutOption,
    TraceOption,
    VerboseOption,
)

if TYPE_CHECKING:
    from pathlib import Path

    from bmc.cli.request import Request
    from bmc.engines.simplest import Taste
    from bmc.engines.task import Observer, Task
    from bmc.evidence.verdict import Result


def check(
    protocol: ProtocolArgument,
    depth: Annotated[int, typer.Option("--depth", help="The most steps a trace may have.")] = 10,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    solver: SolverOption = "cadical",
    timeout: TimeoutOption = None,
    full: FullOption = False,
    only: OnlyOption = None,
    trace: TraceOption = None,
    max_traces: Annotated[
        int,
        typer.Option(
            "--max-traces", help="How many traces of each, of one length, that differ in kind."
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option("--seed", help="In which order equally simple traces are tried.")
    ] = 0,
    raw: Annotated[
        bool, typer.Option("--raw", help="Show the first trace that is found, however noisy.")
    ] = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search for violations up to a depth.

    Traces are as short as can be. Nothing found up to the depth is exit code 0, and no proof.
    """
    with Answer("check", as_json, verbose) as answer:
        from bmc.cli.request import Request
        from bmc.engines.simplest import Taste
        from bmc.engines.task import Task

        request = Request.of(protocol, parameters)
        wanted = request.claims(properties, every)
        task = Task(request.suite, request.parameters, wanted, depth, timeout, solver=solver)
        taste = None if raw and max_traces == 1 else Taste(max_traces, seed)
        _check(answer, request, task, taste, full, only, trace)


def _check(
    answer: Answer,
    request: Request,
    task: Task,
    taste: Taste | None,
    full: bool,
    only: list[str] | None,
    file: Path | None,
) -> None:
    from bmc.cli.decide import code_of, decide, is_cut_short
    from bmc.cli.progress import Progress
    from bmc.cli.trace_output import require_trace_file, write_traces
    from bmc.engines.bounded import check as engine
    from bmc.engines.simplest import simplest
    from bmc.reports.verdicts import ResultWriter, is_clean
    from bmc.reports.vocabulary import Vocabulary

    words = Vocabulary.of(request.suite, request.parameters)
    shown = words.only(only) if only else words
    if file is not None:
        require_trace_file(file)
    progress = Progress()

    def search(task: Task, observer: Observer) -> tuple[Result, ...]:
        found = engine(task, observer)
        return found if taste is None else simplest(task, found, taste, observer)

    results = decide(search, task, progress, "bounded")
    answer.code = outcome.worst(
        outcome.OK if is_clean(result, task.bound) else code_of(result) for result in results
    )
    written = {} if file is None else write_traces(request.suite, words, results, file)
    if answer.as_json:
        from bmc.reports.documents import ResultDocuments
        from bmc.reports.scope import Scope, scope_json

        documents = ResultDocuments(request.suite, words)
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(Scope.of(request.suite, request.parameters)),
                "depth": task.bound,
                "results": [documents.result(result) for result in results],
                "facts": progress.learnt() if is_cut_short(results) else progress.facts,
                "traces": {name: str(path) for name, path in written.items()},
            }
        )
        return
    writer = ResultWriter(
        answer.page, request.suite, shown, searched=task.bound, full=full, verbose=answer.verbose
    )
    write_results(answer, request, writer, results, progress)
    for path in sorted(set(written.values())):
        answer.page.line(f"Trace: {path}")
    write_cost(answer, progress)
