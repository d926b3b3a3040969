"""Several children side by side: who says something next, and one limit of memory for all."""

from __future__ import annotations

from multiprocessing.connection import wait
from time import monotonic

from bmc.running.child import (
    NO_LIMITS,
    Child,
    Event,
    Failed,
    Lost,
    ProcessLimits,
    Reply,
    Said,
    Work,
)
from bmc.running.memory import MEGABYTE
from bmc.running.signals import held_back

__all__ = ["Child", "Event", "Failed", "Lost", "ProcessLimits", "Reply", "Said", "Supervisor"]

_SECONDS_BETWEEN_LOOKS = 0.1


class Supervisor:
    """Starts children, and stops those that still run when the context is left.

    ``memory_mb`` limits what all of them hold together, in megabytes: when it is passed, the
    largest is stopped, and lost.
    """

    def __init__(self, memory_mb: int | None = None) -> None:
        self._memory_mb = memory_mb
        self.children: list[Child] = []

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        with held_back():
            while self.children:
                child = self.children.pop()
                try:
                    child.stop()
                except BaseException:
                    # Whoever interrupts once more, as a thread lets in, has none of them run on.
                    try:
                        child.stop()
                    finally:
                        self.__exit__()
                    raise

    def start(
        self, work: Work, name: str = "", limits: ProcessLimits = NO_LIMITS, leads: bool = False
    ) -> Child:
        """Fork a child that does ``work``, see :class:`Child`."""
        # A child that was started when an interruption came is among those that are stopped.
        with held_back():
            child = Child(work, name, limits, leads)
            self.children.append(child)
        return child

    def stop(self, child: Child) -> None:
        """End a child; what it has not said yet is lost."""
        child.stop()
        self.children.remove(child)

    def next(self, seconds: float | None = None) -> tuple[Child, Event] | None:
        """Return who says something next, and what; a child that has ended is none any more.

        None if nothing is said within ``seconds``, or nobody runs.
        """
        end = None if seconds is None else monotonic() + seconds
        while self.children:
            if (large := self._too_large()) is not None:
                return large
            left = None if end is None else max(0.0, end - monotonic())
            looks = None if self._memory_mb is None else _SECONDS_BETWEEN_LOOKS
            ready = wait(
                [child.pipe for child in self.children],
                min((w for w in (left, looks) if w is not None), default=None),
            )
            for child in self.children:
                if child.pipe in ready:
                    event = child.next()
                    if not isinstance(event, Said):
                        self.children.remove(child)
                    return child, event
            if left is not None and left <= (looks or 0.0):
                return None
        return None

    def _too_large(self) -> tuple[Child, Event] | None:
        if self._memory_mb is None:
            return None
        taken = {child: child.resident() for child in self.children}
        if sum(taken.values()) <= self._memory_mb * MEGABYTE:
            return None
        largest = max(self.children, key=taken.__getitem__)
        self.stop(largest)
        return largest, Lost(largest.exit, self._memory_mb)
