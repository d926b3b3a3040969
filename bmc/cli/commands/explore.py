"""`bmc explore`: every reachable state, counted level by level."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import telling, write_cost
from bmc.cli.shared.counterexamples import Counterexamples, write_places
from bmc.cli.shared.exploring import ClusterPlace, SearchLimits, disk_place, engine_for
from bmc.cli.shared.graph_output import require_graph_file, write_graph
from bmc.cli.shared.options import (
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
    TimeoutOption,
    TraceForm,
    TraceOption,
    TracesOption,
    VerboseOption,
    WatchOption,
)

INTERRUPTED = "interrupted"

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.engines.explicit import Exploration
    from bmc.engines.spilled import Spill
    from bmc.engines.task import Task
    from bmc.evidence.verdict import Result


def explore(
    protocol: ProtocolArgument,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="Judge every claim and witness of the protocol.")
    ] = False,
    deadlock: DeadlockOption = False,
    go_on: ContinueOption = False,
    max_states: Annotated[
        int | None, typer.Option("--max-states", metavar="N", help="Stop after so many states.")
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            "--depth", "--max-depth", metavar="N", help="Look no further than so many steps."
        ),
    ] = None,
    symmetry: Annotated[
        bool,
        typer.Option("--symmetry", help="Keep one state of those that differ in names only."),
    ] = False,
    master: Annotated[
        str | None,
        typer.Option("--master", metavar="URL", help="Search on this Spark cluster."),
    ] = None,
    shared: Annotated[
        str | None,
        typer.Option(
            "--shared",
            metavar="DIR",
            help="With --master: a path or URI that all executors see; a search goes on there.",
        ),
    ] = None,
    spill: Annotated[
        Path | None,
        typer.Option(
            "--spill",
            metavar="DIR",
            help="Keep the states on disk, in this folder; with --master one of each executor.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="With --spill: go on with the search that is there."),
    ] = False,
    on_text: Annotated[
        bool,
        typer.Option("--on-text", help="Search the text of a .tla itself: no model is made."),
    ] = False,
    timeout: TimeoutOption = None,
    memory: Annotated[
        int | None,
        typer.Option(
            "--memory",
            metavar="MB",
            help="Hold no more memory: go on on disk. With --master, each task.",
        ),
    ] = None,
    full: FullOption = False,
    only: OnlyOption = None,
    trace: TraceOption = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            "--graph",
            metavar="FILE",
            help="Write all states and steps here: .html is a page, .dot is for Graphviz. "
            "For models of at most 2,000 states.",
        ),
    ] = None,
    max_traces: TracesOption = 1,
    seed: SeedOption = 0,
    raw: RawOption = False,
    form: FormatOption = TraceForm.TEXT,
    as_json: JsonOption = False,
    json_lines: JsonLinesOption = False,
    watch: WatchOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Explore and count all reachable states.

    The claims that are not known to be refuted are judged, as `bmc check` does, and the search ends
    at the first violation unless --continue is given. With --property or --all those properties are
    judged instead, in all states. Exit code 0 if none of them is violated, also when --max-states
    or --depth ends the search; 3 when time, memory or the disk does.
    """
    with Answer("explore", as_json, verbose, json_lines) as answer:
        from bmc.cli.shared.request import CLAIMS, Request
        from bmc.engines.task import Task
        from bmc.lang.properties import Kind

        if on_text:
            from bmc.cli.shared.specifications import bounds_given
            from bmc.cli.shared.text_search import TextQuestion, require_only, search_text

            no_model: dict[str, object] = {"--all": every, "--continue": go_on, "--master": master}
            no_model |= {"--spill": spill, "--shared": shared, "--resume": resume, "--trace": trace}
            no_model |= {"--graph": graph, "--raw": raw, "--only": only, "--seed": seed}
            require_only(no_model | {"--max-traces": max_traces != 1, "--bound": bounds_given()})
            within = SearchLimits(max_states, max_depth, True)
            claims, constants = properties or (), parameters or ()
            asked = TextQuestion(
                protocol, constants, claims, deadlock, symmetry, within, timeout, memory
            )
            search_text(answer, asked)
            return
        request = Request.of(protocol, parameters, timeout, memory, partly=True)
        chosen, refused = request.decidable(properties)
        answer.also(refused)
        request.refuse_temporal(chosen, symmetry)
        by_default = not chosen and not every
        if every or not chosen:
            kinds = (*CLAIMS, Kind.WITNESS) if every else CLAIMS
            known = () if every else request.suite.refuted
            stated = [d.name for d in request.suite.declared(*kinds) if d.name not in known]
            request, chosen = request.explorable(stated)
        if deadlock:
            chosen = tuple(dict.fromkeys((*chosen, request.no_deadlock())))
        left = request.left(timeout)
        task = Task(request.suite, request.parameters, chosen, timeout=left, memory=memory)
        limits = SearchLimits(max_states, max_depth, by_default and not go_on)
        shown = Counterexamples.of(full, only, trace, max_traces, seed, raw, form)
        where = ClusterPlace.of(master, shared, symmetry, limits, spill)
        on_disk = disk_place(spill, resume, master)
        if graph is not None:
            require_graph_file(graph)
        _explore(answer, request, task, limits, symmetry, shown, where, on_disk, graph)


