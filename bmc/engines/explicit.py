"""Explicit exploration: every reachable state, level by level, with shortest traces.

States are expanded a block at a time and told apart exactly, so the numbers by level are those
of any other breadth-first search of the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from bmc.engines.exploration import Exploration
from bmc.engines.pace import ExplorationLimits, MemoryReached, Pace, Stopped
from bmc.engines.packed.blocks import LANES, expanded_at_once, states_of_a_block
from bmc.engines.packed.decoded import DecodedStates, some_of
from bmc.engines.packed.formulas import Formulas, OpenClaims
from bmc.engines.packed.kept import FoundStates, KeptStates
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.paths import Paths
from bmc.engines.packed.quotient import Quotient
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.store import StateStore
from bmc.engines.packed.successors import BeyondBounds
from bmc.engines.packed.table import TableFull
from bmc.engines.stated import stated_over
from bmc.engines.successors import Successors
from bmc.engines.task import SILENT, Interrupted, Observer, OutOfTime, Task
from bmc.evidence.trace import Trace
from bmc.evidence.verdict import Contradiction, Result, Verdict
from bmc.evidence.wording import WAYS_TO_HOLD_ALL, count
from bmc.lang.properties import Kind, Property
from bmc.readings.value import ConcreteState
from bmc.running.interruption import interrupted
from bmc.running.memory import MEGABYTE, peak_megabytes, resident_bytes, room_of_a_search
from bmc.system.renaming import require_symmetric
from bmc.system.transition import NoInitialState, TransitionSystem

__all__ = ["Exploration", "Interrupted", "NoInitialState", "explore"]


def explore(
    task: Task,
    observer: Observer = SILENT,
    *,
    max_states: int | None = None,
    max_depth: int | None = None,
    stop_at_violation: bool = False,
    symmetry: bool = False,
    stop_when_decided: bool = False,
) -> Exploration:
    """Explore breadth-first all reachable states of the task's model, without its ghosts.

    It stops early once more than ``max_states`` states are found (by less than the successors
    of a block), once all states within ``max_depth`` steps are, when the task's timeout has
    passed, when this process holds the memory that the task allows or there is no more, at a
    violated property if ``stop_at_violation``, once all properties are violated and all witnesses
    reached if ``stop_when_decided``, and where the model leaves its bounds. The task's ``bound`` is
    not used. With ``symmetry`` only one state of each orbit under renaming of scalarset members is
    kept and expanded.

    Raises OptionError for a limit below 1, a property that reads ghosts, or too many renamings;
    NotSymmetric when members of a scalarset are told apart; NoInitialState; LimitMet when a limit
    is met before there is a system to explore;
    BoundTooSmall when the bounds do not fit the initial states; Contradiction when a trace
    cannot be replayed; Interrupted on Ctrl-C.
    """
    pace = Pace(ExplorationLimits(task.timeout, max_states, max_depth, task.memory), observer)
    # The pace is asked between blocks of states, and a large system takes long to have any.
    with interrupted(f"what {task.suite.name} reaches", task.timeout, task.memory):
        search = ExplicitSearch(
            task, observer, pace, stop_at_violation, symmetry, stop_when_decided
        )
    return run_to_end(search)


def run_to_end(search: ExplicitSearch) -> Exploration:
    """Run a search, and return what it found until its end or until something stopped it."""
    try:
        search.run()
    except (Stopped, OutOfTime, TableFull) as reason:
        return search.result(str(reason))
    except MemoryError:
        return search.result("there is no more memory")
    except KeyboardInterrupt:
        raise Interrupted(search.result("interrupted")) from None
    return search.result(None)


class ExplicitSearch:
    """One exploration, and the states that it has found so far."""

    def __init__(
        self,
        task: Task,
        observer: Observer,
        pace: Pace,
        stop_at_violation: bool = False,
        symmetry: bool = False,
        stop_when_decided: bool = False,
    ) -> None:
        self._observer = observer
        self._pace = pace
        self._stop_at_violation = stop_at_violation
        self._stop_when_decided = stop_when_decided
        self._stopped_at: str | None = None
        model = task.suite.model(ghosts=False)
        self._has_text = task.suite.origin is not None
        self._stated = stated_over(task, model)
        self._system = system = TransitionSystem(model, task.parameters)
        packing = self._packing = Packing(system.leaves)
        self._successors = Successors(system, packing)
        self._at_once = expanded_at_once(packing.words)
        self._by_state = 1.0
        self._table = self._store(task, symmetry)
        self._found: FoundStates = self._table
        self._quotient: Quotient | None = None
        if symmetry:
            require_symmetric(model, self._stated)
            self._quotient = Quotient(system, packing)
        self._paths = Paths(system, packing, self._table, self._quotient)
        self._constraint = Formulas(packing, [system.constraint])
        self._counted: Formulas | None = None
        if task.suite.counted is not None:
            counted = system.expander.expand(task.suite.counted)
            node = system.circuit.and_(counted.defined, counted.shape)
            self._counted = Formulas(packing, [node])
        steps = [p for p in self._stated if p.kind is Kind.STEP_INVARIANT]
        states = [p for p in self._stated if p.kind is not Kind.STEP_INVARIANT]
        self._of_steps = OpenClaims(system, packing, steps)
        self._of_states = OpenClaims(system, packing, states)
        self._levels = [0]
        self._level_ended = False
        self._sizes: list[NDArray[np.int64]] = []
        self._fired = np.zeros(len(system.rules), np.int64)
        self._traces: dict[str, Trace] = {}
        self._overflow: tuple[Trace, str] | None = None

    def run(self) -> None:
        """Explore everything, or raise what stops it."""
        # Of a large system the programs for the first few states already cost as much.
        self._consider_machine_code(0)
        start = self._begin()
        while start < len(self._found):
            end = len(self._found)
            self._level_ended = True
            self._pace.before_level(self._levels)
            self._level_ended = False
            self._consider_machine_code(end - start)
            try:
                self._expand_level(start, end)
            except (TableFull, MemoryReached) as reason:
                start = self._without_room(str(reason))
            else:
                self._end_level()
                start = end

    def _consider_machine_code(self, states: int) -> None:
        """Make the inner loops machine code, where that is installed and pays by a level of so many
        states."""
        evaluated = [self._constraint, self._of_states.formulas, self._of_steps.formulas]
        if self._counted is not None:
            evaluated.append(self._counted)
        table = self._table if isinstance(self._table, StateStore) else None
        if self._successors.consider_machine_code(
            states, evaluated, table, self._without_code, self._quotient, self._pace.room()
        ):
            self._at_once = min(self._at_once, LANES)

    def _without_code(self, reason: str) -> None:
        self._observer.fact(f"explored with numpy alone: {reason}")

    def _expand_level(self, start: int, end: int) -> None:
        """Take all steps out of the states of a level."""
        self._levels.append(0)
        sizes = np.concatenate(self._sizes) if self._sizes else None
        self._sizes.clear()
        block = start
        while block < end:
            self._pace.before_block(self._levels)
            stop = min(block + states_of_a_block(self._at_once, self._by_state), end)
            of_block = None if sizes is None else sizes[block - start : stop - start]
            self._expand(block, stop, of_block)
            block = stop

    def _without_room(self, reason: str) -> int:
        """Return where to go on, with the states elsewhere, when memory has no more room.

        Raises MemoryReached where that is not offered.
        """
        raise MemoryReached(reason)

    def _store(self, task: Task, symmetry: bool) -> KeptStates:
        """Return where the states are kept."""
        room = room_for_states(task.memory)
        return StateStore(self._packing.words, room, self._successors.expansion.written())

    @property
    def system(self) -> TransitionSystem:
        """The system that is explored."""
        return self._system

    @property
    def found(self) -> int:
        """How many states are found; they are numbered from 0."""
        return len(self._found)

    def state(self, number: int) -> ConcreteState:
        """Return the state of a number."""
        row = self._found.rows(number, number + 1)[0]
        return self._system.decode(self._packing.numbers(row))

    def require_found(self, states: Sequence[ConcreteState]) -> None:
        """Raise Contradiction unless all of these states are found."""
        if not states:
            return
        rows = self._packing.pack([self._system.encode(state) for state in states])
        assert isinstance(self._table, StateStore)
        try:
            self._table.numbers(rows)
        except KeyError:
            raise Contradiction(
                "the interpreter reaches a state in one step that an exploration did not find"
            ) from None

    def result(self, stopped_because: str | None) -> Exploration:
        """What has been found up to now."""
        levels = tuple(n for n in self._levels if n)
        fired = {action.name: 0 for action in self._system.model.actions}
        for rule, times in zip(self._system.rules, self._fired, strict=True):
            fired[rule.action] += int(times)
        claims = [p.name for p in self._stated if p.kind is not Kind.WITNESS]
        witnesses = [p.name for p in self._stated if p.kind is Kind.WITNESS]
        trace, reason = self._overflow or (None, None)
        return Exploration(
            distinct_states=sum(levels),
            generated_states=sum(fired.values()),
            levels=levels,
            complete=stopped_because is None,
            stopped_because=stopped_because,
            violations={n: self._traces[n] for n in claims if n in self._traces},
            holds=tuple(n for n in claims if n not in self._traces),
            overflow=trace,
            overflow_reason=reason,
            witnesses={n: self._traces.get(n) for n in witnesses},
            fired=fired,
            seconds=self._pace.seconds,
            peak_memory_mb=peak_megabytes(),
            representatives=len(self._found) if self._quotient else None,
            reached=self._reached() if stopped_because is None and self._has_text else (),
            level_ended=self._level_ended,
            stopped_at=self._stopped_at,
        )

    def _reached(self) -> Sequence[ConcreteState]:
        """Some of the states, the same ones each time; none where they are no longer in memory."""
        if not isinstance(self._found, StateStore):
            return ()
        rows = [self._found.rows(number, number + 1) for number in some_of(self.found)]
        return DecodedStates(self._system, self._packing, np.concatenate(rows)) if rows else ()

    def _expand(self, start: int, end: int, sizes: NDArray[np.int64] | None) -> None:
        """Take all steps out of states of the table; ``sizes`` are those of their orbits."""
        block = self._table.block(start, end)
        if self._quotient is not None and sizes is None:
            sizes = self._quotient.orbits(block)
        steps = self._successors.expansion.steps(block)
        if isinstance(steps, BeyondBounds):
            self._leave_bounds(start + steps.lane)
        self._by_state = len(steps.rows) / (end - start)
        if self._system.constraint is not self._system.circuit.true:
            (inside,) = self._constraint.evaluate(steps.rows)
            steps = steps.where(inside)
        self._fired += steps.fired if sizes is None else steps.weighed(sizes)
        if self._of_steps:
            decided = self._of_steps.decided(block[steps.lanes], steps.rows)
            origins = [start + int(steps.lanes[row]) for _, row in decided]
            self._decide(
                [
                    (stated, self._paths.through(origin, steps.rows[row].copy(), stated))
                    for (stated, row), origin in zip(decided, origins, strict=True)
                ]
            )
        self._enter(steps.rows, steps.lanes + np.uint32(start), steps.rules)

    def _enter(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        rules: NDArray[np.uint32] | None = None,
    ) -> None:
        if self._quotient is not None:
            rows, rules = self._quotient.representatives(rows), None
        self._count(self._table.add(rows, parents, rules))

    def _count(self, entered: Rows) -> None:
        """Count states that are new, the last of the table, and see what they decide."""
        new = len(entered)
        first = len(self._table) - new
        inside = np.ones(new, bool)
        if self._counted is not None:
            (inside,) = self._counted.evaluate(entered)
        if self._quotient is not None:
            sizes = self._quotient.orbits(entered)
            self._levels[-1] += int(sizes[inside].sum())
            self._keep_sizes(sizes)
        else:
            self._levels[-1] += int(inside.sum())
        decided = self._of_states.decided(entered)
        self._decide([(stated, self._paths.to(first + row)) for stated, row in decided])

    def _keep_sizes(self, sizes: NDArray[np.int64]) -> None:
        self._sizes.append(sizes)

    def _begin(self) -> int:
        """Enter the initial states, and return where the first level to expand begins."""
        pause = partial(self._pace.before_block, self._levels)
        self._enter(initial_rows(self._system, self._packing, self._constraint, pause), None)
        return 0

    def _end_level(self) -> None:
        """Nothing is left to do: what is new was known when it was found."""

    def _decide(self, decided: Sequence[tuple[Property, Trace]]) -> None:
        for stated, trace in decided:
            self._paths.judge(trace, stated)
            self._traces[stated.name] = trace
            length = len(trace) - 1
            if stated.kind is Kind.WITNESS:
                self._observer.fact(f"{stated.name} is reached in {count(length, 'step')}")
                continue
            seconds = self._pace.seconds
            self._observer.decided(
                Result(
                    stated.name,
                    Verdict.VIOLATED,
                    "explicit",
                    seconds,
                    depth=length,
                    trace=trace,
                )
            )
        violated = [stated.name for stated, _ in decided if stated.kind is not Kind.WITNESS]
        if violated and self._stop_at_violation:
            self._stopped_at = violated[0]
            raise Stopped(f"{violated[0]} is violated")
        if decided and self._stop_when_decided and len(self._traces) == len(self._stated):
            raise Stopped("all that was looked for is found")

    def _leave_bounds(self, number: int) -> NoReturn:
        trace = self._paths.to(number)
        reason = self._paths.why_beyond_bounds(trace)
        self._overflow = trace, reason
        raise Stopped(f"{reason}; {WAYS_TO_HOLD_ALL}")


def room_for_states(memory: int | None) -> int:
    """Bytes for the table, in a process that may hold so many megabytes."""
    free = room_of_a_search()
    if memory is None:
        return free
    return min(free, max(0, memory * MEGABYTE - resident_bytes()))
