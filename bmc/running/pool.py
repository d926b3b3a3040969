"""Jobs for a few children, each with a time limit that holds inside a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from traceback import format_exc
from typing import TypeVar

from bmc.lang.errors import BmcError
from bmc.running.child import Channel, Child, Failed, Said
from bmc.running.room import said_of_refused_process
from bmc.running.supervisor import Supervisor

Job = TypeVar("Job")
Done = TypeVar("Done")

GRACE = 5.0
"""Seconds that a process may take beyond its job's limit before it is stopped."""


class WorkerFailed(BmcError):
    """A process met an error that it does not expect; the message holds its traceback."""


def run(
    work: Callable[[Job], Done],
    jobs: Sequence[Job],
    processes: int,
    limit: Callable[[Job], float],
    lost: Callable[[Job, str], Done],
) -> Iterator[Done]:
    """Yield ``work(job)`` for each job, in the order in which they are done.

    A process that takes longer than ``limit(job)`` seconds, or dies, is replaced, and ``lost``
    says what that means for its job, as of one for which the system starts none; where some work,
    it waits for one of these. Raises an error of bmc's own as it is, and
    WorkerFailed for another exception.
    """

    def serve(channel: Channel) -> None:
        while True:
            try:
                channel.send(("done", work(channel.receive())))
            except EOFError:
                return
            except BmcError as error:
                # It says what to do next, and whoever asked can tell it from a failure.
                channel.send(("refused", error))
            except Exception as error:
                channel.send(("failed", f"{error}\n{format_exc()}"))

    waiting = list(reversed(jobs))
    busy: dict[Child, tuple[Job, float]] = {}
    idle: list[Child] = []
    with Supervisor() as pool:
        while waiting or busy:
            while waiting and len(busy) < processes:
                try:
                    child = idle.pop() if idle else pool.start(serve)
                except OSError as refusal:
                    why = said_of_refused_process(refusal)
                    if busy:
                        break
                    yield lost(waiting.pop(), why)
                    continue
                job = waiting.pop()
                busy[child] = job, monotonic() + limit(job) + GRACE
                child.give(job)
            if not busy:
                return
            soonest = min(end for _, end in busy.values())
            event = pool.next(max(0.0, soonest - monotonic()))
            if event is None:
                for child, (job, end) in list(busy.items()):
                    if monotonic() >= end:
                        pool.stop(child)
                        del busy[child]
                        yield lost(job, "the time limit has passed")
                continue
            child, said = event
            if child not in busy:
                idle.remove(child)
                continue
            job, _ = busy.pop(child)
            match said:
                case Said(("done", content)):
                    idle.append(child)
                    yield content
                case Said(("refused", BmcError() as error)):
                    raise error
                case Said((_, trouble)):
                    raise WorkerFailed(trouble)
                case Failed(error):
                    raise WorkerFailed(str(error))
                case _:
                    yield lost(job, "the process ended without an answer")
