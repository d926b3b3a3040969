"""JSON documents: what every command says to a program. docs/result.schema.json is the contract."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bmc.evidence.trace import CounterexampleToInduction, Trace
from bmc.evidence.verdict import Result
from bmc.lang.suite import Suite
from bmc.reports.machine import peak_memory_mb, versions
from bmc.reports.traces.explanation_steps import causes_json
from bmc.reports.traces.explanations import explanation_json
from bmc.reports.traces.instances import Violation, violation
from bmc.reports.values import arguments_json, state_json
from bmc.reports.vocabulary import Vocabulary

Document = dict[str, Any]


def document(command: str, content: Mapping[str, Any], seconds: float) -> Document:
    """A command's whole answer: its content, how long it took, and what took part."""
    memory = peak_memory_mb()
    return {
        "command": command,
        **content,
        "seconds": round(seconds, 3),
        "peak_memory_mb": None if memory is None else memory[0],
        "peak_memory_children_mb": None if memory is None else memory[1],
        "versions": versions(),
    }


def error_document(command: str, kind: str, message: str, exit_code: int) -> Document:
    """The answer of a command that failed."""
    return {
        "command": command,
        "error": {"kind": kind, "message": message, "exit_code": exit_code},
        "versions": versions(),
    }


def text_of(whole: Document, one_line: bool = False) -> str:
    """The document as it is written: indented, or in one line."""
    return json.dumps(whole, indent=None if one_line else 2, ensure_ascii=True)


class ResultDocuments:
    """Results about one suite at given parameters, as JSON data."""

    def __init__(self, suite: Suite, words: Vocabulary) -> None:
        self._suite = suite
        self._words = words

    def result(self, result: Result, certificate: str | None = None) -> Document:
        """One result; ``certificate`` names the file its certificate was written to."""
        instance, why, came = None, None, list[Document]()
        if result.trace is not None:
            found = violation(self._suite, self._words.parameters, result.property, result.trace)
            sorts = self._words.property_arguments(result.property)
            instance = arguments_json(self._words, sorts, found.arguments)
            why = None if found.why is None else explanation_json(self._words, found.why)
            came = causes_json(self._words, result.trace, found.causes)
        failure = result.induction_failure
        return {
            "property": result.property,
            "kind": self._words.kind(result.property),
            "verdict": result.verdict.value,
            "engine": result.engine,
            "k": result.k,
            "depth": result.depth,
            "seconds": round(result.seconds, 3),
            "trace": None if result.trace is None else self.trace(result.trace),
            "violated_instance": instance,
            "why": why,
            "causes": came,
            "certificate": certificate,
            "reason": result.reason,
            "lemmas": list(result.lemmas),
            "induction_failure": None if failure is None else self.induction_failure(failure),
            "checked_by": result.checked_by,
            "overflow": None if result.overflow is None else self.trace(result.overflow),
            "undefined": None if result.undefined is None else self.trace(result.undefined),
            "more_traces": [self.trace(trace) for trace in result.more_traces],
        }

    def single(self, trace: Trace, violated: Sequence[Violation]) -> Document:
        """A trace by itself, with the first property that its end violates."""
        first = violated[0] if violated else None
        instance, why = None, None
        if first is not None:
            sorts = self._words.property_arguments(first.property)
            instance = arguments_json(self._words, sorts, first.arguments)
            why = None if first.why is None else explanation_json(self._words, first.why)
        return {
            "protocol": self._suite.name,
            "parameters": dict(self._words.parameters),
            "property": None if first is None else first.property,
            "violated_instance": instance,
            "why": why,
            "causes": causes_json(self._words, trace, first.causes) if first else [],
            "trace": self.trace(trace),
        }

    def trace(self, trace: Trace) -> list[Document]:
        """A path, state by state; the first state's action is null."""
        return [
            {
                "action": step.action,
                "arguments": arguments_json(
                    self._words, self._words.action_arguments(step.action or ""), step.arguments
                ),
                "state": state_json(self._words, step.state),
            }
            for step in trace.steps
        ]

    def induction_failure(self, failure: CounterexampleToInduction) -> Document:
        """A counterexample to induction: it says itself that it is no execution."""
        sorts = self._words.property_arguments(failure.conjunct)
        return {
            "is_execution": False,
            "conjunct": failure.conjunct,
            "kind": self._words.kind(failure.conjunct),
            "arguments": arguments_json(self._words, sorts, failure.arguments),
            "k": failure.k,
            "path": self.trace(failure.path),
        }

    def refuted(self, result: Result) -> Document:
        """A published claim that is left out, and what a search for its violation found."""
        return {
            "property": result.property,
            "reason": self._suite.refuted.get(result.property, ""),
            "verdict": result.verdict.value,
            "trace_length": None if result.trace is None else len(result.trace),
            "trace": None if result.trace is None else self.trace(result.trace),
            "depth": result.depth,
        }
