"""Why a property is not as its lock expects, in plain text for whatever shows it."""

from __future__ import annotations

from io import StringIO

from bmc.reports.page import Page
from bmc.reports.regression.view import ModelView, PropertyView
from bmc.reports.regression.words import changed_steps, place
from bmc.reports.traces.lasso import TemporalWriter
from bmc.reports.traces.text import write_trace
from bmc.reports.vocabulary import Vocabulary


def details(model: ModelView, stated: PropertyView) -> str:
    """The reason, what changed in the model, and the trace."""
    lines = [stated.reason] if stated.reason else []
    changes = model.changes_for(stated.name)
    lines += [f"{c.text}  {place(c.source)}".rstrip() for c in changes]
    if said := changed_steps(stated, changes):
        lines.append(said)
    if stated.trace is not None and model.suite is not None and model.parameters is not None:
        stream = _Text()
        words = Vocabulary.of(model.suite, model.parameters)
        if stated.temporal is None:
            write_trace(Page(stream), words, stated.trace)
        else:
            TemporalWriter(Page(stream), model.suite, words).evidence(stated.temporal)
        lines += ["", stream.getvalue()]
    return "\n".join(lines)


class _Text(StringIO):
    # A page writes ASCII where a stream does not say that it can carry more.
    encoding = "utf-8"
