"""Temporal claims on the command line: decided when they are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.counterexamples import write_places
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
    event: Callable[[str, dict[str, Any]], None] | None = None
    """Writes a line about a verdict before the command ends, where such lines are asked for."""


def names_temporal(request: Request, names: Sequence[str] | None) -> bool:
    """Whether temporal claims are asked for. Raises NothingAsked where others are as well."""
    from bmc.cli.shared.request import NothingAsked

    temporal, others = by_kind(request, names)
    if temporal and others:
        raise NothingAsked(
            f"temporal claims are decided by themselves, here {', '.join(temporal)}: ask for "
            f"{', '.join(others)} in a second command"
        )
    return bool(temporal)


def by_kind(request: Request, names: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Return which of the claims that are asked for are temporal, and the others."""
    temporal = [name for name in names or () if request.suite.is_temporal(name)]
    return temporal, [name for name in names or () if name not in temporal]


def require_of_behaviours(given: Mapping[str, bool]) -> None:
    """OptionError for options that are given and have no part in deciding temporal claims."""
    from bmc.engines.task import OptionError

    if idle := [option for option, is_given in given.items() if is_given]:
        raise OptionError(
            f"{idle[0]} has no part in deciding temporal claims, and nothing else is asked: leave "
            "it out"
        )


@dataclass(frozen=True)
class Behaviours:
    """What was decided of temporal claims, and how a command was told to show it."""

    request: Request
    wish: Wish
    results: tuple[TemporalResult, ...]
    facts: Sequence[str] = ()

    @property
    def code(self) -> int:
        """The exit code that the claims ask for."""
        return outcome.worst(_code(result) for result in self.results)

    def traces(self, answer: Answer, before: int = 0) -> dict[str, str]:
        """Write the lassos, behind so many traces of other claims; where that of each claim is."""
        from bmc.cli.commands.lasso_output import write_lassos
        from bmc.reports.vocabulary import Vocabulary

        if self.wish.trace is None:
            return {}
        suite = self.request.suite
        words = Vocabulary.of(suite, self.request.parameters)
        write = partial(write_lassos, suite, words, self.results, self.wish.trace, before)
        written: dict[str, Path] = answer.stored(write, {})
        return {name: str(file) for name, file in written.items()}

    def documents(self, certificates: Mapping[str, Path]) -> list[dict[str, Any]]:
        """Return the results as JSON data."""
        from bmc.reports.traces.lasso import temporal_json
        from bmc.reports.vocabulary import Vocabulary

        words = Vocabulary.of(self.request.suite, self.request.parameters)
        return [
            temporal_json(words, result, _text(certificates.get(result.property)))
            for result in self.results
        ]

    def write(self, answer: Answer) -> None:
        """Write the verdicts and the lassos."""
        from bmc.reports.traces.lasso import TemporalWriter
        from bmc.reports.vocabulary import Vocabulary

        words = Vocabulary.of(self.request.suite, self.request.parameters)
        shown = words.in_tlc_form() if self.wish.form is TraceForm.TLA else words
        writer = TemporalWriter(answer.page, self.request.suite, shown, self.wish.full)
        writer.table(self.results)
        for result in self.results:
            writer.evidence(result)


def behaviours(request: Request, names: Sequence[str], wish: Wish) -> Behaviours:
    """Decide temporal claims."""
    from bmc.cli.shared.decide import is_cut_short
    from bmc.cli.shared.progress import Progress
    from bmc.engines.confirmation import confirmed_temporal
    from bmc.engines.liveness.decide_by import decide_by
    from bmc.engines.liveness.question import Question
    from bmc.engines.task import Interrupted

    claims = tuple(dict.fromkeys(names))
    question = Question(request.suite, request.parameters, claims, wish.timeout, wish.memory)
    progress = Progress()
    with progress:
        certified = wish.certificate is not None
        try:
            found = decide_by(
                wish.engine,
                question,
                progress,
                certified=certified,
                tell=_telling(request, wish),
            )
        except Interrupted as stopped:
            found = cast("tuple[TemporalResult, ...]", stopped.found)
        results = confirmed_temporal(request.suite, found)
    return Behaviours(
        request, wish, results, progress.learnt() if is_cut_short(results) else progress.facts
    )


def _telling(request: Request, wish: Wish) -> Callable[[TemporalResult], None]:
    """Return what writes a line about each verdict that agrees with the protocol's text."""
    from bmc.engines.confirmation import confirmed_in_turn
    from bmc.reports.traces.lasso import temporal_json
    from bmc.reports.vocabulary import Vocabulary

    event = wish.event
    if event is None:
        return lambda found: None

    def write(result: TemporalResult) -> None:
        words = Vocabulary.of(request.suite, request.parameters)
        event(
            "decided",
            {
                "protocol": request.name,
                "parameters": dict(request.parameters),
                "result": temporal_json(words, result),
            },
        )

    return confirmed_in_turn(request.suite, write)


@dataclass(frozen=True)
class AlsoTemporal:
    """Temporal claims that a command about others was asked for as well."""

    names: tuple[str, ...] = ()
    wish: Wish | None = None
    began: float = 0.0

    def decide(self, request: Request, interrupted: bool) -> Behaviours | None:
        """Decide them in the time that is left; None if there are none."""
        from bmc.evidence.lasso import TemporalResult
        from bmc.evidence.verdict import Verdict, Why

        wish = self.wish
        if not self.names or wish is None:
            return None
        left = None if wish.timeout is None else wish.timeout - (monotonic() - self.began)
        if not interrupted and (left is None or left > 0):
            try:
                return behaviours(request, self.names, replace(wish, timeout=left))
            except KeyboardInterrupt:
                # Before an engine was asked: what is known of the others is told all the same.
                interrupted = True
        reason = "interrupted" if interrupted else "no time was left"
        why = Why.INTERRUPTED if interrupted else Why.TIME
        model = request.suite.model(False)
        stated = [request.suite.describe_temporal(name, model) for name in self.names]
        undecided = partial(
            TemporalResult, verdict=Verdict.UNKNOWN, seconds=0.0, reason=reason, why=why
        )
        results = tuple(
            undecided(one.name, specification=one.specification, engine="none") for one in stated
        )
        return Behaviours(request, wish, results)


def decide_temporal(
    answer: Answer, request: Request, names: Sequence[str], wish: Wish, extra: dict[str, Any]
) -> None:
    """Decide temporal claims and answer the command; ``extra`` is what else its document has."""
    from bmc.cli.commands.trace_output import require_trace_file
    from bmc.cli.shared.certificates import command_to_check, write_certificates
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.running.files import require_writable

    if wish.certificate is not None:
        require_writable(wish.certificate)
    if wish.trace is not None:
        require_trace_file(wish.trace)
    found = behaviours(request, names, wish)
    written: dict[str, Path] = {}
    if wish.certificate is not None:
        write = partial(write_certificates, found.results, request.suite, wish.certificate)
        written = answer.stored(write, {})
    answer.code = found.code
    traces = found.traces(answer)
    scope = Scope.of(request.suite, request.parameters, names)
    if answer.as_json:
        answer.document(
            {
                "protocol": request.name,
                "parameters": request.parameters,
                "scope": scope_json(scope),
                "results": found.documents(written),
                "facts": found.facts,
                "traces": traces,
                **extra,
            }
        )
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    found.write(answer)
    write_places(answer, traces, wish.trace)
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
