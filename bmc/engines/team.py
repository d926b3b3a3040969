"""Engines in processes of their own: what they say, within the limits of their task.

Which engines work together, and what their answers mean, is for others to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, assert_never

from bmc.engines.task import Deadline, OutOfTime, Task
from bmc.evidence.verdict import Unanswered, Why
from bmc.running.child import Channel, ProcessLimits
from bmc.running.memory import limit_to_raise
from bmc.running.processor import said_of_limit
from bmc.running.room import said_of_refused_process
from bmc.running.supervisor import Child, Failed, Lost, Reply, Said, Supervisor

GRACE = 2.0
"""Seconds an engine may take beyond its limit to say what it knows before it is stopped."""


class Relay:
    """The observer inside the process: sends everything to the parent."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def phase(self, text: str) -> None:
        """Tell what is being done now."""
        self._channel.send(("phase", text))

    def fact(self, text: str) -> None:
        """Tell something that is known from now on."""
        self._channel.send(("fact", text))

    def decided(self, result: object) -> None:
        """Tell a verdict (of a property, mostly) that will not change any more."""
        self._channel.send(("decided", result))

    def so_far(self, result: object) -> None:
        """Tell what is to be answered (about a property, mostly) if the process is stopped now."""
        self._channel.send(("so_far", result))


Work = Callable[[Task, Relay], tuple[object, ...]]


@dataclass(frozen=True, eq=False)
class NotStarted:
    """A process that the system did not let start, and ``why``; the others go on without it."""

    name: str
    started: float
    why: str


Engaged = Child | NotStarted


@dataclass(frozen=True)
class Report:
    """What a process said: ``kind`` is one of a relay's, ``results``, ``failed`` or ``ended``.

    ``content`` belongs to the kind: a text, a Result, the tuple of all results, the exception,
    or an :class:`Unanswered`.
    """

    source: Engaged
    kind: str
    content: Any


class Team:
    """Processes that work for one task, within its limits of time and memory.

    Leaving the context stops those that still run.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._time = Deadline(None if task.timeout is None else task.timeout + GRACE)
        self._supervisor = Supervisor(task.memory)
        self._refused: list[NotStarted] = []

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        self._supervisor.__exit__()

    @property
    def running(self) -> list[Child]:
        """The processes that have not ended."""
        return self._supervisor.children

    def start(self, name: str, work: Work, task: Task) -> Engaged:
        """Start an engine on a task, which may have limits of its own.

        One that the system refuses is reported as ended: what others say is not lost by it.
        """
        limits = ProcessLimits(data_mb=task.memory)
        try:
            # A forked process has the task's suite; protocols and properties are code, not data.
            return self._supervisor.start(lambda channel: work(task, Relay(channel)), name, limits)
        except OSError as error:
            refused = NotStarted(name, monotonic(), said_of_refused_process(error))
        self._refused.append(refused)
        return refused

    def stop(self, one: Child) -> None:
        """Stop a process of the team; what it has not said yet is lost."""
        self._supervisor.stop(one)

    def next(self, seconds: float | None = None) -> Report | None:
        """Return what is said next; None if nothing is within ``seconds`` or nobody runs.

        Raises OutOfTime when the task's time limit has passed.
        """
        if self._refused:
            refused = self._refused.pop(0)
            return Report(refused, "ended", Unanswered(Why.DIED, refused.why))
        left = [w for w in (self._time.remaining(), seconds) if w is not None]
        found = self._supervisor.next(min(left, default=None))
        if found is None:
            if self.running and self._time.remaining() == 0:
                raise OutOfTime("the time limit has passed")
            return None
        source, event = found
        match event:
            case Said((kind, content)):
                return Report(source, kind, content)
            case Reply(results):
                return Report(source, "results", results)
            case Failed(error):
                return Report(source, "failed", error)
            case Lost():
                return Report(source, "ended", self._why(event))
            case Said():
                raise TypeError(f"{source.name} said what no relay says: {event.content!r}")
        assert_never(event)

    def _why(self, lost: Lost) -> Unanswered:
        limit = self._task.memory
        reached = limit if lost.limit is None and lost.out_of_memory else lost.limit
        if reached is not None:
            return Unanswered(Why.MEMORY, f"the memory limit of {reached} MB is reached")
        if lost.out_of_memory:
            reason = f"no memory was left to go on with{limit_to_raise()}"
            return Unanswered(Why.MEMORY, reason, lost.exit)
        if lost.processor_limit is not None:
            return Unanswered(Why.TIME, said_of_limit(lost.processor_limit))
        reason = f"the engine's process ended without an answer (exit {lost.exit})"
        if limit is not None:
            reason += f"; it may have met the memory limit of {limit} MB"
        return Unanswered(Why.DIED, reason, lost.exit)
