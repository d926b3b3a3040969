"""Explorations: counts, level by level, and what was found on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bmc.engines.exploration import Exploration
from bmc.evidence.verdict import Result
from bmc.evidence.wording import count
from bmc.reports.page import Page
from bmc.reports.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bmc.reports.documents import ResultDocuments

_WIDTH = 92


def exploration_json(
    documents: ResultDocuments, found: Exploration, results: Sequence[Result]
) -> dict[str, Any]:
    """An exploration as JSON data, with its verdicts, simpler traces included."""
    return {
        "distinct_states": found.distinct_states,
        "generated_states": found.generated_states,
        "depth": len(found.levels),
        "levels": list(found.levels),
        "representatives": found.representatives,
        "complete": found.complete,
        "stopped_because": found.stopped_because,
        "results": [documents.result(result) for result in results],
        "witnesses": {
            name: None if trace is None else documents.trace(trace)
            for name, trace in found.witnesses.items()
        },
        "overflow": None
        if found.overflow is None
        else {"reason": found.overflow_reason, "trace": documents.trace(found.overflow)},
        "fired": dict(found.fired),
    }


def write_exploration(page: Page, words: Vocabulary, found: Exploration, full: bool) -> None:
    """Counts and levels, actions that never happened, witnesses, and an overflow if there is."""
    whole = "complete" if found.complete else f"incomplete: {found.stopped_because}"
    page.line(
        (count(found.distinct_states, "distinct state"), "bold"),
        f" in {count(len(found.levels), 'level')}, {found.generated_states:,} generated, ",
        (whole, "green" if found.complete else "yellow"),
        f"  {found.seconds:.1f} s",
    )
    if found.representatives is not None:
        page.line(f"  counted from {found.representatives:,} that are no renamings of each other")
    if found.on_disk is not None:
        page.line(f"  {found.on_disk}")
    if not found.holds and not found.violations:
        page.line("  no property was judged: -P NAME judges one that `bmc list` shows")
    write_levels(page, found.levels)
    idle = [name for name, times in found.fired.items() if not times]
    if idle:
        _write_wrapped(page, "never fired", idle)
    for name, trace in found.witnesses.items():
        if trace is None:
            said = "is never reached" if found.complete else "is not reached in what was explored"
            page.line(f"  witness {name} ", (said, "yellow"))
        else:
            page.line(f"  witness {name} is reached by a trace of {count(len(trace), 'state')}")
    page.blank()
    if found.overflow is not None:
        from bmc.reports.traces.text import write_overflow

        write_overflow(page, words, found.overflow, found.overflow_reason, full)


def write_levels(page: Page, levels: Sequence[int]) -> None:
    """How many states are that many steps away, level by level."""
    _write_wrapped(page, "levels", [f"{n:,}" for n in levels])


def _write_wrapped(page: Page, title: str, items: Sequence[str]) -> None:
    indent = f"  {title}  "
    line = indent
    for item in items:
        if len(line) + len(item) > _WIDTH and line.strip() not in ("", title):
            page.line(line)
            line = " " * len(indent)
        line += f"{item} "
    page.line(line)
