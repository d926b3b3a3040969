"""A walk by hand: an execution that somebody extends, a step at a time, and takes back.

The interpreter takes the steps, so what a walk is made of is what judges every trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from bmc.evidence.replay import failing_instance
from bmc.evidence.trace import Trace, TraceStep
from bmc.lang.errors import BmcError, BoundTooSmall
from bmc.lang.properties import Kind, Property
from bmc.readings.value import Interpreter
from bmc.system.no_model import no_initial_state

MOST_STARTS = 1000
"""So many initial states are offered; nobody reads more."""


class NoSuchStep(BmcError):
    """A step that is not enabled here, or one back from the beginning."""


class Walk:
    """An execution so far, and what can follow it.

    ``starts`` are the initial states, at most :data:`MOST_STARTS`; the walk begins in the first.
    Raises NoInitialState where there is none.
    """

    def __init__(self, interpreter: Interpreter, claims: Sequence[Property] = ()) -> None:
        self._interpreter = interpreter
        self._claims = tuple(claims)
        states = islice(interpreter.initial_states(), MOST_STARTS)
        self.starts = _distinct([TraceStep(None, {}, state) for state in states])
        if not self.starts:
            raise no_initial_state(interpreter.model, interpreter.domains.parameters)
        self._path = [self.starts[0]]
        self.enabled: list[TraceStep] = []
        self.beyond: list[str] = []
        self._look()

    @property
    def trace(self) -> Trace:
        """The execution so far."""
        return Trace(tuple(self._path))

    def begin(self, number: int) -> None:
        """Begin again, in the initial state of that number, from 0."""
        self._path = [_chosen(self.starts, number, "initial state")]
        self._look()

    def take(self, number: int) -> None:
        """Take the enabled step of that number, from 0."""
        self._path.append(_chosen(self.enabled, number, "step"))
        self._look()

    def back(self) -> None:
        """Take the last step back."""
        if len(self._path) == 1:
            raise NoSuchStep("this is the initial state: there is no step to take back")
        self._path.pop()
        self._look()

    def violated(self) -> tuple[str, ...]:
        """The claims that are false here, or of the last step."""
        before, last = self._path[-2:] if len(self._path) > 1 else (None, self._path[-1])
        found = []
        for stated in self._claims:
            if stated.kind is not Kind.STEP_INVARIANT:
                wrong = failing_instance(self._interpreter, last.state, None, stated)
            elif before is not None:
                wrong = failing_instance(self._interpreter, before.state, last.state, stated)
            else:
                continue
            found += [] if wrong is None else [stated.name]
        return tuple(found)

    def _look(self) -> None:
        """List what is enabled, and which actions are but leave the model's bounds."""
        state = self._path[-1].state
        steps: list[TraceStep] = []
        self.beyond = []
        for action in self._interpreter.model.actions:
            try:
                for one in self._interpreter.steps_of(action, state):
                    steps.append(TraceStep(one.action, one.arguments, one.state))
            except BoundTooSmall as event:
                self.beyond.append(f"{event.title}: {event}")
        self.enabled = _distinct(steps)


def _chosen(offered: Sequence[TraceStep], number: int, what: str) -> TraceStep:
    if not 0 <= number < len(offered):
        raise NoSuchStep(f"there is no {what} {number + 1}: choose one of 1 to {len(offered)}")
    return offered[number]


def _distinct(steps: Sequence[TraceStep]) -> list[TraceStep]:
    found: list[TraceStep] = []
    for one in steps:
        if one not in found:
            found.append(one)
    return found
