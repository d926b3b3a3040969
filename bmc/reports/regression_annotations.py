"""A look at a lock as GitHub's workflow commands, which show a message beside a source line."""

from __future__ import annotations

from bmc.lang.protocol import Source
from bmc.regress.summary import Summary
from bmc.reports.regression_words import location, sentence


def github_commands(summary: Summary) -> list[str]:
    """A line an annotation: at each property that fails, and at each action that changed."""
    lines = []
    for judgement, outcome in summary.failures():
        case = judgement.case
        changes = case.changes_for(outcome.name)
        said = f"{outcome.name} {sentence(outcome)}"
        if changes:
            said += f"; since the lock: {', '.join(c.text for c in changes)}"
        if outcome.reason:
            said += f"\n{outcome.reason}"
        if outcome.trace is not None:
            said += f"\n{' → '.join(s.action or 'initially' for s in outcome.trace.steps)}"
        lines.append(_command("error", case.source(outcome.name), case.protocol, said))
    for judgement in summary.judgements:
        failed = [o.name for j, o in summary.failures() if j is judgement]
        for change in judgement.case.changes:
            if change.source is None:
                continue
            effect = f"not as expected: {', '.join(failed)}" if failed else "all as expected"
            kind = "warning" if failed else "notice"
            said = f"{change.text} since the lock; {effect}"
            lines.append(_command(kind, change.source, judgement.case.protocol, said))
    for name in summary.unlocked:
        lines.append(_command("notice", None, name, f"{name} is not in {summary.lock}"))
    return lines


def _command(kind: str, source: Source | None, title: str, message: str) -> str:
    properties = []
    if found := location(source):
        properties += [f"file={_property(found[0])}", f"line={found[1]}"]
    properties.append(f"title={_property(f'bmc regress: {title}')}")
    return f"::{kind} {','.join(properties)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
