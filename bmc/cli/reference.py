"""docs/commands.md, from the program itself: `python -m bmc.cli.reference > docs/commands.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer

from bmc.cli.app import application

_HEAD = """\
# Commands

Every command with its arguments and options, as `bmc COMMAND --help` says them. This page is
written by `python -m bmc.cli.reference`; a test compares it with the program.

Exit codes: 0 proved or clean, 1 violated, 2 bad usage or input, 3 unknown, 4 internal failure.
`--json` prints one document that satisfies [result.schema.json](result.schema.json), with
whole states whatever `--full`, `--only` and `--format` say of text.
"""


def reference() -> str:
    """Return the page, in Markdown."""
    # Commands have no public class in all versions of typer: what is read here they all have.
    whole: Any = typer.main.get_command(application())
    top = whole.make_context("bmc", [], resilient_parsing=True)
    return "\n".join([_HEAD, *_commands(whole, top, "bmc")])


def _commands(group: Any, above: Any, called: str) -> Iterator[str]:
    for name in group.list_commands(above):
        command: Any = group.get_command(above, name)
        if command.hidden:
            continue
        full = f"{called} {name}"
        context = command.make_context(name, [], parent=above, resilient_parsing=True)
        if hasattr(command, "list_commands"):
            yield from _commands(command, context, full)
        else:
            yield from _command(command, full)


def _command(command: Any, called: str) -> Iterator[str]:
    given = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    yield f"## {called}\n"
    yield f"    {' '.join([called, *map(_argument, given), '[OPTIONS]'])}\n"
    yield f"{cleandoc(command.help or '')}\n"
    for title, rows in (
        ("argument", [(_argument(one), one.help or "") for one in given]),
        ("option", [(_option(one), f"{one.help or ''}{_default(one)}") for one in options]),
    ):
        if rows:
            yield f"| {title} | |\n|---|---|"
            yield from (f"| `{_cell(name)}` | {_cell(text)} |" for name, text in rows)
            yield ""


# Written here rather than taken from typer's help, which looks another way in each version.
def _argument(one: Any) -> str:
    name = (one.metavar or one.name.upper()).strip("[].")
    name = f"{name}..." if one.nargs == -1 else name
    return name if one.required else f"[{name}]"


def _option(one: Any) -> str:
    names = ", ".join([*sorted(one.opts, key=len), *one.secondary_opts])
    return names if one.is_flag else f"{names} {one.metavar or one.name.upper()}"


def _default(one: Any) -> str:
    if one.required:
        return " Required."
    if isinstance(one.default, bool) or not isinstance(one.default, int | float | str | Path):
        return ""
    return f" Default: {one.default}." if str(one.default) else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
