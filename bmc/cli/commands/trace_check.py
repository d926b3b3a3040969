"""`bmc trace check`: whether what a running system logged is an execution of a protocol."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import (
    FullOption,
    JsonOption,
    ParameterOption,
    PropertyOption,
    ProtocolArgument,
    VerboseOption,
)

if TYPE_CHECKING:
    from bmc.cli.shared.log_groups import GroupedCheck
    from bmc.cli.shared.request import Request
    from bmc.conformance.verdict import Conformance
    from bmc.lang.suite import Suite

EVERY_CORE = "local[*]"
"""The master that groups are checked by where nobody names one."""


def check(
    protocol: ProtocolArgument,
    log: Annotated[
        Path, typer.Option("--log", metavar="FILE", help="The events: a JSON object a line.")
    ],
    mapping: Annotated[
        Path,
        typer.Option("--map", metavar="FILE", help="Which event is which action, in TOML."),
    ],
    parameters: ParameterOption = None,
    properties: PropertyOption = None,
    without: Annotated[
        bool, typer.Option("--no-invariants", help="Look at no invariant: quicker on long logs.")
    ] = False,
    states: Annotated[
        int,
        typer.Option("--states", metavar="N", help="Give up where more states are possible."),
    ] = 20_000,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="Give up then.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE",
            help="Write the execution here: .html, .itf.json, .json or .txt.",
        ),
    ] = None,
    group_by: Annotated[
        str | None,
        typer.Option(
            "--group-by",
            metavar="FIELD,…",
            help="Check the events of each group by themselves, on Spark.",
        ),
    ] = None,
    master: Annotated[
        str, typer.Option("--master", metavar="URL", help="Of --group-by: the Spark master.")
    ] = EVERY_CORE,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Of --group-by: where the verdicts are written."),
    ] = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Look for an execution of the protocol that a system's log is of.

    Exit code 0: there is one, and the invariants hold in it. 1: there is none, or an invariant is
    violated in it. 3: unknown, a limit was met first, or an invariant has no value.
    docs/conformance.md describes the mapping.
    """
    with Answer("trace check", as_json, verbose) as answer:
        from bmc.cli.commands.trace_output import require_trace_file
        from bmc.cli.shared.request import Request
        from bmc.conformance.demands import survey
        from bmc.conformance.mapping_file import mapping_in, mapping_text
        from bmc.conformance.search import Limits
        from bmc.conformance.verdict import check_log
        from bmc.engines.task import require_seconds
        from bmc.lang.guards import guards_of
        from bmc.running.interruption import interrupted

        require_seconds(timeout)
        _require_heard(states, without, properties, group_by, master, out)
        if trace is not None:
            require_trace_file(trace)
        since = monotonic()
        with interrupted(f"what {protocol} means", timeout):
            suite, name, given = _asked(protocol, parameters)
        model = suite.model(False)
        # Once: it may be a pipe.
        mapped = mapping_text(mapping)
        read = mapping_in(mapped, mapping, suite)
        if group_by is not None:
            from bmc.cli.shared import specifications
            from bmc.cli.shared.log_groups import GroupedCheck, text_of

            specifications.require_sayable()
            fields = [field.strip() for field in group_by.split(",")]
            claims = () if without else _invariants(Request(name, suite, given), properties)
            asked = GroupedCheck(
                name,
                mapped,
                tuple(given.items()),
                tuple(claims),
                states,
                timeout,
                coverage=not without,
                text=text_of(suite, claims),
                file=str(mapping),
                folder=Path.cwd(),
            )
            _check_groups(answer, str(log), fields, master, out, asked, trace, full)
            return
        left = None if timeout is None else max(0.0, since + timeout - monotonic())
        with interrupted(f"what {log} tells of the parameters", left):
            told = survey(log, read, model, given)
        request = Request(name, suite, dict(told.parameters))
        invariants = () if without else _invariants(request, properties)
        # Who asks for no invariants has a long log.
        guards = () if without else guards_of(suite, model)
        limits = Limits(states, timeout, told_when_interrupted=True)
        found = check_log(log, read, told, suite, invariants, limits, guards=guards, since=since)
        answer.code = _code(found)
        written = None
        if trace is not None:
            written = answer.stored(partial(_write_execution, request, found, trace), None)
        _answer(answer, request, found, written, full)


def _require_heard(
    states: int,
    without: bool,
    properties: list[str] | None,
    group_by: str | None,
    master: str,
    out: Path | None,
) -> None:
    """OptionError for what would be passed over: who gives it counts on it."""
    from bmc.engines.task import OptionError

    if states < 1:
        raise OptionError(f"--states must be 1 or more, you gave {states}")
    if without and properties:
        raise OptionError(
            "--no-invariants looks at no invariant, and --property names one: leave one of them out"
        )
    if group_by is None and (out is not None or master != EVERY_CORE):
        named = "--out" if out is not None else "--master"
        raise OptionError(f"{named} is of groups on Spark: give --group-by, too, or leave it out")


