"""The pace of a search through states: when it stops early, and what it says on its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from bmc.engines.task import Deadline, Observer, OptionError
from bmc.evidence.wording import count
from bmc.lang.errors import BmcError
from bmc.running.memory import MEGABYTE, resident_bytes

_SECONDS_BETWEEN_PHASES = 0.3
_SECONDS_BETWEEN_FACTS = 10.0


class Stopped(BmcError):
    """The search ends before everything is explored; the message says why."""


class MemoryReached(Stopped):
    """The process holds as much memory as it may."""


@dataclass(frozen=True)
class ExplorationLimits:
    """When to stop early, None for no limit: ``timeout`` in seconds, ``max_states`` in all,
    ``max_depth`` in steps from an initial state, ``memory`` in megabytes that the process holds.
    Raises OptionError for a number that leaves nothing to do."""

    timeout: float | None
    max_states: int | None
    max_depth: int | None
    memory: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("max_states", 1), ("max_depth", 0)):
            limit = getattr(self, name)
            if limit is not None and limit < least:
                raise OptionError(f"{name} must be {least} or more, you gave {limit}")


class Pace:
    """Watches the limits from now on, and tells the observer how far the search is."""

    def __init__(self, limits: ExplorationLimits, observer: Observer) -> None:
        self._limits = limits
        self._observer = observer
        self._deadline = Deadline(limits.timeout)
        self.held_elsewhere: Callable[[], int] = lambda: 0
        """The bytes of memory that other processes of the search hold."""
        self._began = self._phase_told = self._fact_told = monotonic()

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return monotonic() - self._began

    def room(self) -> int | None:
        """Return the bytes of memory that the limit leaves, None if there is none."""
        memory = self._limits.memory
        if memory is None:
            return None
        return memory * MEGABYTE - resident_bytes() - self.held_elsewhere()

    def before_block(self, levels: Sequence[int]) -> None:
        """Raise Stopped or OutOfTime if a limit is passed, given the states by level so far."""
        self._deadline.check()
        states, limit = sum(levels), self._limits.max_states
        if limit is not None and states > limit:
            raise Stopped(f"the limit of {count(limit, 'state')} is passed")
        room = self.room()
        if room is not None and room < 0:
            raise MemoryReached(f"the memory limit of {self._limits.memory:,} MB is reached")
        now = monotonic()
        if now - self._phase_told >= _SECONDS_BETWEEN_PHASES:
            self._phase_told = now
            speed = states / (now - self._began)
            self._observer.phase(f"level {len(levels)}: {states:,} states, {speed:,.0f}/s")

    def before_level(self, levels: Sequence[int]) -> None:
        """Raise Stopped if there may be no further level after ``levels``, all of them found."""
        if len(levels) - 1 == self._limits.max_depth:
            raise Stopped(f"the limit of {count(self._limits.max_depth, 'step')} is reached")
        now = monotonic()
        if now - self._fact_told >= _SECONDS_BETWEEN_FACTS:
            self._fact_told = now
            steps = len(levels) - 1
            self._observer.fact(
                f"all {sum(levels):,} states within {count(steps, 'step')} are explored"
            )
