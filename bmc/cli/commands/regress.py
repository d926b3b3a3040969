"""`bmc regress`: what was proven and what was refuted is still so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared import outcome, processors
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import (
    FullOption,
    JsonLinesOption,
    JsonOption,
    ParameterOption,
    VerboseOption,
)

if TYPE_CHECKING:
    from bmc.cli.shared.progress import Progress
    from bmc.regress.folder import LockFolder, Stored
    from bmc.regress.judging import Effort
    from bmc.regress.lock import Lock
    from bmc.regress.outcome import Case, Judgement
    from bmc.regress.renewal import Acceptance, Renewal
    from bmc.regress.summary import Summary
    from bmc.reports.regression.view import LockView

    _Telling = Callable[[Progress, Judgement], None]

LOCK = Path("bmc.lock")
_MOST_JOBS = 8


@dataclass(frozen=True)
class _Asked:
    """What the command line asks for."""

    folder: LockFolder
    protocols: tuple[str, ...]
    parameters: dict[str, int]
    for_all: bool
    effort: Effort
    jobs: int
    accept: Acceptance | None


def regress(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROTOCOL]...", help="Only these, as with --protocol.", show_default=False
        ),
    ] = None,
    baseline: Annotated[
        Path,
        typer.Option("--baseline", metavar="FILE", help="The lock; its evidence is beside it."),
    ] = LOCK,
    update: Annotated[
        bool, typer.Option("--update", help="Write what is so now, and say what is different.")
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="NAME",
            help="Let --update write what is worse: a protocol, a property, or "
            "PROTOCOL:PROPERTY; repeatable.",
        ),
    ] = None,
    protocols: Annotated[
        list[str] | None,
        typer.Option("--protocol", metavar="PROTOCOL", help="Only this protocol; repeatable."),
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option(
            "--property",
            "-P",
            metavar="NAME",
            help="Let --update add this one, a temporal claim too, and nothing else; repeatable.",
        ),
    ] = None,
    parameters: ParameterOption = None,
    all_parameters: Annotated[
        bool,
        typer.Option(
            "--all-parameters",
            help="Of --protocol, only what is locked at all values; with --update, lock it.",
        ),
    ] = False,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Believe no evidence: decide everything again.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Models judged at the same time.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="The budget of each model.")
    ] = 60.0,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML here, too.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write a pull-request comment here, too."),
    ] = None,
    annotations: Annotated[
        str | None,
        typer.Option("--annotations", metavar="FORMAT", help="github: messages beside lines."),
    ] = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    json_lines: JsonLinesOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Check that what was proven and refuted is still so.

    The lock says what is expected of each property. Where a model has not changed, the evidence
    beside the lock is re-checked; where it has, the old evidence is tried first, and then the
    property is decided again. Exit code 0 if all is as expected.
    """
    with Answer("regress", as_json, verbose, json_lines) as answer:
        from bmc.cli.shared.request import read_parameters
        from bmc.cli.shared.specifications import at, names_a_specification
        from bmc.regress.folder import LockFolder
        from bmc.regress.judging import Effort
        from bmc.regress.renewal import Acceptance
        from bmc.running.files import require_writable

        protocols = [*(only or ()), *(protocols or ())]
        _require_options(timeout, jobs, annotations, update, accept, protocols, parameters)
        _require_for_all(all_parameters, protocols, parameters)
        _require_names(properties, update, all_parameters, protocols)
        for file in filter(None, (junit, markdown)):
            require_writable(file)
        given = read_parameters(parameters or ())
        if given and all(map(names_a_specification, protocols)):
            # The constants of a specification are part of its name.
            protocols, given = [at(name, given) for name in protocols], {}
        asked = _Asked(
            LockFolder(baseline),
            tuple(protocols),
            given,
            all_parameters,
            Effort(
                timeout,
                from_scratch,
                repair=update,
                complete=update,
                names=tuple(properties or ()),
            ),
            jobs or min(processors.usable(), _MOST_JOBS),
            Acceptance(accept or ()) if update else None,
        )
        summary = _summary(asked, partial(_tell_early, answer))
        answer.code = outcome.worst(_codes(summary))
        from bmc.cli.commands.regress_view import view_of

        _tell(answer, view_of(summary), full, junit, markdown, annotations)


def _require_options(
    timeout: float,
    jobs: int | None,
    annotations: str | None,
    update: bool,
    accept: list[str] | None,
    protocols: list[str] | None,
    parameters: list[str] | None,
) -> None:
    from bmc.engines.task import OptionError, require_seconds

    require_seconds(timeout)
    if jobs is not None and jobs < 1:
        raise OptionError(f"the number of jobs must be 1 or more, you gave {jobs}")
    if annotations not in (None, "github"):
        raise OptionError(f"there are no annotations for {annotations!r}: known: github")
    if accept and not update:
        raise OptionError("--accept says what --update may write: give both")
    if parameters and not protocols:
        raise OptionError("parameters belong to a protocol: name it with --protocol")


def _require_for_all(
    for_all: bool, protocols: list[str] | None, parameters: list[str] | None
) -> None:
    from bmc.engines.task import OptionError

    if for_all and parameters:
        raise OptionError("--all-parameters is for all values: leave -p out")
    if for_all and not protocols:
        raise OptionError("--all-parameters needs a protocol: name it with --protocol")


def _require_names(
    names: list[str] | None, update: bool, for_all: bool, protocols: list[str] | None
) -> None:
    from bmc.engines.task import OptionError

    if not names:
        return
    if not update or len(protocols or ()) != 1:
        raise OptionError(
            "--property says what --update adds of one protocol: give --protocol once, and --update"
        )
    if for_all:
        raise OptionError("--all-parameters locks every claim that is proved: leave --property out")


