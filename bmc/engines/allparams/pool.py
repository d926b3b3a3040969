"""Conditions in parallel processes, each with a time limit that holds inside a solver."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Generic, TypeVar

from bmc.lang.errors import BmcError

Job = TypeVar("Job")
Done = TypeVar("Done")

GRACE = 5.0
"""Seconds that a process may take beyond its job's limit before it is stopped."""


class WorkerFailed(BmcError):
    """A process met an error that it does not expect; the message holds its traceback."""


class _Worker(Generic[Job, Done]):
    def __init__(self, work: Callable[[Job], Done]) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.end = 0.0

    def give(self, job: Job, seconds: float) -> None:
        self.job, self.end = job, monotonic() + seconds + GRACE
        self.pipe.send(job)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(work: Callable[[Job], Done], pipe: Connection) -> None:
    # Ctrl-C reaches the whole group; whoever started this process stops it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((True, work(job)))
        except Exception as error:
            from traceback import format_exc

            pipe.send((False, f"{error}\n{format_exc()}"))


def run(
    work: Callable[[Job], Done],
    jobs: Sequence[Job],
    processes: int,
    limit: Callable[[Job], float],
    lost: Callable[[Job, str], Done],
) -> Iterator[Done]:
    """``work(job)`` for each job, in the order in which they are done.

    A process that takes longer than ``limit(job)`` seconds, or dies, is replaced, and ``lost``
    says what that means for its job. Raises WorkerFailed for an exception.
    """
    waiting = list(reversed(jobs))
    workers: list[_Worker[Job, Done]] = []
    try:
        workers += [_Worker(work) for _ in range(min(processes, len(jobs)))]
        while waiting or any(w.job is not None for w in workers):
            for worker in workers:
                if worker.job is None and waiting:
                    job = waiting.pop()
                    worker.give(job, limit(job))
            busy = [w for w in workers if w.job is not None]
            soonest = min(w.end for w in busy) - monotonic()
            ready = wait([w.pipe for w in busy], max(0.0, soonest))
            for worker in busy:
                unfinished = worker.job
                assert unfinished is not None
                if worker.pipe in ready:
                    try:
                        fine, content = worker.pipe.recv()
                    except EOFError:
                        yield lost(unfinished, "the process ended without an answer")
                        workers[workers.index(worker)] = _replaced(worker, work)
                        continue
                    if not fine:
                        raise WorkerFailed(content)
                    worker.job = None
                    yield content
                elif monotonic() >= worker.end:
                    yield lost(unfinished, "the time limit has passed")
                    workers[workers.index(worker)] = _replaced(worker, work)
    finally:
        for worker in workers:
            worker.stop()


def _replaced(worker: _Worker[Job, Done], work: Callable[[Job], Done]) -> _Worker[Job, Done]:
    worker.stop()
    return _Worker(work)
