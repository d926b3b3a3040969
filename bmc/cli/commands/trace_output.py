"""Traces written to files, in the form that the file's name asks for."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from io import StringIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from bmc.engines.task import OptionError
from bmc.lang.errors import suggest
from bmc.running.files import numbered, require_writable, write_file

if TYPE_CHECKING:
    from bmc.evidence.trace import Trace
    from bmc.evidence.verdict import Result
    from bmc.lang.suite import Suite
    from bmc.reports.traces.instances import Violation
    from bmc.reports.vocabulary import Vocabulary

FORMS = ("text", "json", "itf", "html", "tla")
_ENDINGS = {
    ".itf.json": "itf",
    ".itf": "itf",
    ".json": "json",
    ".html": "html",
    ".tla.txt": "tla",
    ".txt": "text",
}


class _Unicode(StringIO):
    encoding = "utf-8"


def form_of(path: Path, named: str | None = None, remedy: str = "") -> str:
    """The form of a file: the one that is ``named``, else by its ending; OptionError for others.

    ``remedy`` is what its command offers besides another ending.
    """
    if named is not None:
        if named not in FORMS:
            raise OptionError(f"there is no form {named!r}: {suggest(named, list(FORMS))}")
        return named
    for ending, form in _ENDINGS.items():
        if path.name.endswith(ending):
            return form
    raise OptionError(f"{path} does not say its form: end it in {', '.join(_ENDINGS)}{remedy}")


def require_trace_file(path: Path) -> None:
    """OptionError or UnwritableFile, better known before a long search than after."""
    form_of(path)
    require_writable(path)


def trace_text(
    suite: Suite,
    words: Vocabulary,
    trace: Trace,
    violated: Sequence[Violation],
    form: str,
    full: bool = False,
) -> str:
    """A trace in one of the :data:`FORMS`."""
    if form == "html":
        from bmc.reports.traces.html import trace_html

        return trace_html(suite, words, trace, violated)
    name = violated[0].property if violated else None
    if form == "itf":
        from bmc.reports.traces.itf import itf_json

        return json.dumps(itf_json(words, suite.name, trace, name), indent=1) + "\n"
    if form == "json":
        from bmc.reports.documents import ResultDocuments

        documents = ResultDocuments(suite, words)
        return json.dumps(documents.single(trace, violated), indent=1) + "\n"
    if form == "tla":
        from bmc.reports.traces.tlc import tlc_text

        return tlc_text(words, trace)
    from bmc.reports.page import Page
    from bmc.reports.proofs.verdicts import write_heading
    from bmc.reports.traces.text import write_trace, write_violation

    stream = _Unicode()
    page = Page(stream)
    write_heading(page, suite.name, words.parameters)
    if violated:
        write_violation(page, words, trace, violated, full)
    else:
        write_trace(page, words, trace, full)
    return stream.getvalue()


def write_traces(
    suite: Suite, words: Vocabulary, results: Sequence[Result], path: Path
) -> dict[str, Path]:
    """Write every trace of these results once; where that of each property is.

    Properties that one trace violates share a file; further traces are numbered. A path that
    leaves the bounds, or ends where a property has no value, is written as well: it is what kept a
    property from being decided.
    """
    from bmc.reports.traces.instances import violation

    form = form_of(path)
    by_trace: list[tuple[Trace, bool, list[str]]] = []
    for result in results:
        traces = () if result.trace is None else (result.trace, *result.more_traces)
        violating = [(trace, True) for trace in traces]
        ends = (result.overflow, result.undefined)
        leaving = [(trace, False) for trace in ends if trace is not None]
        for trace, violates in [*violating, *leaving]:
            known = next((n for t, v, n in by_trace if (t, v) == (trace, violates)), None)
            if known is None:
                by_trace.append((trace, violates, [result.property]))
            else:
                known.append(result.property)
    found: dict[str, Path] = {}
    for number, (trace, violates, names) in enumerate(by_trace, 1):
        blamed = names if violates else []
        violated = [violation(suite, words.parameters, name, trace) for name in blamed]
        file = file_of_trace(path, number)
        write_file(file, trace_text(suite, words, trace, violated, form))
        for name in names:
            found.setdefault(name, file)
    return found


def file_of_trace(path: Path, number: int) -> Path:
    """Return the file of the trace of that number, of several that are written to ``path``."""
    return numbered(path, number, next((e for e in _ENDINGS if path.name.endswith(e)), None))


def left_behind(path: Path, written: Container[str]) -> list[Path]:
    """Return the files to which traces may be written for ``path`` and these were not.

    They are of an earlier run, and nobody but their owner may remove them.
    """
    found = []
    for number in count(1):
        file = file_of_trace(path, number)
        if str(file) in written:
            continue
        if file.is_file():
            found.append(file)
        elif number > 1:
            return found
    return found