def _check_groups(
    answer: Answer,
    log: str,
    fields: list[str],
    master: str,
    out: Path | None,
    asked: GroupedCheck,
    trace: Path | None,
    full: bool,
) -> None:
    """Check groups on Spark, and say how many have which verdict."""
    import re

    from bmc.cli.shared.log_groups import GroupError, check_groups, event_text

    if trace is not None:
        raise GroupError(
            "--trace writes one execution, and each group has its own: check a group by itself, "
            "without --group-by"
        )
    if out is None:
        raise GroupError("--group-by writes a row for each group: name a folder with --out")
    for name in fields:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise GroupError(
                f"--group-by {name}: name a line's own fields, not parts of one, that are called "
                "by letters, digits and _, as in --group-by topic,partition; log what is called "
                "otherwise under such a name"
            )
    found = check_groups(log, fields, master, out, asked)
    codes = {
        "conforms": outcome.OK,
        "violated": outcome.VIOLATION,
        "impossible": outcome.VIOLATION,
        "unknown": outcome.UNKNOWN,
        "unreadable": outcome.USAGE,
    }
    answer.code = outcome.worst(codes[name] for name in found.verdicts)
    if answer.as_json:
        answer.document({"protocol": asked.protocol, "out": str(out), **found.document()})
        return
    groups = sum(found.verdicts.values())
    answer.page.line(
        f"{groups:,} groups, {found.events:,} events; a row for each in {out}/verdicts"
    )
    for name, number in found.verdicts.items():
        answer.page.line(f"  {name:<11} {number:,}")
    for row in found.first:
        group = ", ".join(f"{name} {row['group'][name]}" for name in fields)
        answer.page.line(f"  {group}: {row['verdict']}{event_text(row)}")
        if row["why"] is not None:
            answer.page.line(f"    {row['why']}")
    for action, number in found.actions.items():
        answer.page.line(f"  action  {action}  {number:,} steps")
    for witness, number in (found.witnesses or {}).items():
        answer.page.line(f"  witness {witness} is met in {number:,} groups")
    guards = found.guards or {}
    if guards:
        never = [name for name, number in guards.items() if not number]
        more = "" if full or not never else " (--full lists the others)"
        refuse = f"{len(guards) - len(never)} of {len(guards)} refuse a step in some group"
        answer.page.line(f"  guards  {refuse}{more}")
        for name in never if full else ():
            answer.page.line("  guard   ", (name, "yellow"), " refuses no step in any group")
    answer.cost()


def _asked(called: str, words: list[str] | None) -> tuple[Suite, str, dict[str, int]]:
    """The suite, the name that says all of it, and the parameters that the command line sets.

    They are inside their ranges. The constants of a specification are in its name.
    """
    from bmc.cli.shared import catalogue, specifications
    from bmc.cli.shared.request import read_parameters
    from bmc.lang.protocol import parameter_values

    given = read_parameters(words or ())
    if specifications.names_a_specification(called):
        suite = catalogue.find(specifications.at(called, given))
        return suite, suite.name, {}
    suite = catalogue.find(called)
    values = parameter_values(suite.protocol, given, called)
    return suite, called, {name: values[name] for name in given}


def _invariants(request: Request, chosen: list[str] | None) -> tuple[str, ...]:
    from bmc.cli.shared.request import NothingAsked

    try:
        return request.claims(chosen, everything=False)
    except NothingAsked:
        if chosen:
            raise
        # A log can be checked against a protocol of which nothing is claimed.
        return ()


def _code(found: Conformance) -> int:
    from bmc.conformance.verdict import Conforms, Impossible, Unknown

    match found.verdict:
        case Conforms(broken=()):
            return outcome.OK
        case Conforms(broken=broken) if all(one.undecided is not None for one in broken):
            return outcome.UNKNOWN
        case Conforms() | Impossible():
            return outcome.VIOLATION
        case Unknown():
            return outcome.UNKNOWN
        case _:
            assert_never(found.verdict)


def _write_execution(request: Request, found: Conformance, file: Path) -> Path | None:
    """Write the execution that is shown to a file, if there is one; the file."""
    from bmc.cli.commands.trace_output import form_of, trace_text
    from bmc.reports.vocabulary import Vocabulary
    from bmc.running.files import write_file

    if found.shown is None:
        return None
    words = Vocabulary.of(request.suite, request.parameters)
    execution = found.shown.trace
    write_file(file, trace_text(request.suite, words, execution, (), form_of(file)))
    return file


def _answer(
    answer: Answer, request: Request, found: Conformance, written: Path | None, full: bool
) -> None:
    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.traces.conformance import ConformanceReport
    from bmc.reports.vocabulary import Vocabulary

    words = Vocabulary.of(request.suite, request.parameters)
    scope = Scope.of(request.suite, request.parameters)
    report = ConformanceReport(request.suite, words, found)
    if answer.as_json:
        asked = {
            "protocol": request.name,
            "parameters": request.parameters,
            "scope": scope_json(scope),
            "trace": None if written is None else str(written),
        }
        answer.document(asked | report.document())
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    report.write(answer.page, full)
    if written is not None:
        answer.page.line(f"  {written}: {_what_is_shown(found)}")
    answer.cost()


def _what_is_shown(found: Conformance) -> str:
    from bmc.conformance.verdict import Conforms, Impossible, Unknown

    match found.verdict:
        case Conforms():
            return "the execution"
        case Impossible(event=event) | Unknown(event=event):
            return f"an execution of the events before line {event.line}, to the state above"
        case _:
            assert_never(found.verdict)
