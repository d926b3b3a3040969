"""Counterexamples to induction, so that nobody takes one for a trace.

Every line stands behind a bar, the first state is called assumed, and the last line says what
to make of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bmc.evidence.certificate import WITHIN_BOUNDS
from bmc.evidence.trace import CounterexampleToInduction
from bmc.reports.page import Page
from bmc.reports.traces.steps import StepWriter
from bmc.reports.traces.text import count
from bmc.reports.vocabulary import Vocabulary

HEADING = "COUNTEREXAMPLE TO INDUCTION (not an execution: its first state may be unreachable)"


def write_further_failures(
    page: Page, words: Vocabulary, failures: Sequence[CounterexampleToInduction]
) -> None:
    """A line for each counterexample to induction that is not shown."""
    writer = StepWriter(page, words, False, ("┊ ", "yellow"))
    for failure in failures:
        sorts = words.property_arguments(failure.conjunct)
        instance = writer.call(failure.conjunct, sorts, failure.arguments)
        action = writer.action(failure.path.steps[-1])
        writer.line(f"another one (--verbose shows it): {instance} fails after {action}")


def write_induction_failure(
    page: Page, words: Vocabulary, failure: CounterexampleToInduction, full: bool = False
) -> None:
    """Which conjunct fails after which action, and the path of assumed states before it."""
    page.line(("┊ ", "yellow"), (HEADING, "bold yellow"))
    writer = StepWriter(page, words, full, ("┊ ", "yellow"))
    kind = words.kind(failure.conjunct)
    sorts = words.property_arguments(failure.conjunct)
    instance = writer.call(failure.conjunct, sorts, failure.arguments)
    if failure.conjunct == WITHIN_BOUNDS:
        instance += ", that no action leaves the model's bounds,"
    steps = failure.path.steps
    before = count(max(len(steps) - 1, 1), "assumed state")
    writer.line(f"the {kind} ", (instance, "bold"), f" holds in {before} and fails in the next")
    writer.line()
    writer.line("state 0 ", ("(assumed, perhaps unreachable)", "yellow"))
    writer.state(steps[0].state)
    for number, (earlier, step) in enumerate(pairwise(steps), 1):
        writer.step(number, earlier.state, step)
    writer.line()
    action = writer.action(steps[-1]) if len(steps) > 1 else "no action"
    writer.line((f"{instance} fails after {action}", "yellow"))
    writer.line("This does not violate anything yet: if state 0 cannot be reached, a lemma that")
    writer.line(
        "excludes it is missing; `bmc check` looks for a violation from the initial states."
    )