Searched: TypeAlias = "tuple[Exploration, tuple[Result, ...]]"


def _explore(
    answer: Answer,
    request: Request,
    task: Task,
    limits: SearchLimits,
    symmetry: bool,
    shown: Counterexamples,
    where: ClusterPlace | None,
    on_disk: Spill | None,
    graph: Path | None,
) -> None:
    from bmc.cli.shared.decide import Announcing
    from bmc.cli.shared.widening import text_reason, with_room
    from bmc.engines.confirmation import confirmed
    from bmc.engines.task import Deadline, Interrupted

    shown.words(request)
    latest: list[tuple[Request, Task, Progress]] = []
    interrupted = False

    def search(request: Request, task: Task, progress: Progress) -> Searched:
        latest[:] = [(request, task, progress)]
        deadline = Deadline(task.timeout)
        with progress:
            told = Announcing(task, progress, telling(answer, request))
            if where is not None:
                found = where.explore(request, task, limits, told)
            else:
                found = engine_for(on_disk)(
                    task,
                    told,
                    max_states=limits.states,
                    max_depth=limits.steps,
                    stop_at_violation=limits.at_violation,
                    symmetry=symmetry,
                )
            said = text_reason(request, found.overflow)
            if said is not None:
                found = replace(found, stopped_because=said, overflow_reason=said, stopped_at=None)
            results = shown.simpler(task, found.verdicts(), progress, deadline)
            found, results = _with_the_open_told(found, confirmed(task, results, found.reached))
            told.rest(results)
            return found, results

    try:
        request, task, progress, (found, results) = with_room(
            request, task, search, lambda searched: searched[0].overflow
        )
    except KeyboardInterrupt as error:
        ((request, task, progress),) = latest
        if not isinstance(error, Interrupted):
            _answer_interrupted(answer, request, task, progress)
            return
        found, interrupted = cast("Exploration", error.found), True
        # A trace is no violation before the text has agreed to it.
        found, results = _with_the_open_told(found, confirmed(task, found.verdicts()))
    within = limits.reached(found) and not interrupted
    answer.code = _code(_without_the_open(found, results), within)
    if answer.code == outcome.OK and any(_is_without_value(found, r) for r in results):
        answer.code = outcome.UNKNOWN
    _answer(answer, request, found, results, shown, progress, within)
    if graph is not None:
        states = found.distinct_states if found.complete else None
        drawn = partial(write_graph, graph, task, shown.words(request), states)
        if answer.stored(lambda: drawn() is None, otherwise=False) and not answer.as_json:
            answer.page.line(f"Graph: {graph}")


def _with_the_open_told(found: Exploration, results: tuple[Result, ...]) -> Searched:
    """Return what was found, not stopped by the violation of a claim that has no value there.

    Where the text gives a step no value, that is said of the search, and once.
    """
    violated = _without_the_open(found, results).violations
    for one in [r for r in results if r.property in found.violations.keys() - violated.keys()]:
        ended_it = found.stopped_at == one.property
        said = found.stopped_because
        told = f"{one.property} has no value in a state that was taken for a violation"
        told += ": add --continue"
        if one.overflow is not None:
            told = one.reason or told
            found = replace(found, overflow=one.overflow, overflow_reason=told)
        if ended_it or one.overflow is not None:
            found = replace(found, stopped_because=told, stopped_at=None)
        results = tuple(
            replace(
                r,
                overflow=None if r.property == one.property else r.overflow,
                reason=told if ended_it and r.reason == said else r.reason,
            )
            for r in results
        )
    return found, results


