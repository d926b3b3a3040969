"""All commands together, and what is said to a command line that none of them understands."""

from __future__ import annotations

import os
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

COMMANDS = {
    "list": ("list:list_protocols", "List the protocols and their claims."),
    "new": (
        "new:new",
        "Make a small protocol and its test, or copy an example, to be changed into your own.",
    ),
    "stubs": ("stubs:stubs", "Write what s is in a protocol, for editors and type checkers."),
    "prove": ("prove:prove", "Prove properties for every depth."),
    "check": ("check:check", "Search for violations up to a depth."),
    "explore": ("explore:explore", "Explore and count all reachable states."),
    "step": ("step:step", "Walk through a protocol by hand."),
    "simulate": ("simulate:simulate", "Walk at random and watch properties."),
    "cover": ("cover:cover", "Show which actions happen and which witnesses are reached."),
    "testgen": (
        "testgen:generate",
        "Write a few short executions that cover the protocol: all actions, guards or witnesses.",
    ),
    "infer": ("infer:infer", "Infer the lemmas that a proof needs, and prove with them."),
    "mine": ("mine:mine", "Look for lemmas that make claims inductive."),
    "certify": ("certify:certify", "Check a certificate again, with another solver."),
    "regress": ("regress:regress", "Check that what was proven and refuted is still so."),
    "doctor": (
        "doctor:doctor",
        "Tell what is installed and what is missing, or what of a specification is not supported.",
    ),
    "sweep": (
        "sweep:sweep",
        "Decide properties at every choice of parameters on a grid; verify the evidence.",
    ),
    "certificate": ("certificate:app", "Write a certificate for others to check."),
    "export": ("export:app", "Write a protocol for other checkers: AIGER 1.9, SMT-LIB 2 or TLA+."),
    "trace": (
        "trace:trace",
        "Traces from files: show them, replay them, write them in another form.",
    ),
}
"""Where the function of each command is, or the application of each group, in their order, and what
the list of all commands says of it, so that nobody who asks for the list waits for them to load."""

_NO_PROTOCOL = frozenset({"list", "new", "stubs", "regress"})
"""Commands without a protocol of their own, which take no options of specifications."""


class _Commands(AsGiven, TyperGroup):
    """The commands."""


def application(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """Return bmc's command line with these commands.

    To load all of them and read their signatures takes as long as a short command does.
    """
    from bmc.cli.shared.specifications import for_specifications

    app = _without_commands()
    for name in names:
        module, _, word = COMMANDS[name][0].partition(":")
        found = getattr(import_module(f"bmc.cli.commands.{module}"), word)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found if name in _NO_PROTOCOL else for_specifications(found))
    give_once(app)
    return app


def outline() -> typer.Typer:
    """Return bmc's command line as it is listed, without what its commands do."""
    app = _without_commands()
    for name, (_, summary) in COMMANDS.items():
        app.command(name, help=summary)(_listed)
    return app


def _listed() -> None:
    """Stand for a command that nobody calls."""


def _without_commands() -> typer.Typer:
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
    """Return what a command line needs: its command, the list of all, or all of them."""
    if given in ([], ["--help"], ["--version"]) and "_BMC_COMPLETE" not in os.environ:
        return outline()
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
