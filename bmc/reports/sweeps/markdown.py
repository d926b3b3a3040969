"""`report.md`: a sweep for readers of plain text, and for pasting into an issue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bmc.evidence.markdown import Markup, code, fenced, link, plain, table
from bmc.reports.sweeps.digest import (
    OUTCOMES,
    Overview,
    Row,
    command,
    largest,
    outcome,
    point,
    slowest,
    smallest_violations,
)
from bmc.reports.sweeps.glossary import Glossary
from bmc.reports.sweeps.growth import growth
from bmc.reports.sweeps.totals import Totals
from bmc.reports.traces.text import count

_SIGNS = {"proved": "✓", "violated": "✗", "clean": "○", "unknown": "?"}
_MOST = 20


def markdown(
    rows: Sequence[Row],
    traces: Mapping[str, str],
    glossary: Glossary,
    facts: Mapping[str, str],
    again: str,
    totals: Totals | None = None,
) -> str:
    """The report.

    ``traces`` has the text of traces by their path, ``facts`` what is to be said at the end,
    ``again`` the command line of the sweep.
    """
    totals = totals or Totals.of(rows)
    parts = [
        f"# Sweep: {plain(', '.join(dict.fromkeys(r['protocol'] for r in rows)))}",
        _summary(totals),
        _overview(totals.overview),
        _names(glossary),
        _violations(rows, traces),
        _unknowns(totals),
        _cost(rows),
        _answers(rows, totals),
        _facts(facts, again),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(totals: Totals) -> str:
    said = ", ".join(f"{n} {name}" for name, n in totals.counts.items() if n)
    return (
        f"{count(totals.rows, 'job')}: {said or 'nothing yet'}.\n\n"
        "*proved*: for executions of every length, at these parameters, with a certificate. "
        "*violated*: there is a trace. *clean*: no violation up to the depth that was searched, or "
        "on the walks that were taken, which is no proof. *unknown*: see why below."
    )


def _overview(seen: Overview) -> str:
    lines = []
    for protocol in seen.protocols:
        cells = [seen.cells.get((protocol, name), {}) for name in seen.properties]
        lines.append([protocol, *(Markup(_counts(cell)) for cell in cells)])
    signs = ", ".join(f"{_SIGNS[name]} {name}" for name in OUTCOMES)
    return f"## Overview\n\n{table(['', *seen.properties], lines)}\n\n{signs}"


def _names(glossary: Glossary) -> str:
    meanings = (*glossary.protocols, *glossary.properties, *glossary.parameters)
    if not meanings:
        return ""
    listed = "\n".join(f"- **{plain(name)}**: {plain(meaning)}" for name, meaning in meanings)
    return f"## What the names mean\n\n{listed}"


def _counts(cell: Mapping[str, int]) -> str:
    return " ".join(f"{_SIGNS[name]}\u00a0{n}" for name, n in cell.items() if n)


def _violations(rows: Sequence[Row], traces: Mapping[str, str]) -> str:
    found = smallest_violations(rows)
    if not found:
        return ""
    parts = ["## Smallest parameters that violate"]
    for row in found[:_MOST]:
        parts.append(
            f"### {plain(row['property'])} of {plain(row['protocol'])}\n\n"
            f"{code(point(row))}, a trace of {count(row['trace_states'] or 0, 'state')} "
            f"({link(row['trace'], row['trace'])})"
        )
        if text := traces.get(row["trace"] or ""):
            parts.append(fenced(text.rstrip()))
    if len(found) > _MOST:
        parts.append(f"…and {len(found) - _MOST} more in report.html")
    return "\n\n".join(parts)


def _unknowns(totals: Totals) -> str:
    if not totals.unknowns:
        return ""
    lines = [
        [number, reason, f"{row['protocol']} {row['property']} {point(row)}"]
        for reason, number, row in totals.unknowns
    ]
    return f"## What is unknown, and why\n\n{table(['jobs', 'why', 'for example'], lines)}"


def _cost(rows: Sequence[Row]) -> str:
    parts = ["## Cost"]
    grown = growth(rows)
    if grown:
        lines = [
            [name, s.protocol, "—" if s.factor is None else f"×{s.factor:.2f}"]
            for name, series in grown.items()
            for s in series
        ]
        parts.append("By what one more of a parameter multiplies the seconds of a job:")
        parts.append(table(["parameter", "protocol", "factor"], lines))
    for title, chosen in (("Slowest jobs", slowest(rows)), ("Most memory", largest(rows))):
        lines = [
            [
                f"{r['seconds'] or 0:.1f}",
                f"{r['peak_memory_mb'] or 0:.0f}",
                r["state_bits"],
                r["protocol"],
                r["property"],
                point(r),
                outcome(r),
            ]
            for r in chosen
        ]
        head = ["s", "MB", "bits", "protocol", "property", "parameters", "verdict"]
        parts.append(f"{title}:\n\n{table(head, lines)}")
    return "\n\n".join(parts)


def _answers(rows: Sequence[Row], totals: Totals) -> str:
    lines = [
        [
            r["protocol"],
            r["property"],
            point(r),
            f"{_SIGNS[outcome(r)]} {outcome(r)}",
            code(command(r)),
        ]
        for r in rows
    ]
    head = ["protocol", "property", "parameters", "verdict", "ask again"]
    title = "Every answer"
    if len(rows) < totals.rows:
        title = f"{len(rows)} of the {totals.rows} answers (report.html shows the others)"
    return f"## {title}\n\n{table(head, lines)}"


def _facts(facts: Mapping[str, str], again: str) -> str:
    listed = "\n".join(f"- {plain(name)}: {plain(value)}" for name, value in facts.items())
    return f"## How this was made\n\n{listed}\n\n{fenced(again)}"
