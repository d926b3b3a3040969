"""A look at a lock on a page: a line a model, and all there is to know of what failed."""

from __future__ import annotations

from collections import Counter

from bmc.reports.page import Page
from bmc.reports.regression.view import LockView, ModelView, PropertyView, UpdateView
from bmc.reports.regression.words import (
    advice,
    changed_steps,
    difference_text,
    parameters_text,
    place,
    sentence,
    short,
    unchecked_text,
    unjudged_texts,
    unlocked_text,
)
from bmc.reports.traces.instances import violation
from bmc.reports.traces.lasso import TemporalWriter
from bmc.reports.traces.text import count, write_trace, write_violation
from bmc.reports.vocabulary import Vocabulary

_MOST_NAMES = 8
_WIDEST = 60
"""Parameters that take more room do not set what follows them aligned."""
_VERDICTS = ("proved", "violated", "reached", "unreached", "unknown")
_CALLED = {"unreached": "never reached"}

_NOT_ASKED = "nobody came to ask what is so now, which no --accept can stand for"


def write_regression(page: Page, view: LockView, full: bool = False, verbose: bool = False) -> None:
    """The whole page."""
    _write_models(page, view, verbose)
    for model in view.models:
        if model.failed:
            _write_failures(page, model, full)
    # A change of the text is the same at all parameters that are locked, and is told once.
    told = {
        (model.protocol, ", ".join(change.text for change in model.changes)): None
        for model in view.stale
    }
    for protocol, said in told:
        page.line((protocol, "bold"), f" is as expected, and has changed: {said}")
    if view.stale and view.update is None:
        page.line("--update brings the lock up to date")
    if said := unlocked_text(view):
        page.line(("not in the lock", "yellow"), f": {said}; --update adds what it decides")
    for name, reason in unjudged_texts(view):
        page.line((f"{name} is NOT checked", "yellow"), f": {reason}")
    for name, reason in view.unavailable:
        page.line((f"{name} cannot be had", "yellow"), f": {reason}")
    if view.update is not None:
        _write_update(page, view.lock, view.update)
    _write_verdict(page, view)


def _write_models(page: Page, view: LockView, verbose: bool) -> None:
    width = max((len(m.protocol) for m in view.models), default=0)
    words = [parameters_text(m.parameters) for m in view.models]
    wide = max((len(text) for text in words if len(text) <= _WIDEST), default=0)
    for model, parameters in zip(view.models, words, strict=True):
        page.line(
            _mark(model),
            (model.protocol.ljust(width), "bold"),
            f"  {parameters.ljust(wide)}  {_counted(model)}  {model.seconds:.1f} s",
        )
        if verbose:
            for stated in model.properties:
                page.line(f"          {stated.name}: {sentence(stated)}  {stated.seconds:.1f} s")
    page.blank()


def _mark(model: ModelView) -> tuple[str, str]:
    if model.failed:
        return "  FAIL  ", "bold red"
    return ("  open  ", "yellow") if model.open else ("  ok    ", "green")


def _counted(model: ModelView) -> str:
    green = [p.verdict for p in model.properties if p.green and not p.new]
    if model.failed:
        parts = [f"{len(green)} as expected"] if green else []
    else:
        parts = [f"{green.count(v)} {_CALLED.get(v, v)}" for v in _VERDICTS if v in green]
    new = sum(p.new and bool(p.verdict) for p in model.properties)
    parts += [f"{new} new"] if new else []
    unchecked = sum(p.unchecked for p in model.properties)
    parts += [f"{unchecked} not re-checked"] if unchecked else []
    bad = Counter(short(p) for p in model.failed)
    return ", ".join([*parts, *(f"{number} {text}" for text, number in bad.items())])


def _write_failures(page: Page, model: ModelView, full: bool) -> None:
    page.line((model.protocol, "bold"), f"  {parameters_text(model.parameters)}")
    if model.suite is None:
        page.line(f"  {model.failed[0].reason}")
        page.blank()
        return
    _write_changes(page, model)
    shown: list[object] = []
    for stated in model.failed:
        page.blank()
        page.line((stated.name, "bold red"), f": {sentence(stated)}  {place(stated.source)}")
        if stated.reason:
            page.line(f"  {stated.reason}")
        if said := changed_steps(stated, model.changes):
            page.line(f"  {said}")
        if stated.trace in shown:
            page.line("  by the same trace as above")
        elif stated.trace is not None:
            shown.append(stated.trace)
            page.blank()
            _write_trace(page, model, stated, full)
    page.blank()


def _write_trace(page: Page, model: ModelView, stated: PropertyView, full: bool) -> None:
    assert model.suite is not None
    assert stated.trace is not None
    assert model.parameters is not None, "at all parameter values there are no traces"
    words = Vocabulary.of(model.suite, model.parameters)
    if stated.temporal is not None:
        TemporalWriter(page, model.suite, words, full).evidence(stated.temporal)
        return
    if stated.verdict == "reached":
        write_trace(page, words, stated.trace, full)
        return
    found = violation(model.suite, model.parameters, stated.name, stated.trace)
    write_violation(page, words, stated.trace, [found], full)


def _write_changes(page: Page, model: ModelView) -> None:
    if not model.changes:
        page.line("  nothing in the model has changed since the lock")
        return
    page.line("  changed since the lock:")
    width = max(len(change.text) for change in model.changes)
    for change in model.changes:
        page.line("    ", (change.text.ljust(width), "yellow"), f"  {place(change.source)}")


def _write_update(page: Page, lock: str, update: UpdateView) -> None:
    for difference in update.differences:
        mark = {None: "+", True: "!", False: "x"}[difference.accepted]
        page.line(f"  {mark} {difference.protocol} ", difference_text(difference))
    for protocol, name, reason in update.undecided:
        page.line(f"  ? {protocol} {name}: not decided; {reason}")
    for held_back in update.held_back:
        wanted = [
            advice(d)
            for d in update.differences
            if (d.protocol, d.parameters) == held_back and d.accepted is False
        ]
        how = f"to write what is so now: {' '.join(wanted)}" if wanted else _NOT_ASKED
        page.line((held_back[0], "bold"), f" keeps its old entry; {how}")
    if update.written:
        page.line((f"{lock} is written", "bold"), "; commit it with the folder beside it")
    else:
        page.line(f"{lock} is as it was")


def _write_verdict(page: Page, view: LockView) -> None:
    if view.interrupted:
        page.line(
            ("interrupted", "bold yellow"),
            ": what was not judged yet is unknown, and no lock is written",
        )
    failed = [f"{model.protocol}:{stated.name}" for model, stated in view.failures]
    if failed:
        more = len(failed) - _MOST_NAMES
        said = ", ".join(failed[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        page.line((f"{len(failed)} not as the lock expects", "bold red"), f": {said}")
        return
    update = view.update
    new = 0 if update is None else sum(not d.before for d in update.differences)
    told = f"{count(view.as_expected, 'property')} as expected" + (f", {new} new" if new else "")
    page.line((told, "bold green"), f" in {count(len(view.models), 'model')}{unchecked_text(view)}")
