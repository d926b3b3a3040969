"""A process for one piece of work, with limits that hold inside native code.

A solver neither looks at a clock nor at its memory while it searches. So the work runs in a
forked process: the kernel refuses it address space beyond its share, and it is killed when its
time is over, together with every process it has made. On Linux all of them die with the process
that asked, too: an executor that is killed leaves no solver behind.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

from bmc.evidence.children import die_with_parent, end_if_orphaned

Answer = TypeVar("Answer")

_MEGABYTE = 2**20
_KINDNESS = 15


@dataclass(frozen=True)
class Outcome(Generic[Answer]):
    """How the work ended: with an ``answer``, an ``error`` it raised, or neither.

    ``timed_out`` says that it was killed at its time limit; otherwise ``exit`` is the code it
    died with, negative for a signal. ``peak_mb`` is its largest resident memory, if it could say,
    and ``grown_mb`` what that is above the memory it started with.
    """

    answer: Answer | None
    error: BaseException | None
    timed_out: bool
    exit: int | None
    seconds: float
    peak_mb: float | None
    grown_mb: float | None


def run(work: Callable[[], Answer], seconds: float, memory_mb: int) -> Outcome[Answer]:
    """Run ``work`` in a process of its own.

    ``memory_mb`` is address space on top of what the process starts with. The answer and the
    error must be picklable.
    """
    context: Any = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=_child, args=(work, seconds, memory_mb, theirs, ours, os.getpid())
    )
    started = monotonic()
    process.start()
    theirs.close()
    kind: str | None = None
    content: Any = None
    peak: float | None = None
    base = 0.0
    timed_out = False
    try:
        timed_out = not ours.poll(seconds)
        if not timed_out:
            kind, content, base, peak = ours.recv()
    except EOFError:
        pass
    finally:
        if kind is not None:
            process.join(timeout=1.0)
        _kill_group(process.pid)
        process.join()
        ours.close()
    return Outcome(
        content if kind == "answer" else None,
        content if kind == "error" else None,
        timed_out,
        process.exitcode,
        monotonic() - started,
        peak,
        None if peak is None else peak - base,
    )


def _child(
    work: Callable[[], Any],
    seconds: float,
    memory_mb: int,
    pipe: Connection,
    other_end: Connection,
    parent: int,
) -> None:
    other_end.close()
    os.setsid()
    # Ctrl-C and an executor's farewell are for the parent, whose death ends this process anyway.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    end_if_orphaned(parent)
    os.register_at_fork(after_in_child=die_with_parent)
    _limit(resource.RLIMIT_AS, _address_space() + memory_mb * _MEGABYTE)
    # For systems where nothing else ends an orphan.
    _limit(resource.RLIMIT_CPU, ceil(seconds) + _KINDNESS)
    _limit(resource.RLIMIT_CORE, 0)
    base = _peak_mb()
    try:
        message = ("answer", work(), base, _peak_mb())
    except BaseException as error:
        message = ("error", error, base, _peak_mb())
    try:
        pipe.send(message)
    except Exception as error:
        pipe.send(("error", RuntimeError(f"{type(error).__name__}: {error}"), base, _peak_mb()))


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    least = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (least, hard))


def _address_space() -> int:
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _peak_mb() -> float:
    unit = _MEGABYTE if sys.platform == "darwin" else 1024
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return round(max(usage.ru_maxrss for usage in used) / unit, 1)


def _kill_group(leader: int | None) -> None:
    if leader is None:
        return
    for kill in (os.killpg, os.kill):
        try:
            kill(leader, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
