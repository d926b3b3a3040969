"""An execution of a protocol that a log is of, as the interpreter replays it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path

from bmc.conformance.coverage import GuardWatch
from bmc.conformance.demands import Demand
from bmc.conformance.search import Reached
from bmc.evidence.replay import failing_instance
from bmc.evidence.sources import variables_of
from bmc.evidence.trace import Trace, TraceStep
from bmc.evidence.verdict import Contradiction
from bmc.lang.errors import BoundTooSmall, ClaimWithoutValue, said_of
from bmc.lang.properties import Kind, Property
from bmc.lang.suite import Origin
from bmc.layout.domain import Value
from bmc.readings.compiled import Compiler, Function
from bmc.readings.value import ConcreteState, Interpreter


class Execution:
    """Steps from an initial state, and the line of the event that each of its states follows.

    Its states are not held: the interpreter takes the steps again whenever somebody wants them.
    """

    def __init__(self, node: Reached, interpreter: Interpreter) -> None:
        nodes: list[Reached] = []
        last: Reached | None = node
        while last is not None:
            nodes.append(last)
            last = last.before
        nodes.reverse()
        self._nodes = nodes
        self._interpreter = interpreter
        self.met: dict[str, int | None] = {}
        """By witness that was looked for on replay and met: the last line before, if any."""

    def within(self, interpreter: Interpreter) -> Execution:
        """Return the same steps, as another interpreter takes them."""
        return Execution(self._nodes[-1], interpreter)

    @property
    def length(self) -> int:
        """Return how many steps it has."""
        return sum(node.action is not None for node in self._nodes)

    @property
    def lines(self) -> tuple[int | None, ...]:
        """Return for each state the line of the event it follows.

        None for the initial state and after a silent step.
        """
        steps = [node for node in self._nodes if node.action is not None]
        return (None, *(None if node.silent else node.line for node in steps))

    @cached_property
    def trace(self) -> Trace:
        """All its states. Raises Contradiction where it cannot be replayed."""
        steps = [TraceStep(None, {}, state) for _, state in self._states(self._nodes[:1])]
        for node, state in self._states(self._nodes):
            if node.action is not None:
                steps.append(TraceStep(node.action, dict(node.arguments or {}), state))
        return Trace(tuple(steps))

    def taken(self) -> Counter[str]:
        """Return how often each action happens in it."""
        return Counter(node.action for node in self._nodes if node.action is not None)

    def branches(self) -> Mapping[str, frozenset[int]]:
        """Return the branches of each action that it takes, by their positions."""
        found: dict[str, set[int]] = {}
        for node in self._nodes:
            if node.action is not None:
                found.setdefault(node.action, set()).add(node.branch)
        return {name: frozenset(taken) for name, taken in found.items()}

    def silent(self) -> int:
        """Return how many of its steps were not logged."""
        return sum(node.silent for node in self._nodes)

    def event_lines(self) -> Iterator[int]:
        """Return the lines of its events, in the order in which they happen."""
        return (line for line, _ in groupby(node.line for node in self._nodes) if line is not None)

    def replay(
        self,
        demands: Iterable[Demand],
        stated: Sequence[Property] = (),
        witnesses: Sequence[Property] = (),
        guards: GuardWatch | None = None,
        origin: Origin | None = None,
    ) -> tuple[Broken, ...]:
        """Take every step once more and look whether the events of ``demands`` say what is so.

        Nothing is left of the search but actions, branches and arguments. Return where the
        invariants are first false; raise Contradiction where a step or an event is not as found.
        What the text that is the protocol's ``origin`` gives no value is undecided there. Which
        ``witnesses`` it meets is in ``met`` then, and ``guards`` has looked at every state.
        """
        watch = Watch(self._interpreter, stated, origin)
        wanted = Watch(self._interpreter, witnesses)
        coming = iter(demands)
        demand: Demand | None = None
        before: ConcreteState | None = None
        position, pending = -1, False
        known: int | None = None
        for node, state in self._states(self._nodes):
            if node.line is not None and (demand is None or demand.event.line != node.line):
                self._require_after(demand, before)
                demand = next(coming, None)
                if demand is None or demand.event.line != node.line:
                    raise Contradiction(f"line {node.line} of the log is another one on replay")
                pending = True
            if pending and not node.silent:
                assert demand is not None
                assert before is not None
                _require(demand, "before", before)
                pending = False
            known = known if node.silent else node.line
            if node.action is not None or before is None:
                position += 1
                watch.look(before, state, position, known)
                self.met |= wanted.met(before, state, known)
                if guards is not None:
                    guards.look(before, state, known)
            before = state
        self._require_after(demand, before)
        return watch.broken

    def states(self) -> Iterator[tuple[Reached, ConcreteState]]:
        """Return what happened, each with the state after it, from the initial state on.

        An event that is no step has the state before it. Raises Contradiction as ``replay`` does.
        """
        return self._states(self._nodes)

    def _require_after(self, demand: Demand | None, state: ConcreteState | None) -> None:
        if demand is not None and state is not None:
            _require(demand, "after", state)

    def _states(self, nodes: Sequence[Reached]) -> Iterator[tuple[Reached, ConcreteState]]:
        initial = self._interpreter.initial_states()
        state = next((s for s in initial if _agrees(s, nodes[0].state)), None)
        if state is None:
            raise Contradiction("the first state of a log's execution is not initial on replay")
        yield nodes[0], state
        for number, node in enumerate(nodes[1:], 1):
            if node.action is not None:
                after = stepped(self._interpreter, state, node)
                if after is None:
                    raise Contradiction(
                        f"step {number} of a log's execution cannot be replayed: {node.action} "
                        "does not happen there"
                    )
                state = after
            yield node, state


@dataclass(frozen=True)
class Broken:
    """An invariant that is false in a state of an execution: its position there, from 0.

    ``line`` is the last event up to that state, None if it is before all events. ``undecided`` says
    why it is not violated there: the text that the protocol was translated from gives it no value.
    """

    property: Property
    position: int
    line: int | None
    undecided: str | None = None

    def why(self) -> str:
        """Return the invariant's name, and why it is not violated."""
        name = self.property.name
        return name if self.undecided is None else f"{name}: {self.undecided}"


