"""All commands together, and what is said to a command line that none of them understands."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer
from typer.core import TyperGroup

from bmc import __version__
from bmc.cli.commands.certificate import app as certificate
from bmc.cli.commands.certify import certify
from bmc.cli.commands.check import check
from bmc.cli.commands.cover import cover
from bmc.cli.commands.doctor import doctor
from bmc.cli.commands.explore import explore
from bmc.cli.commands.export import app as export
from bmc.cli.commands.infer import infer
from bmc.cli.commands.list import list_protocols
from bmc.cli.commands.mine import mine
from bmc.cli.commands.new import new
from bmc.cli.commands.prove import prove
from bmc.cli.commands.regress import regress
from bmc.cli.commands.simulate import simulate
from bmc.cli.commands.step import step
from bmc.cli.commands.stubs import stubs
from bmc.cli.commands.sweep import sweep
from bmc.cli.commands.testgen import generate
from bmc.cli.commands.trace import trace
from bmc.cli.shared import outcome, watching
from bmc.cli.shared.as_given import AsGiven
from bmc.cli.shared.given_once import give_once
from bmc.cli.shared.specifications import for_specifications


class _Commands(AsGiven, TyperGroup):
    """All commands."""


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

app.command("list")(list_protocols)
app.command("new")(new)
app.command("stubs")(stubs)
app.command("prove")(for_specifications(prove))
app.command("check")(for_specifications(check))
app.command("explore")(for_specifications(explore))
app.command("step")(for_specifications(step))
app.command("simulate")(for_specifications(simulate))
app.command("cover")(for_specifications(cover))
app.command("testgen")(for_specifications(generate))
app.command("infer")(for_specifications(infer))
app.command("mine")(for_specifications(mine))
app.add_typer(sweep, name="sweep")
app.command("certify")(for_specifications(certify))
app.add_typer(certificate, name="certificate")
app.add_typer(export, name="export")
app.command("regress")(regress)
app.command("doctor")(for_specifications(doctor))
app.add_typer(trace)


give_once(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bmc {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """What can be said before the command."""


def run(given: list[str]) -> int:
    """Run one command line; its exit code."""
    if watching.WORD in given and "--help" not in given:
        return watching.watch([word for word in given if word != watching.WORD])
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
