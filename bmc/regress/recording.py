"""Traces kept beside a lock: recorded state by state, and played again on the model of today."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bmc.evidence import untrusted
from bmc.evidence.replay import holds_at_end, reached_at_end, replay
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BoundTooSmall, LanguageError
from bmc.lang.properties import Kind
from bmc.lang.suite import Suite
from bmc.layout.domain import Domains, Value
from bmc.readings.value import ConcreteState, Interpreter
from bmc.regress.errors import EvidenceError

FORMAT = "bmc-lock-trace/1"


@dataclass(frozen=True)
class Recording:
    """The states of a trace that violates (or reaches) the property ``name``."""

    protocol: str
    parameters: Mapping[str, int]
    name: str
    states: tuple[ConcreteState, ...]
    actions: tuple[str | None, ...]

    @staticmethod
    def of(protocol: str, parameters: Mapping[str, int], name: str, trace: Trace) -> Recording:
        """Record a trace."""
        states = tuple(step.state for step in trace.steps)
        return Recording(protocol, parameters, name, states, tuple(s.action for s in trace.steps))

    @property
    def text(self) -> str:
        """The file's content: a line a state, equal for equal recordings."""
        return self.text_as(FORMAT, {})

    def text_as(self, form: str, more: Mapping[str, object]) -> str:
        """Return a file's content of another format, with more to say than what a trace is."""
        head = {
            "format": form,
            "protocol": self.protocol,
            "parameters": dict(sorted(self.parameters.items())),
            "property": self.name,
            **more,
        }
        steps = [
            {"action": action, "state": {name: plain(v) for name, v in state.items()}}
            for action, state in zip(self.actions, self.states, strict=True)
        ]
        lines = ",\n    ".join(json.dumps(step) for step in steps)
        return json.dumps(head, indent=2)[:-2] + f',\n  "steps": [\n    {lines}\n  ]\n}}\n'

    @staticmethod
    def read(text: str, name: str, form: str = FORMAT) -> Recording:
        """Read a file's content; EvidenceError when it is no recording."""
        try:
            document = untrusted.document(text)
            if document["format"] != form:
                raise ValueError(f"its format is {document['format']!r}")
            steps = document["steps"]
            return Recording(
                document["protocol"],
                dict(document["parameters"]),
                document["property"],
                tuple({n: value_of(v) for n, v in step["state"].items()} for step in steps),
                tuple(step["action"] for step in steps),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EvidenceError(f"{name} is no recorded trace: {error}") from None


def played(recording: Recording, suite: Suite, parameters: Mapping[str, int]) -> Trace | None:
    """The recorded trace on the suite's model, if it violates or reaches what it did.

    A trace of a property that speaks of history has the ghosts in its states.
    """
    model = suite.model(True)
    if not all(model.ghosts <= set(state) for state in recording.states):
        model = suite.model(False)
    domains = Domains(parameters)
    sorts = model.variables
    for state in recording.states:
        if set(state) != set(sorts):
            return None
        if not all(fits(domains, sorts[name], value) for name, value in state.items()):
            return None
    interpreter = Interpreter(model, domains)
    try:
        trace = replay(interpreter, recording.states)
        stated = suite.describe(suite.find(recording.name), model)
        witness = stated.kind is Kind.WITNESS
        if not (
            reached_at_end(interpreter, trace, stated)
            if witness
            else not holds_at_end(interpreter, trace, stated)
        ):
            return None
    except (Contradiction, BoundTooSmall, LanguageError):
        return None
    return trace


def fits(domains: Domains, sort: Any, value: Value) -> bool:
    """Return whether a recorded value is one of a sort."""
    try:
        return domains.contains(sort, value)
    except (TypeError, ValueError, KeyError, IndexError):
        # A value of another shape than the sort's.
        return False


def plain(value: Value) -> Any:
    """A value as JSON: a tuple is a list, a set an object with its elements."""
    match value:
        case tuple():
            return [plain(part) for part in value]
        case frozenset():
            elements = [plain(part) for part in value]
            return {"set": sorted(elements, key=lambda e: json.dumps(e))}
    return value


def value_of(data: Any) -> Value:
    """Return the value that JSON data stands for. Raises ValueError or KeyError."""
    match data:
        case list():
            return tuple(value_of(part) for part in data)
        case dict():
            return frozenset(value_of(part) for part in data["set"])
        case float():
            raise ValueError(f"{data} is no value")
    return data
