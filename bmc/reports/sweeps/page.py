"""A sweep on a page and as JSON: the plan before it runs, the counts after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bmc.reports.page import Page
from bmc.reports.sweeps.digest import Row, point, smallest_violations
from bmc.reports.sweeps.totals import Totals
from bmc.reports.traces.text import count

_MOST_JOBS = 40
_MOST = 8
_STYLES = {
    "proved": "bold green",
    "violated": "bold red",
    "clean": "bold cyan",
    "unknown": "bold yellow",
}

Job = Mapping[str, Any]


def plan_json(
    jobs: Sequence[Job], forms: Mapping[str, str], workers: int, seconds: float
) -> dict[str, Any]:
    """What a sweep would do, and in how many seconds, Spark's start included."""
    return {
        "dry_run": True,
        "jobs": list(jobs),
        "state_bits": dict(forms),
        "estimate": {"seconds": round(seconds, 1), "workers": workers},
    }


def write_plan(
    page: Page,
    jobs: Sequence[Job],
    forms: Mapping[str, str],
    workers: int,
    seconds: float,
    verbose: bool,
) -> None:
    """The jobs in the order they would run, the size of a state, and an estimate."""
    shown = jobs if verbose else jobs[:_MOST_JOBS]
    page.line(("bits  ~ seconds  job", "bold"))
    for job in shown:
        done = "done" if job["done"] else f"{job['expected_seconds']:.1f}"
        seeds = f" seeds {job['seeds']}" if job.get("seeds") else ""
        asked = f"{job['protocol']} {point(job)} {job['property']}{seeds}"
        page.line(f"{job['state_bits']:>4}  {done:>9}  {asked}")
    if len(shown) < len(jobs):
        page.line(f"… and {len(jobs) - len(shown)} smaller ones (--verbose shows them)")
    page.blank()
    for protocol, form in forms.items():
        page.line(f"State bits of {protocol}: {form}")
    left = [job for job in jobs if not job["done"]]
    page.line(
        f"{count(len(jobs), 'job')}, {len(jobs) - len(left)} done already; "
        + (
            f"about {seconds:.0f} s on {count(workers, 'core')}, with Spark's start"
            if left
            else "nothing is left to do"
        )
    )


def summary_json(
    rows: Sequence[Row],
    before: int,
    missing: int,
    stopped: str | None,
    files: Mapping[str, str],
    totals: Totals | None = None,
) -> dict[str, Any]:
    """What a sweep found; ``stopped`` says why ``missing`` jobs have no row.

    ``totals`` tells of all rows where only some are given.
    """
    totals = totals or Totals.of(rows)
    return {
        "dry_run": False,
        "jobs": totals.rows + missing,
        "done_before": before,
        "missing": missing,
        "stopped_because": stopped,
        "counts": dict(totals.counts),
        "files": dict(files),
        "rows": [_plain(row) for row in rows],
    }


def _plain(row: Row) -> dict[str, Any]:
    return {**row, "finished": row["finished"].isoformat()}


def write_summary(
    page: Page,
    rows: Sequence[Row],
    before: int,
    missing: int,
    stopped: str | None,
    totals: Totals | None = None,
) -> None:
    """The counts, the smallest violations, and what is unknown."""
    totals = totals or Totals.of(rows)
    if stopped is not None:
        page.line(("stopped", "bold yellow"), f": {stopped}; {count(missing, 'job')} left")
    elif missing:
        lost = f": {count(missing, 'job')} without a row, whose writing was lost: run it again"
        page.line(("missing", "bold yellow"), lost)
    parts: list[Any] = [f"{count(totals.rows, 'job')}: "]
    for name, number in totals.counts.items():
        if number:
            parts += [(f"{number} {name}", _STYLES[name]), "  "]
    page.line(*parts)
    if before:
        page.line(f"{before} of them were done before")
    found = smallest_violations(rows)
    if found:
        page.blank()
        page.line("Smallest violations:")
        for row in found[:_MOST]:
            states = count(row["trace_states"] or 0, "state")
            page.line(f"  {row['protocol']} {row['property']} {point(row)}: a trace of {states}")
        if len(found) > _MOST:
            page.line(f"  … and {len(found) - _MOST} more in the report")
    if totals.unknowns:
        page.blank()
        page.line("Unknown:")
        for reason, number, _ in totals.unknowns[:_MOST]:
            page.line(f"  {number} × {reason}")
    page.blank()
