"""Lassos: a stem, a loop, and for each fairness condition how the loop meets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from bmc.evidence.lasso import Excuse, FairText, Lasso, Met, TemporalResult
from bmc.evidence.verdict import Verdict
from bmc.lang.sorts import Sort
from bmc.lang.suite import Suite
from bmc.lang.temporal import TemporalProperty, shown
from bmc.readings.value import Interpreter
from bmc.reports.notation import call_text
from bmc.reports.page import Page
from bmc.reports.traces.steps import StepWriter
from bmc.reports.traces.text import count
from bmc.reports.traces.tlc import lasso_tlc_text
from bmc.reports.values import arguments_json, state_json
from bmc.reports.vocabulary import Vocabulary

_STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.VIOLATED: "bold red",
    Verdict.UNKNOWN: "bold yellow",
}


class TemporalWriter:
    """Writes what is known of temporal claims about one suite; ``full`` shows whole states."""

    def __init__(self, page: Page, suite: Suite, words: Vocabulary, full: bool = False) -> None:
        self._page = page
        self._suite = suite
        self._words = words
        self._full = full

    def table(self, results: Sequence[TemporalResult]) -> None:
        """A line a claim: its verdict, its specification, and how it was found."""
        name_width = max(len(r.property) for r in results)
        verdict_width = max(len(r.verdict.value) for r in results)
        for result in results:
            self._page.line(
                f"  {result.property.ljust(name_width)}  ",
                (result.verdict.value.ljust(verdict_width), _STYLES[result.verdict]),
                f"  under {result.specification}: {_detail(result)}  {result.seconds:.1f} s",
            )
        self._page.blank()

    def evidence(self, result: TemporalResult) -> None:
        """The lasso of a violated claim: the formula, the stem, the loop, and why it is fair."""
        lasso = result.lasso
        if lasso is None:
            return
        page, words = self._page, self._words
        stated = self._suite.describe_temporal(result.property, self._suite.model(False))
        call = call_text(
            words,
            result.property,
            words.property_arguments(result.property),
            result.arguments or {},
        )
        page.line((f"{call} is violated", "bold red"), f": {claim_text(words, stated)}")
        page.blank()
        self._states(lasso)
        page.blank()
        self._fairness(lasso)

    def _states(self, lasso: Lasso) -> None:
        page = self._page
        if self._words.as_tlc:
            page.line(lasso_tlc_text(self._words, lasso))
            return
        writer = StepWriter(page, self._words, self._full)
        steps = lasso.trace.steps
        self._mark(lasso, 0)
        writer.line("  0  ", ("initial state", "bold"))
        writer.state(steps[0].state)
        for number, (before, step) in enumerate(pairwise(steps), 1):
            writer.step(number, before.state, step)
            self._mark(lasso, number)
        last = len(steps) - 1
        if lasso.closing is None:
            page.line(("     and so it stays for ever: nothing happens any more", "bold magenta"))
            return
        writer.step(last + 1, steps[last].state, lasso.closing)
        page.line((f"     and so on for ever: this is state {lasso.loop} again", "bold magenta"))

    def _mark(self, lasso: Lasso, number: int) -> None:
        if number == lasso.loop and lasso.closing is not None:
            self._page.line((f"  -- from state {number} on, for ever: --", "magenta"))

    def _fairness(self, lasso: Lasso) -> None:
        page = self._page
        if lasso.met:
            page.line(("Why fairness does not exclude it", "bold"))
        rows = [(condition_text(self._words, met), reason_text(met)) for met in lasso.met]
        width = max((len(condition) for condition, _ in rows), default=0)
        for condition, reason in rows:
            page.line("  ", (condition.ljust(width), "cyan"), f"  {reason}")
        for hint in hints(self._suite, self._words, lasso):
            page.line(hint)


def claim_text(words: Vocabulary, stated: TemporalProperty) -> str:
    """Return what a claim says, in the words of the text that the model was translated from."""
    origin = words.origin
    return shown(stated.formula) if origin is None else shown(stated.formula, origin.formula_text)


def condition_text(words: Vocabulary, met: Met) -> str:
    """Return a fairness condition at its arguments, as a TLA+ user writes it."""
    sorts = _sorts(words, met)
    if isinstance(met.condition, FairText):
        return f"{met.condition} {call_text(words, '', sorts, met.arguments)}".rstrip()
    called = " \\/ ".join(
        call_text(words, name, sorts, met.arguments) for name in met.condition.actions
    )
    return f"{'SF' if met.condition.strong else 'WF'}_vars({called})"


def _sorts(words: Vocabulary, met: Met) -> Mapping[str, Sort]:
    if isinstance(met.condition, FairText):
        return met.condition.sorts
    return words.action_arguments(met.condition.actions[0])


def reason_text(met: Met) -> str:
    """Return how a loop meets a fairness condition, in words."""
    if met.how is Excuse.TAKEN:
        return f"taken, in step {met.at}"
    if met.at is None:
        return "never enabled in the loop"
    return f"not enabled in state {met.at}, again and again"


def hints(suite: Suite, words: Vocabulary, lasso: Lasso) -> list[str]:
    """Return what to tell of a behaviour that stops, or to which nothing has to happen."""
    found = []
    if not lasso.met:
        found += [
            "The specification states no fairness, so nothing has to happen.",
            'Declare it with the actions (fairness="weak") or in a specification.'
            if suite.origin is None
            else suite.origin.fairness_advice,
        ]
    if lasso.closing is None:
        last = lasso.trace.steps[-1].state
        steps = Interpreter(suite.model(ghosts=False), words.domains).successors(last)
        going_on = dict.fromkeys(step.action for step in steps if step.state != last)
        if going_on:
            found.append(
                f"This is mere stuttering: {', '.join(going_on)} could be taken, and no fairness "
                "asks for it."
            )
        else:
            found.append("No step follows that state: the behaviour has come to its end.")
    return found


def _detail(result: TemporalResult) -> str:
    match result.verdict:
        case Verdict.PROVED:
            if result.certificate is not None:
                return f"of all behaviours, by a certificate that {result.checked_by} checked"
            return f"of all behaviours, over {count(result.states, 'state')}"
        case Verdict.VIOLATED:
            lasso = result.lasso
            if lasso is None:
                return "violated"
            if lasso.closing is None:
                return f"it stops for ever after {count(len(lasso.trace) - 1, 'step')}"
            around = len(lasso.trace) - lasso.loop
            return f"by a loop of {count(around, 'step')} after {count(lasso.loop, 'step')}"
    return result.reason or "not decided"


def temporal_json(
    words: Vocabulary, result: TemporalResult, certificate: str | None = None
) -> dict[str, Any]:
    """Return a temporal result as JSON data; ``loop`` is the state that the last one returns to.

    ``certificate`` names the file its certificate was written to.
    """
    lasso = result.lasso
    sorts = words.property_arguments(result.property)
    return {
        "property": result.property,
        "kind": "temporal",
        "verdict": result.verdict.value,
        "engine": result.engine,
        "k": None,
        "depth": result.depth,
        "seconds": round(result.seconds, 3),
        "certificate": certificate if result.certificate is not None else None,
        "checked_by": result.checked_by,
        "reason": result.reason,
        "specification": result.specification,
        "states": result.states,
        "violated_instance": (
            None if result.arguments is None else arguments_json(words, sorts, result.arguments)
        ),
        "trace": None if lasso is None else [_step(words, step) for step in lasso.trace.steps],
        "loop": None if lasso is None else lasso.loop,
        "closing": (
            None if lasso is None or lasso.closing is None else _step(words, lasso.closing)
        ),
        "fairness": [] if lasso is None else [_met(words, met) for met in lasso.met],
    }


def _step(words: Vocabulary, step: Any) -> dict[str, Any]:
    sorts = words.action_arguments(step.action or "")
    return {
        "action": step.action,
        "arguments": arguments_json(words, sorts, step.arguments),
        "state": state_json(words, step.state),
    }


def _met(words: Vocabulary, met: Met) -> dict[str, Any]:
    condition = met.condition
    return {
        "strong": condition.strong,
        "text": condition_text(words, met),
        "actions": [] if isinstance(condition, FairText) else list(condition.actions),
        "arguments": arguments_json(words, _sorts(words, met), met.arguments),
        "met": met.how.value,
        "at": met.at,
    }
