"""States by level, as a plain breadth-first search by the interpreter counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bmc.lang.suite import Suite
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter


def levels(suite: Suite, parameters: Mapping[str, int]) -> Iterator[int]:
    """The number of new states at each level, of the suite's model without ghosts."""
    interpreter = Interpreter(suite.model(ghosts=False), Domains(parameters))
    known: set[object] = set()

    def new(states: Iterable[ConcreteState]) -> list[ConcreteState]:
        found = {tuple(state.values()): state for state in states}
        fresh = [state for key, state in found.items() if key not in known]
        known.update(found)
        return fresh

    level = new(interpreter.initial_states())
    while level:
        yield len(level)
        level = new(step.state for state in level for step in interpreter.successors(state))
