"""The trace files of a sweep: of violations of states, and lassos, which can be judged again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from bmc.evidence import untrusted
from bmc.evidence.lasso import Lasso, TemporalResult
from bmc.evidence.verdict import Result, Verdict
from bmc.lang.suite import Suite
from bmc.regress.lassos import RecordedLasso, taken_again
from bmc.regress.recording import Recording
from bmc.reports.page import Page
from bmc.reports.sweeps import evidence
from bmc.reports.traces.lasso import TemporalWriter, temporal_json
from bmc.reports.vocabulary import Vocabulary


class _Text(StringIO):
    encoding = "utf-8"


def describe(suite: Suite, parameters: Mapping[str, int], result: Result | TemporalResult) -> str:
    """Return a violation as a JSON document; its ``text`` is what people read.

    That of a temporal claim has the lasso ``recorded`` as a lock has it.
    """
    if isinstance(result, Result):
        return evidence.describe(suite, parameters, result)
    words, stream = Vocabulary.of(suite, parameters), _Text()
    TemporalWriter(Page(stream), suite, words).evidence(result)
    assert result.lasso is not None
    trace = Recording.of(suite.name, parameters, result.property, result.lasso.trace)
    values = tuple((result.arguments or {}).values())
    recorded = RecordedLasso(trace, result.lasso.loop, values).text
    document = {
        "protocol": suite.name,
        "parameters": dict(parameters),
        **temporal_json(words, result),
        "recorded": json.loads(recorded),
        "text": stream.getvalue(),
    }
    return json.dumps(document, indent=1, ensure_ascii=True) + "\n"


def lasso_of(file: Path, suite: Suite, parameters: Mapping[str, int], claim: str) -> Lasso | None:
    """Return the lasso in a sweep's file, judged; None where it is none that violates the claim.

    What the file shows to readers has to be that lasso. Raises EvidenceError or ValueError for a
    file of another form.
    """
    document = untrusted.document(untrusted.text_in(file))
    if not isinstance(document, dict):
        raise ValueError(f"{file.name} is no document of a sweep")
    found = RecordedLasso.read(json.dumps(document.get("recorded", {})), file.name)
    if (found.trace.name, dict(found.trace.parameters)) != (claim, dict(parameters)):
        return None
    lasso = taken_again(found, suite, parameters)
    return lasso if lasso is not None and _shows(document, lasso, suite, parameters) else None


def _shows(
    document: Mapping[str, Any], lasso: Lasso, suite: Suite, parameters: Mapping[str, int]
) -> bool:
    """Whether a document has, beside what is judged, the same lasso for its readers."""
    claim = str(document["recorded"]["property"])
    result = TemporalResult(claim, Verdict.VIOLATED, "", 0.0, lasso=lasso)
    shown = temporal_json(Vocabulary.of(suite, parameters), result)
    parts = ("trace", "loop", "closing")
    return all(document.get(part) == json.loads(json.dumps(shown[part])) for part in parts)
