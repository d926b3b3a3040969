"""A search where more states are possible than it holds one by one.

The next events go to a SAT solver (:mod:`bmc.conformance.window`), and the search goes on from
the one state that this finds at their end. If the end of the log is not reached from there, other
states may lead further, and the window is made longer by the events that were passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from bmc.conformance.demands import Demand
from bmc.conformance.order import InLine
from bmc.conformance.search import (
    Followed,
    Frontier,
    GaveUp,
    Limits,
    Reached,
    Search,
    SearchLimit,
    Stuck,
)
from bmc.conformance.stepping import Claims, Stepper
from bmc.conformance.window import EventRead, LogWindow, SolverGaveUp, TakenStep, idling
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BmcError
from bmc.lang.model import Action

EVENTS = 8
"""Events that a window is made longer by at least."""

MOST_FRAMES = 1_500
"""Copies of the state in a window; more take too long."""

FEW_STATES = 200
"""States that the search holds behind a window: there is another way on than to hold more."""


class Crowded:
    """Goes on where ``search`` gave up, with the same silent steps."""

    def __init__(
        self, stepper: Stepper, silent: tuple[Action, ...], silent_steps: int, search: Search
    ) -> None:
        self._stepper = stepper
        self._silent = silent
        self._silent_steps = silent_steps if silent else 0
        self._remaining = search.remaining

    def beyond(
        self, gave_up: GaveUp, schedule: InLine, most: int | None
    ) -> Followed | Stuck | GaveUp:
        """Follow the log to its end (or ``most`` events), or to the first that no execution has.

        The states before the event at which the search gave up are all that executions lead to.
        """
        try:
            window = self._window(gave_up)
        except BmcError as error:
            return replace(gave_up, why=f"{gave_up.why}, and SAT is no way on: {error}")
        coming = _coming(schedule, gave_up.events, most)
        passed: list[Demand] = []
        events = gave_up.events
        while True:
            growth = chain(passed, coming)
            for _ in range(max(EVENTS, len(passed))):
                demand = next(growth, None)
                if demand is None:
                    break
                why = f"{gave_up.why} (line {gave_up.demand.event.line})"
                if window.frames > MOST_FRAMES:
                    why += f", and {window.frames} steps from there on are too many for SAT"
                    return GaveUp(demand, events, gave_up.widest, why)
                try:
                    if not window.read(demand):
                        return self._stuck(gave_up, window, demand, events)
                except SolverGaveUp:
                    why += ", and SAT took longer than the time limit"
                    return GaveUp(demand, events, gave_up.widest, why)
                events += 1
            passed, node = self._followed(self._node(gave_up, window), coming)
            if node is not None:
                return Followed(node, events + len(passed), gave_up.widest)

    def _window(self, gave_up: GaveUp) -> LogWindow:
        model = self._stepper.model
        system = idling(model, self._stepper.interpreter.domains.parameters)
        states = [node.state for node in gave_up.nodes]
        return LogWindow(system, states, self._silent, self._silent_steps, self._remaining)

    def _stuck(self, gave_up: GaveUp, window: LogWindow, demand: Demand, events: int) -> Stuck:
        line = demand.event.line
        missed = gave_up.missed or window.cut
        if self._silent_steps and missed is None:
            missed = (
                f"not within {self._silent_steps} silent "
                f"step{'' if self._silent_steps == 1 else 's'} before line {line}"
            )
        if events == gave_up.events:
            return Stuck(demand, gave_up.nodes, events, gave_up.widest, missed)
        node = self._node(gave_up, window)
        return Stuck(demand, (node,), events, gave_up.widest, missed, sample=True)

    def _followed(
        self, node: Reached, coming: Iterator[Demand]
    ) -> tuple[list[Demand], Reached | None]:
        """The events that were looked at, and the last state if all that come were followed."""
        limits = Limits(FEW_STATES, self._remaining())
        search = Search(self._stepper, self._silent, self._silent_steps, limits, eager=False)
        passed: list[Demand] = []
        frontier = Frontier([node])
        for demand in coming:
            passed.append(demand)
            try:
                frontier = search.after(frontier, demand)
            except SearchLimit:
                return passed, None
            if not frontier:
                return passed, None
        return passed, frontier.nodes[0]

    def _node(self, gave_up: GaveUp, window: LogWindow) -> Reached:
        """The end of an execution of all events that a window has read."""
        begun, events = window.execution()
        node = gave_up.nodes[begun]
        for read in events:
            for taken in read.steps:
                node = self._taken(node, read, taken)
            if not any(not taken.silent for taken in read.steps):
                node = Reached(read.state, node, line=read.demand.event.line)
        return node

    def _taken(self, node: Reached, read: EventRead, taken: TakenStep) -> Reached:
        """A step of the solver's, as the interpreter takes it."""
        for action, claims in self._allowed(read, taken):
            for step in self._stepper.steps(action, claims, node.state):
                if step.state == taken.state:
                    return Reached(
                        step.state,
                        node,
                        step.action.name,
                        step.branch,
                        step.arguments,
                        read.demand.event.line,
                        taken.silent,
                    )
        raise Contradiction(
            f"the solver has a step of {taken.action} for line {read.demand.event.line} that the "
            "interpreter does not take"
        )

    def _allowed(self, read: EventRead, taken: TakenStep) -> Sequence[tuple[Action, Claims]]:
        if taken.silent:
            return [(action, {}) for action in self._silent if action.name == taken.action]
        actions = read.demand.actions
        return [(one.action, one.claims) for one in actions if one.action.name == taken.action]


def _coming(schedule: InLine, position: int, most: int | None) -> Iterator[Demand]:
    """The events from a position on, up to ``most`` in all."""
    while position != most:
        following = schedule.following((position,))
        if not following:
            return
        [(demand, _)] = following
        yield demand
        position += 1
