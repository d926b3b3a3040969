"""`bmc trace map`: a mapping proposed for a log, from the names of its events and fields."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import JsonOption, ProtocolArgument, VerboseOption


def propose_map(
    protocol: ProtocolArgument,
    log: Annotated[
        Path, typer.Option("--log", metavar="FILE", help="The events: a JSON object a line.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the mapping here, not to stdout."),
    ] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Propose a mapping of a log, for `bmc trace check`.

    It is made of names that are alike, so it is a first draft to read and to finish: what could
    not be placed stands in it as comments.
    """
    with Answer("trace map", as_json, verbose) as answer:
        from bmc.cli.shared import catalogue
        from bmc.cli.shared.examples import AlreadyThere
        from bmc.conformance.proposal import propose
        from bmc.running.files import require_writable, write_file

        if out is not None:
            require_writable(out)
            if out.is_file() and out.stat().st_size > 0:
                # Who has finished a mapping, under whatever name, would lose what they know.
                raise AlreadyThere(f"{out} is there already: name another file, or remove it")
        suite = catalogue.find(protocol)
        found = propose(log, suite)
        if out is not None:
            write_file(out, found.text)
        if answer.as_json:
            answer.document(
                {
                    "protocol": protocol,
                    "mapping": found.text,
                    "events": found.events,
                    "placed": found.placed,
                    "unplaced": found.unplaced,
                    "written": None if out is None else str(out),
                }
            )
            return
        if out is None:
            answer.page.line(found.text.rstrip("\n"))
            return
        for placed in found.placed:
            answer.page.line(f"  {placed}")
        for unplaced in found.unplaced:
            answer.page.line(("  not placed: ", "yellow"), unplaced)
        answer.page.line(f"{out}: read it, finish it, then `bmc trace check` with it")
