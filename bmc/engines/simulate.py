"""Simulation: random walks through the states, many side by side on packed states.

All walks take their next step at the same time, each uniformly among the steps out of its state,
so what is violated first is met by no shorter walk of the run. Nothing is proven by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from bmc.engines.confirmation import open_without_a_value
from bmc.engines.packed.blocks import LANES
from bmc.engines.packed.formulas import Formulas, OpenClaims
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.task import SILENT, Deadline, Interrupted, Observer, OptionError, OutOfTime, Task
from bmc.evidence.replay import overflowing_action, replay, require_violation
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import NOT_SHORTEST, Contradiction, Result, Verdict
from bmc.evidence.wording import count
from bmc.lang.properties import Kind, Property
from bmc.readings.value import ConcreteState, Interpreter
from bmc.system.transition import TransitionSystem

ENGINE = "simulate"
_LONGEST = 10**9
_HISTORY_BYTES = 1 << 26


@dataclass(frozen=True)
class Walks:
    """How to walk: ``number`` walks of up to ``length`` steps each, chosen by ``seed``.

    ``keep`` of them are kept as traces. Raises OptionError for a number that makes no sense.
    """

    number: int = 1000
    length: int = 100
    seed: int = 0
    keep: int = 0

    def __post_init__(self) -> None:
        for name, least in (("number", 1), ("length", 1), ("seed", 0), ("keep", 0)):
            given = getattr(self, name)
            if given < least:
                what = "number of walks to keep" if name == "keep" else f"{name} of walks"
                raise OptionError(f"the {what} must be {least} or more, you gave {given}")
        if self.length > _LONGEST:
            raise OptionError(
                f"the length of walks must be a billion steps at most, you gave {self.length}"
            )


@dataclass(frozen=True)
class Simulation:
    """What the walks met.

    ``walks`` were taken to their end, ``steps`` in all; ``dead_ends`` of them ended in a state
    without successors. ``fired`` counts the steps of each action. ``violations`` has for each
    violated property the shortest trace that was met, ``unmet`` names the other properties,
    ``kept`` are whole walks. ``overflow`` leads to a state from which the model leaves its
    bounds, for ``overflow_reason``. Unless None ``stopped_because`` says why it ended early.
    ``without_value`` has of claims among ``unmet`` what was found of them where they have no value.
    """

    walks: int
    steps: int
    dead_ends: int
    fired: Mapping[str, int]
    violations: Mapping[str, Trace]
    unmet: tuple[str, ...]
    kept: tuple[Trace, ...]
    overflow: Trace | None
    overflow_reason: str | None
    stopped_because: str | None
    seconds: float
    without_value: Mapping[str, Result] = field(default_factory=dict)

    def verdicts(self) -> tuple[Result, ...]:
        """Return the verdicts: of what was not violated nothing is known."""
        violated = tuple(
            Result(
                name,
                Verdict.VIOLATED,
                ENGINE,
                self.seconds,
                depth=len(trace) - 1,
                trace=trace,
                reason=NOT_SHORTEST,
            )
            for name, trace in self.violations.items()
        )
        reason = f"not violated on {count(self.steps, 'random step')}"
        return violated + tuple(
            self.without_value.get(name)
            or Result(name, Verdict.UNKNOWN, ENGINE, self.seconds, reason=reason)
            for name in self.unmet
        )


def simulate(task: Task, walks: Walks, observer: Observer = SILENT) -> Simulation:
    """Walk at random from the initial states, and watch the task's properties.

    The same walks are taken whenever model, parameters and ``walks`` are the same. The search
    for a property ends where it is violated; all end where the model leaves its bounds. Every
    violation is taken on the text that a protocol was translated from.
    Raises NoInitialState, BoundTooSmall when the bounds do not fit the initial states,
    Contradiction when a trace cannot be replayed, and Interrupted on Ctrl-C.
    """
    return Ground(task).walked(walks, observer)


class Ground:
    """A task's system, made once for any number of simulations on it.

    The task's time limit counts from here. Raises what :func:`simulate` does.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.deadline = Deadline(task.timeout)
        model = task.model(ghosts=False)
        self.stated = [p for p in task.stated(model) if p.kind is not Kind.WITNESS]
        self.system = system = TransitionSystem(model, task.parameters)
        self.interpreter = Interpreter(model, system.domains)
        self.packing = Packing(system.leaves)
        self.expansion = Expansion(system, self.packing)
        self.constraint = Formulas(self.packing, [system.constraint])
        self.starts = initial_rows(system, self.packing, self.constraint)

    def walked(self, walks: Walks, observer: Observer = SILENT) -> Simulation:
        """Return what such walks meet, as :func:`simulate` does."""
        return _ran(_Simulation(self, walks, observer))


def _ran(simulation: _Simulation) -> Simulation:
    try:
        simulation.run()
    except OutOfTime as limit:
        return simulation.result(str(limit))
    except _LeftBounds:
        return simulation.result("a step leaves the model's bounds")
    except KeyboardInterrupt:
        raise Interrupted(simulation.result("interrupted")) from None
    return simulation.result(None)


class _LeftBounds(Exception):
    pass


