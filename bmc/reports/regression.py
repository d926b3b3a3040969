"""A look at a lock on a page: a line a model, and all there is to know of what failed."""

from __future__ import annotations

from collections import Counter

from bmc.regress.lock import Expected
from bmc.regress.outcome import Judgement, Outcome, Standing
from bmc.regress.summary import Summary
from bmc.reports.instances import violated_instance
from bmc.reports.page import Page
from bmc.reports.regression_words import (
    SHORT,
    advice,
    changed_steps,
    difference_text,
    parameters_text,
    place,
    sentence,
)
from bmc.reports.traces import count, write_trace, write_violation
from bmc.reports.vocabulary import Vocabulary


def write_regression(
    page: Page, summary: Summary, full: bool = False, verbose: bool = False
) -> None:
    """The whole page."""
    _write_models(page, summary, verbose)
    for judgement in summary.judgements:
        failed = [o for j, o in summary.failures() if j is judgement]
        if failed:
            _write_failures(page, judgement, failed, full)
    for judgement in summary.stale:
        _write_stale(page, judgement, summary)
    _write_unlocked(page, summary)
    if summary.renewal is not None:
        _write_update(page, summary)
    _write_verdict(page, summary)


def _write_models(page: Page, summary: Summary, verbose: bool) -> None:
    names = [j.case.protocol for j in summary.judgements]
    width = max((len(name) for name in names), default=0)
    words = [parameters_text(j.case) for j in summary.judgements]
    wide = max((len(text) for text in words), default=0)
    for judgement, parameters in zip(summary.judgements, words, strict=True):
        mark = ("  ok    ", "green") if judgement.green else ("  FAIL  ", "bold red")
        told = _counted(judgement)
        page.line(
            mark,
            (judgement.case.protocol.ljust(width), "bold"),
            f"  {parameters.ljust(wide)}  {told}  {judgement.seconds:.1f} s",
        )
        if verbose:
            for outcome in judgement.outcomes:
                page.line(f"          {outcome.name}: {sentence(outcome)}  {outcome.seconds:.1f} s")
    page.blank()


def _counted(judgement: Judgement) -> str:
    green = [o.verdict for o in judgement.outcomes if o.green and o.locked is not None]
    parts = [f"{green.count(e)} {e.value}" for e in Expected if e in green]
    new = [o for o in judgement.outcomes if o.standing is Standing.NEW and o.verdict]
    parts += [f"{len(new)} new"] if new else []
    bad = Counter(SHORT[o.standing] for o in judgement.outcomes if not o.green)
    return ", ".join([*parts, *(f"{number} {text}" for text, number in bad.items())])


def _write_failures(page: Page, judgement: Judgement, failed: list[Outcome], full: bool) -> None:
    case = judgement.case
    page.line((case.protocol, "bold"), f"  {parameters_text(case)}")
    if len({o.reason for o in failed}) == 1 and failed[0].standing is Standing.UNUSABLE:
        page.line(f"  {failed[0].reason}")
        page.blank()
        return
    _write_changes(page, judgement)
    shown: list[object] = []
    for outcome in failed:
        page.blank()
        page.line(
            (outcome.name, "bold red"), f": {sentence(outcome)}  {place(case.source(outcome.name))}"
        )
        if outcome.reason:
            page.line(f"  {outcome.reason}")
        if said := changed_steps(outcome, case.changes):
            page.line(f"  {said}")
        if outcome.trace is None or case.suite is None:
            continue
        if outcome.trace in shown:
            page.line("  by the same trace as above")
            continue
        shown.append(outcome.trace)
        _write_trace(page, judgement, outcome, full)
    page.blank()


def _write_trace(page: Page, judgement: Judgement, outcome: Outcome, full: bool) -> None:
    case = judgement.case
    assert case.suite is not None
    assert outcome.trace is not None
    words = Vocabulary.of(case.suite, case.parameters)
    page.blank()
    if outcome.verdict is Expected.REACHED:
        write_trace(page, words, outcome.trace, full)
        return
    instance = violated_instance(case.suite, case.parameters, outcome.name, outcome.trace)
    write_violation(page, words, outcome.trace, {outcome.name: instance}, full)


def _write_changes(page: Page, judgement: Judgement) -> None:
    changes = judgement.case.changes
    if not changes:
        page.line("  nothing in the model has changed since the lock")
        return
    page.line("  changed since the lock:")
    width = max(len(change.text) for change in changes)
    for change in changes:
        page.line("    ", (change.text.ljust(width), "yellow"), f"  {place(change.source)}")


def _write_stale(page: Page, judgement: Judgement, summary: Summary) -> None:
    said = ", ".join(change.text for change in judgement.case.changes)
    page.line((judgement.case.protocol, "bold"), f" is as expected, and has changed: {said}")
    if summary.renewal is None:
        page.line("  `bmc regress --update` brings the lock up to date")


def _write_unlocked(page: Page, summary: Summary) -> None:
    missing = [f"{j.case.protocol} {name}" for j in summary.judgements for name in j.unlocked]
    if summary.unlocked or missing:
        said = ", ".join([*summary.unlocked, *missing])
        page.line(("not in the lock", "yellow"), f": {said}; `bmc regress --update` adds them")
    for name, reason in summary.unavailable:
        page.line((f"{name} cannot be had", "yellow"), f": {reason}")


def _write_update(page: Page, summary: Summary) -> None:
    renewal = summary.renewal
    assert renewal is not None
    for difference in renewal.differences:
        mark = {None: "+", True: "!", False: "x"}[difference.accepted]
        page.line(f"  {mark} {difference.case.protocol} ", difference_text(difference))
    for case, outcome in renewal.open:
        page.line(
            f"  ? {case.protocol} {outcome.name}: not decided, so not locked; {outcome.reason}"
        )
    for case in renewal.held_back:
        wanted = [advice(d) for d in renewal.differences if d.case is case and not d.accepted]
        page.line(
            (case.protocol, "bold"),
            f" keeps its old entry; to write what is so now: {' '.join(w for w in wanted if w)}",
        )
    if not summary.written:
        page.line(f"{summary.lock} is as it was")
    else:
        page.line((f"{summary.lock} is written", "bold"), "; commit it with the folder beside it")


def _write_verdict(page: Page, summary: Summary) -> None:
    if summary.interrupted:
        page.line(("interrupted", "bold yellow"), ": what was not judged yet is unknown")
    failed = list(summary.failures())
    if failed:
        names = ", ".join(f"{j.case.protocol}:{o.name}" for j, o in failed[:8])
        more = f" and {len(failed) - 8} more" if len(failed) > 8 else ""
        said = f"{len(failed)} not as the lock expects"
        page.line((said, "bold red"), f": {names}{more}")
        return
    total = count(summary.as_expected, "property")
    page.line(
        (f"{total} as expected", "bold green"), f" in {count(len(summary.judgements), 'model')}"
    )