def violated_first(broken: Iterable[Broken]) -> Broken | None:
    """Return the one that is false first; where none is, the first that has no value; else None."""
    return min(broken, key=lambda one: (one.undecided is not None, one.position), default=None)


class Watch:
    """Looks at invariants in one state after the other, until each is false; or for witnesses."""

    def __init__(
        self,
        interpreter: Interpreter,
        stated: Sequence[Property],
        origin: Origin | None = None,
    ) -> None:
        self._origin = origin
        compiler = Compiler(interpreter.domains)
        self._interpreter = interpreter
        self._open = [
            (one, variables_of((one.body,)), compiler.function(one.body, one.arguments))
            for one in stated
        ]
        self.broken: tuple[Broken, ...] = ()

    def look(
        self, before: ConcreteState | None, state: ConcreteState, position: int, line: int | None
    ) -> None:
        changed = {n for n, v in state.items() if before is None or before[n] is not v}
        for watched in list(self._open):
            stated, read, function = watched
            first: ConcreteState
            after: ConcreteState | None
            if stated.kind is Kind.STEP_INVARIANT:
                if before is None:
                    continue
                first, after = before, state
            elif changed.isdisjoint(read):
                # It held in the state before, which is the same to it.
                continue
            else:
                first, after = state, None
            if self._holds(stated, function, first, after):
                continue
            if failing_instance(self._interpreter, first, after, stated) is not None:
                why = self._undecided(stated, [s for s in (before, state) if s is not None])
                self.broken = (*self.broken, Broken(stated, position, line, why))
                self._open.remove(watched)

    def _undecided(self, stated: Property, states: Sequence[ConcreteState]) -> str | None:
        """Why the text gives a claim no value in the last state, where that is so."""
        if self._origin is None:
            return None
        try:
            self._origin.refute(stated.name, states)
        except ClaimWithoutValue as error:
            return said_of(error)
        return None

    def met(
        self, before: ConcreteState | None, state: ConcreteState, line: int | None
    ) -> dict[str, int | None]:
        """Return which of its witnesses hold in a state, and look for these no more."""
        changed = {n for n, v in state.items() if before is None or before[n] is not v}
        found: dict[str, int | None] = {}
        for watched in list(self._open):
            stated, read, function = watched
            if changed.isdisjoint(read):
                continue
            with suppress(BoundTooSmall):
                if any(function(state, None, *chosen) for chosen in self._choices(stated)):
                    found[stated.name] = line
                    self._open.remove(watched)
        return found

    def _choices(self, stated: Property) -> list[tuple[Value, ...]]:
        values: list[tuple[Value, ...]] = [()]
        for argument in stated.arguments:
            domain = self._interpreter.domains.values(argument.sort)
            values = [(*chosen, value) for chosen in values for value in domain]
        return values

    def _holds(
        self,
        stated: Property,
        function: Function,
        state: ConcreteState,
        after: ConcreteState | None,
    ) -> bool:
        try:
            return all(function(state, after, *chosen) for chosen in self._choices(stated))
        except BoundTooSmall:
            return False


def _require(demand: Demand, when: str, state: ConcreteState) -> None:
    claims = demand.before if when == "before" else demand.after
    for claim in claims:
        if not claim.holds(state[claim.root]):
            raise Contradiction(
                f"the execution found for line {demand.event.line} is not as it says {when} it: "
                f"{claim.check.path.text}"
            )


def stepped(interpreter: Interpreter, state: ConcreteState, node: Reached) -> ConcreteState | None:
    """Return the state after the step of a node, None where it does not happen.

    Raises BoundTooSmall where the interpreter's model has a history, which has no value then.
    """
    action = next(one for one in interpreter.model.actions if one.name == node.action)
    given = node.arguments or {}
    env = {a.variable: given[a.name] for a in action.arguments}
    for argument in action.arguments:
        if argument.collection is None:
            there = interpreter.domains.contains(argument.variable.sort, env[argument.variable])
        else:
            held = interpreter.evaluator.evaluate(argument.collection, state)
            there = env[argument.variable] in held
        if not there:
            return None
    branch, ghosts = action.branches[node.branch], interpreter.model.ghosts
    told = {name: term for name, term in branch.updates.items() if name not in ghosts}
    try:
        if not all(interpreter.evaluator.holds(g, state, env) for g in branch.guards):
            return None
        after = interpreter.updated(replace(branch, updates=told), env, state)
    except BoundTooSmall:
        return None
    if not interpreter.inside(after):
        return None
    try:
        return (
            after if len(told) == len(branch.updates) else interpreter.updated(branch, env, state)
        )
    except BoundTooSmall as event:
        # That is no reason why the protocol's step does not happen.
        where = f"{Path(action.source.file).name}:{action.source.line}"
        raise type(event)(
            f"the history has no value after {action.name} ({where}): {event}. -P NAME asks for "
            "invariants that read none of it, --no-invariants for none"
        ) from None


def _agrees(state: ConcreteState, logged: ConcreteState) -> bool:
    return all(state[name] == value for name, value in logged.items())
