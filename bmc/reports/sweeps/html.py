"""`report.html`: one file with everything in it, so that it can be mailed and opened anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from bmc.evidence.markdown import encodable
from bmc.reports.sweeps.digest import (
    Row,
    command,
    largest,
    outcome,
    point,
    slowest,
    smallest_violations,
)
from bmc.reports.sweeps.glossary import Glossary
from bmc.reports.sweeps.growth import by_size, growth
from bmc.reports.sweeps.plots import along, size_plot
from bmc.reports.sweeps.totals import Totals
from bmc.reports.traces.text import count

_TEMPLATES = Path(__file__).with_name("templates")
_MOST_TRACES = 60


def html(
    rows: Sequence[Row],
    traces: Mapping[str, str],
    glossary: Glossary,
    facts: Mapping[str, str],
    again: str,
    totals: Totals | None = None,
) -> str:
    """The report; the arguments are those of :func:`bmc.reports.sweeps.markdown.markdown`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["count"] = count
    totals = totals or Totals.of(rows)
    protocols = list(dict.fromkeys(row["protocol"] for row in rows))
    colours = {name: number for number, name in enumerate(protocols)}
    power = by_size(rows)
    plots = [along(name, series, colours) for name, series in growth(rows).items()]
    found = smallest_violations(rows)
    page: str = environment.get_template("sweep.html.j2").render(
        protocols=protocols,
        total=totals.rows,
        listed=len(rows),
        counts=totals.counts,
        overview=totals.overview,
        glossary=[
            ("Protocols", glossary.protocols),
            ("Properties", glossary.properties),
            ("Parameters", glossary.parameters),
        ],
        violations=[
            {"row": row, "point": point(row), "text": traces.get(row["trace"] or "", "")}
            for row in found[:_MOST_TRACES]
        ],
        more_violations=max(0, len(found) - _MOST_TRACES),
        unknowns=[(why, number, row, point(row)) for why, number, row in totals.unknowns],
        plots=[*([size_plot(power, colours)] if power else []), *plots],
        costs=[
            ("Slowest jobs", [_cost(row) for row in slowest(rows)]),
            ("Most memory", [_cost(row) for row in largest(rows)]),
        ],
        facts=facts,
        again=again,
        style=_inline("sweep.css"),
        script=_inline("sweep.js"),
        data=_embedded([cell(row) for row in rows]),
        unlisted=_embedded(totals.unlisted()),
    )
    return encodable(page)


def _cost(row: Row) -> dict[str, Any]:
    return {**row, "point": point(row), "outcome": outcome(row)}


def cell(row: Row) -> dict[str, Any]:
    """What the matrix knows about a job."""
    return {
        "key": row["key"],
        "protocol": row["protocol"],
        "property": row["property"],
        "parameters": row["parameters"],
        "outcome": outcome(row),
        "ended": row["ended"],
        "seconds": row["seconds"],
        "memory": row["peak_memory_mb"],
        "bits": row["state_bits"],
        "engine": row["engine"],
        "k": row["k"],
        "depth": row["depth"],
        "states": row["trace_states"],
        "trace": row["trace"],
        "certificate": row["certificate"],
        "checked": row["checked_by"],
        "implied": row["implied_by"],
        "reason": row["reason"],
        "host": row["host"],
        "command": command(row),
    }


def _inline(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _embedded(data: object) -> str:
    # Nothing in the data may end the script element that holds it.
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
