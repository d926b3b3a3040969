"""`bmc mine`: lemmas found in the states, as text to paste."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import write_cost
from bmc.cli.shared.options import (
    JsonOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    VerboseOption,
)

if TYPE_CHECKING:
    from bmc.analysis.mining.mine import ClaimViolated, MiningOptions
    from bmc.cli.shared.request import Request
    from bmc.engines.task import Task


def mine(
    protocol: ProtocolArgument,
    properties: PropertyOption = None,
    parameters: ParameterOption = None,
    beside_lemmas: Annotated[
        bool,
        typer.Option("--beside-lemmas", help="Start from the protocol's own lemmas."),
    ] = False,
    history: Annotated[
        bool, typer.Option("--history", help="Speak of the history's variables, too.")
    ] = False,
    arguments: Annotated[
        int, typer.Option("--arguments", metavar="N", help="Bound variables of a lemma, at most.")
    ] = 3,
    states: Annotated[
        int, typer.Option("--states", metavar="N", help="Explore about so many states.")
    ] = 1_000_000,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Stop looking for more then.")
    ] = 60.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides what is sampled.")] = 0,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Look for lemmas that make claims inductive.

    What it finds is printed as text of the language: nothing is proved by it, `bmc prove` does
    that once a lemma is part of the protocol. Exit code 0 when all claims are inductive with what
    was found, 3 when not, and 1 with the trace when a claim is violated.
    """
    with Answer("mine", as_json, verbose) as answer:
        from bmc.analysis.mining.mine import MiningOptions
        from bmc.cli.shared.request import Request
        from bmc.engines.task import Task

        request = Request.of(protocol, parameters, timeout)
        wanted = request.claims(properties, everything=False)
        options = MiningOptions(states, timeout, arguments, beside_lemmas, history, seed)
        _mine(answer, request, Task(request.suite, request.parameters, wanted), options)


def _mine(answer: Answer, request: Request, task: Task, options: MiningOptions) -> None:
    from bmc.analysis.mining.mine import ClaimViolated
    from bmc.analysis.mining.mine import mine as engine
    from bmc.cli.shared.progress import Progress
    from bmc.reports.proofs.mining import mined_json, write_mined
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.runs import write_interruption

    progress = Progress()
    scope = Scope.of(request.suite, request.parameters)
    heading = {
        "protocol": request.name,
        "parameters": request.parameters,
        "scope": scope_json(scope),
    }
    try:
        with progress:
            found = engine(task, options, progress)
    except ClaimViolated as error:
        _violated(answer, request, replace(task, timeout=options.seconds), error)
        return
    except KeyboardInterrupt:
        answer.code = outcome.UNKNOWN
        if answer.as_json:
            answer.document(heading | {"lemmas": None, "facts": progress.learnt()})
            return
        write_heading(answer.page, request.name, request.parameters)
        write_scope(answer.page, scope)
        write_interruption(answer.page, answer.seconds, progress.learnt())
        return
    answer.code = outcome.UNKNOWN if found.open else outcome.OK
    if answer.as_json:
        facts = {"facts": progress.facts}
        answer.document(heading | mined_json(request.suite, found) | facts)
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    write_mined(answer.page, request.suite, found)
    write_cost(answer, progress)


def _violated(answer: Answer, request: Request, task: Task, refusal: ClaimViolated) -> None:
    """Answer with the shortest trace; raise the refusal if exploring does not come to it."""
    from bmc.cli.shared.inference import shortest_violation
    from bmc.cli.shared.progress import Progress
    from bmc.engines.confirmation import confirmed
    from bmc.evidence.verdict import Verdict
    from bmc.reports.documents import ResultDocuments
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import ResultWriter, write_heading
    from bmc.reports.vocabulary import Vocabulary

    progress = Progress()
    with progress:
        found = confirmed(task, shortest_violation(task, progress))
    # A claim without a value at its trace's end is none that is violated.
    results = tuple(r for r in found if r.verdict is Verdict.VIOLATED)
    if not results:
        raise refusal
    answer.code = outcome.VIOLATION
    words = Vocabulary.of(request.suite, request.parameters)
    scope = Scope.of(request.suite, request.parameters)
    if answer.as_json:
        documents = ResultDocuments(request.suite, words)
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(scope),
                "lemmas": None,
                "results": [documents.result(result) for result in results],
                "facts": progress.facts,
            }
        )
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    writer = ResultWriter(answer.page, request.suite, words, verbose=answer.verbose)
    writer.table(results)
    answer.page.line("No lemma proves what is violated: repair the protocol or the claim first.")
    answer.page.blank()
    writer.evidence(results)
    write_cost(answer, progress)
