"""Engines in forked processes: what they say, and limits that hold inside a solver call.

A process can be stopped at any moment, a solver cannot. Which engines work together, and what
their answers mean, is for others to say.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from time import monotonic
from traceback import format_exc
from typing import Any

from bmc.engines.memory import MEGABYTE, at_most, resident_bytes
from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.evidence.verdict import Result

GRACE = 2.0
"""Seconds an engine may take beyond its limit to say what it knows before it is stopped."""
_SECONDS_BETWEEN_LOOKS = 0.1


class Relay:
    """The observer inside the process: sends everything through the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def phase(self, text: str) -> None:
        """What is being done now."""
        self._pipe.send(("phase", text))

    def fact(self, text: str) -> None:
        """Something that is known from now on."""
        self._pipe.send(("fact", text))

    def decided(self, result: Result) -> None:
        """A verdict that will not change any more."""
        self._pipe.send(("decided", result))

    def so_far(self, result: object) -> None:
        """What is to be answered (about a property, mostly) if the process is stopped now."""
        self._pipe.send(("so_far", result))


Work = Callable[[Task, Relay], tuple[object, ...]]


class Running:
    """An engine's process. ``name`` is the engine's, ``started`` a time of the monotonic clock."""

    def __init__(self, name: str, work: Work, task: Task) -> None:
        # A forked process has the task's suite; protocols and properties are code, not data.
        context: Any = multiprocessing.get_context("fork")
        self.name = name
        self.started = monotonic()
        self.pipe, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_child, args=(work, task, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def resident(self) -> int:
        """The bytes of memory it holds now; 0 where the system does not tell."""
        return resident_bytes(self._process.pid)

    def stop(self) -> int | None:
        """End the process, whatever it does, and return the code it exited with."""
        if self.pipe.closed:
            return None
        self._process.kill()
        self._process.join()
        self.pipe.close()
        return int(self._process.exitcode)

    def ended(self) -> int | None:
        """The exit code of a process that closed its pipe."""
        self._process.join()
        return self.stop()


def _child(work: Work, task: Task, pipe: Connection) -> None:
    try:
        at_most(task.memory)
        pipe.send(("results", work(task, Relay(pipe))))
    except KeyboardInterrupt:
        pass
    except MemoryError:
        # Nothing is sent: there is no memory to say more with.
        pass
    except Exception as error:
        error.add_note(f"in the engine's process:\n{format_exc()}")
        pipe.send(("failed", error))


@dataclass(frozen=True)
class Event:
    """What a process said: ``kind`` is one of a relay's, ``results``, ``failed`` or ``ended``.

    ``content`` belongs to the kind: a text, a Result, the tuple of all results, the exception,
    or for ``ended`` the reason why there will be no answer.
    """

    source: Running
    kind: str
    content: Any


class Team:
    """Processes that work for one task, within its limits of time and memory.

    Leaving the context stops those that still run.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._time = Deadline(None if task.timeout is None else task.timeout + GRACE)
        self.running: list[Running] = []

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.running:
            one.stop()
        self.running.clear()

    def start(self, name: str, work: Work, task: Task) -> Running:
        """Start an engine on a task, which may have limits of its own."""
        one = Running(name, work, task)
        self.running.append(one)
        return one

    def stop(self, one: Running) -> None:
        """Stop a process of the team; what it has not said yet is lost."""
        one.stop()
        self.running.remove(one)

    def next(self, seconds: float | None = None) -> Event | None:
        """What is said next; None if nothing is within ``seconds`` or nobody runs.

        Raises OutOfTime when the task's time limit has passed.
        """
        patience = Deadline(seconds)
        while self.running:
            too_large = self._too_large()
            if too_large is not None:
                return too_large
            waits = (self._time.remaining(), patience.remaining(), self._look())
            ready = wait(
                [one.pipe for one in self.running],
                min((w for w in waits if w is not None), default=None),
            )
            for one in self.running:
                if one.pipe in ready:
                    return self._receive(one)
            if self._time.remaining() == 0:
                raise OutOfTime(f"the time limit of {self._task.timeout:g} seconds passed")
            if patience.remaining() == 0:
                return None
        return None

    def _look(self) -> float | None:
        return None if self._task.memory is None else _SECONDS_BETWEEN_LOOKS

    def _receive(self, one: Running) -> Event:
        try:
            kind, content = one.pipe.recv()
        except EOFError:
            self.running.remove(one)
            reason = f"the engine's process ended without an answer (exit {one.ended()})"
            if self._task.memory is not None:
                reason += f"; it may have met the memory limit of {self._task.memory} MB"
            return Event(one, "ended", reason)
        if kind in ("results", "failed"):
            self.stop(one)
        return Event(one, kind, content)

    def _too_large(self) -> Event | None:
        limit = self._task.memory
        if limit is None:
            return None
        taken = {one: one.resident() for one in self.running}
        if sum(taken.values()) <= limit * MEGABYTE:
            return None
        largest = max(self.running, key=taken.__getitem__)
        self.stop(largest)
        return Event(largest, "ended", f"the memory limit of {limit} MB is reached")
