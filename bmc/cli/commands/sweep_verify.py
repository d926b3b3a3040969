"""`bmc sweep verify`: the evidence of a sweep's answers, judged again by who did not find it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from bmc.cli.shared import catalogue, outcome
from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import JsonOption, VerboseOption
from bmc.cli.shared.sweep_judge import CHANGED, Judge, Reviewed, Verified

_CODES = {
    Reviewed.REJECTED: outcome.USAGE,
    Reviewed.CHANGED: outcome.USAGE,
    Reviewed.OUTDATED: outcome.UNKNOWN,
    Reviewed.UNCHECKED: outcome.UNKNOWN,
}


def verify(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="A sweep's directory.", show_default=False)
    ],
    protocols: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol",
            metavar="FILE:CLASS",
            help="A file of your own that rows may speak of; it is run. Repeatable.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="The most a certificate may take.")
    ] = 300.0,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Judge the evidence of a sweep again: certificates by another solver, traces by replay.

    Rows are data: a protocol is looked for in the catalogue, and a Python file that a row names is
    not run unless --protocol names it too. Exit code 0 if all evidence is accepted, 2 if some is
    rejected or a row is not what a sweep wrote, 3 if some could not be judged.
    """
    with Answer("sweep verify", as_json, verbose) as answer:
        from bmc.cli.shared.progress import Progress
        from bmc.engines.task import require_seconds
        from bmc.sweep.places import place
        from bmc.sweep.store import Store, StoreError, is_empty

        require_seconds(timeout)
        there = place(folder)
        if is_empty(there):
            raise StoreError(f"{folder} is no directory of a sweep: it has no rows")
        store, progress = Store(there), Progress()
        rows = store.scan()
        judge = Judge(
            store.evidence, list(rows.believed.values()), protocols or (), timeout, progress
        )
        if not rows.changed and not rows.unreadable:
            judge.require_rows_of_all_named()
        with progress:
            found = judge.all()
        found += [Verified(row, Reviewed.CHANGED, CHANGED) for row in rows.changed]
        _report(answer, folder, found, rows.unreadable)


_TOLD: Mapping[Reviewed, str] = {
    Reviewed.CHANGED: "not as written",
    Reviewed.REJECTED: "rejected",
    Reviewed.UNCHECKED: "not re-checked",
    Reviewed.OUTDATED: "outdated",
}


def _report(
    answer: Answer, folder: str, found: Sequence[Verified], unreadable: Sequence[str]
) -> None:
    from bmc.evidence.wording import count
    from bmc.reports.sweeps.digest import point

    codes = [_CODES.get(one.standing, outcome.OK) for one in found]
    answer.code = outcome.worst([*codes, *([outcome.USAGE] if unreadable else [])])
    counts = Counter(one.standing for one in found)
    by = Counter(one.by for one in found if one.standing is Reviewed.ACCEPTED)
    if answer.as_json:
        answer.document(
            {
                "directory": folder,
                "counts": {standing.value: counts[standing] for standing in Reviewed},
                "rows": [
                    {
                        **{name: one.row[name] for name in ("key", "protocol", "property")},
                        "parameters": dict(one.row["parameters"]),
                        "verdict": one.row["verdict"],
                        "standing": one.standing.value,
                        "reason": one.said,
                    }
                    for one in found
                ],
                "unreadable": list(unreadable),
            }
        )
        return
    for one in found:
        if one.standing in _TOLD or (answer.verbose and one.standing is Reviewed.ACCEPTED):
            style = "bold green" if one.standing is Reviewed.ACCEPTED else "bold yellow"
            row = f"{one.row['protocol']} {point(one.row)} {one.row['property']}"
            told = _TOLD.get(one.standing, one.standing.value)
            answer.page.line(
                catalogue.printable(row), "  ", (told, style), f": {catalogue.printable(one.said)}"
            )
    for name in unreadable:
        answer.page.line(
            catalogue.printable(name),
            "  ",
            ("no table of rows", "bold yellow"),
            ": what it held is lost, and a sweep that goes on asks it again",
        )
    explored = f", {count(by['explored'], 'exploration')} made again" if by["explored"] else ""
    answer.page.line(
        f"{count(len(found), 'row')}: {count(by['proof'], 'certificate')} accepted by another "
        f"solver, {count(by['trace'], 'trace')} replayed{explored}, {by['implied']} implied by them"
    )
    for standing, told in _TOLD.items():
        if counts[standing]:
            answer.page.line(f"  {counts[standing]} {told}")
    if counts[Reviewed.NOTHING]:
        answer.page.line(
            f"  {counts[Reviewed.NOTHING]} without evidence: searches without a violation, unknowns"
        )
    answer.cost()
