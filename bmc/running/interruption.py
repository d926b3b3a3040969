"""Limits of time and memory on Python code that looks at no clock itself."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from bmc.lang.errors import BmcError
from bmc.running.memory import MEGABYTE, resident_bytes
from bmc.running.signals import is_lost_in

_SECONDS_BETWEEN_LOOKS = 0.1


class LimitMet(BmcError):
    """What was under way met a limit of time or memory that was given: nothing is known of it."""


class _Stop(BaseException):
    """Ends the work from a signal's handler, past all that catches Exception."""


@contextmanager
def interrupted(
    what: str, seconds: float | None = None, memory_mb: int | None = None
) -> Iterator[None]:
    """Raise LimitMet when what is done here takes more than ``seconds`` or memory, in megabytes.

    ``what`` names the work in the message. The work is ended between two steps of Python, so it
    must not be one long call of compiled code. Without a limit, and in a thread other than the
    main one (which alone gets signals), nothing is limited. An alarm that is set rings when it
    would have, and goes on behind it.
    """
    limited = seconds is not None or memory_mb is not None
    if not limited or threading.current_thread() is not threading.main_thread():
        yield
        return
    end = None if seconds is None else monotonic() + seconds
    met = ""
    due: float | None = None

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal met
        if end is not None and monotonic() >= end:
            met = "the time limit has passed; --timeout gives it longer"
        elif memory_mb is not None and resident_bytes() > memory_mb * MEGABYTE:
            met = f"the memory limit of {memory_mb} MB is met; --memory gives it more"
        rings = due is not None and monotonic() >= due
        if not (met or rings) or is_lost_in(frame):
            return
        if met:
            raise _Stop
        ring(number, frame)

    def ring(number: int, frame: FrameType | None) -> None:
        """Do what the alarm that was set would do: whoever set it may wait for that alone."""
        nonlocal due
        due = monotonic() + interval if interval else None
        if callable(before):
            before(number, frame)
        elif before is signal.SIG_DFL:
            signal.signal(number, before)
            signal.raise_signal(number)

    left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
    due = monotonic() + left if left else None
    before = signal.signal(signal.SIGALRM, look)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, _SECONDS_BETWEEN_LOOKS, _SECONDS_BETWEEN_LOOKS)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if due is not None:
                at_once = _SECONDS_BETWEEN_LOOKS / 100
                signal.setitimer(signal.ITIMER_REAL, max(due - monotonic(), at_once), interval)
    except _Stop:
        raise LimitMet(f"{what} is unknown: {met}") from None
