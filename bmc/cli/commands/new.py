"""`bmc new`: a protocol to start from."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.examples import AlreadyThere
from bmc.cli.shared.new_protocol import PROTOCOL, TESTS
from bmc.lang.errors import BmcError
from bmc.running.files import write_file


class CannotMake(BmcError):
    """A name that no Python file can have, or no name."""


def new(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="What to call it: lock_service makes lock_service.py."),
    ] = None,
    example: Annotated[
        str | None,
        typer.Option("--example", metavar="EXAMPLE", help="Copy this example instead."),
    ] = None,
    listed: Annotated[bool, typer.Option("--examples", help="List the examples.")] = False,
) -> None:
    """Make a small protocol and its test, or copy an example, to be changed into your own."""
    with Answer("new") as answer:
        from bmc.cli.shared.examples import copy_example, examples

        if listed:
            if name is not None or example is not None:
                raise CannotMake("--examples lists what there is, and makes nothing: give it alone")
            known = examples()
            width = max(len(one.name) for one in known)
            for one in known:
                answer.page.line((one.name.ljust(width), "bold"), f"  {one.about}")
        elif example is not None:
            for file in copy_example(example, Path(name or ".")):
                answer.page.line(str(file))
        elif name is None:
            raise CannotMake("say what to call it, such as `bmc new lock_service`, or --examples")
        else:
            _make(answer, name)


def _make(answer: Answer, name: str) -> None:
    path, test, class_name = _names(name)
    for file in (path, test):
        if file.exists():
            raise AlreadyThere(f"{file} is there already: choose another name, or remove it")
    write_file(path, PROTOCOL.replace("LockService", class_name))
    content = TESTS.replace("LockService", class_name).replace("lock_service", path.stem)
    write_file(test, content)
    answer.page.line(f"{path} and {test} are made. What to do with them:")
    answer.page.blank()
    commands = [
        (f"bmc explore {path}:{class_name}", "look at every state"),
        (f"bmc prove {path}:{class_name}", "prove it for every depth"),
        (f"bmc step {path}:{class_name}", "walk through it by hand"),
        (f"bmc prove {path}:{class_name} --watch", "prove it again whenever you save it"),
        *_with_pytest(test),
    ]
    width = max(len(command) for command, _ in commands)
    for command, what in commands:
        answer.page.line(f"  {command.ljust(width)}   {what}")


def _with_pytest(test: Path) -> list[tuple[str, str]]:
    """The commands that run a test; in an environment without pytest that is installed first."""
    if importlib.util.find_spec("pytest") is not None:
        return [(f"pytest {test}", "keep it so")]
    here = Path(sys.executable)
    python = quote(str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here))
    return [
        (f"{python} -m pip install pytest", "which is not here yet"),
        (f"{python} -m pytest {test}", "keep it so"),
    ]


def _names(name: str) -> tuple[Path, Path, str]:
    """Return the file, its test and the class."""
    given = Path(name[:-3] if name.endswith(".py") else name)
    stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", given.name).lower()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", stem) or keyword.iskeyword(stem) or stem == "bmc":
        raise CannotMake(
            f"{name!r} can name no protocol: write letters, digits and _, such as lock_service"
        )
    if not given.parent.is_dir():
        raise CannotMake(f"there is no folder {given.parent}: make it first")
    class_name = "".join(part.capitalize() for part in stem.split("_"))
    return given.with_name(f"{stem}.py"), given.with_name(f"test_{stem}.py"), class_name
