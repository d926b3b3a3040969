"""Search for the executions of a protocol that a log can be of.

The frontier holds the states the system can be in after the events so far. Before an event the
actions that are not logged may happen, a bounded number of times. At first only as many silent
steps are tried as an event needs. An execution found this way is one; that there is none is said
only after a search with all silent steps, and only if their closure was complete at every line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import monotonic

from bmc.conformance.demands import Demand
from bmc.conformance.stepping import Stepper
from bmc.lang.protocol import Action
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState


@dataclass(frozen=True)
class Limits:
    """Where a search gives up: states held at one line, and seconds (None: no limit)."""

    states: int = 20_000
    seconds: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """A state, and the step that led there; ``line`` is the event's line, None if it is silent."""

    state: ConcreteState
    before: Node | None = None
    action: str | None = None
    arguments: Mapping[str, Value] | None = None
    line: int | None = None


Frontier = dict[tuple[Value, ...], Node]


@dataclass(frozen=True)
class Found:
    """The log was read to its end: ``node`` is the last state of an execution of it."""

    node: Node
    events: int
    widest: int


@dataclass(frozen=True)
class Stuck:
    """No execution that was tried has the event of ``demand``; ``nodes`` are the states before it.

    ``missed`` says why executions may have been left out, None if there are no others.
    """

    demand: Demand
    nodes: tuple[Node, ...]
    events: int
    widest: int
    missed: str | None


@dataclass(frozen=True)
class GaveUp:
    """A limit was met at the event of ``demand``."""

    demand: Demand
    events: int
    widest: int
    why: str


class TooMany(Exception):
    """A limit was met; its text says which."""


class Search:
    """Follows a log; ``eager`` tries all silent steps at every line."""

    def __init__(
        self,
        stepper: Stepper,
        silent: tuple[Action, ...],
        silent_steps: int,
        limits: Limits,
        eager: bool,
    ) -> None:
        self._stepper = stepper
        self._silent = silent
        self._silent_steps = silent_steps if silent else 0
        self._limits = limits
        self._eager = eager
        self._start = monotonic()
        self._missed: str | None = None

    def run(self, demands: Iterable[Demand]) -> Found | Stuck | GaveUp:
        """Follow the log to its end, or to the first event that no execution has."""
        frontier: Frontier = {}
        for state in self._stepper.interpreter.initial_states():
            frontier[_key(state)] = Node(state)
        events, widest = 0, len(frontier)
        for demand in demands:
            try:
                reached, tried = self._after(frontier, demand)
            except TooMany as error:
                return GaveUp(demand, events, widest, str(error))
            widest = max(widest, len(tried))
            if not reached:
                missed = self._missed or self._stepper.cut
                return Stuck(demand, tuple(tried.values()), events, widest, missed)
            frontier, events = reached, events + 1
        return Found(next(iter(frontier.values())), events, widest)

    def _after(self, frontier: Frontier, demand: Demand) -> tuple[Frontier, Frontier]:
        """The states after an event, and all states that it was tried in."""
        tried, edge = dict(frontier), frontier
        reached = {} if self._eager and self._silent_steps else self._taken(tried, demand)
        for _ in range(self._silent_steps):
            if reached:
                return reached, tried
            edge = self._quietly(edge, tried)
            if not edge:
                break
            if not self._eager:
                reached = self._taken(edge, demand)
        if self._eager and self._silent_steps:
            if edge and self._quietly(edge, dict(tried)):
                self._missed = (
                    f"not within {self._silent_steps} silent "
                    f"step{'' if self._silent_steps == 1 else 's'} before line {demand.event.line}"
                )
            reached = self._taken(tried, demand)
        return reached, tried

    def _quietly(self, edge: Frontier, known: Frontier) -> Frontier:
        """The states one silent step beyond ``edge`` that are not known; they become known."""
        found: Frontier = {}
        for node in edge.values():
            self._look_at_the_clock()
            for action in self._silent:
                for step in self._stepper.steps(action, {}, node.state):
                    key = _key(step.state)
                    if key not in known:
                        found[key] = known[key] = Node(
                            step.state, node, step.action, step.arguments
                        )
                self._count(known)
        return found

    def _taken(self, nodes: Frontier, demand: Demand) -> Frontier:
        """The states after an event's own steps out of these states."""
        edge = {
            key: node
            for key, node in nodes.items()
            if all(claim.holds(node.state[claim.root]) for claim in demand.before)
        }
        reached: Frontier = {}
        for number in range(demand.most + 1):
            if number >= demand.least:
                for key, node in edge.items():
                    if all(claim.holds(node.state[claim.root]) for claim in demand.after):
                        reached.setdefault(key, node)
            if number == demand.most:
                break
            edge = self._one_step(edge, demand)
            if not edge:
                break
        return reached

    def _one_step(self, edge: Frontier, demand: Demand) -> Frontier:
        found: Frontier = {}
        for node in edge.values():
            self._look_at_the_clock()
            for one in demand.actions:
                for step in self._stepper.steps(one.action, one.claims, node.state):
                    key = _key(step.state)
                    if key not in found:
                        found[key] = Node(
                            step.state, node, step.action, step.arguments, demand.event.line
                        )
                self._count(found)
        return found

    def _count(self, frontier: Frontier) -> None:
        if len(frontier) > self._limits.states:
            raise TooMany(f"more than {self._limits.states} states are possible there")

    def _look_at_the_clock(self) -> None:
        seconds = self._limits.seconds
        if seconds is not None and monotonic() - self._start > seconds:
            raise TooMany(f"the time limit of {seconds:g} s was reached")


def _key(state: ConcreteState) -> tuple[Value, ...]:
    return tuple(state.values())
