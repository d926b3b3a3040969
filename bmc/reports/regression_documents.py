"""A look at a lock as JSON data."""

from __future__ import annotations

from typing import Any

from bmc.lang.protocol import Source
from bmc.regress.outcome import Judgement, Outcome, Standing
from bmc.regress.renewal import Difference
from bmc.regress.summary import Summary
from bmc.reports.documents import Document, ResultDocuments
from bmc.reports.regression_words import location, sentence
from bmc.reports.vocabulary import Vocabulary


def regression_json(summary: Summary) -> Document:
    """The content of the command's document."""
    return {
        "lock": summary.lock,
        "green": summary.green,
        "interrupted": summary.interrupted,
        "models": [_model(summary, judgement) for judgement in summary.judgements],
        "unlocked": list(summary.unlocked),
        "unavailable": [{"name": n, "reason": reason} for n, reason in summary.unavailable],
        "update": _update(summary),
    }


def _model(summary: Summary, judgement: Judgement) -> Document:
    case = judgement.case
    documents = None
    if case.suite is not None:
        documents = ResultDocuments(case.suite, Vocabulary.of(case.suite, case.parameters))
    return {
        "protocol": case.protocol,
        "parameters": dict(case.parameters),
        "seconds": round(judgement.seconds, 3),
        "changed": [
            {"kind": c.kind, "name": c.name, "how": c.how, **_place(c.source)} for c in case.changes
        ],
        "properties": [
            _property(summary, judgement, outcome, documents) for outcome in judgement.outcomes
        ],
        "unlocked": list(judgement.unlocked),
    }


def _property(
    summary: Summary, judgement: Judgement, outcome: Outcome, documents: ResultDocuments | None
) -> Document:
    locked, failure = outcome.locked, outcome.induction_failure
    trace = outcome.trace
    accepted = summary.accepted(judgement, outcome)
    return {
        "property": outcome.name,
        "expected": None if locked is None else locked.expected.value,
        "expected_trace_length": None if locked is None else locked.trace_length,
        "standing": outcome.standing.value,
        "green": outcome.green or accepted,
        "verdict": "unknown" if outcome.verdict is None else outcome.verdict.value,
        "engine": outcome.engine,
        "k": outcome.k,
        "trace": None if trace is None or documents is None else documents.trace(trace),
        "induction_failure": None
        if failure is None or documents is None
        else documents.induction_failure(failure),
        "said": sentence(outcome),
        "reason": outcome.reason or None,
        "seconds": round(outcome.seconds, 3),
        **_place(judgement.case.source(outcome.name)),
    }


def _place(source: Source | None) -> dict[str, Any]:
    found = location(source)
    return {"file": None, "line": None} if found is None else {"file": found[0], "line": found[1]}


def _update(summary: Summary) -> Document | None:
    renewal = summary.renewal
    if renewal is None:
        return None
    return {
        "written": summary.written,
        "differences": [_difference(d) for d in renewal.differences],
        "held_back": [
            {"protocol": case.protocol, "parameters": dict(case.parameters)}
            for case in renewal.held_back
        ],
        "undecided": [
            {"protocol": case.protocol, "property": outcome.name, "reason": outcome.reason}
            for case, outcome in renewal.open
            if outcome.standing is Standing.NEW
        ],
    }


def _difference(difference: Difference) -> Document:
    return {
        "protocol": difference.case.protocol,
        "parameters": dict(difference.case.parameters),
        "property": difference.name,
        "before": difference.before or None,
        "after": difference.after or None,
        "accepted": difference.accepted,
    }
