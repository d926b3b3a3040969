"""Traces as a person reads them: numbered steps, and only what each of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bmc.evidence.explanation import Truth
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Result
from bmc.evidence.wording import count as count
from bmc.reports.notation import call_text
from bmc.reports.page import Page
from bmc.reports.traces.explanation_steps import chapters, source_text
from bmc.reports.traces.explanations import explanation_lines, quotation_lines, without_value
from bmc.reports.traces.instances import Violation
from bmc.reports.traces.steps import StepWriter
from bmc.reports.traces.tlc import tlc_text
from bmc.reports.vocabulary import Vocabulary

_WIDEST_PART = 48


def write_trace(page: Page, words: Vocabulary, trace: Trace, full: bool = False) -> None:
    """The initial state in full, then every step as its action and what changed.

    ``full`` writes whole states, marking what changed. Words in TLC's form have it printed as TLC
    does, whole states and no marks.
    """
    if words.as_tlc:
        page.line(tlc_text(words, trace))
        return
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
    violated: Sequence[Violation],
    full: bool = False,
) -> None:
    """A trace at whose end properties are violated, and of each the instance and why."""
    names = ", ".join(one.property for one in violated)
    page.line((f"{names}: a trace of {count(len(trace), 'state')}", "bold"))
    page.blank()
    write_trace(page, words, trace, full)
    page.blank()
    for one in violated:
        write_reason(page, words, trace, one)


def write_reason(page: Page, words: Vocabulary, trace: Trace, violated: Violation) -> None:
    """Where a property is violated, at which arguments, and which parts of it make it false."""
    steps = len(trace) - 1
    where = f"after step {steps}" if steps else "in the initial state"
    sorts = words.property_arguments(violated.property)
    call = call_text(words, violated.property, sorts, violated.arguments)
    why = violated.why
    if why is None:
        page.line((f"{violated.property} is violated {where}", "bold red"))
        return
    missing = without_value(words, why)
    if missing is not None:
        page.line(
            (f"{violated.property} is violated {where}", "bold red"),
            f": {call} has no value, which counts as false",
        )
        page.line(f"  no value: {missing}")
        return
    page.line((f"{violated.property} is violated {where}", "bold red"), f": {call} is false")
    quoted = violated.quoted
    lines = explanation_lines(words, why) if quoted is None else quotation_lines(quoted)
    width = max((2 * one.deep + len(one.text) for one in lines if one.truth), default=0)
    for one in lines:
        text = "  " * one.deep + one.text
        if one.truth is None:
            page.line(f"  {text}")
            continue
        style = "red" if one.truth is Truth.FALSE else ""
        values = f"  {one.values}" if one.values else ""
        page.line(f"  {text.ljust(width)}  ", (one.truth.value.upper().ljust(5), style), values)
    _write_story(page, words, trace, violated)


def _write_story(page: Page, words: Vocabulary, trace: Trace, violated: Violation) -> None:
    """Which steps made the formula false, and what each changed of what it speaks of.

    Where that is the last step alone, it stands above already.
    """
    found = chapters(words, violated.causes)
    if all(chapter.step == len(trace) - 1 for chapter in found):
        return
    page.line("  It came about in")
    rows = [(chapter, turn) for chapter in found for turn in chapter.turns]
    actions = {c.step: trace.steps[c.step].action or "" for c in found}
    wide = max(len(name) for name in actions.values())
    part = min(_WIDEST_PART, max(len(turn.part) for _, turn in rows))
    for chapter in found:
        for number, turn in enumerate(chapter.turns):
            step = (f"step {chapter.step}" if number == 0 else "").ljust(8)
            action = (actions[chapter.step] if number == 0 else "").ljust(wide)
            place = (turn.part.ljust(part), "cyan")
            now = (turn.now, "green")
            page.line(f"    {step} ", (action, "bold"), "  ", place, f"  {turn.before} → ", now)
        for source in violated.sources:
            if source.step == chapter.step:
                said = f"it read {source_text(words, source)}, as step {source.since} left it"
                page.line(" " * (15 + wide), said)


def write_overflow(
    page: Page, words: Vocabulary, trace: Trace, reason: str | None, full: bool = False
) -> None:
    """A trace to a state out of which a step has no value in the model's bounds.

    Where it is the text that the model was translated from that has no value there, it says so.
    """
    stuck = None if words.origin is None else words.origin.stuck(trace.steps[-1].state)
    if stuck is not None:
        page.line(("The text gives a step no value", "bold yellow"), f": {stuck}")
    else:
        page.line(("A step has no value", "bold yellow"), f": {reason}" if reason else "")
    page.line("It happens in a step out of the last state of this trace:")
    page.blank()
    write_trace(page, words, trace, full)
    page.blank()


def write_undefined(
    page: Page, words: Vocabulary, result: Result, trace: Trace, full: bool = False
) -> None:
    """A trace to where the text that the model was translated from gives a claim no value."""
    page.line((f"The text gives {result.property} no value", "bold yellow"), f": {result.reason}")
    page.line("It has none at the end of this trace:")
    page.blank()
    write_trace(page, words, trace, full)
    page.blank()
