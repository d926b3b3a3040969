"""The trace files of a sweep: of violations of states, and lassos, which can be judged again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from bmc.evidence import untrusted
from bmc.evidence.lasso import TemporalResult
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


_HOW_IT_WAS_FOUND = ("engine", "seconds", "depth", "states")
"""What a file about behaviours says of the search, which nobody can look at again."""


def describe(suite: Suite, parameters: Mapping[str, int], result: Result | TemporalResult) -> str:
    """Return a violation as a JSON document; its ``text`` is what people read.

    That of a temporal claim has the lasso ``recorded`` as a lock has it.
    """
    return json.dumps(_document(suite, parameters, result), indent=1, ensure_ascii=True) + "\n"


def is_about(
    file: Path, suite: Suite, parameters: Mapping[str, int], result: Result | TemporalResult
) -> bool:
    """Whether a sweep's file says of a violation that was judged what ``describe`` says of it."""
    said = untrusted.document(untrusted.text_in(file))
    meant = json.loads(json.dumps(_document(suite, parameters, result)))
    if isinstance(result, TemporalResult) and isinstance(said, dict):
        said, meant = ({**one, **dict.fromkeys(_HOW_IT_WAS_FOUND)} for one in (said, meant))
    return bool(said == meant)


def lasso_of(
    file: Path, suite: Suite, parameters: Mapping[str, int], claim: str
) -> TemporalResult | None:
    """Return the lasso in a sweep's file, judged; None where it is none that violates the claim.

    Raises EvidenceError or ValueError for a file of another form.
    """
    document = untrusted.document(untrusted.text_in(file))
    if not isinstance(document, dict):
        raise ValueError(f"{file.name} is no document of a sweep")
    found = RecordedLasso.read(json.dumps(document.get("recorded", {})), file.name)
    if (found.trace.name, dict(found.trace.parameters)) != (claim, dict(parameters)):
        return None
    lasso = taken_again(found, suite, parameters)
    if lasso is None:
        return None
    stated = suite.describe_temporal(claim, suite.model(False))
    return TemporalResult(
        claim,
        Verdict.VIOLATED,
        stated.specification,
        0.0,
        arguments=stated.instance(found.values),
        lasso=lasso,
    )


def _document(
    suite: Suite, parameters: Mapping[str, int], result: Result | TemporalResult
) -> dict[str, Any]:
    if isinstance(result, Result):
        return evidence.document(suite, parameters, result)
    words, stream = Vocabulary.of(suite, parameters), _Text()
    TemporalWriter(Page(stream), suite, words).evidence(result)
    assert result.lasso is not None
    trace = Recording.of(suite.name, parameters, result.property, result.lasso.trace)
    values = tuple((result.arguments or {}).values())
    recorded = RecordedLasso(trace, result.lasso.loop, values).text
    return {
        "protocol": suite.name,
        "parameters": dict(parameters),
        **temporal_json(words, result),
        "recorded": json.loads(recorded),
        "text": stream.getvalue(),
    }
