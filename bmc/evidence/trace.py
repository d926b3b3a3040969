"""Traces: a path of concrete states from an initial one, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState


@dataclass(frozen=True)
class TraceStep:
    """A state and how it was reached; the first state of a trace has no action."""

    action: str | None
    arguments: Mapping[str, Value]
    state: ConcreteState


@dataclass(frozen=True)
class Trace:
    """States in order; its length is their number, the initial state included."""

    steps: tuple[TraceStep, ...]

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True)
class CounterexampleToInduction:
    """A counterexample to induction (CTI): *not* an execution of the protocol.

    A path of ``k`` states in which all hypotheses hold, and a next one in which ``conjunct``
    (an invariant or lemma; at ``arguments``) fails. Its first state need not be reachable.
    """

    conjunct: str
    arguments: Mapping[str, Value]
    path: Trace
    k: int
