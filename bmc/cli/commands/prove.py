"""`bmc prove`: proofs for every depth, by induction."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.commands.prove_options import (
    EXPLICIT,
    require_a_depth,
    require_depth,
    require_here,
    require_no_inference,
    require_of_explorations,
)
from bmc.cli.shared import outcome, processors
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import telling, write_cost, write_results
from bmc.cli.shared.counterexamples import Counterexamples, write_places
from bmc.cli.shared.options import (
    SOLVER,
    AllOption,
    CertificateOption,
    DeadlockOption,
    FormatOption,
    FullOption,
    JsonLinesOption,
    JsonOption,
    MemoryOption,
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
    engines_offered,
)
from bmc.cli.shared.temporal import AlsoTemporal, by_kind, decide_temporal, require_of_behaviours
from bmc.cli.shared.temporal import Wish as TemporalWish
from bmc.cli.shared.validity_core import (
    ExplainOption,
    account,
    explained,
    write_bounds,
    write_witnesses,
)
from bmc.engines.engine import AUTO, TEMPORAL_ENGINES, temporal_engine
from bmc.engines.engine import engine as engine_of
from bmc.lang.deadlock import NO_DEADLOCK

if TYPE_CHECKING:
    from bmc.cli.shared.decide import Engine
    from bmc.cli.shared.request import Request
    from bmc.engines.task import Observer, Task
    from bmc.evidence.lasso import TemporalResult
    from bmc.evidence.verdict import Result

DEPTH = 10
"""The greatest depth of induction unless another is asked for."""

INDUCTION = "kinduction"
"""The engine that a cluster can share."""

IC3 = "ic3"
"""The engine that is beside an inference."""


def prove(
    protocol: ProtocolArgument,
    k: Annotated[
        int | None,
        typer.Option("--k", help="The greatest depth of induction; 10 unless it is given."),
    ] = None,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    engine: Annotated[
        str, typer.Option("--engine", metavar="ENGINE", help=engines_offered(proving=True))
    ] = AUTO,
    no_lemmas: Annotated[
        bool, typer.Option("--no-lemmas", help="Prove without the protocol's lemmas.")
    ] = False,
    all_parameters: Annotated[
        bool,
        typer.Option("--all-parameters", help="Prove at all parameter values at once."),
    ] = False,
    infer: Annotated[
        bool,
        typer.Option("--infer", help="Infer the lemmas, instead of using the protocol's."),
    ] = False,
    every: AllOption = False,
    deadlock: DeadlockOption = False,
    master: Annotated[
        str | None,
        typer.Option(
            "--master", metavar="URL", help="Prove on this Spark cluster; for proofs of minutes."
        ),
    ] = None,
    solver: SolverOption = SOLVER,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    certificate: CertificateOption = None,
    explain: ExplainOption = False,
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
    """Prove properties for every depth.

    The parameters are fixed, unless --all-parameters proves it for all of them at once. Without
    --property it proves all claims that are not known to be refuted, and shows of the others what
    a short search finds.
    """
    with Answer("prove", as_json, verbose, json_lines) as answer:
        from bmc.cli.shared.request import Request
        from bmc.engines.task import Explores, Task

        require_depth(k)
        shown = Counterexamples.of(full, only, trace, max_traces, seed, raw, form)
        temporal = (AUTO, *(one.name for one in TEMPORAL_ENGINES))
        if engine not in temporal:
            engine_of(engine, proving=True)
        if all_parameters:
            if deadlock:
                properties = [*(properties or ()), NO_DEADLOCK]
            from bmc.cli.commands.prove_for_all import Wanted, prove_for_all, require_no_numbers

            require_no_numbers(k, shown, explain, memory, solver)
            require_no_inference(infer)
            wish = Wanted(
                protocol, properties, every, not no_lemmas, timeout, certificate, full, master
            )
            prove_for_all(answer, wish, parameters, engine)
            return
        request = Request.of(protocol, parameters, timeout, memory, partly=True)
        chosen, refused = request.decidable(properties)
        properties = list(chosen)
        answer.also(refused)
        asked = [*properties, *([request.no_deadlock()] if deadlock else [])] if properties else []
        about_behaviours, plain = by_kind(request, asked)
        if about_behaviours:
            from bmc.cli.shared.widening import roomy_request

            require_here(master, "temporal claims")
            request = roomy_request(request, timeout)
        told = TemporalWish(
            request.left(timeout), memory, full, form, engine, certificate, trace, answer.lines
        )
        behaviours_alone = bool(about_behaviours) and not plain
        if k is not None and (engine != AUTO or behaviours_alone):
            require_a_depth(engine, behaviours_alone)
        if behaviours_alone:
            require_of_behaviours(
                {
                    "--infer": infer,
                    "--no-lemmas": no_lemmas,
                    "--solver": solver != SOLVER,
                    "--explain": explain,
                    **Counterexamples.given(only, max_traces, seed, raw),
                }
            )
            decide_temporal(answer, request, properties, told, {"refuted": []})
            return
        beside = AlsoTemporal(tuple(about_behaviours), told, monotonic())
        if engine != AUTO:
            engine_of(engine, proving=True)
        if engine != AUTO and about_behaviours:
            temporal_engine(engine)
        if engine == EXPLICIT:
            require_of_explorations({"--no-lemmas": no_lemmas, "--solver": solver != SOLVER})
        wanted = request.claims(plain, every, deadlock)
        depth = DEPTH if k is None else k
        left = request.left(timeout)
        task = Task(request.suite, request.parameters, wanted, depth, left, not no_lemmas, solver)
        explores = Explores.AT_ONCE if certificate is None else Explores.AT_LAST
        task = replace(task, memory=memory, judges=processors.judges(memory), explores=explores)
        left_out = () if properties or every else request.refuted()
        proofs: tuple[Result, ...] = ()
        remark = None
        if master is not None and engine not in (AUTO, INDUCTION):
            require_here(master, f"--engine {engine}")
        if infer:
            require_here(master, "--infer")
            from bmc.cli.shared.inference import with_inferred_lemmas
            from bmc.cli.shared.widening import with_room_to_explore

            request, _, _, prepared = with_room_to_explore(
                request, task, lambda _, task, progress: with_inferred_lemmas(task, progress)
            )
            task, proofs, remark = prepared
            request = replace(request, suite=task.suite)
        _prove(
            answer,
            request,
            task,
            engine,
            left_out,
            certificate,
            shown,
            explain,
            master,
            proofs,
            remark,
            beside,
        )


def _run_of(name: str, master: str | None, protocol: str, known: tuple[Result, ...]) -> Engine:
    if known and name in (AUTO, IC3):
        return partial(_told, known)
    if master is not None:
        from bmc.cli.shared.cluster_proof import ClusterEngine

        return ClusterEngine(master, protocol).prove
    if name != AUTO:
        return engine_of(name, proving=True).prove
    from bmc.engines.portfolio import prove as auto

    return auto


def _told(known: tuple[Result, ...], _: Task, observer: Observer) -> tuple[Result, ...]:
    for result in known:
        observer.decided(result)
    return known


def _prove(
    answer: Answer,
    request: Request,
    task: Task,
    engine: str,
    left_out: tuple[str, ...],
    certificate: Path | None,
    shown: Counterexamples,
    explain: bool,
    master: str | None,
    proofs: tuple[Result, ...],
    remark: str | None,
    beside: AlsoTemporal,
) -> None:
    from bmc.cli.shared.certificates import certificate_of, write_certificates
    from bmc.cli.shared.cti_analysis import studied, told
    from bmc.cli.shared.decide import code_of, decide, is_cut_short, overflow_of
    from bmc.cli.shared.widening import in_the_text_s_words, with_room
    from bmc.engines.task import Deadline
    from bmc.reports.vocabulary import Vocabulary
    from bmc.running.files import require_writable

    deadline = Deadline(task.timeout)
    if certificate is not None:
        require_writable(certificate)
    shown.words(request)
    request, task, progress, results = with_room(
        request,
        task,
        lambda request, task, progress: decide(
            shown.simplifying(_run_of(engine, master, request.name, proofs)),
            task,
            progress,
            engine,
            telling(answer, request),
        ),
        overflow_of,
    )
    results = in_the_text_s_words(request, results)
    words = shown.words(request)
    behaviours = beside.decide(request, is_cut_short(results))
    everything: list[Result | TemporalResult] = [*results]
    everything += () if behaviours is None else behaviours.results
    interrupted = is_cut_short(everything)
    written: dict[str, Path] = {}
    if certificate is not None:
        written = answer.stored(
            partial(write_certificates, everything, request.suite, certificate), {}
        )
    searches: tuple[Result, ...] = ()
    if left_out and not interrupted:
        from bmc.cli.shared.refuted import short_search

        searches = short_search(task, left_out, deadline)
    answer.code = outcome.worst(code_of(r) for r in results)
    further = None if interrupted else studied(task, results, answer.seconds)
    why = explained(explain and not interrupted, task, results, deadline)
    traces: dict[str, str] = answer.stored(partial(shown.write, request, results), {})
    if behaviours is not None:
        answer.code = outcome.worst((answer.code, behaviours.code))
        traces |= behaviours.traces(answer, len(set(traces.values())))
    if answer.as_json:
        from bmc.reports.documents import ResultDocuments
        from bmc.reports.proofs.scope import Scope, scope_json

        vocabulary = Vocabulary.of(request.suite, request.parameters)
        documents = ResultDocuments(request.suite, vocabulary)
        files = {name: str(path) for name, path in written.items()}
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(Scope.of(request.suite, request.parameters, beside.names)),
                "results": [
                    *(documents.result(r, files.get(r.property)) for r in results),
                    *(() if behaviours is None else behaviours.documents(written)),
                ],
                "refuted": [documents.refuted(search) for search in searches],
                "witnesses_checked": why is not None and why.vacuity is not None,
                "why_it_holds": account(why),
                "next_step": told(request.suite, vocabulary, further),
                "facts": [
                    *([remark] if remark is not None else []),
                    *(progress.learnt() if is_cut_short(results) else progress.facts),
                ],
                "traces": traces,
            }
        )
        return
    from bmc.reports.proofs.verdicts import ResultWriter

    writer = ResultWriter(
        answer.page, request.suite, words, full=shown.full, verbose=answer.verbose
    )
    write_results(answer, request, writer, results, progress, beside.names)
    if behaviours is not None:
        behaviours.write(answer)
    if remark is not None:
        answer.page.line(remark)
    if why is not None:
        from bmc.reports.proofs.validity_core import write_proof_account

        write_proof_account(answer.page, request.suite, why)
    else:
        write_witnesses(answer.page, request, results, explain)
    if explain and request.suite.origin is not None:
        write_bounds(answer.page, request.suite.origin)
    if further is not None:
        from bmc.reports.proofs.cti_analysis import write_study

        write_study(answer.page, request.suite, words, further, request.name, shown.full)
    writer.left_out(searches)
    write_places(answer, traces, shown.file)
    if certificate is not None:
        from bmc.cli.shared.certificates import command_to_check

        about: dict[Path, list[str]] = {}
        for name, file in written.items():
            about.setdefault(file, []).append(name)
        for file, names in about.items():
            of = f" of {', '.join(names)}" if len(about) > 1 else ""
            answer.page.line(
                f"Certificate{of}: {file}; `{command_to_check(file, request.name)}` checks it"
            )
        if all(certificate_of(result) is None for result in everything):
            answer.page.line("No certificate: nothing was proved")
    write_cost(answer, progress)
