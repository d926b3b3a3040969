"""An observer that keeps what it is told, and shows on stderr that work goes on."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic
from types import FrameType, TracebackType
from typing import Any

from bmc.evidence.verdict import Result, Unanswered, Verdict
from bmc.running.signals import INTERRUPTIONS, interrupt
from bmc.running.threads import begin

PATIENCE = 2.0
"""Seconds of silence that nobody minds."""
PLAIN_EVERY = 10.0
"""Seconds between lines where no terminal is watching."""
_SPINNER = "|/-\\"


def to_stderr(text: str) -> None:
    """Write what is to be said on the way; that it cannot be written is no failure."""
    # Past Python's buffers and their locks: an engine may fork while the line is written.
    try:
        os.write(sys.stderr.fileno(), text.encode("ascii", "replace"))
    except (AttributeError, OSError, ValueError):
        return


def _writes_to_a_terminal() -> bool:
    # A program that asks from Python may have no stderr, a closed one, or one that only writes.
    try:
        return sys.stderr.isatty()
    except (AttributeError, OSError, ValueError):
        return False


class Progress:
    """Collects facts and verdicts; after two seconds it shows a status line while it is open.

    On a terminal the line is renewed in place; elsewhere a plain line is written every ten
    seconds.
    """

    def __init__(
        self,
        *,
        terminal: bool | None = None,
        write: Callable[[str], None] = to_stderr,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.facts: list[str] = []
        self._results: dict[str, Result] = {}
        self._terminal = _writes_to_a_terminal() if terminal is None else terminal
        self._write = write
        self._clock = clock
        self._start = self._since = clock()
        self._next_line = self._start + (PATIENCE if self._terminal else PLAIN_EVERY)
        self._text = "starting"
        self._spent: dict[str, float] = {}
        self._shown = False
        self._turn = 0
        self._news: deque[str] = deque()
        self._interrupted = False
        self._handlers: dict[signal.Signals, Any] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="bmc-progress", daemon=True)

    def phase(self, text: str) -> None:
        """What is being done now; the place where an interruption that got lost is raised again."""
        if self._interrupted:
            raise KeyboardInterrupt
        self._count()
        self._text = text

    def _count(self) -> None:
        now = self._clock()
        self._spent[self._text] = self._spent.get(self._text, 0.0) + now - self._since
        self._since = now

    def fact(self, text: str) -> None:
        """Something that is known from now on."""
        self.facts.append(text)

    def decided(self, result: Result) -> None:
        """A verdict that will not change any more."""
        self._results[result.property] = result

    def announce(self, text: str) -> None:
        """Show a line as soon as the run has lasted so long that nobody waits for its end."""
        self._news.append(text)

    def learnt(self) -> list[str]:
        """The facts, and where an interruption met the work."""
        return [*self.facts, f"it was at: {self._text}"]

    def known(
        self, properties: Iterable[str], ended: Unanswered, engine: str
    ) -> tuple[Result, ...]:
        """Return what is decided of ``properties`` so far; the rest is unknown, and why."""
        spent = self._clock() - self._start
        rest = Result("", Verdict.UNKNOWN, engine, spent, reason=ended.text, why=ended.why)
        return tuple(self._results.get(n) or replace(rest, property=n) for n in properties)

    def spent(self) -> list[tuple[str, float]]:
        """The phases and the seconds each took, longest first."""
        self._count()
        return sorted(self._spent.items(), key=lambda pair: -pair[1])

    def __enter__(self) -> Progress:
        begin(self._thread)
        if threading.current_thread() is threading.main_thread():
            for number in INTERRUPTIONS:
                # nohup is not to be undone.
                if signal.getsignal(number) != signal.SIG_IGN:
                    self._handlers[number] = signal.signal(number, self._interrupt)
        return self

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        # Raised inside a solver's callback, the exception may never come out of the solver.
        self._interrupted = True
        interrupt(number, frame)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        while self._handlers:
            signal.signal(*self._handlers.popitem())
        self._done.set()
        self._thread.join(timeout=1.0)
        if self._shown and self._terminal:
            self._write("\r\x1b[K")

    def _watch(self) -> None:
        while not self._done.wait(0.15 if self._terminal else 0.5):
            self.tick()

    def tick(self) -> None:
        """Show the status if it is time to."""
        now = self._clock()
        if now - self._start >= PATIENCE:
            while self._news:
                cleared = "\r\x1b[K" if self._shown and self._terminal else ""
                self._write(f"{cleared}bmc: {self._news.popleft()}\n")
        if now < self._next_line:
            return
        elapsed = f"{now - self._start:.0f} s"
        if self._terminal:
            self._turn += 1
            room = shutil.get_terminal_size().columns - len(elapsed) - 5
            text = self._text if len(self._text) <= room else self._text[: max(0, room - 3)] + "..."
            self._write(f"\r\x1b[K{_SPINNER[self._turn % 4]} {text}  {elapsed}")
            self._shown = True
        else:
            self._next_line = now + PLAIN_EVERY
            self._write(f"bmc: {self._text} ({elapsed})\n")
