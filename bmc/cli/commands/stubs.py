"""`bmc stubs`: a protocol's variables for editors and type checkers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bmc.cli.shared.answer import Answer


def stubs(
    protocol: Annotated[
        str, typer.Argument(metavar="FILE:CLASS", help="path/to/file.py:ClassName.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; else beside the file, as *_state.py.",
        ),
    ] = None,
) -> None:
    """Write what s is in a protocol, for editors and type checkers.

    Annotate s with the class that it says: then mypy, pyright and completion know the variables
    and their fields, without a plugin. Write it again when the variables change.
    """
    with Answer("stubs") as answer:
        from bmc.cli.shared.examples import AlreadyThere
        from bmc.cli.shared.user_file import load, names_a_file
        from bmc.engines.task import OptionError
        from bmc.reports.stubs import HEAD, stubs_text
        from bmc.running.files import UnwritableFile, begins_with, write_file

        if not names_a_file(protocol):
            raise OptionError(f"{protocol} is no file of yours: name one, as in lock.py:Lock")
        suite = load(protocol)
        name = suite.protocol.__name__
        file = Path(protocol.rpartition(":")[0])
        target = output or file.with_name(f"{file.stem}_state.py")
        if target.is_file() and not begins_with(target, HEAD.encode()):
            said = f"{target} is there already, and not by bmc stubs: choose another with -o"
            raise AlreadyThere(said)
        if target.is_dir():
            raise UnwritableFile(f"cannot write {target}: it is a directory: name a file in it")
        text = stubs_text(f"{file.name}:{name}", name, suite.model(False).variables)
        # Source text is not replaced; this one is bmc's own.
        write_file(target, text, renews=True)
        answer.page.line(f"{target} is written. In {file}:")
        answer.page.blank()
        for line in (
            "from __future__ import annotations",
            "from typing import TYPE_CHECKING",
            "if TYPE_CHECKING:",
            f"    from {target.stem} import {name}State",
            f"…  def Init(self, s: {name}State):",
        ):
            answer.page.line(f"    {line}")
