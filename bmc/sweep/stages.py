"""A stage on Spark: a Spark job of many tasks, watched while it runs.

What tasks say comes back by an accumulator: Spark adds a task's share once, when the task has
ended well, however often it was started. How many tasks were started is asked of Spark's status
tracker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import Any

from pyspark import AccumulatorParam, SparkContext, TaskContext

from bmc.running.threads import begin

_Told = list[Any]


class _Inbox(AccumulatorParam[_Told]):
    """Lists that are joined."""

    def zero(self, value: _Told) -> _Told:
        """Return an empty one."""
        return []

    def addInPlace(self, value1: _Told, value2: _Told) -> _Told:
        """Join two."""
        value1.extend(value2)
        return value1


Run = Callable[[Any, int], Iterable[Any]]
"""Runs a task that was begun so many times before, and yields what it has to say."""


class SparkStage:
    """Tasks that were handed to Spark together; ``gone`` makes of a failure what to raise."""

    def __init__(
        self,
        context: SparkContext,
        run: Run,
        tasks: Sequence[Any],
        number: int,
        gone: Callable[[Exception], Exception],
    ) -> None:
        self._context = context
        self._tasks = len(tasks)
        self._group = f"bmc-stage-{number}"
        self._gone = gone
        self._inbox = context.accumulator([], _Inbox())
        self._failure: Exception | None = None
        self._launched = 0
        self._thread = Thread(
            target=self._run, args=(run, list(tasks)), name=self._group, daemon=True
        )
        begin(self._thread)

    def _run(self, run: Run, tasks: list[Any]) -> None:
        inbox = self._inbox
        try:
            self._context.setJobGroup(self._group, "tasks of bmc")
            data = self._context.parallelize(tasks, len(tasks))
            data.foreachPartition(lambda tasks: _task(run, inbox, tasks))
        except Exception as error:
            self._failure = error

    def launched(self) -> int:
        """Return how many tasks have been started so far, in their order."""
        if self._launched < self._tasks and self._thread.is_alive():
            try:
                self._launched = max(self._launched, self._seen())
            except Exception as error:
                raise self._gone(error) from error
        elif self._failure is None and not self._thread.is_alive():
            self._launched = self._tasks
        return self._launched

    def _seen(self) -> int:
        tracker = self._context.statusTracker()
        seen = 0
        for job in tracker.getJobIdsForGroup(self._group):
            about = tracker.getJobInfo(job)
            for stage in [] if about is None else about.stageIds:
                if (told := tracker.getStageInfo(stage)) is not None:
                    seen += told.numActiveTasks + told.numCompletedTasks
        return min(seen, self._tasks)

    def news(self) -> Iterable[Any]:
        """Return what tasks that have ended said, since the last time."""
        told: _Told = self._inbox.value
        # Another thread appends to it meanwhile.
        count = len(told)
        taken = told[:count]
        del told[:count]
        return taken

    def is_over(self) -> bool:
        """Return whether all tasks have ended. Raises ClusterLost when that will not come."""
        if self._thread.is_alive():
            return False
        if self._failure is not None:
            raise self._gone(self._failure) from self._failure
        return True


def _task(run: Run, inbox: Any, tasks: Iterable[Any]) -> None:
    context = TaskContext.get()
    attempt = 0 if context is None else context.attemptNumber()
    for task in tasks:
        for one in run(task, attempt):
            inbox.add([one])
