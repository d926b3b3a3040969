"""A share of a breadth-first search: what one task of a cluster does, level after level.

A state belongs to the task that its hash names. A task keeps its states for as long as the search
lasts, takes all steps out of those that are new, and gives the successors to the tasks they belong
to: one exchange a level, through files of packed states in a folder that all tasks see. It writes
its new states of each level, too. From these files the search goes on when Spark has had to start
the tasks again, and traces are read back.

    DIR/levels/L/P-N.parquet      states of level L that belong to task P, and their parents
    DIR/levels/L.json             all of them are there: what the level added, and their checksums
    DIR/exchange/L/P-Q-N.parquet  what P found in level L that belongs to Q

Nothing is read that is of another search. Which levels are there all tasks agree on once, at the
start: another run of the same command may add some meanwhile.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bmc.engines.identity import identity, layout_of, question_of
from bmc.engines.overflowing import folder_for_states
from bmc.engines.pace import Stopped
from bmc.engines.packed.blocks import LANES, NumpyCost, expanded_at_once
from bmc.engines.packed.formulas import Formulas, OpenClaims
from bmc.engines.packed.hashing import hashes_of
from bmc.engines.packed.packing import Packing, Rows
from bmc.engines.packed.starts import initial_rows
from bmc.engines.packed.successors import BeyondBounds, BlockSteps, Expansion
from bmc.engines.packed.table import StateTable, TableFull
from bmc.engines.spill.files import REMEDY, DamagedSpill, FolderInUse, working_in
from bmc.engines.stated import stated_over
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.lang.properties import Kind
from bmc.readings.native.installed import installed
from bmc.readings.vector import TooWide
from bmc.running.scratch import scratch
from bmc.sweep.found_levels import FoundLevel, Pieces, pieces, sealed, unsealed
from bmc.sweep.own_states import OwnStates, Room, what_is_kept
from bmc.sweep.places import place
from bmc.system.transition import TransitionSystem

if TYPE_CHECKING:
    from bmc.engines.native.expansion import NativeExpansion

Gather = Callable[[str], list[str]]

_PIECE = 1 << 24
"""Bytes of a level's file, about: traces are read back file by file."""
_LITTLE = 1 << 26
"""Bytes for successors with which states are expanded in the smallest blocks."""
_MOST = 1 << 32


@dataclass(frozen=True)
class SharedSearch:
    """What every task is told. ``find`` looks a protocol up; ``where`` is the shared folder.

    A task may hold ``memory`` megabytes, and has ``seconds`` from its start on. Its states go to
    disk when they do not fit, with ``spill`` before that, and to this folder.
    """

    find: Callable[[str], Any]
    protocol: str
    parameters: Mapping[str, int]
    properties: tuple[str, ...]
    where: str
    tasks: int
    max_states: int | None = None
    max_depth: int | None = None
    stop_at_violation: bool = False
    memory: int | None = None
    spill: str | None = None
    seconds: float | None = None

    def task(self) -> Task:
        """The question as engines know it."""
        return Task(self.find(self.protocol), self.parameters, self.properties)


def search_of(task: Task, system: TransitionSystem, packing: Packing, tasks: int) -> str:
    """Return what is equal for equal questions about states that are packed and shared out alike.

    What belongs to a task of some number is lost among fewer, and found again among more.
    """
    asked = question_of(task, system.model, stated_over(task, system.model))
    return identity([*asked, *layout_of(packing), str(tasks)])


