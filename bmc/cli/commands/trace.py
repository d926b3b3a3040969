"""`bmc trace show|replay|export`, `check`, `map`: traces from files, and logs of systems."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.commands.trace_check import check
from bmc.cli.commands.trace_map import propose_map
from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import (
    FormatOption,
    FullOption,
    JsonOption,
    OnlyOption,
    ParameterOption,
    TraceForm,
    VerboseOption,
)
from bmc.cli.shared.specifications import for_specifications

if TYPE_CHECKING:
    from bmc.cli.shared.stored_traces import Replayed

trace = typer.Typer(
    name="trace",
    help="Traces from files: show them, replay them, write them in another form.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
trace.command("check")(for_specifications(check))
trace.command("map")(for_specifications(propose_map))

FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A trace: ITF, or what `bmc check --json` or `bmc trace export` wrote.",
        show_default=False,
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option(
        "-P", "--property", metavar="NAME", help="Of several traces the one of this property."
    ),
]
ProtocolOption = Annotated[
    str | None,
    typer.Option("--protocol", metavar="PROTOCOL", help="Whose it is, if the file does not say."),
]


@trace.command("show")
def show(
    file: FileArgument,
    name: NameOption = None,
    protocol: ProtocolOption = None,
    parameters: ParameterOption = None,
    full: FullOption = False,
    only: OnlyOption = None,
    form: FormatOption = TraceForm.TEXT,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Show a trace as `bmc check` does, once it has been replayed."""
    with Answer("trace show", as_json, verbose) as answer:
        from bmc.cli.shared.stored_traces import replayed
        from bmc.reports.proofs.verdicts import write_heading

        found = replayed(file, name, protocol, parameters, "trace show")
        if answer.as_json:
            answer.document(_document(found))
            return
        write_heading(answer.page, found.request.name, found.request.parameters)
        words = found.words.only(only) if only else found.words
        words = words.in_tlc_form() if form is TraceForm.TLA else words
        if found.violated is not None:
            from bmc.reports.traces.text import write_violation

            write_violation(answer.page, words, found.trace, [found.violated], full)
        else:
            from bmc.reports.traces.text import write_trace

            write_trace(answer.page, words, found.trace, full)
            _write_end(answer, found)


@trace.command("replay")
def replay(
    file: FileArgument,
    name: NameOption = None,
    protocol: ProtocolOption = None,
    parameters: ParameterOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Have the interpreter take every step of a trace.

    Exit code 1 says that the property is violated at its end, 0 that it holds there (or that
    none was asked for), 2 that it is no execution of the protocol, 3 that the text of a
    specification gives the property no value there.
    """
    with Answer("trace replay", as_json, verbose) as answer:
        from bmc.cli.shared.stored_traces import replayed
        from bmc.evidence.wording import count
        from bmc.reports.proofs.verdicts import write_heading
        from bmc.reports.traces.text import write_reason

        found = replayed(file, name, protocol, parameters)
        answer.code = outcome.OK if found.violated is None else outcome.VIOLATION
        if found.undecided is not None:
            answer.code = outcome.UNKNOWN
        if answer.as_json:
            answer.document(_document(found))
            return
        write_heading(answer.page, found.request.name, found.request.parameters)
        steps = count(len(found.trace) - 1, "step")
        answer.page.line(("replayed", "bold green"), f": an initial state, and {steps} out of it")
        if found.violated is not None:
            write_reason(answer.page, found.words, found.trace, found.violated)
        else:
            _write_end(answer, found)


@trace.command("export")
def export(
    file: FileArgument,
    to: Annotated[
        Path,
        typer.Option(
            "--to", metavar="FILE", help="Where to: .itf.json, .html, .json, .txt, .tla.txt."
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option("--as", metavar="FORM", help="text, json, itf, html, tla, whatever the name."),
    ] = None,
    name: NameOption = None,
    protocol: ProtocolOption = None,
    parameters: ParameterOption = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write a trace as text, JSON, ITF or an HTML page, once it has been replayed."""
    with Answer("trace export", as_json, verbose) as answer:
        from bmc.cli.commands.trace_output import FORMS, form_of, trace_text
        from bmc.cli.shared.stored_traces import replayed
        from bmc.running.files import require_writable, write_file

        chosen = form_of(to, form, f", or name one with --as ({', '.join(FORMS)})")
        require_writable(to)
        command = f"trace export --to {quote(str(to))}"
        command += "" if form is None else f" --as {quote(form)}"
        found = replayed(file, name, protocol, parameters, command)
        violated = [] if found.violated is None else [found.violated]
        suite = found.request.suite
        write_file(to, trace_text(suite, found.words, found.trace, violated, chosen, full))
        if answer.as_json:
            answer.document(_document(found) | {"written": str(to), "form": chosen})
            return
        answer.page.line(f"{to}: the trace of {len(found.trace)} states as {chosen}")


def _document(found: Replayed) -> dict[str, object]:
    from bmc.reports.documents import ResultDocuments

    documents = ResultDocuments(found.request.suite, found.words)
    violated = [] if found.violated is None else [found.violated]
    single = documents.single(found.trace, violated)
    unsaid = found.property is None or found.undecided is not None
    return {
        **single,
        "protocol": found.request.name,
        "property": found.property,
        "violated": None if unsaid else found.violated is not None,
        "undecided": found.undecided,
        "overflow": found.overflow,
    }


def _write_end(answer: Answer, found: Replayed) -> None:
    if found.undecided is not None:
        answer.page.line((f"{found.property} is unknown", "bold yellow"), f": {found.undecided}")
    elif found.property is not None:
        answer.page.line(f"{found.property} holds at its end")
    if found.overflow is not None:
        answer.page.line(f"A step out of its last state has no value: {found.overflow}")
