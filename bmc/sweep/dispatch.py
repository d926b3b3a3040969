"""Handing out jobs: longest expected first, a row as each one finishes, nothing lost.

Tasks go to the cluster in stages of many. A stage is handed out while tasks of the one before
still wait, so that no executor ever waits for the end of a stage. Between stages, what was learnt
counts: estimates are better, violations spare jobs, and what was handed back comes along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from itertools import islice
from threading import Thread
from time import sleep
from typing import Any, Protocol

from bmc.lang.errors import BmcError
from bmc.running.threads import begin
from bmc.sweep.batches import Batch, batches
from bmc.sweep.job import Job
from bmc.sweep.places import StoreFull
from bmc.sweep.plan import Plan
from bmc.sweep.pruning import Pruning
from bmc.sweep.rows import Row
from bmc.sweep.runner import OtherModel
from bmc.sweep.store import Store
from bmc.sweep.work import HandedBack, News, NoRoom, Refused

_TASKS_AN_EXECUTOR = 32
_ENOUGH_TASKS = 2000
"""For a stage: what it costs beside its tasks is then a hundredth, and what was learnt, or handed
back, waits no longer than it has to."""
_FIRST_TASKS = 4
_WAITING_TASKS = 2
_ENOUGH_WAITING = 64
_SECONDS_BETWEEN_LOOKS = 0.1
_ROWS_BETWEEN_COMPACTIONS = 100


class ClusterLost(BmcError):
    """What runs the jobs is gone; what is finished by then is kept."""


class Stage(Protocol):
    """Tasks that were handed out together."""

    def launched(self) -> int:
        """Return how many tasks have been started so far, in their order."""

    def news(self) -> Iterable[Any]:
        """Return what tasks that have ended said, since the last time."""

    def is_over(self) -> bool:
        """Return whether all tasks have ended. Raises ClusterLost when that will not come."""


class Executors(Protocol):
    """Whoever runs jobs."""

    def capacity(self) -> int:
        """Return how many jobs can run at once, now."""

    def start(self, tasks: Sequence[Batch]) -> Stage:
        """Hand tasks out. Raises ClusterLost when all is lost."""


class Watcher(Protocol):
    """Is told how the sweep goes; every call comes from the thread that dispatches."""

    def begun(self, job: Job) -> None:
        """A job's task is started."""

    def finished(self, job: Job, row: Row) -> None:
        """A job has its row."""

    def retried(self, job: Job, reason: str) -> None:
        """A job is handed out again."""

    def tick(self) -> None:
        """Time passes."""


