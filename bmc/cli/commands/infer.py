"""`bmc infer`: lemmas for a property, from nothing but the protocol, and the proof they make."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bmc.cli.shared import outcome, processors
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import write_cost
from bmc.cli.shared.options import (
    CertificateOption,
    JsonOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    VerboseOption,
)

if TYPE_CHECKING:
    from bmc.analysis.inference.infer import InferenceOptions
    from bmc.cli.shared.inference import InferenceOutcome
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.engines.task import Task

SECONDS = 300.0


def infer(
    protocol: ProtocolArgument,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    arguments: Annotated[
        int, typer.Option("--arguments", metavar="N", help="Bound variables of a lemma, at most.")
    ] = 4,
    states: Annotated[
        int, typer.Option("--states", metavar="N", help="Explore about so many states.")
    ] = 1_000_000,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Stop looking for more then.")
    ] = SECONDS,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides what is sampled.")] = 0,
    state: Annotated[
        Path | None,
        typer.Option("--state", metavar="DIR", help="Keep what is found here, and go on from it."),
    ] = None,
    all_parameters: Annotated[
        bool,
        typer.Option("--all-parameters", help="Look for a proof at all parameter values."),
    ] = False,
    master: Annotated[
        str | None,
        typer.Option(
            "--master",
            metavar="URL",
            help="Ask of many lemmas at a time, and prove, on this Spark cluster.",
        ),
    ] = None,
    certificate: CertificateOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Infer the lemmas that a proof needs, and prove with them.

    The protocol's own lemmas are not used, nor its history where no property speaks of it. What is
    found is printed as text of the language; the proof is re-checked like any other, and its
    certificate carries the lemmas. When the limit passes, the best set so far is shown, which
    nothing is proved by. Exit code 0 when all is proved, 1 with the trace when a property is
    violated, 3 when something is open.
    """
    with Answer("infer", as_json, verbose) as answer:
        from bmc.analysis.inference.infer import InferenceOptions
        from bmc.cli.shared.request import Request
        from bmc.engines.task import OptionError, Task
        from bmc.running.files import require_writable

        if certificate is not None:
            require_writable(certificate)
        if master is not None and all_parameters:
            raise OptionError(
                "--all-parameters and --master do not go together here: infer first, and prove "
                "with the lemmas in the protocol's text by `bmc prove --all-parameters --master`"
            )
        options = InferenceOptions(states, timeout, arguments, seed, state)
        request = Request.of(protocol, parameters, timeout)
        if all_parameters:
            request.suite.require_free()
        wanted = request.claims(properties, everything=False)
        task = Task(request.suite, request.parameters, wanted, judges=processors.judges(None))
        _infer(answer, request, task, options, certificate, all_parameters, master)


def _infer(
    answer: Answer,
    request: Request,
    task: Task,
    options: InferenceOptions,
    certificate: Path | None,
    for_all: bool,
    master: str | None,
) -> None:
    from bmc.cli.shared.decide import code_of
    from bmc.cli.shared.inference import inferred_and_proved, inferred_for_all
    from bmc.cli.shared.widening import with_room_to_explore

    def decide(_: Request, task: Task, progress: Progress) -> InferenceOutcome:
        left = options if task.timeout is None else replace(options, seconds=task.timeout)
        task = replace(task, timeout=None)
        if master is not None:
            from bmc.cli.shared.cluster_inference import ClusterInference
            from bmc.cli.shared.cluster_proof import ClusterEngine

            with ClusterInference(ClusterEngine(master, request.name), progress) as there:
                return inferred_and_proved(task, left, progress, there)
        run = inferred_for_all if for_all else inferred_and_proved
        return run(task, left, progress)

    request, _, progress, found = with_room_to_explore(
        request, replace(task, timeout=options.seconds), decide
    )
    answer.code = outcome.worst(code_of(result) for result in found.results)
    if certificate is not None and found.for_all is not None:
        if found.for_all.certificate is not None:
            answer.stored(partial(found.for_all.certificate.write, certificate), None)
    elif certificate is not None:
        from bmc.cli.shared.certificates import write_certificates

        none: dict[str, Path] = {}
        suite = found.task.suite
        answer.stored(partial(write_certificates, found.results, suite, certificate), none)
    if found.inferred is not None and (lost := found.inferred.lost) is not None:
        progress.fact(f"no lemma is kept for the next run: {lost}")
        answer.also([lost])
    _report(answer, request, found, progress)


def _report(answer: Answer, request: Request, found: InferenceOutcome, progress: Progress) -> None:
    from bmc.cli.shared.conclusion import write_results
    from bmc.reports.documents import ResultDocuments
    from bmc.reports.proofs.inference import inferred_json, write_inferred
    from bmc.reports.proofs.scope import Scope, scope_json
    from bmc.reports.proofs.verdicts import ResultWriter
    from bmc.reports.vocabulary import Vocabulary

    suite, inferred = found.task.suite, found.inferred
    # A violation may be one at other parameters than those that were asked at.
    request = replace(request, parameters=dict(found.task.parameters))
    small = None if found.for_all is None else found.for_all.small
    # A step against a lemma at all parameters is one at others, too.
    words = Vocabulary.of(suite, request.parameters if small is None else small.parameters)
    if answer.as_json:
        documents = ResultDocuments(suite, words)
        content: dict[str, Any] = {
            "protocol": request.name,
            "parameters": request.parameters,
            "scope": scope_json(Scope.of(suite, request.parameters)),
            "results": [documents.result(result) for result in found.results],
            "facts": progress.facts,
        }
        content |= {"all_parameters": found.for_all is not None}
        if found.for_all is not None:
            content["induction_failure_at"] = None if small is None else dict(small.parameters)
        more = {"lemmas": []} if inferred is None else inferred_json(suite, inferred, found.results)
        answer.document(content | more)
        return
    if found.for_all is not None:
        from bmc.reports.proofs.parametric import ParametricWriter

        told = ParametricWriter(answer.page, suite, words, full=False)
        told.heading(request.name)
        told.results(found.for_all)
        told.open(found.for_all)
    else:
        writer = ResultWriter(answer.page, suite, words, verbose=answer.verbose)
        write_results(answer, request, writer, found.results, progress)
    if inferred is not None:
        write_inferred(answer.page, suite, inferred, found.results)
    write_cost(answer, progress)
