"""The numbers of a sweep that count all of its rows, also where the rows are too many to list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bmc.reports.sweeps.digest import Overview, Row, counted, unknowns

MOST_LISTED = 20_000
"""Rows that are read into one process and listed one by one; of more, a report counts all, lists
some, and keeps the others in files of their own."""


@dataclass(frozen=True)
class Totals:
    """What a report says of all rows.

    ``unknowns`` are reasons with how many rows have them and one of these; ``seconds`` what all
    jobs took; ``traces`` counts the violations that have one of their own. ``files`` has for a
    protocol and property the file of its rows, where the report does not list them.
    """

    rows: int
    counts: Mapping[str, int]
    overview: Overview
    unknowns: Sequence[tuple[str, int, Row]]
    seconds: float
    traces: int
    failed: int
    finished: tuple[datetime, datetime] | None
    hosts: Sequence[str]
    tools: Sequence[str]
    files: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @staticmethod
    def of(rows: Sequence[Row]) -> Totals:
        """Count rows that are all at hand."""
        finished = [row["finished"] for row in rows]
        return Totals(
            len(rows),
            counted(rows),
            Overview.of(rows),
            [(reason, len(group), group[0]) for reason, group in unknowns(rows)],
            sum(row["seconds"] or 0 for row in rows),
            sum(row["verdict"] == "violated" and not row["implied_by"] for row in rows),
            sum(row["ended"] == "failed" for row in rows),
            (min(finished), max(finished)) if finished else None,
            sorted({row["host"] for row in rows if row["host"]}),
            sorted({row["tools"] for row in rows}),
        )

    def unlisted(self) -> list[dict[str, Any]]:
        """Return where to find the rows that are not listed, for the page's script."""
        return [
            {"protocol": protocol, "property": name, "file": file}
            for (protocol, name), file in self.files.items()
        ]
