"""A process for one piece of work, with limits that hold inside native code.

A solver neither looks at a clock nor at its memory while it searches. So the work runs in a
forked process: the kernel refuses it address space beyond its share, and it is killed when its
time is over, together with every process it has made. All of them die with the process that
asked, too: an executor that is killed leaves no solver behind.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar, assert_never

from bmc.running.child import Channel, ProcessLimits
from bmc.running.memory import peak_megabytes
from bmc.running.supervisor import Failed, Lost, Reply, Said, Supervisor

Answer = TypeVar("Answer")

_KINDNESS = 15


@dataclass(frozen=True)
class WorkEnd(Generic[Answer]):
    """How the work ended: with an ``answer``, an ``error`` it raised, or neither.

    ``timed_out`` says that it was killed at its time limit; otherwise ``exit`` is the code it
    died with, negative for a signal. ``peak_mb`` is its largest resident memory and ``grown_mb``
    what that is above the memory it started with.
    """

    answer: Answer | None
    error: BaseException | None
    timed_out: bool
    exit: int | None
    seconds: float
    peak_mb: float | None
    grown_mb: float | None


def run(work: Callable[[], Answer], seconds: float, memory_mb: int) -> WorkEnd[Answer]:
    """Run ``work`` in a process of its own.

    ``memory_mb`` is address space on top of what the process starts with. The answer and the
    error must be picklable.
    """

    def measured(channel: Channel) -> Answer:
        # What is inherited stays: garbage that is collected here would hide as much growth, and
        # looking through it copies its pages.
        gc.freeze()
        channel.send(peak_megabytes())
        return work()

    # Processor time is limited for systems where nothing else ends an orphan.
    limits = ProcessLimits(more_mb=memory_mb, cpu_seconds=seconds + _KINDNESS)
    end = monotonic() + seconds
    answer: Answer | None = None
    error: BaseException | None = None
    base: float | None = None
    timed_out = False
    with Supervisor() as supervisor:
        child = supervisor.start(measured, "a job", limits, leads=True)
        while supervisor.children:
            found = supervisor.next(max(0.0, end - monotonic()))
            if found is None:
                timed_out = True
                supervisor.stop(child)
                break
            _, event = found
            match event:
                case Said(started_with):
                    base = started_with
                case Reply(content):
                    answer = content
                case Failed(raised):
                    error = raised
                case Lost():
                    error = MemoryError() if event.out_of_memory else None
                case _:
                    assert_never(event)
    peak = child.peak_mb
    return WorkEnd(
        answer,
        error,
        timed_out,
        child.exit,
        monotonic() - child.started,
        peak,
        None if peak is None or base is None else peak - base,
    )
