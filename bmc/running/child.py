"""A forked process: what it says, what it may take, and how it ended.

A child that ends without an answer, by whatever code or signal, is :class:`Lost`, which is never
an answer: ``os._exit(0)`` in a protocol's file is no success.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import monotonic, sleep
from traceback import format_exc
from typing import Any, NoReturn

from bmc.running import orphans
from bmc.running.memory import MEGABYTE, address_space_bytes, lacked_memory, resident_bytes
from bmc.running.processor import limit_met, worked_seconds
from bmc.running.signals import held_back

OUT_OF_MEMORY = 86
"""The exit code of a child that Python refused memory: it has none left to say more with."""
_SECONDS_TO_EXIT = 1.0


@dataclass(frozen=True)
class ProcessLimits:
    """What a child may take, None for no limit.

    ``data_mb`` is all its data, ``more_mb`` address space beyond what it starts with, both in
    megabytes; ``cpu_seconds`` is processor time.
    """

    data_mb: int | None = None
    more_mb: int | None = None
    cpu_seconds: float | None = None

    def hold(self) -> None:
        """Let this process take no more from now on.

        What asks for more memory gets a MemoryError, or ends the process where it cannot raise
        one.
        """
        if self.data_mb is not None:
            _limit(resource.RLIMIT_DATA, self.data_mb * MEGABYTE)
        if self.more_mb is not None:
            _limit(resource.RLIMIT_AS, address_space_bytes() + self.more_mb * MEGABYTE)
            # The dump of a process that met its limit would be as large as the limit.
            _limit(resource.RLIMIT_CORE, 0)
        if self.cpu_seconds is not None:
            _limit(resource.RLIMIT_CPU, ceil(self.cpu_seconds))


NO_LIMITS = ProcessLimits()


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    least = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (least, hard))


@dataclass(frozen=True)
class Said:
    """What a child sent while it works."""

    content: Any


@dataclass(frozen=True)
class Reply:
    """What a child's work returned."""

    content: Any


@dataclass(frozen=True)
class Failed:
    """The exception that a child's work raised."""

    error: Exception


@dataclass(frozen=True)
class Lost:
    """A child ended without an answer, with an ``exit`` code, negative for a signal.

    The code is None where somebody else has asked for it. ``limit`` is a limit of memory, in
    megabytes, for which the child was stopped, and ``processor_limit`` one of processor seconds
    for which the system ended it.
    """

    exit: int | None
    limit: int | None = None
    processor_limit: int | None = None

    @property
    def out_of_memory(self) -> bool:
        """Whether it is known that memory was what it lacked."""
        return self.limit is not None or self.exit == OUT_OF_MEMORY


Event = Said | Reply | Failed | Lost


class ChildError(RuntimeError):
    """What a child raised cannot leave its process: its type and its words, with the traceback."""


class Channel:
    """The child's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def send(self, content: object) -> None:
        """Tell the parent something that can be pickled."""
        self._pipe.send(("said", content))

    def receive(self) -> Any:
        """Return what the parent gave next; EOFError if it gives no more."""
        return self._pipe.recv()


Work = Callable[[Channel], object]


class Child:
    """A process that is forked at once and does ``work``; it never outlives this process.

    Nothing but its end is an answer to interruptions: Ctrl-C and SIGTERM are for the parent, who
    stops it. With ``leads`` whatever it starts, by whichever means, ends when it is stopped.
    ``started`` is a time of the monotonic clock. ``peak_mb`` is known when it has ended: the most
    memory that it or a process it waited for has held, in megabytes.
    """

    def __init__(
        self, work: Work, name: str = "", limits: ProcessLimits = NO_LIMITS, leads: bool = False
    ) -> None:
        self.name = name
        self.started = monotonic()
        self.exit: int | None = None
        self.peak_mb: float | None = None
        self._processor_limit: int | None = None
        self._leads = leads
        self._ended = False
        orphans.prepare()
        parent = os.getpid()
        _flush()
        self.pipe, theirs = Pipe()
        # Blocked, they reach neither the child nor this process before it knows its child.
        with held_back():
            self._pid = os.fork()
            if self._pid == 0:
                self.pipe.close()
                _run(work, theirs, parent, limits, leads)
        theirs.close()

    def give(self, content: object) -> None:
        """Send something to the child. What is given to one that has ended is lost."""
        with suppress(OSError):
            self.pipe.send(content)

    def resident(self) -> int:
        """Return the bytes of memory it holds now; 0 where the system does not tell."""
        return resident_bytes(self._pid)

    def worked(self) -> float | None:
        """Return the processor seconds it has taken; None where the system does not tell."""
        return worked_seconds(self._pid)

    def next(self) -> Event:
        """Return what it says next, waiting for it; after anything but Said it has ended."""
        try:
            kind, content = self.pipe.recv()
        except (EOFError, OSError):
            self.stop(_SECONDS_TO_EXIT)
            return Lost(self.exit, processor_limit=self._processor_limit)
        except Exception as error:
            self.stop()
            return Failed(ChildError(f"what {self.name or 'a child'} sent is unreadable: {error}"))
        if kind == "said":
            return Said(content)
        self.stop(_SECONDS_TO_EXIT)
        return Reply(content) if kind == "answered" else Failed(content)

    def stop(self, patience: float = 0.0) -> None:
        """End the process, whatever it does, if it has not ended within ``patience`` seconds."""
        if self._ended:
            return
        end = monotonic() + patience
        while not (found := self._reaped(os.WNOHANG)) and monotonic() < end:
            sleep(0.001)
        # What it started may still run when it does not.
        for kill in (os.killpg,) if self._leads else ():
            with suppress(ProcessLookupError, PermissionError):
                kill(self._pid, signal.SIGKILL)
        if not found:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._reaped(0)
        self._ended = True
        self.pipe.close()

    def _reaped(self, options: int) -> bool:
        try:
            pid, status, usage = os.wait4(self._pid, options)
        except ChildProcessError:
            return True
        if pid == 0:
            return False
        self.exit = os.waitstatus_to_exitcode(status)
        self._processor_limit = limit_met(self.exit, usage)
        self.peak_mb = round(usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10), 1)
        return True


def _run(work: Work, pipe: Connection, parent: int, limits: ProcessLimits, leads: bool) -> NoReturn:
    code = 1
    try:
        orphans.die_with_parent(parent)
        if leads:
            os.setsid()
        limits.hold()
        answer = work(Channel(pipe))
        try:
            pipe.send(("answered", answer))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ChildError(f"the answer cannot leave its process: {error}") from error
        code = 0
    except BaseException as error:
        if lacked_memory(error):
            code = OUT_OF_MEMORY
        else:
            with suppress(BaseException):
                pipe.send(("failed", _portable(error)))
    finally:
        with suppress(BaseException):
            _flush()
        os._exit(code)


def _portable(error: BaseException) -> Exception:
    """Return the exception, or its words where it cannot leave its process."""
    # Raised in the parent, an exception that is none, like SystemExit, would end it in silence.
    if isinstance(error, Exception):
        with suppress(Exception):
            error.add_note(f"in the process that raised it:\n{format_exc()}")
            pickle.loads(pickle.dumps(error))
            return error
    return ChildError(f"{type(error).__name__}: {error}\n{format_exc()}")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
