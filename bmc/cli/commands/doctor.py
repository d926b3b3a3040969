"""`bmc doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from typing import Annotated

import typer

from bmc.cli.shared import outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import JsonOption, VerboseOption


def doctor(
    specification: Annotated[
        str | None,
        typer.Argument(metavar="[SPEC.tla]", help="Say all that keeps it from being checked."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", help="The most a specification may take."),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option("--memory", metavar="MB", help="The memory that a specification may take."),
    ] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Tell what is installed and what is missing, or what of a specification is not supported.

    Exit code 4 when something is missing that proofs need, 2 when the specification cannot be
    checked.
    """
    with Answer("doctor", as_json, verbose) as answer:
        from bmc.engines.task import require_memory, require_seconds

        require_seconds(timeout)
        require_memory(memory)
        if specification is not None:
            _examine(answer, specification, timeout, memory)
            return
        from bmc.cli.shared.installation import examine
        from bmc.cli.shared.specifications import require_a_text
        from bmc.reports.health import component_json, write_components

        require_a_text({"--timeout": timeout, "--memory": memory})
        components = examine()
        healthy = all(c.usable for c in components if c.needed)
        answer.code = outcome.OK if healthy else outcome.FAILURE
        if answer.as_json:
            found = [component_json(component) for component in components]
            answer.document({"healthy": healthy, "components": found})
        else:
            write_components(answer.page, components)
            answer.cost()


def _examine(answer: Answer, specification: str, timeout: float | None, memory: int | None) -> None:
    from bmc.cli.shared.specifications import complaints
    from bmc.running.interruption import interrupted

    with interrupted(f"what {specification} means", timeout, memory):
        found, notes = complaints(specification)
    answer.code = outcome.USAGE if found else outcome.OK
    if answer.as_json:
        answer.document(
            {
                "healthy": not found,
                "components": [],
                "unsupported": [str(one) for one in found],
                "notes": list(notes),
            }
        )
        return
    for one in (*found, *notes):
        answer.page.line(str(one))
    count = "nothing" if not found else str(len(found))
    answer.page.line(f"{specification}: {count} that is not supported")
