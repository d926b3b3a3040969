"""A look at a lock as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bmc.lang.model import Source
from bmc.reports.documents import Document, ResultDocuments
from bmc.reports.regression.view import LockView, ModelView, PropertyView, UpdateView
from bmc.reports.regression.words import location, sentence
from bmc.reports.vocabulary import Vocabulary


def regression_json(view: LockView) -> Document:
    """The content of the command's document."""
    return {
        "lock": view.lock,
        "green": view.green,
        "interrupted": view.interrupted,
        "models": [_model(model) for model in view.models],
        "unlocked": list(view.unlocked),
        "unavailable": [{"name": n, "reason": reason} for n, reason in view.unavailable],
        "update": None if view.update is None else _update(view.update),
    }


def _model(model: ModelView) -> Document:
    documents = None
    if model.suite is not None and model.parameters is not None:
        words = Vocabulary.of(model.suite, model.parameters)
        documents = ResultDocuments(model.suite, words)
    return {
        "protocol": model.protocol,
        **_parameters(model.parameters),
        "seconds": round(model.seconds, 3),
        "changed": [
            {"kind": c.kind, "name": c.name, "how": c.how, **_place(c.source)}
            for c in model.changes
        ],
        "properties": [_property(stated, documents) for stated in model.properties],
        "unlocked": list(model.unlocked),
        "unjudged": [{"name": name, "reason": reason} for name, reason in model.unjudged],
    }


def _property(stated: PropertyView, documents: ResultDocuments | None) -> Document:
    trace, failure = stated.trace, stated.induction_failure
    lasso = None if stated.temporal is None else stated.temporal.lasso
    return {
        "property": stated.name,
        "expected": stated.expected or None,
        "expected_trace_length": stated.expected_length,
        "expected_distinct_states": stated.expected_states,
        "expected_depth": stated.expected_depth,
        "expected_loop": stated.expected_loop,
        "specification": stated.specification,
        "loop": None if lasso is None else lasso.loop,
        "standing": stated.standing,
        "green": stated.green,
        "verdict": stated.verdict or "unknown",
        "engine": stated.engine,
        "k": stated.k,
        "distinct_states": stated.states,
        "depth": stated.depth,
        "trace": None if trace is None or documents is None else documents.trace(trace),
        "induction_failure": None
        if failure is None or documents is None
        else documents.induction_failure(failure),
        "said": sentence(stated),
        "reason": stated.reason or None,
        "seconds": round(stated.seconds, 3),
        **_place(stated.source),
    }


def _parameters(parameters: Mapping[str, int] | None) -> Document:
    return {"parameters": dict(parameters or {}), "all_parameters": parameters is None}


def _place(source: Source | None) -> dict[str, Any]:
    found = location(source)
    return {"file": None, "line": None} if found is None else {"file": found[0], "line": found[1]}


def _update(update: UpdateView) -> Document:
    return {
        "written": update.written,
        "differences": [
            {
                "protocol": d.protocol,
                **_parameters(d.parameters),
                "property": d.name,
                "before": d.before or None,
                "after": d.after or None,
                "accepted": d.accepted,
            }
            for d in update.differences
        ],
        "held_back": [
            {"protocol": protocol, **_parameters(parameters)}
            for protocol, parameters in update.held_back
        ],
        "undecided": [
            {"protocol": protocol, "property": name, "reason": reason}
            for protocol, name, reason in update.undecided
        ],
    }