class TaskShare:
    """One task's part of a search: number ``me`` of ``search.tasks``, ``beside`` of which share a
    machine with it.

    State ``i`` of its part of a level has the number ``i * search.tasks + me`` in that level.
    """

    def __init__(self, search: SharedSearch, me: int, beside: int = 1) -> None:
        self._search, self._me, self._beside = search, me, beside
        self._deadline = Deadline(search.seconds)
        self._stopped: str | None = None
        task = search.task()
        model = task.suite.model(ghosts=False)
        self._system = TransitionSystem(model, task.parameters)
        self._packing = Packing(self._system.leaves)
        self._constraint = Formulas(self._packing, [self._system.constraint])
        self._counted = _counted(task, self._system, self._packing)
        stated = stated_over(task, model)
        self._identity = search_of(task, self._system, self._packing, search.tasks)
        steps = [p for p in stated if p.kind is Kind.STEP_INVARIANT]
        states = [p for p in stated if p.kind is not Kind.STEP_INVARIANT]
        self._of_steps = OpenClaims(self._system, self._packing, steps)
        self._of_states = OpenClaims(self._system, self._packing, states)
        self._claims = {p.name for p in stated if p.kind is not Kind.WITNESS}
        self._expansion: Expansion | NativeExpansion = Expansion(self._system, self._packing)
        self._numpy_cost: NumpyCost | None = NumpyCost(len(self._system.circuit))
        self._place = place(search.where)

    def run(self, gather: Gather) -> Iterator[dict[str, Any]]:
        """Take part until the search ends, and yield what each level added, in all tasks.

        ``gather`` waits for all tasks and returns what each of them said. Levels that are complete
        in the folder are not searched again. Raises DamagedSpill, FolderInUse and OtherModel.
        """
        search, words = self._search, self._packing.words
        self._room = Room.of(search.memory, self._beside, words, search.spill is not None)
        with ExitStack() as until_the_end:

            def folder() -> Path:
                where = self._local_folder()
                with working_in(where, then=what_is_kept()):
                    return until_the_end.enter_context(scratch(where))

            self._states = OwnStates(words, self._room, folder)
            for level in self._levels(gather):
                yield asdict(level)

    def _local_folder(self) -> Path:
        """Return the folder for states: Spark knows which disks an executor has for such files."""
        if self._search.spill is not None:
            return Path(self._search.spill)
        disks = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
        chosen = disks[self._me % len(disks)]
        return Path(chosen) if chosen else folder_for_states()

    def _levels(self, gather: Gather) -> Iterator[FoundLevel]:
        known = min(map(int, gather(str(self._complete()))))
        self._tidy()
        total, number = 0, 0
        before: Iterable[Rows] = ()
        while True:
            if number < known:
                level = self._known(number)
                self._consider_machine_code(level)
                before = self._taken_back(number, level)
                if number == known - 1:
                    self._unless_stopped(self._all_are_known)
            else:
                level = self._next(number, before, gather)
                if level.stopped is None and self._me == 0:
                    self._place.write(f"levels/{number}.json", sealed(level, number), lasting=False)
                self._consider_machine_code(level)
                before = self._states.last_level(self._at_once)
            yield level
            total += level.states
            if level.stopped is not None or self._ends(level, total, number):
                return
            number += 1

    @property
    def _at_once(self) -> int:
        # The successors of larger blocks might not fit.
        little = self._room.successors < _LITTLE
        return LANES if little else expanded_at_once(self._packing.words)

    def _consider_machine_code(self, level: FoundLevel) -> None:
        """Expand by machine code from now on, where it is installed and pays by a level."""
        states = sum(count for count, _ in level.files.get(str(self._me), []))
        if self._numpy_cost is None or not self._numpy_cost.of_level(states):
            return
        self._numpy_cost = None
        if not installed() or not isinstance(self._expansion, Expansion):
            return
        from bmc.engines.native.search import native_inner_loops
        from bmc.readings.native.machine import NoMachineCode

        evaluated = [self._constraint, self._of_states.formulas, self._of_steps.formulas]
        if self._counted is not None:
            evaluated.append(self._counted)
        with suppress(NoMachineCode, TooWide):
            self._states.use_machine_code()
            loops = native_inner_loops(self._system, self._packing, self._expansion, evaluated)
            self._expansion = loops

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

    def _unless_stopped(self, work: Callable[[], None]) -> None:
        """Do what may have to stop: the others hear of it when all meet the next time."""
        if self._stopped is None:
            try:
                work()
            except (Stopped, OutOfTime, TableFull) as reason:
                self._stopped = str(reason)
            except MemoryError:
                self._stopped = "there is no more memory"

    def _complete(self) -> int:
        """Return how many levels are in the folder."""
        number = 0
        while self._place.exists(f"levels/{number}.json"):
            number += 1
        return number

    def _tidy(self) -> None:
        """Remove what this task gave to others when it last was killed."""
        for entry in list(self._place.entries("exchange")):
            if entry.name.rpartition("/")[2].startswith(f"{self._me}-"):
                self._place.delete(f"exchange/{entry.name}")

    def _known(self, number: int) -> FoundLevel:
        name = f"levels/{number}.json"
        level = unsealed(self._place, name, number)
        if level.search != self._identity:
            raise DamagedSpill(f"{self._place.shown(name)} is of another search: {REMEDY}")
        return level

    def _taken_back(self, number: int, level: FoundLevel) -> Iterable[Rows]:
        """Enter a level that is known, and return its states, to be read once more."""
        read = partial(
            pieces,
            self._place,
            self._name(number),
            level.files.get(str(self._me), []),
            self._packing.words,
        )
        for rows, parents in read():
            self._unless_stopped(partial(self._states.add, rows, parents))
        at_once = self._at_once
        return (
            rows[start : start + at_once]
            for rows, _ in read()
            for start in range(0, len(rows), at_once)
        )

    def _all_are_known(self) -> None:
        for _ in self._states.end_level():
            continue

    def _name(self, number: int) -> str:
        return f"levels/{number}/{self._me}"

    def _next(self, number: int, before: Iterable[Rows], gather: Gather) -> FoundLevel:
        """Return what a level adds, whose states are reached from those of the level before."""
        mine = FoundLevel(search=self._identity)
        given = [
            Pieces(self._place, f"exchange/{number}/{self._me}-{other}")
            for other in range(self._search.tasks)
        ]
        if number:
            self._unless_stopped(partial(self._expand, mine, before, given))
            sent = [pile.written for pile in given]
            told = [json.loads(said) for said in gather(json.dumps([sent, self._stopped]))]
            self._stopped = next((reason for _, reason in told if reason is not None), None)
            sent_here = [sent[self._me] for sent, _ in told]
            self._unless_stopped(partial(self._receive, number, sent_here))
        else:
            self._unless_stopped(self._enter_first)
        self._unless_stopped(partial(self._end_level, number, mine))
        mine.stopped = self._stopped
        level = FoundLevel(search=self._identity)
        for said in gather(json.dumps(asdict(mine))):
            level.join(FoundLevel(**json.loads(said)))
        for pile in given:
            pile.remove()
        if level.stopped is not None:
            return FoundLevel(search=self._identity, stopped=level.stopped)
        return level

    def _enter_first(self) -> None:
        rows = initial_rows(self._system, self._packing, self._constraint)
        mine = rows[hashes_of(rows) % np.uint64(self._search.tasks) == np.uint64(self._me)]
        self._states.add(mine, np.zeros(len(mine), np.uint32))

    def _expand(self, level: FoundLevel, before: Iterable[Rows], given: Sequence[Pieces]) -> None:
        """Take all steps out of this task's states of the level before."""
        fired = np.zeros(len(self._system.rules), np.int64)
        start = 0
        for block in before:
            self._deadline.check()
            steps = self._steps(level, block, start)
            if steps is None:
                break
            fired += steps.fired
            self._hand_over(steps, start, given)
            start += len(block)
        for pile in given:
            pile.flush()
        for rule, times in zip(self._system.rules, fired, strict=True):
            level.fired[rule.action] = level.fired.get(rule.action, 0) + int(times)

    def _steps(self, level: FoundLevel, block: Rows, start: int) -> BlockSteps | None:
        steps = self._expansion.steps(block)
        if isinstance(steps, BeyondBounds):
            level.beyond = self._number(start + steps.lane)
            return None
        if self._system.constraint is not self._system.circuit.true:
            (inside,) = self._constraint.evaluate(steps.rows)
            steps = steps.where(inside)
        if self._of_steps:
            for stated, row in self._of_steps.decided(block[steps.lanes], steps.rows):
                level.decided[stated.name] = self._number(start + int(steps.lanes[row]))
                level.through[stated.name] = steps.rows[row].tobytes().hex()
        return steps

    def _hand_over(self, steps: BlockSteps, start: int, given: Sequence[Pieces]) -> None:
        """Keep the successors that belong here, and put the others into piles."""
        tasks = self._search.tasks
        owners = hashes_of(steps.rows) % np.uint64(tasks)
        parents = (steps.lanes + np.uint32(start)) * np.uint32(tasks) + np.uint32(self._me)
        for owner, pile in enumerate(given):
            chosen = np.flatnonzero(owners == np.uint64(owner))
            rows = steps.rows[chosen]
            if owner == self._me:
                self._states.add(rows, parents[chosen])
                continue
            # What was found twice in a block need not be sent twice.
            once = StateTable(self._packing.words)
            if not isinstance(self._expansion, Expansion):
                once.use_machine_code()
            new = once.add(rows, parents[chosen])
            pile.add(once.rows(0, new), once.parents(0, new))
        if sum(pile.bytes for pile in given) > self._room.send:
            for pile in given:
                pile.flush()

    def _receive(self, number: int, sent: Sequence[Sequence[Sequence[int]]]) -> None:
        """Take in what the others have found that belongs here."""
        for other, written in enumerate(sent):
            name = f"exchange/{number}/{other}-{self._me}"
            try:
                for rows, parents in pieces(self._place, name, written, self._packing.words):
                    self._deadline.check()
                    self._states.add(rows, parents)
            except DamagedSpill as error:
                raise FolderInUse(
                    f"{error}. If the same command runs twice, wait for the other one"
                ) from None

    def _end_level(self, number: int, level: FoundLevel) -> None:
        """Count, judge and write what is new."""
        written = Pieces(self._place, self._name(number))
        for rows, parents in self._states.end_level():
            if number:
                self._deadline.check()
            first = level.states
            level.states += len(rows)
            if level.states * self._search.tasks > _MOST:
                raise TableFull("more than 2**32 states in a level: choose smaller parameters")
            inside = np.ones(len(rows), np.bool_)
            if self._counted is not None:
                (inside,) = self._counted.evaluate(rows)
            level.counted += int(inside.sum())
            for stated, row in self._of_states.decided(rows):
                level.decided[stated.name] = self._number(first + row)
            written.add(rows, parents)
            if written.bytes > _PIECE:
                written.flush()
        written.flush()
        level.files[str(self._me)] = written.written
        level.on_disk = int(self._states.on_disk)

    def _number(self, place: int) -> int:
        return place * self._search.tasks + self._me


def _counted(task: Task, system: TransitionSystem, packing: Packing) -> Formulas | None:
    if task.suite.counted is None:
        return None
    counted = system.expander.expand(task.suite.counted)
    return Formulas(packing, [system.circuit.and_(counted.defined, counted.shape)])
