"""A share of a breadth-first search: what one task of a cluster does, level after level.

A state belongs to the task that its hash names. A task keeps its states for as long as the search
lasts, takes all steps out of those that are new, and gives the successors to the tasks they belong
to: one exchange a level, through files of packed states in a folder that all tasks see. It writes
its new states of each level, too. From these files the search goes on when Spark has had to start
the tasks again, and traces are read back.

    DIR/levels/L/P.parquet      the states of level L that belong to task P, and their parents
    DIR/levels/L.json           all of them are there: what the level added
    DIR/exchange/L/P-Q.parquet  what P found in level L that belongs to Q
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bmc.engines.packed.blocks import EXPANDED
from bmc.engines.packed.formulas import Formulas, OpenClaims
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.packed.table import StateTable
from bmc.engines.task import Task
from bmc.lang.properties import Kind
from bmc.sweep.places import Place, place
from bmc.system.transition import TransitionSystem

NUMBER_BITS = 40
"""A state is known by the task it belongs to and its number there: so many bits of a word."""


@dataclass(frozen=True)
class SharedSearch:
    """What every task is told. ``find`` looks a protocol up; ``where`` is the shared folder."""

    find: Callable[[str], Any]
    protocol: str
    parameters: Mapping[str, int]
    properties: tuple[str, ...]
    where: str
    tasks: int
    max_states: int | None = None
    max_depth: int | None = None
    stop_at_violation: bool = False

    def task(self) -> Task:
        """The question as engines know it."""
        return Task(self.find(self.protocol), self.parameters, self.properties)


@dataclass
class FoundLevel:
    """What a level added: in one task, or in all of them.

    ``decided`` has by property a state that decides it, ``through`` for a step invariant the state
    after it; ``beyond`` is a state from which the model leaves its bounds.
    """

    states: int = 0
    counted: int = 0
    fired: dict[str, int] = field(default_factory=dict)
    decided: dict[str, int] = field(default_factory=dict)
    through: dict[str, str] = field(default_factory=dict)
    beyond: int | None = None

    def join(self, other: FoundLevel) -> None:
        """Add what another task found; of two states that decide the same, the lower is kept."""
        self.states += other.states
        self.counted += other.counted
        self.fired = dict(Counter(self.fired) + Counter(other.fired))
        for name, state in other.decided.items():
            if state < self.decided.get(name, state + 1):
                self.decided[name] = state
                if name in other.through:
                    self.through[name] = other.through[name]
        if other.beyond is not None:
            self.beyond = other.beyond if self.beyond is None else min(self.beyond, other.beyond)


class TaskShare:
    """One task's part of a search: number ``me`` of ``search.tasks``."""

    def __init__(self, search: SharedSearch, me: int) -> None:
        self._search, self._me = search, me
        task = search.task()
        model = task.suite.model(ghosts=False)
        self._system = TransitionSystem(model, task.parameters)
        self._packing = Packing(self._system.leaves)
        self._constraint = Formulas(self._packing, [self._system.constraint])
        self._counted = _counted(task, self._system, self._packing)
        stated = task.stated(model)
        steps = [p for p in stated if p.kind is Kind.STEP_INVARIANT]
        states = [p for p in stated if p.kind is not Kind.STEP_INVARIANT]
        self._of_steps = OpenClaims(self._system, self._packing, steps)
        self._of_states = OpenClaims(self._system, self._packing, states)
        self._claims = {p.name for p in stated if p.kind is not Kind.WITNESS}
        self._expansion = Expansion(self._system, self._packing)
        self._table = StateTable(self._packing.words)
        self._place = place(search.where)

    def run(self, gather: Callable[[str], list[str]]) -> Iterator[dict[str, Any]]:
        """Take part until the search ends, and yield what each level added, in all tasks.

        ``gather`` waits for all tasks and returns what each of them said. Levels that are complete
        in the folder are not searched again.
        """
        total, start, number = 0, 0, 0
        while True:
            level = self._known(number)
            if level is None:
                mine = self._first() if number == 0 else self._next(number, start, gather)
                self._keep(number, start_of := len(self._table) - mine.states)
                start = start_of
                level = FoundLevel()
                for said in gather(json.dumps(asdict(mine))):
                    level.join(FoundLevel(**json.loads(said)))
                self._clean(number)
                if self._me == 0:
                    name = f"levels/{number}.json"
                    self._place.write(name, json.dumps(asdict(level)).encode(), lasting=False)
            else:
                start = len(self._table)
                rows, _ = read_states(self._place, f"levels/{number}/{self._me}.parquet")
                self._table.add(_words(rows, self._packing.words), None)
            yield asdict(level)
            total += level.states
            if self._ends(level, total, number):
                return
            number += 1

    def _ends(self, level: FoundLevel, total: int, number: int) -> bool:
        search = self._search
        violated = search.stop_at_violation and self._claims & set(level.decided)
        return (
            not level.states
            or level.beyond is not None
            or bool(violated)
            or (search.max_states is not None and total > search.max_states)
            or number == search.max_depth
        )

    def _known(self, number: int) -> FoundLevel | None:
        name = f"levels/{number}.json"
        if not self._place.exists(name):
            return None
        return FoundLevel(**json.loads(self._place.read(name)))

    def _first(self) -> FoundLevel:
        rows = initial_rows(self._system, self._packing, self._constraint)
        mine = rows[hashes_of(rows) % np.uint64(self._search.tasks) == np.uint64(self._me)]
        self._parents: NDArray[np.uint64] = np.zeros(0, np.uint64)
        level = FoundLevel()
        self._enter(level, mine, np.full(len(mine), np.iinfo(np.uint64).max, np.uint64))
        return level

    def _next(self, number: int, start: int, gather: Callable[[str], list[str]]) -> FoundLevel:
        """Take all steps out of this task's states of the level before."""
        level = FoundLevel()
        self._parents = np.zeros(0, np.uint64)
        end = len(self._table)
        given: list[list[tuple[Rows, NDArray[np.uint64]]]] = [[] for _ in range(self._search.tasks)]
        fired = np.zeros(len(self._system.rules), np.int64)
        for block in range(start, end, EXPANDED):
            steps = self._steps(level, block, min(block + EXPANDED, end))
            if steps is None:
                break
            fired += steps.fired
            self._hand_over(level, steps, block, given)
        for rule, times in zip(self._system.rules, fired, strict=True):
            level.fired[rule.action] = level.fired.get(rule.action, 0) + int(times)
        for other, parts in enumerate(given):
            if other != self._me:
                none = np.empty((0, self._words), np.uint64), np.empty(0, np.uint64)
                rows = np.concatenate([none[0], *(rows for rows, _ in parts)])
                parents = np.concatenate([none[1], *(parents for _, parents in parts)])
                name = f"exchange/{number}/{self._me}-{other}.parquet"
                write_states(self._place, name, rows, parents)
        gather("")
        for other in range(self._search.tasks):
            if other != self._me:
                name = f"exchange/{number}/{other}-{self._me}.parquet"
                states, parents = read_states(self._place, name)
                self._enter(level, _words(states, self._words), parents)
        return level

    def _clean(self, number: int) -> None:
        """Remove what this task gave to others in a level, when all have read it."""
        for other in range(self._search.tasks):
            if other != self._me:
                self._place.delete(f"exchange/{number}/{self._me}-{other}.parquet")

    @property
    def _words(self) -> int:
        return self._packing.words

    def _steps(self, level: FoundLevel, start: int, end: int) -> BlockSteps | None:
        block = self._table.rows(start, end)
        steps = self._expansion.steps(block)
        if isinstance(steps, BeyondBounds):
            level.beyond = self._global(start + steps.lane)
            return None
        if self._system.constraint is not self._system.circuit.true:
            (inside,) = self._constraint.evaluate(steps.rows)
            steps = steps.where(inside)
        if self._of_steps:
            for stated, row in self._of_steps.decided(block[steps.lanes], steps.rows):
                level.decided[stated.name] = self._global(start + int(steps.lanes[row]))
                level.through[stated.name] = steps.rows[row].tobytes().hex()
        return steps

    def _hand_over(
        self,
        level: FoundLevel,
        steps: BlockSteps,
        start: int,
        given: list[list[tuple[Rows, NDArray[np.uint64]]]],
    ) -> None:
        """Keep the successors that belong here, and put the others into piles."""
        owners = hashes_of(steps.rows) % np.uint64(self._search.tasks)
        parents = steps.lanes.astype(np.uint64) + np.uint64(self._global(start))
        for owner, pile in enumerate(given):
            chosen = np.flatnonzero(owners == np.uint64(owner))
            rows = steps.rows[chosen]
            if owner == self._me:
                self._enter(level, rows, parents[chosen])
                continue
            # What was found twice in a block need not be sent twice.
            once = StateTable(self._words)
            new = once.add(rows, np.arange(len(rows), dtype=np.uint32))
            first = once.parents(0, new)
            pile.append((rows[first], parents[chosen][first]))

    def _enter(self, level: FoundLevel, rows: Rows, parents: NDArray[np.uint64]) -> None:
        new = self._table.add(rows, np.arange(len(rows), dtype=np.uint32))
        first = len(self._table) - new
        self._parents = np.concatenate(
            [self._parents, parents[self._table.parents(first, first + new)]]
        )
        entered = self._table.rows(first, first + new)
        level.states += new
        inside = new if self._counted is None else int(self._counted.evaluate(entered)[0].sum())
        level.counted += inside
        for stated, row in self._of_states.decided(entered):
            level.decided[stated.name] = self._global(first + row)

    def _keep(self, number: int, start: int) -> None:
        rows = self._table.rows(start, len(self._table))
        write_states(self._place, f"levels/{number}/{self._me}.parquet", rows, self._parents)

    def _global(self, number: int) -> int:
        return (self._me << NUMBER_BITS) | number


