"""A look at a lock as Markdown, short enough for a comment on a pull request."""

from __future__ import annotations

from bmc.regress.outcome import Judgement, Outcome
from bmc.regress.summary import Summary
from bmc.reports.regression_junit import details
from bmc.reports.regression_words import (
    SHORT,
    advice,
    difference_text,
    parameters_text,
    place,
    sentence,
)
from bmc.reports.traces import count

LONGEST = 60_000
"""GitHub refuses comments of more than 65,536 characters."""
_MOST_TRACES = 5
_LONGEST_TRACE = 8_000


def markdown(summary: Summary) -> str:
    """The whole comment."""
    failed = list(summary.failures())
    lines = [_headline(summary, len(failed)), ""]
    if failed:
        lines += ["| model | property | was | now |", "|---|---|---|---|"]
        lines += [_row(judgement, outcome) for judgement, outcome in failed]
        lines.append("")
    for judgement in summary.judgements:
        lines += _changes(judgement)
    for number, (judgement, outcome) in enumerate(failed):
        if outcome.trace is not None or outcome.reason:
            lines += _details(judgement, outcome, number < _MOST_TRACES)
    lines += _notes(summary)
    text = "\n".join(lines).rstrip() + "\n"
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit("\n", 1)[0] + "\n…\n"
    return text


def _headline(summary: Summary, failed: int) -> str:
    if failed:
        return f"### ❌ bmc regress: {failed} not as `{summary.lock}` expects"
    models = count(len(summary.judgements), "model")
    return (
        f"### ✅ bmc regress: {count(summary.as_expected, 'property')} in {models} as "
        f"`{summary.lock}` expects"
    )


def _row(judgement: Judgement, outcome: Outcome) -> str:
    case = judgement.case
    was = "" if outcome.locked is None else outcome.locked.expected.value
    if outcome.locked is not None and outcome.locked.trace_length is not None:
        was += f", {count(outcome.locked.trace_length, 'state')}"
    now = f"**{SHORT[outcome.standing]}**"
    if outcome.trace is not None:
        now += f", {count(len(outcome.trace), 'state')}"
    model = f"{case.protocol} {parameters_text(case)}"
    return f"| {_cell(model)} | `{_cell(outcome.name)}` | {was} | {now} |"


def _changes(judgement: Judgement) -> list[str]:
    changes = judgement.case.changes
    if not changes:
        return []
    said = "; ".join(
        f"{_cell(c.text)} ({where})" if (where := place(c.source)) else _cell(c.text)
        for c in changes
    )
    return [f"Changed since the lock in **{_cell(judgement.case.protocol)}**: {said}", ""]


def _details(judgement: Judgement, outcome: Outcome, with_trace: bool) -> list[str]:
    title = f"{judgement.case.protocol}: {outcome.name} {sentence(outcome)}"
    text = details(judgement, outcome) if with_trace else outcome.reason
    if len(text) > _LONGEST_TRACE:
        text = text[:_LONGEST_TRACE].rsplit("\n", 1)[0] + "\n…"
    # A fence longer than any in the text cannot be closed by it.
    return [
        f"<details><summary>{_cell(title)}</summary>",
        "",
        "````text",
        text.replace("````", "'''"),
        "````",
        "",
        "</details>",
        "",
    ]


def _notes(summary: Summary) -> list[str]:
    lines = []
    missing = [f"{j.case.protocol} {name}" for j in summary.judgements for name in j.unlocked]
    if summary.unlocked or missing:
        lines.append(f"Not in the lock: {_cell(', '.join([*summary.unlocked, *missing]))}.")
    if summary.stale and summary.renewal is None:
        lines.append("The lock is behind the models; `bmc regress --update` brings it up to date.")
    if summary.renewal is not None:
        for difference in summary.renewal.differences:
            hint = f" (held back: `{advice(difference)}`)" if difference.accepted is False else ""
            lines.append(f"* {_cell(difference.case.protocol)} {difference_text(difference)}{hint}")
    if summary.interrupted:
        lines.append("The run was interrupted.")
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
