"""`bmc testgen`: executions that cover a protocol, as files to drive tests of a system with."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.conclusion import write_cost
from bmc.cli.shared.options import (
    JsonOption,
    ParameterOption,
    ProtocolArgument,
    TimeoutOption,
    VerboseOption,
    WalkSeedOption,
)

if TYPE_CHECKING:
    from bmc.analysis.covering.executions import CoveringSet
    from bmc.analysis.covering.goals import Cover
    from bmc.cli.shared.request import Request


def generate(
    protocol: ProtocolArgument,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Write the executions and the index here.")
    ],
    cover: Annotated[
        str,
        typer.Option("--cover", metavar="WHAT", help="What to cover: actions, guards, witnesses."),
    ] = "actions",
    parameters: ParameterOption = None,
    max_states: Annotated[
        int, typer.Option("--max-states", metavar="N", help="Explore so many states, then walk.")
    ] = 1_000_000,
    walks: Annotated[
        int, typer.Option("--walks", metavar="N", help="Random walks for what is left.")
    ] = 1000,
    length: Annotated[
        int, typer.Option("--length", metavar="N", help="The most steps of a walk.")
    ] = 100,
    seed: WalkSeedOption = 0,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write a few short executions that cover the protocol: all actions, guards or witnesses.

    Exit code 0 when they cover all that any execution does at these parameters, 3 when something
    was not reached and more states might reach it.
    """
    with Answer("testgen", as_json, verbose) as answer:
        from bmc.analysis.covering.executions import covering_set
        from bmc.analysis.covering.goals import cover_named
        from bmc.cli.shared.progress import Progress
        from bmc.cli.shared.request import Request
        from bmc.engines.simulate import Walks
        from bmc.engines.task import Task

        chosen = cover_named(cover)
        request = Request.of(protocol, parameters, timeout)
        _require_free(out)
        task = Task(request.suite, request.parameters, (), timeout=request.left(timeout))
        progress = Progress()
        with progress:
            found = covering_set(task, chosen, max_states, Walks(walks, length, seed), progress)
        answer.code = outcome.OK if found.complete or not found.unreached else outcome.UNKNOWN
        _answer(answer, request, chosen, found, out)
        if not answer.as_json:
            write_cost(answer, progress)


def _answer(answer: Answer, request: Request, cover: Cover, found: CoveringSet, out: Path) -> None:
    import json

    from bmc.reports.proofs.scope import Scope, scope_json, write_scope
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.traces.executions import (
        INDEX,
        covering_json,
        execution_files,
        write_covering,
    )
    from bmc.reports.vocabulary import Vocabulary
    from bmc.running.files import write_file

    words = Vocabulary.of(request.suite, request.parameters)
    index = covering_json(words, request.name, cover, found)
    files = execution_files(words, request.name, found)
    with _alone(out):
        for name, text in files.items():
            write_file(out / name, text)
        # Last, so that a folder with an index has all its files.
        write_file(out / INDEX, json.dumps(index, indent=1) + "\n")
    scope = Scope.of(request.suite, request.parameters)
    if answer.as_json:
        answer.document(index | {"scope": scope_json(scope), "written": str(out)})
        return
    write_heading(answer.page, request.name, request.parameters)
    write_scope(answer.page, scope)
    write_covering(answer.page, cover, found)
    answer.page.line(f"{out}: {len(files)} executions in ITF, and {INDEX}")


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Hold a folder while files are written there, which is refused where another run did it first.

    Two that were started together both found it free, and an index would speak of files of the
    other one.
    """
    from bmc.running.files import UnwritableFile, make_folder

    try:
        make_folder(out)
        held = os.open(out, os.O_RDONLY)
    except OSError as error:
        why = f"{error.strerror}: name another folder"
        raise UnwritableFile(f"cannot write into {out}: {why}") from None
    try:
        with suppress(OSError):  # Not every file system can hold one.
            fcntl.flock(held, fcntl.LOCK_EX)
        _require_free(out)
        yield
    finally:
        os.close(held)


def _require_free(out: Path) -> None:
    """Refuse what cannot be written into, and files of before, which would be taken for ours."""
    from bmc.reports.traces.executions import BEGINS, INDEX
    from bmc.running.files import UnwritableFile, require_no_stream, require_ours

    try:
        require_no_stream(out / INDEX)
        above = (out, *out.absolute().parents)
        taken = any(out.glob("execution-*.itf.json"))
        index = (out / INDEX).read_bytes() if (out / INDEX).is_file() else None
    except OSError as error:
        raise UnwritableFile(f"cannot write into {out}: {error.strerror or error}") from None
    there = next(place for place in above if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        why = "permission denied" if there.is_dir() else f"{there} is no directory"
        raise UnwritableFile(f"cannot write into {out}: {why}: name another folder")
    if taken:
        raise UnwritableFile(
            f"{out} has executions of an earlier run: remove them, or write into another directory"
        )
    if index is not None:
        require_ours(out / INDEX, index, BEGINS)
