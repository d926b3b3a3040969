"""`bmc list`: protocols, parameters, properties, and what is claimed of them."""

from __future__ import annotations

from typing import Annotated

import typer

from bmc.cli.shared.answer import Answer
from bmc.cli.shared.options import JsonOption, VerboseOption


def list_protocols(
    protocol: Annotated[
        str | None,
        typer.Argument(metavar="PROTOCOL", help="Tell all about this one.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """List the protocols and their claims."""
    with Answer("list", as_json, verbose) as answer:
        if protocol is None:
            _list_all(answer)
        else:
            _list_one(answer, protocol)
        if not as_json:
            answer.cost()


def _list_one(answer: Answer, name: str) -> None:
    from bmc.cli.shared import catalogue
    from bmc.reports.listing import suite_json, write_detail

    suite = catalogue.find(name)
    if answer.as_json:
        alias_of = suite.name if name in suite.aliases else None
        answer.document({"protocols": [suite_json(name, suite, alias_of)], "unavailable": []})
    else:
        write_detail(answer.page, suite, name)


def _list_all(answer: Answer) -> None:
    from bmc.cli.shared import catalogue
    from bmc.reports.listing import suite_json, write_summary, write_totals

    entries = list(catalogue.entries())
    available = [(e.name, e.suite, e.alias_of) for e in entries if e.suite is not None]
    broken = [(e.name, e.unavailable) for e in entries if e.unavailable is not None]
    if answer.as_json:
        answer.document(
            {
                "protocols": [suite_json(*entry) for entry in available],
                "unavailable": [{"name": name, "reason": reason} for name, reason in broken],
            }
        )
        return
    shown = [(name, suite) for name, suite, alias_of in available if alias_of is None]
    for name, suite in shown:
        aliases = [alias for alias, _, meant in available if meant == name]
        write_summary(answer.page, suite, name, aliases)
        answer.page.blank()
    for name, reason in broken:
        answer.page.line((name, "bold"), (f"  not available: {reason}", "yellow"))
        answer.page.blank()
    write_totals(answer.page, len(shown))
