"""A look at a lock as GitHub's workflow commands, which show a message beside a source line."""

from __future__ import annotations

from collections.abc import Iterator

from bmc.lang.model import Source
from bmc.reports.regression.view import LockView, ModelView, PropertyView
from bmc.reports.regression.words import location, parameters_text, sentence, unjudged_texts


def github_commands(view: LockView) -> Iterator[str]:
    """A line an annotation: at each property that fails, and one at each line that changed.

    A line is often part of several models; what they make of it stands in one message.
    """
    for model, stated in view.failures:
        yield _command("error", stated.source, model.protocol, _said(model, stated))
    for (source, text), models in _touched(view).items():
        kind = "warning" if any(model.failed for model in models) else "notice"
        protocols = ", ".join(dict.fromkeys(model.protocol for model in models))
        yield _command(kind, source, protocols, f"{text} since the lock; {_effect(models)}")
    for name in view.unlocked:
        yield _command("notice", None, name, f"{name} is not in {view.lock}")
    for name, why in unjudged_texts(view):
        yield _command("warning", None, name, f"{name} is NOT checked: {why}")


def _touched(view: LockView) -> dict[tuple[Source, str], list[ModelView]]:
    """Each change that has a line, with the models it is part of."""
    found: dict[tuple[Source, str], list[ModelView]] = {}
    for model in view.models:
        for change in model.changes:
            if change.source is not None:
                found.setdefault((change.source, change.text), []).append(model)
    return found


def _effect(models: list[ModelView]) -> str:
    """What is not as expected in the models, named by their protocols if there are several."""
    failed = [(model, ", ".join(p.name for p in model.failed)) for model in models if model.failed]
    if not failed:
        return "all as expected"
    if len(models) == 1:
        return f"not as expected: {failed[0][1]}"
    lines = dict.fromkeys(f"{_named(model)}: {names}" for model, names in failed)
    return "\n".join(("not as expected:", *lines))


def _named(model: ModelView) -> str:
    return f"{model.protocol}  {parameters_text(model.parameters)}".rstrip()


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
