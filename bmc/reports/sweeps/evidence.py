"""The trace file that a sweep keeps of a violation: for programs, and as a text for people."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping

from bmc.evidence.verdict import Result
from bmc.lang.suite import Suite
from bmc.reports.documents import ResultDocuments
from bmc.reports.page import Page
from bmc.reports.traces.instances import violation
from bmc.reports.traces.text import write_violation
from bmc.reports.vocabulary import Vocabulary


def describe(suite: Suite, parameters: Mapping[str, int], result: Result) -> str:
    """A violation as a JSON document; its ``text`` is what `bmc check` would show."""
    words = Vocabulary.of(suite, parameters)
    found = ResultDocuments(suite, words).result(result)
    document = {
        "protocol": suite.name,
        "parameters": dict(parameters),
        "property": result.property,
        "violated_instance": found["violated_instance"],
        "trace": found["trace"],
        "text": _text(suite, words, result),
    }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


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
