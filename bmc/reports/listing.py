"""The catalogue on a page and as JSON: what there is to check, and what is claimed of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bmc.lang.properties import Kind
from bmc.lang.protocol import parameters_of
from bmc.lang.suite import Suite
from bmc.reports.page import Page, Part
from bmc.reports.traces.text import count


def suite_json(name: str, suite: Suite, alias_of: str | None = None) -> dict[str, Any]:
    """A suite: its parameters, properties and lemmas."""
    return {
        "name": name,
        "alias_of": alias_of,
        "about": _first_line(suite.about),
        "parameters": [
            {
                "name": p.name,
                "low": p.low,
                "high": p.high,
                "default": p.default,
                "about": p.about,
            }
            for p in parameters_of(suite.protocol)
        ],
        "properties": [
            {
                "name": d.name,
                "kind": d.kind.value,
                "about": d.text,
                "refuted": suite.refuted.get(d.name),
            }
            for d in suite.properties
        ],
        "lemmas": [{"name": d.name, "group": d.group, "about": d.text} for d in suite.lemmas],
        "temporal": [
            {"name": d.name, "specification": d.specification, "about": d.text}
            for d in suite.temporal
        ],
    }


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]


def write_summary(page: Page, suite: Suite, name: str, aliases: Sequence[str] = ()) -> None:
    """A suite in a few lines."""
    also = f" (= {', '.join(aliases)})" if aliases else ""
    page.line((name, "bold"), f"{also}  {_first_line(suite.about)}")
    parameters = [
        f"{p.name}={p.default} ({p.low}..{p.high})" for p in parameters_of(suite.protocol)
    ]
    claims = [d for d in suite.properties if d.kind is not Kind.WITNESS]
    _entry(page, "parameters", parameters)
    _entry(page, "properties", [_kinded(d.name, d.kind) for d in claims if not _refuted(suite, d)])
    for declared in claims:
        if _refuted(suite, declared):
            page.line("  refuted     ", (declared.name, "red"), f": {suite.refuted[declared.name]}")
    _entry(page, "witnesses", [d.name for d in suite.properties if d.kind is Kind.WITNESS])
    _entry(page, "temporal", [d.name for d in suite.temporal])
    if suite.lemmas:
        page.line(f"  lemmas      {len(suite.lemmas)}")


def _refuted(suite: Suite, declared: Any) -> bool:
    return declared.name in suite.refuted


def _kinded(name: str, kind: Kind) -> str:
    return f"{name} ({kind.value})" if kind is Kind.STEP_INVARIANT else name


def _entry(page: Page, title: str, items: Sequence[str]) -> None:
    if items:
        page.line(f"  {title.ljust(10)}  {', '.join(items)}")


def write_detail(page: Page, suite: Suite, name: str) -> None:
    """A suite with every parameter, property, action and lemma."""
    page.line((name, "bold"), f"  {_first_line(suite.about)}")
    parameters = parameters_of(suite.protocol)
    _section(page, "Parameters", len(parameters))
    _table(
        page,
        [
            ((p.name, "cyan"), f"{p.low}..{p.high}", f"default {p.default}", p.about)
            for p in parameters
        ],
    )
    actions = suite.model(False).actions
    _section(page, "Actions", len(actions))
    for action in actions:
        page.line("  ", (action.name, "cyan"), f"({', '.join(a.name for a in action.arguments)})")
    _section(page, "Properties", len(suite.properties))
    rows: list[tuple[Part, ...]] = []
    for declared in suite.properties:
        rows.append(((declared.name, "cyan"), declared.kind.value, _first_line(declared.text)))
        if _refuted(suite, declared):
            rows.append(("", ("refuted", "red"), suite.refuted[declared.name]))
    _table(page, rows)
    _section(page, "Temporal claims", len(suite.temporal))
    _table(
        page,
        [
            ((d.name, "cyan"), f"under {d.specification}", _first_line(d.text))
            for d in suite.temporal
        ],
    )
    _section(page, "Rankings", len(suite.rankings))
    _table(
        page,
        [((d.name, "cyan"), f"proves {d.claim}", _first_line(d.text)) for d in suite.rankings],
    )
    groups = dict.fromkeys(d.group for d in suite.lemmas)
    for group in groups:
        members = [d for d in suite.lemmas if d.group == group]
        title = f"Lemmas ({group})" if group else "Lemmas"
        _section(page, title, len(members))
        _table(page, [((d.name, "cyan"), _first_line(d.text)) for d in members])


def _section(page: Page, title: str, size: int) -> None:
    if size:
        page.blank()
        page.line((title, "bold"))


def _table(page: Page, rows: Sequence[tuple[Part, ...]]) -> None:
    if not rows:
        return
    columns = max(len(row) for row in rows)
    widths = [max(len(_text(row[i])) for row in rows if i < len(row)) for i in range(columns)]
    for row in rows:
        line: list[Part] = []
        for part, width in zip(row, widths, strict=False):
            line.extend(["  ", part, " " * (width - len(_text(part)))])
        page.line(*line)


def _text(part: Part) -> str:
    return part if isinstance(part, str) else part[0]


def write_totals(page: Page, number: int) -> None:
    """What to do next, below a list."""
    page.line(f"{count(number, 'protocol')}; `bmc list PROTOCOL` tells all about one")
