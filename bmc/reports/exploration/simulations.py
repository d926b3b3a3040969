"""Simulations: what random walks met, and which actions happened on them."""

from __future__ import annotations

from typing import Any

from bmc.engines.simulate import Simulation, Walks
from bmc.reports.documents import ResultDocuments
from bmc.reports.page import Page
from bmc.reports.traces.text import count, write_overflow, write_trace
from bmc.reports.vocabulary import Vocabulary


def simulation_json(documents: ResultDocuments, walks: Walks, found: Simulation) -> dict[str, Any]:
    """A simulation as JSON data."""
    return {
        "asked": {"walks": walks.number, "length": walks.length, "seed": walks.seed},
        "walks": found.walks,
        "steps": found.steps,
        "dead_ends": found.dead_ends,
        "stopped_because": found.stopped_because,
        "results": [documents.result(result) for result in found.verdicts()],
        "fired": dict(found.fired),
        "traces": [documents.trace(trace) for trace in found.kept],
        "overflow": None
        if found.overflow is None
        else {"reason": found.overflow_reason, "trace": documents.trace(found.overflow)},
    }


def write_simulation(
    page: Page, words: Vocabulary, walks: Walks, found: Simulation, full: bool
) -> None:
    """How far the walks came, how often each action happened, and the walks that were kept."""
    ended = "" if found.stopped_because is None else f", stopped: {found.stopped_because}"
    page.line(
        (count(found.walks, "walk"), "bold"),
        f" of up to {count(walks.length, 'step')}, {count(found.steps, 'step')} in all, "
        f"{count(found.dead_ends, 'walk')} into a dead end, seed {walks.seed}{ended}  "
        f"{found.seconds:.1f} s",
    )
    width = max((len(name) for name in found.fired), default=0)
    for name, times in found.fired.items():
        said = (f"{count(times, 'step')}", "") if times else ("never", "bold yellow")
        page.line(f"  action  {name:<{width}}  ", said)
    page.blank()
    for number, trace in enumerate(found.kept, 1):
        page.line((f"walk {number}: {count(len(trace), 'state')}", "bold"))
        page.blank()
        write_trace(page, words, trace, full)
        page.blank()
    if found.overflow is not None:
        write_overflow(page, words, found.overflow, found.overflow_reason, full)
