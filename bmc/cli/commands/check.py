"""`bmc check`: a search for violations up to a depth, with shortest traces."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import telling, write_cost, write_results
from bmc.cli.shared.counterexamples import Counterexamples, write_places
from bmc.cli.shared.options import (
    SOLVER,
    AllOption,
    ContinueOption,
    DeadlockOption,
    FormatOption,
    FullOption,
    JsonLinesOption,
    JsonOption,
    OnlyOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    RawOption,
    SeedOption,
    SolverOption,
    TimeoutOption,
    TraceForm,
    TraceOption,
    TracesOption,
    VerboseOption,
    WatchOption,
)
from bmc.cli.shared.temporal import (
    AlsoTemporal,
    Wish,
    by_kind,
    decide_temporal,
    require_of_behaviours,
)

if TYPE_CHECKING:
    from bmc.cli.shared.request import Request
    from bmc.engines.task import Task


DEPTH = 10
"""The most steps of a trace unless another number is asked for."""


def check(
    protocol: ProtocolArgument,
    depth: Annotated[
        int | None,
        typer.Option("--depth", help="The most steps a trace may have; 10 unless it is given."),
    ] = None,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: AllOption = False,
    deadlock: DeadlockOption = False,
    go_on: ContinueOption = False,
    solver: SolverOption = SOLVER,
    timeout: TimeoutOption = None,
    full: FullOption = False,
    only: OnlyOption = None,
    trace: TraceOption = None,
    max_traces: TracesOption = 1,
    seed: SeedOption = 0,
    raw: RawOption = False,
    form: FormatOption = TraceForm.TEXT,
    as_json: JsonOption = False,
    json_lines: JsonLinesOption = False,
    watch: WatchOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Search for violations up to a depth.

    Traces are as short as can be. A search for all claims ends at the depth of the first violation
    unless --continue is given; one for properties that are named goes on. Nothing found up to the
    depth is exit code 0, and no proof.
    """
    with Answer("check", as_json, verbose, json_lines) as answer:
        from bmc.cli.shared.request import Request
        from bmc.engines.task import Task

        request = Request.of(protocol, parameters, timeout, partly=True)
        chosen, refused = request.decidable(properties)
        properties = list(chosen)
        answer.also(refused)
        asked = [*properties, *([request.no_deadlock()] if deadlock else [])] if properties else []
        temporal, others = by_kind(request, asked)
        if temporal:
            from bmc.cli.shared.widening import roomy_request

            request = roomy_request(request, timeout)
        wish = Wish(request.left(timeout), None, full, form, trace=trace, event=answer.lines)
        if temporal and not others:
            require_of_behaviours(
                {
                    "--depth": depth is not None,
                    "--solver": solver != SOLVER,
                    **Counterexamples.given(only, max_traces, seed, raw),
                }
            )
            decide_temporal(answer, request, properties, wish, {"depth": DEPTH})
            return
        beside = AlsoTemporal(tuple(temporal), wish, monotonic())
        wanted = request.claims(others, every, deadlock)
        left = request.left(timeout)
        most = DEPTH if depth is None else depth
        task = Task(request.suite, request.parameters, wanted, most, left, solver=solver)
        shown = Counterexamples.of(full, only, trace, max_traces, seed, raw, form)
        _check(answer, request, task, shown, not (properties or every or go_on), beside)


def _check(
    answer: Answer,
    request: Request,
    task: Task,
    shown: Counterexamples,
    at_violation: bool,
    beside: AlsoTemporal,
) -> None:
    from bmc.cli.shared.decide import code_of, decide, is_cut_short, overflow_of
    from bmc.cli.shared.widening import in_the_text_s_words, with_room
    from bmc.engines.bounded import check as search
    from bmc.engines.shortest import shortest_violations
    from bmc.reports.proofs.verdicts import ResultWriter, is_clean
    from bmc.reports.vocabulary import Vocabulary

    shown.words(request)
    run = (
        partial(search, stop_at_violation=at_violation)
        if shown.taste is None
        else partial(shortest_violations, taste=shown.taste, stop_at_violation=at_violation)
    )
    request, task, progress, results = with_room(
        request,
        task,
        lambda request, task, progress: decide(
            run, task, progress, "bounded", telling(answer, request)
        ),
        overflow_of,
    )
    results = in_the_text_s_words(request, results)
    words = shown.words(request)
    answer.code = outcome.worst(
        outcome.OK if is_clean(result, task.depth) else code_of(result) for result in results
    )
    written: dict[str, str] = answer.stored(partial(shown.write, request, results), {})
    behaviours = beside.decide(request, is_cut_short(results))
    if behaviours is not None:
        answer.code = outcome.worst((answer.code, behaviours.code))
        written |= behaviours.traces(answer, len(set(written.values())))
    if answer.as_json:
        from bmc.reports.documents import ResultDocuments
        from bmc.reports.proofs.scope import Scope, scope_json

        documents = ResultDocuments(request.suite, Vocabulary.of(request.suite, request.parameters))
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(Scope.of(request.suite, request.parameters, beside.names)),
                "depth": task.depth,
                "results": [
                    *(documents.result(result) for result in results),
                    *(() if behaviours is None else behaviours.documents({})),
                ],
                "facts": progress.learnt() if is_cut_short(results) else progress.facts,
                "traces": written,
            }
        )
        return
    writer = ResultWriter(
        answer.page,
        request.suite,
        words,
        searched=task.depth,
        full=shown.full,
        verbose=answer.verbose,
    )
    write_results(answer, request, writer, results, progress, beside.names)
    if behaviours is not None:
        behaviours.write(answer)
    write_places(answer, written, shown.file)
    write_cost(answer, progress)