class _Simulation:
    def __init__(self, ground: Ground, walks: Walks, observer: Observer) -> None:
        self._walks = walks
        self._task = ground.task
        self._observer = observer
        self._deadline = ground.deadline
        self._began = monotonic()
        self._system = system = ground.system
        self._interpreter = ground.interpreter
        packing = self._packing = ground.packing
        self._expansion = ground.expansion
        self._constraint = ground.constraint
        stated = ground.stated
        steps = [p for p in stated if p.kind is Kind.STEP_INVARIANT]
        self._of_steps = OpenClaims(system, packing, steps)
        self._of_states = OpenClaims(system, packing, [p for p in stated if p not in steps])
        self._names = tuple(p.name for p in stated)
        self._starts = ground.starts
        self._fired = np.zeros(len(system.rules), np.int64)
        self._taken = np.empty((0, 0), np.int32)  # the rule of each step of the batch under way
        self._done = self._steps = self._dead_ends = 0
        self._ended = 0  # of the batch under way
        self._traces: dict[str, Trace] = {}
        self._without_value: dict[str, Result] = {}
        self._kept: list[Trace] = []
        self._overflow: tuple[Trace, str] | None = None

    def run(self) -> None:
        a_walk = 8 * self._packing.words * (self._walks.length + 1)
        at_once = max(1, min(LANES, self._walks.number, _HISTORY_BYTES // a_walk))
        while self._done < self._walks.number:
            self._batch(min(at_once, self._walks.number - self._done))

    def result(self, stopped_because: str | None) -> Simulation:
        """What has been met up to now."""
        fired = {action.name: 0 for action in self._system.model.actions}
        for rule, times in zip(self._system.rules, self._fired, strict=True):
            fired[rule.action] += int(times)
        trace, reason = self._overflow or (None, None)
        return Simulation(
            self._done + self._ended,
            self._steps,
            self._dead_ends,
            fired,
            {n: self._traces[n] for n in self._names if n in self._traces},
            tuple(n for n in self._names if n not in self._traces),
            tuple(self._kept),
            trace,
            reason,
            stopped_because,
            monotonic() - self._began,
            dict(self._without_value),
        )

    def _batch(self, count: int) -> None:
        """Take so many walks, step by step side by side."""
        random = np.random.default_rng([self._walks.seed, self._done])
        history = np.empty((self._walks.length + 1, count, self._packing.words), np.uint64)
        self._taken = np.empty((self._walks.length, count), np.int32)
        history[0] = self._starts[random.integers(len(self._starts), size=count)]
        lengths = np.zeros(count, np.int64)
        alive = np.arange(count)
        self._judge(self._of_states.decided(history[0]), history, 0, alive)
        for step in range(self._walks.length):
            self._deadline.check()
            self._observer.phase(f"walks {self._done + 1:,} to {self._done + count:,}, step {step}")
            before = history[step][alive]
            steps = self._steps_from(before, history, step, alive)
            chosen = _one_each(steps.lanes, random)
            lanes, after = steps.lanes[chosen], steps.rows[chosen]
            self._fired += np.bincount(steps.rules[chosen], minlength=len(self._fired))
            self._steps += len(lanes)
            self._ended += len(alive) - len(lanes)
            self._dead_ends += len(alive) - len(lanes)
            alive = alive[lanes]
            lengths[alive] += 1
            history[step + 1][alive] = after
            self._taken[step][alive] = steps.rules[chosen]
            decided = self._of_steps.decided(before[lanes], after) if self._of_steps else []
            decided += self._of_states.decided(after)
            self._judge(decided, history, step + 1, alive)
            if not len(alive):
                break
        self._done += count
        self._ended = 0
        for walk in range(min(count, self._walks.keep - len(self._kept))):
            self._kept.append(self._trace(history, int(lengths[walk]), walk))

    def _steps_from(
        self, before: Rows, history: Rows, step: int, alive: NDArray[np.int64]
    ) -> BlockSteps:
        """All steps inside the constraint out of the states that walks have come to."""
        steps = self._expansion.steps(before)
        if isinstance(steps, BeyondBounds):
            trace = self._trace(history, step, int(alive[steps.lane]))
            reason = overflowing_action(self._interpreter, trace.steps[-1].state)
            if reason is None:
                raise Contradiction("a state that leaves the model's bounds does not on replay")
            self._overflow = trace, reason
            raise _LeftBounds
        if self._system.constraint is self._system.circuit.true:
            return steps
        (inside,) = self._constraint.evaluate(steps.rows)
        return steps.where(inside)

    def _judge(
        self,
        decided: Sequence[tuple[Property, int]],
        history: Rows,
        step: int,
        alive: NDArray[np.int64],
    ) -> None:
        for stated, place in decided:
            trace = self._trace(history, step, int(alive[place]))
            require_violation(self._interpreter, trace, stated)
            seconds = monotonic() - self._began
            met = Result(stated.name, Verdict.VIOLATED, ENGINE, seconds, depth=step, trace=trace)
            met = open_without_a_value(self._task, met)
            if met.verdict is Verdict.VIOLATED:
                self._traces[stated.name] = trace
            else:
                self._without_value[stated.name] = met
            self._observer.decided(met)

    def _trace(self, history: Rows, steps: int, walk: int) -> Trace:
        states = [self._decode(history[i, walk]) for i in range(steps + 1)]
        taken = [self._system.rules[rule].action for rule in self._taken[:steps, walk]]
        return replay(self._interpreter, states, taken=taken)

    def _decode(self, row: Rows) -> ConcreteState:
        return self._system.decode(self._packing.numbers(row))


def _one_each(lanes: NDArray[np.uint32], random: np.random.Generator) -> NDArray[np.int64]:
    """For each lane that occurs, by its number, the place of one of its occurrences."""
    mixed = random.permutation(len(lanes))
    _, first = np.unique(lanes[mixed], return_index=True)
    chosen: NDArray[np.int64] = mixed[first]
    return chosen