class Dispatcher:
    """Runs what a plan has left to do."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        executors: Executors,
        watcher: Watcher,
        prune: bool = False,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        """``pause`` lets time pass; a simulation has a time of its own."""
        self._pause = pause
        self._store = store
        self._executors = executors
        self._watcher = watcher
        self._waiting = list(plan.todo)
        self._alone: list[Job] = []
        self._open = {job.key: job for job in plan.todo}
        self._stages: list[_Handed] = []
        self._estimate = deepcopy(plan.estimate)
        self._resort_at = 0
        self._left = 0.0
        self._finished = 0
        self._compaction = _Compaction(store)
        self._pruning = Pruning(plan.monotone, plan.todo, plan.done.values()) if prune else None

    def run(self) -> None:
        """Until every job has its row.

        Raises ClusterLost, UnwritableFile, StoreError, StoreFull, or OtherModel when an executor
        has another bmc. On whatever it raises, rows that are finished stay.
        """
        while self._open:
            self._hand_out()
            told = [one for stage in self._stages for one in stage.take(self._watcher)]
            for one in told:
                self._hear(one)
            self._close_stages()
            self._compaction.consider(self._finished)
            self._watcher.tick()
            if not told:
                self._pause(_SECONDS_BETWEEN_LOOKS)
        self._compaction.finish()

    def _hand_out(self) -> None:
        capacity = self._executors.capacity()
        wanted = min(_WAITING_TASKS * capacity, max(_ENOUGH_WAITING, capacity // 4))
        if sum(stage.unlaunched() for stage in self._stages) >= wanted:
            return
        tasks = [Batch((job,)) for job in self._alone]
        self._alone = []
        self._sort()
        room = min(capacity * _TASKS_AN_EXECUTOR, max(_ENOUGH_TASKS, capacity))
        if not self._estimate.is_fitted:
            room = capacity * _FIRST_TASKS
        chosen, kept = self._ready()
        used = 0
        left = batches(chosen, self._estimate.seconds, capacity, self._left)
        for batch in islice(left, max(0, room - len(tasks))):
            tasks.append(batch)
            used += len(batch.jobs)
            self._left -= sum(map(self._estimate.seconds, batch.jobs))
        self._waiting = chosen[used:] + kept
        if tasks:
            self._stages.append(_Handed(tasks, self._executors.start(tasks)))

    def _sort(self) -> None:
        # Again whenever twice as much is known: a million jobs are not sorted a thousand times.
        if self._estimate.known >= self._resort_at:
            self._resort_at = 2 * self._estimate.known + 1
            self._waiting.sort(key=lambda job: -self._estimate.seconds(job))
            self._left = sum(map(self._estimate.seconds, self._waiting))

    def _ready(self) -> tuple[list[Job], list[Job]]:
        """The waiting jobs that may run now, and those that a smaller one may make unnecessary."""
        if self._pruning is None:
            return self._waiting, []
        ready, kept = [], []
        for job in self._waiting:
            if (implied := self._pruning.implied(job)) is not None:
                self._settled(job, self._store.add(implied))
            elif self._pruning.waits(job):
                kept.append(job)
            else:
                ready.append(job)
        return ready, kept

    def _hear(self, one: News) -> None:
        if isinstance(one, Refused):
            raise OtherModel(one.reason)
        if isinstance(one, NoRoom):
            raise StoreFull(one.reason)
        job = self._open.get(one.key)
        if job is None:
            return
        if isinstance(one, HandedBack):
            self._watcher.retried(job, one.reason)
            if one.share:
                self._waiting.append(job)
                self._resort_at = 0
            else:
                self._alone.append(job)
            return
        row = self._store.add(one.row, one.evidence) if one.unwritten else one.row
        self._settled(job, row)

    def _close_stages(self) -> None:
        for stage in [stage for stage in self._stages if stage.stage.is_over()]:
            for one in stage.take(self._watcher):
                self._hear(one)
            self._stages.remove(stage)
            # What a task was silent about when it ended is open. What it has handed back is open
            # as well, and may be in another stage already.
            self._alone += [job for job in stage.silent() if job.key in self._open]

    def _settled(self, job: Job, row: Row) -> None:
        del self._open[job.key]
        self._finished += 1
        self._estimate.learn(row)
        if self._pruning is not None:
            self._pruning.settled(job, row)
        self._watcher.finished(job, row)


class _Handed:
    """A stage, and what of it the watcher knows."""

    def __init__(self, tasks: Sequence[Batch], stage: Stage) -> None:
        self.stage = stage
        self._tasks = tasks
        self._begun = 0
        self._told: set[str] = set()

    def take(self, watcher: Watcher) -> list[News]:
        """Return the news, after the watcher has been told which tasks were started."""
        news = list(self.stage.news())
        self._told |= {one.key for one in news if not isinstance(one, Refused | NoRoom)}
        launched = self.stage.launched()
        for task in self._tasks[self._begun : launched]:
            for job in task.jobs:
                watcher.begun(job)
        self._begun = max(self._begun, launched)
        return news

    def unlaunched(self) -> int:
        """How many tasks wait."""
        return len(self._tasks) - self._begun

    def silent(self) -> list[Job]:
        """The jobs that its tasks have said nothing about."""
        jobs = (job for task in self._tasks for job in task.jobs)
        return [job for job in jobs if job.key not in self._told]


class _Compaction:
    """Compacts the directory beside the dispatching, a round now and then."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread: Thread | None = None
        self._due = 0

    def consider(self, finished: int) -> None:
        """Begin a round when enough rows are finished, unless one goes on."""
        if finished >= self._due and (self._thread is None or not self._thread.is_alive()):
            self._due = finished + _ROWS_BETWEEN_COMPACTIONS
            self._thread = Thread(target=self._round, name="bmc-compaction", daemon=True)
            begin(self._thread)

    def finish(self) -> None:
        """Wait for the round that goes on."""
        if self._thread is not None:
            self._thread.join()

    def _round(self) -> None:
        # What fails here fails again where it matters, and rows are rows where they are.
        with suppress(BmcError, OSError):
            self._store.compact()
