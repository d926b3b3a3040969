"""`bmc prove --explain`, and what every proof says of its witnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bmc.cli.shared.advice import advice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bmc.analysis.validity_core import ValidityCore
    from bmc.cli.shared.request import Request
    from bmc.engines.task import Deadline, Task
    from bmc.evidence.verdict import Result
    from bmc.lang.suite import Origin
    from bmc.reports.page import Page

ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain", help="Say what was proven from what, what was not needed, what is reached."
    ),
]

SECONDS = 60.0
"""What an explanation may take beyond the proof; no more than is left of the user's limit."""


def explained(
    wanted: bool, task: Task, results: Sequence[Result], deadline: Deadline
) -> ValidityCore | None:
    """Return the explanation of what was proved, if it is wanted and nobody interrupts it."""
    if not wanted:
        return None
    from bmc.analysis.validity_core import explain
    from bmc.cli.shared.progress import Progress

    progress, left = Progress(), deadline.remaining()
    seconds = SECONDS if left is None else min(SECONDS, left)

    def look() -> ValidityCore | None:
        with progress:
            return explain(task, results, seconds, progress)

    return advice("the explanation", look)


def account(found: ValidityCore | None) -> dict[str, Any] | None:
    """Return an explanation as JSON data, if there is one."""
    if found is None:
        return None
    from bmc.reports.proofs.validity_core import proof_account_json

    return proof_account_json(found)


def write_witnesses(page: Page, request: Request, results: Sequence[Result], asked: bool) -> None:
    """That a proof did not look whether it is about anything, and what does.

    ``asked`` says that an explanation was asked for, and there is none.
    """
    from bmc.evidence.verdict import Verdict
    from bmc.lang.properties import Kind

    stated = request.suite.declared(Kind.WITNESS)
    proved = [result for result in results if result.verdict is Verdict.PROVED]
    if asked and proved and all(result.certificate is None for result in proved):
        page.line(
            "Nothing to explain: all reachable states were looked at, and none was proven from "
            "another. --engine kinduction or ic3 proves by induction, which has an explanation"
        )
    if stated and proved:
        others = "" if asked else "--explain and "
        do = "does" if asked else "do"
        page.line(
            f"Witnesses: {len(stated)}, not checked here ({others}`bmc cover {request.name}` {do})"
        )


def write_bounds(page: Page, origin: Origin) -> None:
    """Write how far the values of a translated text go, and who says so."""
    lines = origin.bounds()
    if lines:
        page.line("Bounds")
        for line in lines:
            page.line(f"  {line}")
        page.line()
