"""A look at a lock as GitHub's workflow commands, which show a message beside a source line."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.lang.protocol import Source
from bmc.reports.regression.view import LockView, ModelView, PropertyView
from bmc.reports.regression.words import location, sentence


def github_commands(view: LockView) -> Iterator[str]:
    """A line an annotation: at each property that fails, and at each action that changed."""
    for model, stated in view.failures:
        yield _command("error", stated.source, model.protocol, _said(model, stated))
    for model in view.models:
        failed = ", ".join(p.name for p in model.failed)
        for change in model.changes:
            if change.source is None:
                continue
            effect = f"not as expected: {failed}" if failed else "all as expected"
            kind = "warning" if failed else "notice"
            said = f"{change.text} since the lock; {effect}"
            yield _command(kind, change.source, model.protocol, said)
    for name in view.unlocked:
        yield _command("notice", None, name, f"{name} is not in {view.lock}")


def _said(model: ModelView, stated: PropertyView) -> str:
    said = f"{stated.name} {sentence(stated)}"
    if changes := model.changes_for(stated.name):
        said += f"; since the lock: {', '.join(c.text for c in changes)}"
    if stated.reason:
        said += f"\n{stated.reason}"
    if stated.trace is not None:
        said += f"\n{' → '.join(s.action or 'initially' for s in stated.trace.steps)}"
    return said


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
