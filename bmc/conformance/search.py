"""Search for the executions of a protocol that a log can be of.

The frontier holds the states the system can be in after the events so far. Before an event the
actions that are not logged may happen, a bounded number of times. At first only as many silent
steps are tried as an event needs. An execution found this way is one; that there is none is said
only after a search with all silent steps, and only if their closure was complete at every line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic

from bmc.conformance.demands import Demand
from bmc.conformance.order import Cut, Schedule
from bmc.conformance.stepping import SearchStep, Stepper
from bmc.lang.model import Action
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState


@dataclass(frozen=True)
class Limits:
    """Where a search gives up: states held at one line, and seconds (None: no limit).

    One that is ``told_when_interrupted`` gives up there as well, instead of raising
    KeyboardInterrupt: how far it has come is an answer where nobody has another log to go on with.
    """

    states: int = 20_000
    seconds: float | None = None
    told_when_interrupted: bool = False


INTERRUPTED = "interrupted"
"""Why a search that was interrupted gave up."""


@dataclass(eq=False, slots=True)
class Reached:
    """A state, and how it was come by: a step, or an event that is none (``action`` is None).

    ``line`` is that of the event that was read, or is about to be where the step is ``silent``;
    None for an initial state. A node far behind the frontier has no state any more, since a long
    log has too many: replaying the steps gives it again.
    """

    state: ConcreteState
    before: Reached | None = None
    action: str | None = None
    branch: int = 0
    arguments: Mapping[str, Value] | None = None
    line: int | None = None
    silent: bool = False


_FEW = 4
"""Nodes that are compared one by one: to hash a state takes as long as it is large."""


@dataclass(slots=True)
class Frontier:
    """Nodes of different states."""

    nodes: list[Reached] = field(default_factory=list)
    _keys: set[tuple[Value, ...]] | None = None

    def add(self, node: Reached) -> bool:
        """Take a node in, unless there is one of its state; whether it was."""
        if self._keys is None and len(self.nodes) >= _FEW:
            self._keys = {_key(one) for one in self.nodes}
        if self._keys is not None:
            key = _key(node)
            if key in self._keys:
                return False
            self._keys.add(key)
        elif any(_same(one.state, node.state) for one in self.nodes):
            return False
        self.nodes.append(node)
        return True

    def copy(self) -> Frontier:
        """Return another one of the same nodes."""
        return Frontier(list(self.nodes), None if self._keys is None else set(self._keys))

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Reached]:
        return iter(self.nodes)


def _key(node: Reached) -> tuple[Value, ...]:
    return tuple(node.state.values())


def _same(one: ConcreteState, other: ConcreteState) -> bool:
    return all(one[name] is value or one[name] == value for name, value in other.items())


@dataclass(frozen=True)
class Followed:
    """The log was read to its end: ``node`` is the last state of an execution of it."""

    node: Reached
    events: int
    widest: int


@dataclass(frozen=True)
class Stuck:
    """No execution that was tried has the event of ``demand``; ``nodes`` are the states before it.

    ``missed`` says why executions may have been left out, None if there are no others. There are
    more states than ``nodes`` if these are a ``sample``.
    """

    demand: Demand
    nodes: tuple[Reached, ...]
    events: int
    widest: int
    missed: str | None
    sample: bool = False


@dataclass(frozen=True)
class GaveUp:
    """A limit was met at the event of ``demand``.

    Where it was that of states, ``nodes`` are those before the event, and ``missed`` says why
    there may be others.
    """

    demand: Demand
    events: int
    widest: int
    why: str
    nodes: tuple[Reached, ...] = ()
    missed: str | None = None


class SearchLimit(Exception):
    """A limit was met; its text says which."""


class TooMany(SearchLimit):
    """It was that of states."""


class Search:
    """Follows a log; ``eager`` tries all silent steps at every line.

    Its seconds are counted from ``since``, where it is one of several searches.
    """

    def __init__(
        self,
        stepper: Stepper,
        silent: tuple[Action, ...],
        silent_steps: int,
        limits: Limits,
        eager: bool,
        since: float | None = None,
    ) -> None:
        self._stepper = stepper
        self._silent = silent
        self._silent_steps = silent_steps if silent else 0
        self._limits = limits
        self._eager = eager
        self._start = monotonic() if since is None else since
        self._missed: str | None = None
        self._made: list[Reached] = []
        self._at: GaveUp | None = None

    def run(self, schedule: Schedule, most: int | None = None) -> Followed | Stuck | GaveUp:
        """Follow the log to its end (or ``most`` events), or to the first that no execution has.

        Raises KeyboardInterrupt, unless its limits say that it gives up then.
        """
        try:
            return self._follow(schedule, most)
        except KeyboardInterrupt:
            if self._at is None or not self._limits.told_when_interrupted:
                raise
            return self._at

    def _follow(self, schedule: Schedule, most: int | None) -> Followed | Stuck | GaveUp:
        first = Frontier()
        for state in self._stepper.rules.initial_states():
            first.add(Reached(state))
        frontiers: dict[Cut, Frontier] = {schedule.start: first}
        events, widest = 0, len(first)
        while events != most:
            reached: dict[Cut, Frontier] = {}
            stuck: list[tuple[Demand, Frontier]] = []
            self._made = [node for nodes in frontiers.values() for node in nodes]
            for cut, frontier in frontiers.items():
                for demand, after in schedule.following(cut):
                    # The event is the one after those that have an execution.
                    self._at = GaveUp(demand, events, widest, INTERRUPTED)
                    try:
                        # By itself: what another order has come to says nothing of this one.
                        alone = Frontier()
                        tried = self._after(frontier, demand, alone)
                        there = reached.setdefault(after, Frontier())
                        for node in alone:
                            there.add(node)
                        self._count(sum(map(len, reached.values())))
                    except TooMany as error:
                        missed = self._missed or self._stepper.cut
                        nodes = tuple(frontier)
                        return GaveUp(demand, events, widest, str(error), nodes, missed)
                    except SearchLimit as error:
                        return GaveUp(demand, events, widest, str(error))
                    stuck.append((demand, tried))
                    widest = max(widest, len(tried))
            if not stuck:
                break
            frontiers = {cut: nodes for cut, nodes in reached.items() if nodes}
            if not frontiers:
                demand, tried = min(stuck, key=lambda one: one[0].event.line)
                missed = self._missed or self._stepper.cut
                return Stuck(demand, tuple(tried), events, widest, missed)
            widest = max(widest, sum(map(len, frontiers.values())))
            self._forget(frontiers)
            events += 1
        last = next(iter(frontiers.values())).nodes[0]
        return Followed(last, events, widest)

    def _forget(self, frontiers: Mapping[Cut, Frontier]) -> None:
        """Drop the states that nobody steps out of any more."""
        kept = {id(node) for nodes in frontiers.values() for node in nodes}
        for node in self._made:
            if id(node) not in kept and node.before is not None:
                node.state = {}

    def after(self, frontier: Frontier, demand: Demand) -> Frontier:
        """Return the states after one event. Raises SearchLimit."""
        reached = Frontier()
        self._after(frontier, demand, reached)
        self._count(len(reached))
        return reached

    def _after(self, frontier: Frontier, demand: Demand, reached: Frontier) -> Frontier:
        """Put the states after an event into ``reached``, which is empty.

        Return all states that it was tried in.
        """
        tried, edge = frontier, list(frontier)
        if self._silent_steps:
            tried = frontier.copy()
        if not (self._eager and self._silent_steps):
            self._taken(edge, demand, reached)
        for _ in range(self._silent_steps):
            if reached:
                return tried
            edge = self._quietly(edge, tried, demand)
            if not edge:
                break
            if not self._eager:
                self._taken(edge, demand, reached)
        if self._eager and self._silent_steps:
            if edge and self._quietly(edge, tried.copy(), demand):
                self._missed = (
                    f"not within {self._silent_steps} silent "
                    f"step{'' if self._silent_steps == 1 else 's'} before line {demand.event.line}"
                )
            self._taken(list(tried), demand, reached)
        return tried

    def _quietly(self, edge: list[Reached], known: Frontier, demand: Demand) -> list[Reached]:
        """The states one silent step beyond ``edge`` that are not known; they become known."""
        found: list[Reached] = []
        for node in edge:
            self._look_at_the_clock()
            for action in self._silent:
                for step in self._stepper.steps(action, {}, node.state):
                    self._look_at_the_clock()
                    beyond = self._node(step, node, demand, silent=True)
                    if known.add(beyond):
                        found.append(beyond)
                self._count(len(known))
        return found

    def _taken(self, nodes: list[Reached], demand: Demand, reached: Frontier) -> None:
        """Put the states after an event's own steps out of these states into ``reached``."""
        edge = [
            node
            for node in nodes
            if all(claim.holds(node.state[claim.root]) for claim in demand.before)
        ]
        seen = Frontier()
        for number in range(demand.most + 1):
            if number >= demand.least:
                # What was come by with fewer steps leads on to whatever more steps lead to.
                edge = [node for node in edge if seen.add(node)]
                for node in edge:
                    if all(claim.holds(node.state[claim.root]) for claim in demand.after):
                        if number == 0:
                            node = Reached(node.state, node, line=demand.event.line)
                            self._made.append(node)
                        reached.add(node)
            if number == demand.most or not edge:
                break
            edge = self._one_step(edge, demand)

    def _one_step(self, edge: list[Reached], demand: Demand) -> list[Reached]:
        found = Frontier()
        for node in edge:
            self._look_at_the_clock()
            for one in demand.actions:
                for step in self._stepper.steps(one.action, one.claims, node.state):
                    self._look_at_the_clock()
                    found.add(self._node(step, node, demand, silent=False))
                self._count(len(found))
        return found.nodes

    def _node(self, step: SearchStep, before: Reached, demand: Demand, silent: bool) -> Reached:
        node = Reached(
            step.state,
            before,
            step.action.name,
            step.branch,
            step.arguments,
            demand.event.line,
            silent,
        )
        self._made.append(node)
        return node

    def _count(self, states: int) -> None:
        if states > self._limits.states:
            raise TooMany(f"more than {self._limits.states} states are possible there")

    def remaining(self) -> float | None:
        """Return the seconds that are left, None if there is no limit."""
        seconds = self._limits.seconds
        return None if seconds is None else max(0.0, self._start + seconds - monotonic())

    def _look_at_the_clock(self) -> None:
        seconds = self._limits.seconds
        if seconds is not None and monotonic() - self._start > seconds:
            raise SearchLimit(f"the time limit of {seconds:g} s was reached")
