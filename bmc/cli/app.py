"""All commands together, and what is said to a command line that none of them understands."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer
from typer.core import TyperGroup

from bmc import __version__
from bmc.cli.shared import outcome, watching
from bmc.cli.shared.as_given import AsGiven
from bmc.cli.shared.given_once import give_once
from bmc.cli.shared.specifications import for_specifications

COMMANDS = {
    "list": "list:list_protocols",
    "new": "new:new",
    "stubs": "stubs:stubs",
    "prove": "prove:prove",
    "check": "check:check",
    "explore": "explore:explore",
    "step": "step:step",
    "simulate": "simulate:simulate",
    "cover": "cover:cover",
    "testgen": "testgen:generate",
    "infer": "infer:infer",
    "mine": "mine:mine",
    "sweep": "sweep:sweep",
    "certify": "certify:certify",
    "certificate": "certificate:app",
    "export": "export:app",
    "regress": "regress:regress",
    "doctor": "doctor:doctor",
    "trace": "trace:trace",
}
"""Where the function of each command is, or the application of each group, in their order."""

_NO_PROTOCOL = frozenset({"list", "new", "stubs", "regress"})
"""Commands without a protocol of their own, which take no options of specifications."""


class _Commands(AsGiven, TyperGroup):
    """The commands."""


def application(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """Return bmc's command line with these commands.

    To load all of them and read their signatures takes as long as a short command does.
    """
    app = typer.Typer(
        name="bmc",
        cls=_Commands,
        help="A symbolic model checker for replication protocols.",
        epilog="Exit codes: 0 proved or clean, 1 violated, 2 bad usage or input, 3 unknown, "
        "4 internal failure.",
        no_args_is_help=True,
        # Help in plain text does not wait for rich to load.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for name in names:
        module, _, word = COMMANDS[name].partition(":")
        found = getattr(import_module(f"bmc.cli.commands.{module}"), word)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found if name in _NO_PROTOCOL else for_specifications(found))
    give_once(app)
    app.callback()(_options)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bmc {__version__}")
        raise typer.Exit()


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """What can be said before the command."""


def loaded(given: list[str]) -> typer.Typer:
    """Return what a command line needs: its command; all where none stands first."""
    return application(given[:1]) if given[:1] and given[0] in COMMANDS else application()


def run(given: list[str], app: typer.Typer | None = None) -> int:
    """Run one command line, by what was loaded for it; return its exit code."""
    if watching.WORD in given and "--help" not in given:
        return watching.watch([word for word in given if word != watching.WORD])
    app = app or loaded(given)
    try:
        code = app(args=given, prog_name="bmc", standalone_mode=False)
    except typer.Abort:
        return outcome.UNKNOWN
    except SystemExit as left:
        # So typer leaves when nobody reads its help; a protocol's file that leaves is no answer.
        if isinstance(left.__context__, BrokenPipeError):
            return outcome.OK
        raise
    except Exception as error:
        # Typer's usage errors have no public class in all of its versions; this they all have.
        if not hasattr(error, "show") or not hasattr(error, "format_message"):
            raise
        with suppress(OSError):
            error.show()
        if "--json" in given or "--json-lines" in given:
            from bmc.cli.shared.answer import write_json
            from bmc.reports.documents import error_document
            from bmc.running.files import WriteFailed

            command = next((word for word in given if not word.startswith("-")), "bmc")
            message = error.format_message()
            with suppress(WriteFailed):
                lines = "--json-lines" in given
                write_json(error_document(command, "UsageError", message, outcome.USAGE), lines)
        return outcome.USAGE
    # Ctrl-C before a command runs comes back as a shell's code for it, which is none of ours.
    return code if code in outcome.CODES else outcome.UNKNOWN if code else outcome.OK