def _is_without_value(found: Exploration, result: Result) -> bool:
    """Whether a claim that an exploration has decided is open all the same."""
    from bmc.evidence.verdict import Verdict

    decided = found.complete or result.property in found.violations
    return decided and result.verdict is Verdict.UNKNOWN


def _without_the_open(found: Exploration, results: tuple[Result, ...]) -> Exploration:
    """Return an exploration without the violations of claims that turned out to have no value."""
    from bmc.evidence.verdict import Verdict

    violated = {r.property for r in results if r.verdict is Verdict.VIOLATED}
    left = {name: trace for name, trace in found.violations.items() if name in violated}
    return replace(found, violations=left)


def _code(found: Exploration, within_limit: bool) -> int:
    if found.violations:
        return outcome.VIOLATION
    missed = [name for name, trace in found.witnesses.items() if trace is None]
    if found.complete:
        return outcome.VIOLATION if missed else outcome.OK
    as_asked = within_limit and found.overflow is None and not missed
    return outcome.OK if as_asked else outcome.UNKNOWN


def _answer(
    answer: Answer,
    request: Request,
    found: Exploration,
    results: tuple[Result, ...],
    shown: Counterexamples,
    progress: Progress,
    within_limit: bool,
) -> None:
    from bmc.reports.exploration.explorations import exploration_json, write_exploration
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import ResultWriter, write_heading
    from bmc.reports.vocabulary import Vocabulary

    scope = Scope.of(request.suite, request.parameters)
    # The path is shown with the counts, so the results themselves are without it.
    told = tuple(r if r.trace is not None else replace(r, overflow=found.overflow) for r in results)
    written: dict[str, str] = answer.stored(partial(shown.write, request, told), {})
    if answer.as_json:
        from bmc.reports.documents import ResultDocuments

        words = Vocabulary.of(request.suite, request.parameters)
        documents = ResultDocuments(request.suite, words)
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(scope),
                **exploration_json(documents, found, results),
                "facts": progress.facts,
                "traces": written,
            }
        )
        return
    words = shown.words(request)
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    write_exploration(answer.page, words, found, shown.full)
    writer = ResultWriter(
        answer.page,
        request.suite,
        words,
        searched=found.searched_depth if within_limit else None,
        full=shown.full,
        verbose=answer.verbose,
    )
    writer.table(results)
    writer.evidence(results)
    write_places(answer, written, shown.file)
    write_cost(answer, progress)


def _answer_interrupted(answer: Answer, request: Request, task: Task, progress: Progress) -> None:
    from bmc.cli.shared.decide import code_of
    from bmc.engines.confirmation import confirmed
    from bmc.lang.properties import Kind
    from bmc.reports.proofs.verdicts import ResultWriter, write_heading
    from bmc.reports.runs import write_interruption
    from bmc.reports.vocabulary import Vocabulary

    claims = [n for n in task.properties if task.suite.find(n).kind is not Kind.WITNESS]
    from bmc.evidence.verdict import Unanswered, Why

    ended = Unanswered(Why.INTERRUPTED, INTERRUPTED)
    results = confirmed(task, progress.known(claims, ended, "explicit"))
    codes = [code_of(result) for result in results]
    answer.code = outcome.worst([*codes, outcome.UNKNOWN])
    words = Vocabulary.of(request.suite, request.parameters)
    if answer.as_json:
        from bmc.reports.documents import ResultDocuments

        documents = ResultDocuments(request.suite, words)
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "distinct_states": None,
                "generated_states": None,
                "depth": None,
                "levels": None,
                "complete": False,
                "stopped_because": INTERRUPTED,
                "results": [documents.result(result) for result in results],
                "witnesses": {},
                "overflow": None,
                "fired": {},
                "facts": progress.learnt(),
            }
        )
        return
    write_heading(answer.page, request.name, request.parameters)
    write_interruption(answer.page, answer.seconds, progress.learnt())
    writer = ResultWriter(answer.page, request.suite, words)
    writer.table(results)
    writer.evidence(results)
    answer.cost()
