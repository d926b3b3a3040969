"""Coverage: how often each action happened and how each witness is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bmc.engines.explicit import Exploration
from bmc.evidence.trace import Trace
from bmc.lang.deadlock import DEADLOCK
from bmc.lang.suite import Suite
from bmc.reports.page import Page, Part
from bmc.reports.traces.text import count, write_trace
from bmc.reports.vocabulary import Vocabulary


@dataclass(frozen=True)
class Coverage:
    """What an exploration reached, held against what is explained to be out of reach.

    ``explained`` gives by action or witness the reason why it is not reached at the parameters
    of the exploration; ``deadlock`` leads to a state that no step follows, if one is reached.
    """

    found: Exploration
    explained: Mapping[str, str]
    deadlock: Trace | None = None

    @staticmethod
    def of(found: Exploration, suite: Suite, parameters: Mapping[str, int]) -> Coverage:
        """Return the coverage of an exploration that looked for a deadlock too."""
        own = any(declared.name == DEADLOCK for declared in suite.properties)
        deadlock = None if own else found.witnesses.get(DEADLOCK)
        reached = {n: t for n, t in found.witnesses.items() if own or n != DEADLOCK}
        found = replace(found, witnesses=reached)
        return Coverage(found, suite.unreached(parameters), deadlock)

    @property
    def missed(self) -> tuple[str, ...]:
        """What was not reached, and nothing explains."""
        return tuple(name for name in self._unreached() if name not in self.explained)

    @property
    def disproved(self) -> tuple[str, ...]:
        """What was reached, although it is explained why it cannot be."""
        reached = [name for name, times in self.found.fired.items() if times]
        reached += [name for name, trace in self.found.witnesses.items() if trace is not None]
        return tuple(name for name in self.explained if name in reached)

    def _unreached(self) -> list[str]:
        actions = [name for name, times in self.found.fired.items() if not times]
        return actions + [name for name, trace in self.found.witnesses.items() if trace is None]


def coverage_json(coverage: Coverage) -> dict[str, Any]:
    """Coverage as JSON data: steps an action, and states of the shortest trace to a witness."""
    found = coverage.found
    return {
        "distinct_states": found.distinct_states,
        "complete": found.complete,
        "stopped_because": found.stopped_because,
        "fired": dict(found.fired),
        "witnesses": {
            name: None if trace is None else len(trace) for name, trace in found.witnesses.items()
        },
        "explained": dict(coverage.explained),
        "missed": list(coverage.missed),
        "disproved": list(coverage.disproved),
        "deadlock": None if coverage.deadlock is None else len(coverage.deadlock),
    }


def write_coverage(page: Page, words: Vocabulary, coverage: Coverage, full: bool) -> None:
    """A line an action and a line a witness; with ``full`` the trace to each witness."""
    found = coverage.found
    whole = "all" if found.complete else f"not all ({found.stopped_because})"
    page.line(f"{count(found.distinct_states, 'state')} explored, {whole}")
    page.blank()
    width = max((len(name) for name in (*found.fired, *found.witnesses)), default=0)
    for name, times in found.fired.items():
        page.line(
            f"  action   {name:<{width}}  ",
            *_said(coverage, name, count(times, "step") if times else None),
        )
    for name, trace in found.witnesses.items():
        reached = None if trace is None else f"reached in {count(len(trace), 'state')}"
        page.line(f"  witness  {name:<{width}}  ", *_said(coverage, name, reached))
    if full:
        for name, trace in found.witnesses.items():
            if trace is not None:
                page.blank()
                page.line((f"{name} is reached:", "bold"))
                write_trace(page, words, trace, full=False)
    page.blank()
    if coverage.deadlock is not None:
        _write_deadlock(page, words, coverage.deadlock, full)


def _write_deadlock(page: Page, words: Vocabulary, deadlock: Trace, full: bool) -> None:
    steps = [step.action for step in deadlock.steps if step.action is not None]
    page.line(
        ("No step follows", "bold yellow"),
        f" a state that is reached in {count(len(deadlock), 'state')}"
        + (f", by {', '.join(steps)}" if steps else ""),
    )
    if full:
        write_trace(page, words, deadlock, full=False)
    page.line(
        "Whether that is an end which is meant, `terminated` says; --deadlock claims that others "
        "are not reached."
    )
    page.blank()


def _said(coverage: Coverage, name: str, reached: str | None) -> tuple[Part, ...]:
    """What is said of an action or witness; ``reached`` is None where it was not."""
    why = coverage.explained.get(name)
    if reached is not None:
        wrong = (f", although it is explained that it cannot be: {why}", "bold red")
        return (reached,) if why is None else (reached, wrong)
    never = "never" if coverage.found.complete else "not in what was explored"
    if why is not None:
        return (never, f", explained: {why}")
    return ((never, "bold yellow"),)
