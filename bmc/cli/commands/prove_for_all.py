"""`bmc prove --all-parameters`: a proof at all parameter values at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bmc.cli.shared import outcome
from bmc.cli.shared.decide import INTERRUPTED, code_of, is_cut_short
from bmc.cli.shared.options import SOLVER

if TYPE_CHECKING:
    from bmc.cli.shared.answer import Answer
    from bmc.cli.shared.counterexamples import Counterexamples
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.engines.allparams.prove import ParametricProof, ParametricTask
    from bmc.evidence.parametric_certificate import ParametricCertificate


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    protocol: str
    properties: Sequence[str] | None
    every: bool
    lemmas: bool
    timeout: float | None
    certificate: Path | None
    full: bool
    master: str | None = None


def require_no_numbers(
    k: int | None, shown: Counterexamples, explain: bool, memory: int | None, solver: str
) -> None:
    """OptionError for options of `prove` that a proof at all parameters has no use for."""
    from bmc.engines.task import OptionError

    if k is not None:
        raise OptionError("--all-parameters proves by induction over one step: leave --k out")
    if shown.file is not None or shown.only or (shown.taste and shown.taste.traces > 1):
        raise OptionError(
            "--all-parameters finds no traces: leave --trace, --only and --max-traces out, and "
            "search at fixed parameters with `bmc check`"
        )
    if explain:
        raise OptionError(
            "--all-parameters explains its proofs with --verbose: leave --explain out"
        )
    if memory is not None:
        raise OptionError(
            "--all-parameters holds to no limit of memory: leave --memory out, and limit the "
            "command (`ulimit -v`)"
        )
    if solver != SOLVER:
        raise OptionError("--all-parameters has solvers of its own: leave --solver out")


def prove_for_all(
    answer: Answer, wanted: Wanted, parameters: Sequence[str] | None, engine: str
) -> None:
    """Prove and report. Raises OptionError for options that speak of fixed parameters."""
    from bmc.cli.shared.progress import Progress
    from bmc.cli.shared.request import Request
    from bmc.cli.shared.temporal import names_temporal
    from bmc.engines.allparams.prove import ParametricTask
    from bmc.engines.task import OptionError
    from bmc.running.files import require_writable

    if parameters:
        raise OptionError("--all-parameters is for all values: leave -p out")
    if engine != "auto":
        raise OptionError("--all-parameters has an engine of its own: leave --engine out")
    if wanted.certificate is not None:
        require_writable(wanted.certificate)
    request = Request.of(wanted.protocol, None, wanted.timeout)
    request.suite.require_free()
    wanted = replace(wanted, properties=request.meant(wanted.properties))
    progress = Progress()
    if names_temporal(request, wanted.properties):
        request, proof = _ranked(request, wanted, progress)
    else:
        names = request.claims(wanted.properties, wanted.every)
        left = request.left(wanted.timeout)
        task = ParametricTask(request.suite, names, left, lemmas=wanted.lemmas)
        proof = _run(task, progress, request.name, wanted.master)
    written: str | None = None
    if wanted.certificate is not None and proof.certificate is not None:
        write = partial(_stored, proof.certificate, wanted.certificate)
        written = answer.stored(write, None)
    answer.code = outcome.worst(code_of(r) for r in proof.results)
    left_out = () if wanted.properties or wanted.every else request.refuted()
    _report(answer, request, wanted, proof, written, left_out, progress)


def _run(
    task: ParametricTask, progress: Progress, protocol: str, master: str | None
) -> ParametricProof:
    from bmc.engines.allparams.prove import ENGINE, ParametricProof
    from bmc.engines.allparams.prove import prove_for_all as engine

    try:
        with progress:
            if master is None:
                return engine(task, progress)
            from bmc.cli.shared.cluster_proof import ClusterEngine

            return ClusterEngine(master, protocol).prove_for_all(task, progress)
    except KeyboardInterrupt:
        results = progress.known(task.properties, INTERRUPTED, ENGINE)
        return ParametricProof(results, (), (), {}, {}, None, None, False, ())


def _ranked(
    request: Request, wanted: Wanted, progress: Progress
) -> tuple[Request, ParametricProof]:
    """The proof of a temporal claim, and the request as one about the model beside a monitor.

    Raises OptionError where there are several claims, or for a cluster.
    """
    from bmc.engines.allparams.prove import ENGINE, ParametricProof
    from bmc.engines.allparams.ranked import prove_by_rankings_for_all
    from bmc.engines.task import OptionError

    claim, *others = dict.fromkeys(wanted.properties or ())
    if others:
        raise OptionError(
            "each temporal claim has a proof of its own at all parameter values: name one"
        )
    if wanted.master is not None:
        raise OptionError("temporal claims are not proved on a cluster: leave --master out")
    try:
        with progress:
            left = request.left(wanted.timeout)
            found = prove_by_rankings_for_all(request.suite, claim, progress, left, wanted.lemmas)
    except KeyboardInterrupt:
        results = progress.known((claim,), INTERRUPTED, ENGINE)
        return request, ParametricProof(results, (), (), {}, {}, None, None, False, ())
    return replace(request, suite=found.beside), found.proof


def _stored(certificate: ParametricCertificate, path: Path) -> str:
    certificate.write(path)
    return str(path)


def _report(
    answer: Answer,
    request: Request,
    wanted: Wanted,
    proof: ParametricProof,
    written: str | None,
    left_out: tuple[str, ...],
    progress: Progress,
) -> None:
    from bmc.evidence.statements import watching_of
    from bmc.reports.documents import ResultDocuments
    from bmc.reports.proofs.parametric import ParametricWriter, proof_document
    from bmc.reports.vocabulary import Vocabulary

    at = request.parameters if proof.small is None else dict(proof.small.parameters)
    words = Vocabulary.of(request.suite, at)
    if answer.as_json:
        documents = ResultDocuments(request.suite, words)
        results = [documents.result(r) for r in proof.results]
        for result in results:
            result["certificate"] = written if result["verdict"] == "proved" else None
            if watching_of(request.suite) is not None:
                result["kind"] = "temporal"
        answer.document(
            {
                "protocol": request.name,
                "parameters": {},
                "results": results,
                "refuted": [],
                **proof_document(request.suite, proof),
                "facts": progress.learnt() if is_cut_short(proof.results) else progress.facts,
            }
        )
        return
    writer = ParametricWriter(answer.page, request.suite, words, wanted.full)
    writer.heading(request.name)
    writer.results(proof)
    if is_cut_short(proof.results):
        from bmc.reports.runs import write_interruption

        write_interruption(answer.page, answer.seconds, progress.learnt())
    writer.open(proof)
    if answer.verbose:
        writer.dependencies(proof)
        writer.conditions(proof)
    if left_out:
        answer.page.line(f"Refuted claims, left out (--all includes them): {', '.join(left_out)}")
    if written is not None:
        from bmc.cli.shared.certificates import command_to_check

        answer.page.line(
            f"Certificate: {written}; `{command_to_check(written, request.name)}` checks it"
        )
    elif wanted.certificate is not None and proof.certificate is None:
        answer.page.line("No certificate: nothing was proved")
    answer.cost()
