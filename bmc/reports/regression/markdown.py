"""A look at a lock as Markdown, short enough for a comment on a pull request."""

from __future__ import annotations

from html import escape

from bmc.evidence.markdown import Markup, code, encodable, fenced, plain, table
from bmc.reports.regression.details import details
from bmc.reports.regression.view import LockView, ModelView, PropertyView
from bmc.reports.regression.words import (
    advice,
    difference_text,
    expected_text,
    parameters_text,
    place,
    sentence,
    short,
    unchecked_text,
    unjudged_texts,
    unlocked_text,
)
from bmc.reports.traces.text import count

LONGEST = 60_000
"""GitHub refuses comments of more than 65,536 characters."""
_MOST_TRACES = 5
_LONGEST_TRACE = 8_000


def markdown(view: LockView) -> str:
    """The whole comment."""
    failed = list(view.failures)
    lines = [_headline(view, len(failed)), ""]
    if failed:
        head = ["model", "property", "was", "now"]
        lines += [table(head, [_row(model, stated) for model, stated in failed]), ""]
    for model in view.models:
        lines += _changes(model)
    for number, (model, stated) in enumerate(failed):
        if stated.trace is not None or stated.reason:
            lines += _details(model, stated, number < _MOST_TRACES)
    lines += _notes(view)
    text = "\n".join(lines).rstrip() + "\n"
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit("\n", 1)[0] + "\n…\n"
    return text


def _headline(view: LockView, failed: int) -> str:
    if failed:
        return f"### ❌ bmc regress: {failed} not as {code(view.lock)} expects"
    if view.interrupted:
        return "### ❔ bmc regress: interrupted"
    if any(model.open for model in view.models):
        return "### ❔ bmc regress: not all that is new was decided"
    properties, models = count(view.as_expected, "property"), count(len(view.models), "model")
    told = f"{properties} in {models} as {code(view.lock)} expects{unchecked_text(view)}"
    return f"### ✅ bmc regress: {told}"


def _row(model: ModelView, stated: PropertyView) -> list[str]:
    now = f"**{plain(short(stated))}**"
    if stated.trace is not None:
        now += f", {count(len(stated.trace), 'state')}"
    title = f"{model.protocol} {parameters_text(model.parameters)}"
    return [title, code(stated.name), expected_text(stated), Markup(now)]


def _changes(model: ModelView) -> list[str]:
    if not model.changes:
        return []
    said = "; ".join(
        plain(f"{c.text} ({where})" if (where := place(c.source)) else c.text)
        for c in model.changes
    )
    return [f"Changed since the lock in **{plain(model.protocol)}**: {said}", ""]


def _details(model: ModelView, stated: PropertyView, with_trace: bool) -> list[str]:
    title = f"{model.protocol}: {stated.name} {sentence(stated)}"
    text = details(model, stated) if with_trace else stated.reason
    if len(text) > _LONGEST_TRACE:
        text = text[:_LONGEST_TRACE].rsplit("\n", 1)[0] + "\n…"
    return [
        # What stands on the line of an HTML element is HTML.
        f"<details><summary>{escape(' '.join(encodable(title).split()))}</summary>",
        "",
        fenced(text, "text", least=4),
        "",
        "</details>",
        "",
    ]


def _notes(view: LockView) -> list[str]:
    lines = []
    if said := unlocked_text(view):
        lines.append(f"Not in the lock: {plain(said)}.")
    lines += [f"* {plain(f'{name} is NOT checked: {why}')}" for name, why in unjudged_texts(view)]
    if view.stale and view.update is None:
        lines.append("The lock is behind the models; `--update` brings it up to date.")
    for difference in () if view.update is None else view.update.differences:
        hint = f" (held back: {code(advice(difference))})" if difference.accepted is False else ""
        said = plain(f"{difference.protocol} {difference_text(difference)}")
        lines.append(f"* {said}{hint}")
    for protocol, name, reason in () if view.update is None else view.update.undecided:
        lines.append(f"* {plain(f'{protocol} {name}: not decided; {reason}')}")
    if view.interrupted:
        lines.append("The run was interrupted: what was not judged yet is unknown.")
    return lines
