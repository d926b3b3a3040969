"""Coverage: how often each action happened and how each witness is reached."""

from __future__ import annotations

from typing import Any

from bmc.engines.explicit import Exploration
from bmc.reports.page import Page
from bmc.reports.traces import count, write_trace
from bmc.reports.vocabulary import Vocabulary


def coverage_json(found: Exploration) -> dict[str, Any]:
    """Coverage as JSON data: steps an action, and states of the shortest trace to a witness."""
    return {
        "distinct_states": found.distinct_states,
        "complete": found.complete,
        "stopped_because": found.stopped_because,
        "fired": dict(found.fired),
        "witnesses": {
            name: None if trace is None else len(trace) for name, trace in found.witnesses.items()
        },
    }


def write_coverage(page: Page, words: Vocabulary, found: Exploration, full: bool) -> None:
    """A line an action and a line a witness."""
    whole = "all" if found.complete else f"not all ({found.stopped_because})"
    page.line(f"{count(found.distinct_states, 'state')} explored, {whole}")
    page.blank()
    missing = "never" if found.complete else "not in what was explored"
    width = max((len(name) for name in (*found.fired, *found.witnesses)), default=0)
    for name, times in found.fired.items():
        said = (count(times, "step"), "") if times else (missing, "bold yellow")
        page.line(f"  action   {name:<{width}}  ", said)
    for name, trace in found.witnesses.items():
        if trace is None:
            page.line(f"  witness  {name:<{width}}  ", (missing, "bold yellow"))
        else:
            page.line(f"  witness  {name:<{width}}  reached in {count(len(trace), 'state')}")
    if full:
        for name, trace in found.witnesses.items():
            if trace is not None:
                page.blank()
                page.line((f"{name} is reached:", "bold"))
                write_trace(page, words, trace, full=False)
    page.blank()
