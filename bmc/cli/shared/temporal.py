"""Temporal claims on the command line: decided when they are named, and by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import TraceForm
from bmc.engines.engine import AUTO

if TYPE_CHECKING:
    from bmc.cli.shared.request import Request
    from bmc.evidence.lasso import TemporalResult


@dataclass(frozen=True)
class Wish:
    """What a command was told of a question about temporal claims."""

    timeout: float | None
    memory: int | None
    full: bool
    form: TraceForm
    engine: str = AUTO
    certificate: Path | None = None
    trace: Path | None = None


def names_temporal(request: Request, names: Sequence[str] | None) -> bool:
    """Whether temporal claims are asked for. Raises NothingAsked where others are as well."""
    from bmc.cli.shared.request import NothingAsked

    temporal = [name for name in names or () if request.suite.is_temporal(name)]
    others = [name for name in names or () if name not in temporal]
    if temporal and others:
        raise NothingAsked(
            f"temporal claims are decided by themselves, here {', '.join(temporal)}: ask for "
            f"{', '.join(others)} in a second command"
        )
    return bool(temporal)


def decide_temporal(
    answer: Answer, request: Request, names: Sequence[str], wish: Wish, extra: dict[str, Any]
) -> None:
    """Decide temporal claims and answer the command; ``extra`` is what else its document has."""
    from bmc.cli.commands.lasso_output import write_lassos
    from bmc.cli.commands.trace_output import require_trace_file
    from bmc.cli.shared.certificates import command_to_check, write_certificates
    from bmc.cli.shared.progress import Progress
    from bmc.engines.confirmation import confirmed_temporal
    from bmc.engines.liveness.decide_by import decide_by
    from bmc.engines.liveness.question import Question
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.traces.lasso import TemporalWriter, temporal_json
    from bmc.reports.vocabulary import Vocabulary
    from bmc.running.files import require_writable

    if wish.certificate is not None:
        require_writable(wish.certificate)
    if wish.trace is not None:
        require_trace_file(wish.trace)
    question = Question(
        request.suite,
        request.parameters,
        tuple(dict.fromkeys(names)),
        wish.timeout,
        wish.memory,
    )
    progress = Progress()
    with progress:
        certified = wish.certificate is not None
        found = decide_by(wish.engine, question, progress, certified=certified)
        results = confirmed_temporal(request.suite, found)
    written: dict[str, Path] = {}
    if wish.certificate is not None:
        written = answer.stored(partial(write_certificates, results, wish.certificate), {})
    answer.code = outcome.worst(_code(result) for result in results)
    words = Vocabulary.of(request.suite, request.parameters)
    traces: dict[str, Path] = {}
    if wish.trace is not None:
        write = partial(write_lassos, request.suite, words, results, wish.trace)
        traces = answer.stored(write, {})
    scope = Scope.of(request.suite, request.parameters, names)
    if answer.as_json:
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(scope),
                "results": [
                    temporal_json(words, result, _text(written.get(result.property)))
                    for result in results
                ],
                "facts": progress.facts,
                "traces": {name: str(file) for name, file in traces.items()},
                **extra,
            }
        )
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    shown = words.in_tlc_form() if wish.form is TraceForm.TLA else words
    writer = TemporalWriter(answer.page, request.suite, shown, wish.full)
    writer.table(results)
    for result in results:
        writer.evidence(result)
    for file in sorted(set(traces.values())):
        answer.page.line(f"Trace: {file}")
    for file in sorted(set(written.values())):
        answer.page.line(f"Certificate: {file}; `{command_to_check(file, request.name)}` checks it")
    answer.cost()


def _text(file: Path | None) -> str | None:
    return None if file is None else str(file)


def _code(result: TemporalResult) -> int:
    from bmc.evidence.verdict import Verdict

    match result.verdict:
        case Verdict.PROVED:
            return outcome.OK
        case Verdict.VIOLATED:
            return outcome.VIOLATION
        case Verdict.UNKNOWN:
            return outcome.UNKNOWN