def _summary(asked: _Asked, tell: _Telling) -> Summary:
    from bmc.cli.shared.progress import Progress
    from bmc.regress.exclusive import exclusive

    holding = nullcontext() if asked.accept is None else exclusive(asked.folder)
    with holding, Progress() as progress:
        stored = _stored(asked)
        if asked.accept is not None:
            asked.accept.require_known(stored.lock)
        return _judged(asked, stored, progress, partial(tell, progress))


def _stored(asked: _Asked) -> Stored:
    """The lock, or for a first update an empty one."""
    from bmc.regress.errors import NoLock
    from bmc.regress.folder import Stored
    from bmc.regress.lock import CATALOGUE, NAMED, Lock

    try:
        return asked.folder.read()
    except NoLock:
        if asked.accept is None:
            raise
        return Stored(Lock(NAMED if asked.protocols else CATALOGUE), {})


def _judged(
    asked: _Asked, stored: Stored, progress: Progress, tell: Callable[[Judgement], None]
) -> Summary:
    from bmc.cli.shared.locked_protocols import LockedProtocols
    from bmc.regress.run import Run
    from bmc.regress.summary import Summary

    folder, effort = asked.folder.path.parent, asked.effort
    names = LockedProtocols(folder, asked.protocols, effort.seconds)
    add = asked.accept is not None
    cases: list[Case]
    missing: list[str] = []
    unavailable: list[tuple[str, str]] = []
    progress.phase("reading the models")
    if asked.protocols:
        if effort.names:
            (protocol,) = asked.protocols
            effort = replace(effort, names=names.meant(protocol, effort.names))
        wanted = asked.protocols, asked.parameters, add, asked.for_all
        cases = list(names.chosen(stored.lock, *wanted, named=effort.names))
    else:
        cases, missing, unavailable = names.everything(stored.lock, add)
    run = Run(cases, stored, effort)
    lock = str(asked.folder.path)
    try:
        judgements = run.judge(asked.jobs, progress, tell)
    except KeyboardInterrupt:
        return Summary(lock, run.judgements, interrupted=True)
    told = lock, judgements, tuple(missing), tuple(unavailable)
    if asked.accept is None:
        return Summary(*told)
    try:
        return Summary(*told, *_renewed(asked.folder, stored.lock, judgements, asked.accept))
    except KeyboardInterrupt:
        return Summary(*told, interrupted=True)


def _renewed(
    folder: LockFolder, old: Lock, judgements: Sequence[Judgement], accept: Acceptance
) -> tuple[Renewal, bool]:
    """The update that judgements make of a lock, stored, and whether it changed the lock.

    Raises KeyboardInterrupt when it is interrupted before the lock is in its place.
    """
    from bmc.regress.renewal import renewed

    renewal = renewed(old, judgements, accept)
    written = renewal.lock != old or not folder.path.exists()
    if written or renewal.evidence:
        try:
            folder.write(renewal.lock, renewal.evidence)
        except KeyboardInterrupt:
            # A lock that is in its place has its evidence: what nobody needs any more is left.
            if not (written and folder.holds(renewal.lock)):
                raise
    return renewal, written


def _tell_early(answer: Answer, progress: Progress, judgement: Judgement) -> None:
    """Say of one model what is known, while the others are still being judged."""
    from bmc.cli.commands.regress_view import view_of
    from bmc.regress.summary import Summary

    alone = Summary("", (judgement,))
    if answer.streams:
        from bmc.reports.regression.documents import regression_json

        answer.event("judged", {"model": regression_json(view_of(alone))["models"][0]})
        return
    failed = [found.name for _, found in alone.failures()]
    if failed:
        named = ", ".join(failed)
        progress.announce(f"{judgement.case.protocol}: not as expected: {named}")


def _codes(summary: Summary) -> list[int]:
    from bmc.regress.outcome import Standing

    codes = {
        Standing.VIOLATED: outcome.VIOLATION,
        Standing.HOLDS: outcome.VIOLATION,
        Standing.LONGER: outcome.VIOLATION,
        Standing.UNKNOWN: outcome.UNKNOWN,
        Standing.GONE: outcome.UNKNOWN,
        Standing.UNUSABLE: outcome.USAGE,
    }
    found = [codes[o.standing] for _, o in summary.failures()]
    # The lock has no line for what is open at all parameter values, nor where no depth is clean.
    if summary.renewal is not None and any(
        case.for_all or open_.verdict is None for case, open_ in summary.renewal.open
    ):
        found.append(outcome.UNKNOWN)
    return [*found, outcome.UNKNOWN] if summary.interrupted else found


def _tell(
    answer: Answer,
    view: LockView,
    full: bool,
    junit: Path | None,
    markdown: Path | None,
    annotations: str | None,
) -> None:
    from bmc.running.files import write_file

    if junit is not None:
        from bmc.reports.regression.junit import junit as junit_text

        answer.stored(partial(write_file, junit, junit_text(view)), None)
    if markdown is not None:
        from bmc.reports.regression.markdown import markdown as markdown_text

        answer.stored(partial(write_file, markdown, markdown_text(view)), None)
    if annotations is not None:
        _annotate(view, answer)
    if answer.as_json:
        from bmc.reports.regression.documents import regression_json

        answer.document(regression_json(view))
        return
    from bmc.reports.regression.page import write_regression

    write_regression(answer.page, view, full, answer.verbose)
    answer.cost()


def _annotate(view: LockView, answer: Answer) -> None:
    import sys

    from bmc.reports.page import Page
    from bmc.reports.regression.annotations import github_commands

    # GitHub reads both streams, and with --json stdout belongs to the document.
    page = Page(sys.stderr) if answer.as_json else answer.page
    for line in github_commands(view):
        page.line(line)
    page.flush()
