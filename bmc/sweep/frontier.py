"""A share of a breadth-first search: what one task of a cluster does, level after level.

A state belongs to the task that its hash names. A task keeps its states for as long as the search
lasts, takes all steps out of those that are new, and gives the successors to the tasks they belong
to: one exchange a level, through files of packed states in a folder that all tasks see. It writes
its new states of each level, too. From these files the search goes on when Spark has had to start
the tasks again, and traces are read back.

    DIR/levels/L/P.parquet      the states of level L that belong to task P, and their parents
    DIR/levels/L.json           all of them are there: what the level added, and their checksums
    DIR/exchange/L/P-Q.parquet  what P found in level L that belongs to Q

Nothing is read that is of another search. Which levels are there all tasks agree on once, at the
start: another run of the same command may add some meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bmc.engines.identity import identity, layout_of, question_of
from bmc.engines.packed.blocks import EXPANDED
from bmc.engines.packed.formulas import Formulas, OpenClaims
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.packed.table import StateTable
from bmc.engines.spill.files import REMEDY, DamagedSpill, FolderInUse
from bmc.engines.stated import stated_over
from bmc.engines.task import Task
from bmc.lang.properties import Kind
from bmc.sweep.found_levels import FoundLevel, read_states, sealed, unsealed, write_states
from bmc.sweep.places import place
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


def search_of(task: Task, system: TransitionSystem, packing: Packing) -> str:
    """Return what is equal for equal questions about states that are packed alike."""
    stated = stated_over(task, system.model)
    return identity([*question_of(task, system.model, stated), *layout_of(packing)])


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
        stated = stated_over(task, model)
        self._identity = search_of(task, self._system, self._packing)
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
        in the folder are not searched again. Raises DamagedSpill, FolderInUse and OtherModel.
        """
        total, start, number = 0, 0, 0
        known = min(map(int, gather(str(self._complete()))))
        while True:
            if number < known:
                level = self._known(number)
                start = len(self._table)
                name = f"levels/{number}/{self._me}.parquet"
                rows, _ = read_states(self._place, name, level.files.get(str(self._me)))
                self._table.add(_words(rows, self._packing.words), None)
            else:
                mine = self._first() if number == 0 else self._next(number, start, gather)
                start = len(self._table) - mine.states
                mine.files[str(self._me)] = self._keep(number, start)
                level = FoundLevel(search=self._identity)
                for said in gather(json.dumps(asdict(mine))):
                    level.join(FoundLevel(**json.loads(said)))
                self._clean(number)
                if self._me == 0:
                    self._place.write(f"levels/{number}.json", sealed(level), lasting=False)
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

    def _complete(self) -> int:
        """Return how many levels are in the folder."""
        number = 0
        while self._place.exists(f"levels/{number}.json"):
            number += 1
        return number

    def _known(self, number: int) -> FoundLevel:
        name = f"levels/{number}.json"
        level = unsealed(self._place, name)
        if level.search != self._identity:
            raise DamagedSpill(f"{self._place.shown(name)} is of another search: {REMEDY}")
        return level

    def _first(self) -> FoundLevel:
        rows = initial_rows(self._system, self._packing, self._constraint)
        mine = rows[hashes_of(rows) % np.uint64(self._search.tasks) == np.uint64(self._me)]
        self._parents: NDArray[np.uint64] = np.zeros(0, np.uint64)
        level = FoundLevel(search=self._identity)
        self._enter(level, mine, np.full(len(mine), np.iinfo(np.uint64).max, np.uint64))
        return level

    def _next(self, number: int, start: int, gather: Callable[[str], list[str]]) -> FoundLevel:
        """Take all steps out of this task's states of the level before."""
        level = FoundLevel(search=self._identity)
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
        sent: dict[str, int] = {}
        for other, parts in enumerate(given):
            if other != self._me:
                none = np.empty((0, self._words), np.uint64), np.empty(0, np.uint64)
                rows = np.concatenate([none[0], *(rows for rows, _ in parts)])
                parents = np.concatenate([none[1], *(parents for _, parents in parts)])
                name = f"exchange/{number}/{self._me}-{other}.parquet"
                sent[str(other)] = write_states(self._place, name, rows, parents)
        told = gather(json.dumps(sent))
        for other in range(self._search.tasks):
            if other != self._me:
                name = f"exchange/{number}/{other}-{self._me}.parquet"
                checksum = json.loads(told[other])[str(self._me)]
                states, parents = self._received(name, checksum)
                self._enter(level, _words(states, self._words), parents)
        return level

    def _received(self, name: str, checksum: int) -> tuple[bytes, NDArray[np.uint64]]:
        try:
            return read_states(self._place, name, checksum)
        except DamagedSpill as error:
            raise FolderInUse(
                f"{error}. If the same command runs twice, wait for the other one"
            ) from None

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

    def _keep(self, number: int, start: int) -> int:
        rows = self._table.rows(start, len(self._table))
        return write_states(self._place, f"levels/{number}/{self._me}.parquet", rows, self._parents)

    def _global(self, number: int) -> int:
        return (self._me << NUMBER_BITS) | number


def _counted(task: Task, system: TransitionSystem, packing: Packing) -> Formulas | None:
    if task.suite.counted is None:
        return None
    counted = system.expander.expand(task.suite.counted)
    return Formulas(packing, [system.circuit.and_(counted.defined, counted.shape)])


def _words(data: bytes, words: int) -> Rows:
    return np.frombuffer(data, np.uint64).reshape(-1, words).copy()
