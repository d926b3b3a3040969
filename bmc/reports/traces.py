"""Traces as a person reads them: numbered steps, and only what each of them changed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from bmc.evidence.trace import Trace
from bmc.readings.domain import Value
from bmc.reports.notation import call_text
from bmc.reports.page import Page
from bmc.reports.steps import StepWriter
from bmc.reports.vocabulary import Vocabulary


def write_trace(page: Page, words: Vocabulary, trace: Trace, full: bool = False) -> None:
    """The initial state in full, then every step as its action and what changed.

    ``full`` writes whole states, marking what changed.
    """
    writer = StepWriter(page, words, full)
    first = trace.steps[0]
    writer.line("  0  ", ("initial state", "bold"))
    writer.state(first.state)
    for number, (before, step) in enumerate(pairwise(trace.steps), 1):
        writer.step(number, before.state, step)


def write_violation(
    page: Page,
    words: Vocabulary,
    trace: Trace,
    violated: Mapping[str, Mapping[str, Value]],
    full: bool = False,
) -> None:
    """A trace at whose end properties are violated, each at the given arguments."""
    page.line((f"{', '.join(violated)}: a trace of {count(len(trace), 'state')}", "bold"))
    page.blank()
    write_trace(page, words, trace, full)
    page.blank()
    steps = len(trace) - 1
    where = f"after step {steps}" if steps else "in the initial state"
    for name, instance in violated.items():
        failing = ""
        if instance:
            call = call_text(words, name, words.property_arguments(name), instance)
            failing = f": {call} is false"
        page.line((f"{name} is violated {where}", "bold red"), failing)


def write_overflow(
    page: Page, words: Vocabulary, trace: Trace, reason: str | None, full: bool = False
) -> None:
    """A trace to a state in which the model's bounds are too small for what comes next."""
    page.line(("The bounds are too small", "bold yellow"), f": {reason}" if reason else "")
    page.line("It happens in a step out of the last state of this trace:")
    page.blank()
    write_trace(page, words, trace, full)
    page.blank()


def count(number: int, noun: str) -> str:
    """``1 state``, ``2 states``, ``2 properties``."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {plural}"
