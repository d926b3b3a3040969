"""Limits of what is evaluated: of time, and of work that ends at one place on every machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from bmc.running.threads import begin


class Rounds(list[str]):
    """Stops what is evaluated after so many rounds of its loops; see `Compiler.stop`.

    Each question whether to stop is a round. Time is no limit here.
    """

    def __init__(self) -> None:
        super().__init__()
        self._left: int | None = None

    @contextmanager
    def limited(self, rounds: int) -> Iterator[None]:
        """Make loops raise EvaluationLimit once this many rounds were taken."""
        self._left = rounds
        try:
            yield
        finally:
            self._left = None
            self.clear()

    def __bool__(self) -> bool:
        if self._left is not None:
            self._left -= 1
            if self._left < 0 and not len(self):
                self.append("no answer within the limit of work")
        return len(self) > 0


@contextmanager
def in_time(seconds: float, stop: list[str]) -> Iterator[None]:
    """Let ``stop`` say so once the block has taken this much processor time.

    Raises MemoryError where a limit of memory leaves none to look at the time in.
    """
    done = Event()
    watch = Thread(target=_watch, args=(seconds, stop, done), daemon=True)
    begin(watch)
    try:
        yield
    finally:
        done.set()
        watch.join()
        stop.clear()


def _watch(seconds: float, stop: list[str], done: Event) -> None:
    end = time.process_time() + seconds
    while (left := end - time.process_time()) > 0:
        if done.wait(left):
            return
    stop.append(f"no answer after {seconds:g} s")