def _counted(task: Task, system: TransitionSystem, packing: Packing) -> Formulas | None:
    if task.suite.counted is None:
        return None
    counted = system.expander.expand(task.suite.counted)
    return Formulas(packing, [system.circuit.and_(counted.defined, counted.shape)])


def write_states(where: Place, name: str, rows: Rows, parents: NDArray[np.uint64]) -> None:
    """Write packed states and their parents as two columns."""
    width = 8 * rows.shape[1]
    flat = pa.py_buffer(np.ascontiguousarray(rows).tobytes())
    states = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, flat])
    sink = pa.BufferOutputStream()
    table = pa.table({"state": states, "parent": pa.array(parents)})
    pq.write_table(table, sink, compression="zstd", use_dictionary=False)
    where.write(name, sink.getvalue().to_pybytes(), lasting=False)


def read_states(where: Place, name: str) -> tuple[bytes, NDArray[np.uint64]]:
    """Return packed states, one after the other, and their parents."""
    table = pq.ParquetFile(pa.BufferReader(where.read(name))).read().combine_chunks()
    column = table["state"].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else None
    parents = table["parent"].to_numpy().astype(np.uint64)
    if column is None or not len(column):
        return b"", parents
    width = column.type.byte_width
    data = column.buffers()[1].to_pybytes()
    return data[column.offset * width : (column.offset + len(column)) * width], parents


def _words(data: bytes, words: int) -> Rows:
    return np.frombuffer(data, np.uint64).reshape(-1, words).copy()
