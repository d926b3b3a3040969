"""Handing out jobs: longest expected first, a row as each one finishes, nothing lost.

Each job is a task of its own, so that one of 50 milliseconds never waits for one of ten minutes
that happened to share its batch, and what is learnt on the way can spare later jobs.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol

from bmc.lang.errors import BmcError
from bmc.sweep.job import Job
from bmc.sweep.plan import Plan
from bmc.sweep.pruning import Pruning
from bmc.sweep.rows import Ended, Row, settles, unanswered
from bmc.sweep.runner import Finished, OtherModel
from bmc.sweep.store import Store

ATTEMPTS = 3
_MOST_THREADS = 1200
_SECONDS_BETWEEN_LOOKS = 0.5


class ClusterLost(BmcError):
    """What runs the jobs is gone; what is finished by then is kept."""


class Executors(Protocol):
    """Whoever runs jobs."""

    def capacity(self) -> int:
        """How many jobs can run at once, now."""

    def run(self, job: Job) -> Finished:
        """Run one job; raises when its executor dies, ClusterLost when all is lost."""


class Watcher(Protocol):
    """Is told how the sweep goes; every call comes from the thread that dispatches."""

    def begun(self, job: Job) -> None:
        """A job is handed out."""

    def finished(self, job: Job, row: Row) -> None:
        """A job has its row."""

    def retried(self, job: Job, reason: str) -> None:
        """A job's executor died; the job is handed out again."""

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
    ) -> None:
        self._plan = plan
        self._store = store
        self._executors = executors
        self._watcher = watcher
        self._waiting = list(plan.todo)
        self._attempts: dict[str, int] = {}
        self._running: dict[Future[Finished], Job] = {}
        known = plan.done.values()
        self._pruning = Pruning(plan.monotone, plan.todo, known) if prune else None

    def run(self) -> None:
        """Until every job has its row.

        Raises ClusterLost, UnwritableFile, or OtherModel when an executor has another bmc. On
        whatever it raises, rows that are finished stay.
        """
        pool = ThreadPoolExecutor(_MOST_THREADS, "bmc-sweep")
        try:
            while self._waiting or self._running:
                self._hand_out(pool)
                done, _ = wait(self._running, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
                for future in done:
                    self._take_back(future)
                self._watcher.tick()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _hand_out(self, pool: ThreadPoolExecutor) -> None:
        # A few more than can run, so that no executor waits for the driver.
        capacity = self._executors.capacity()
        room = min(_MOST_THREADS, capacity + max(1, capacity // 4)) - len(self._running)
        while room > 0 and (job := self._next()) is not None:
            self._running[pool.submit(self._executors.run, job)] = job
            self._watcher.begun(job)
            room -= 1

    def _next(self) -> Job | None:
        position = 0
        while position < len(self._waiting):
            job = self._waiting[position]
            if self._pruning is not None:
                if (implied := self._pruning.implied(job)) is not None:
                    del self._waiting[position]
                    self._settled(job, self._store.add(implied))
                    continue
                if self._pruning.waits(job):
                    position += 1
                    continue
            del self._waiting[position]
            row = self._store.find(job.key)
            if row is None or not settles(row, job):
                return job
            # Another sweep into the same directory has been here meanwhile.
            self._settled(job, row)
        return None

    def _take_back(self, future: Future[Finished]) -> None:
        job = self._running.pop(future)
        try:
            finished = future.result()
        except (ClusterLost, OtherModel):
            raise
        except Exception as error:
            self._lost(job, error)
            return
        self._settled(job, self._store.add(finished.row, finished.evidence))

    def _lost(self, job: Job, error: Exception) -> None:
        attempts = self._attempts[job.key] = self._attempts.get(job.key, 0) + 1
        reason = _first_line(error)
        if attempts < ATTEMPTS:
            self._watcher.retried(job, reason)
            self._waiting.insert(0, job)
            return
        why = f"its executor was lost {ATTEMPTS} times: {reason}"
        self._settled(job, self._store.add(unanswered(job, Ended.LOST, why)))

    def _settled(self, job: Job, row: Row) -> None:
        if self._pruning is not None:
            self._pruning.settled(job, row)
        self._watcher.finished(job, row)


def _first_line(error: Exception) -> str:
    text: Any = getattr(error, "java_exception", None) or error
    lines = [line for line in str(text).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__
