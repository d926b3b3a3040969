"""The trace file that a sweep keeps of a violation: for programs, and as a text for people."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from bmc.evidence.verdict import Result
from bmc.lang.suite import Suite
from bmc.reports.documents import ResultDocuments
from bmc.reports.page import Page
from bmc.reports.traces.instances import violation
from bmc.reports.traces.text import write_violation
from bmc.reports.vocabulary import Vocabulary


def document(suite: Suite, parameters: Mapping[str, int], result: Result) -> dict[str, Any]:
    """A violation as JSON data; its ``text`` is what `bmc check` would show."""
    words = Vocabulary.of(suite, parameters)
    found = ResultDocuments(suite, words).result(result)
    return {
        "protocol": suite.name,
        "parameters": dict(parameters),
        "property": result.property,
        "violated_instance": found["violated_instance"],
        "trace": found["trace"],
        "text": _text(suite, words, result),
    }


def _text(suite: Suite, words: Vocabulary, result: Result) -> str:
    if result.trace is None:
        return ""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    why = violation(suite, words.parameters, result.property, result.trace)
    write_violation(Page(stream), words, result.trace, [why])
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode("utf-8")
