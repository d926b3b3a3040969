"""The frame every command runs in: one answer, one exit code, no traceback."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from errno import ENAMETOOLONG
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from bmc.cli.shared import outcome
from bmc.lang.advice import NESTED_TOO_DEEPLY
from bmc.lang.errors import BmcError
from bmc.reports.page import Page
from bmc.running.files import UnwritableFile, WriteFailed
from bmc.running.signals import raise_interruptions

if TYPE_CHECKING:
    from bmc.reports.documents import Document


Written = TypeVar("Written")


class _WriteInterrupted(KeyboardInterrupt):
    """An interruption that came when all was decided, while files were written."""


class Answer:
    """A context in which a command works, and out of which it leaves with its exit code.

    With ``as_json`` exactly one document is written to stdout, whatever happens; with ``lines`` it
    is the last line, after one for each event. A
    :class:`BmcError` becomes one message on stderr; any other exception is a failure of bmc,
    said in one line, with the traceback only when ``verbose``.
    """

    def __init__(
        self, command: str, as_json: bool = False, verbose: bool = False, lines: bool = False
    ) -> None:
        self.command = command
        self.as_json = as_json or lines
        self._lines = lines
        self.verbose = verbose
        self.code = outcome.OK
        self.page = Page()
        self._start = monotonic()
        self._answered = False
        self.told: set[str] = set()
        """The properties that an event has told the verdict of."""
        self._besides: list[BaseException] = []

    @property
    def seconds(self) -> float:
        """Seconds since the command began."""
        return monotonic() - self._start

    def document(self, content: dict[str, Any]) -> None:
        """Write the command's document."""
        from bmc.reports.documents import document

        written = document(self.command, content, self.seconds)
        # Who interrupts what comes before this gets a document all the same, that of an error.
        self._answered = True
        write_json(written, self._lines)

    def event(self, kind: str, content: dict[str, Any]) -> None:
        """Write a line about something that is known before the command ends.

        A reader who has gone, or a full disk, is met again by the document, which says so.
        """
        with suppress(WriteFailed):
            write_json({"command": self.command, "event": kind, **content}, one_line=True)

    @property
    def streams(self) -> bool:
        """Whether events are asked for."""
        return self._lines

    @property
    def lines(self) -> Callable[[str, dict[str, Any]], None] | None:
        """What writes an event; None unless they are asked for."""
        return self.event if self.streams else None

    def stored(self, write: Callable[[], Written], otherwise: Written) -> Written:
        """Return what ``write`` says of the files it wrote, or ``otherwise`` if it cannot.

        What was found is told all the same, and the command ends with the failure's code, or
        that of an interruption.
        """
        try:
            return write()
        except UnwritableFile as error:
            self._besides.append(error)
        except KeyboardInterrupt:
            self._besides.append(_WriteInterrupted())
        return otherwise

    def also(self, errors: Iterable[BmcError]) -> None:
        """Say these too when all is told, and end with the weightiest code of all."""
        self._besides += errors

    def cost(self) -> None:
        """Say how long it took and how much memory, for those who asked."""
        if not self.verbose:
            return
        from bmc.reports.machine import peak_memory_mb

        memory = peak_memory_mb()
        said = f"{self.seconds:.1f} s"
        if memory is not None:
            own, children = memory
            said += f", peak memory {own:.0f} MB"
            said += f" (and {children:.0f} MB in a child process)" if children else ""
        self.page.line(said)

    def __enter__(self) -> Answer:
        # `kill` is to lose no more than Ctrl-C does: what was learnt is told, and every child ends.
        # Before there is an answer that could tell it, whoever watches the process does.
        raise_interruptions()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        try:
            self.page.flush()
        except WriteFailed as full:
            self._besides.append(full)
        if error is not None and not isinstance(error, typer.Exit):
            if isinstance(error, SystemExit | GeneratorExit):
                return
            self._fail(error)
        for failure in self._besides:
            code = self.code
            self._fail(failure)
            self.code = outcome.worst((code, self.code))
        raise typer.Exit(self.code) from None

    def _fail(self, error: BaseException) -> None:
        self.code, message = _judged(error)
        if self.verbose and self.code == outcome.FAILURE:
            sys.stderr.write("".join(traceback.format_exception(error)))
        errors = Page(sys.stderr)
        errors.line((f"bmc {self.command}: ", "bold red"), message)
        errors.flush()
        if self.as_json and not self._answered:
            from bmc.reports.documents import error_document

            self._answered = True
            kind = type(error).__name__
            with suppress(WriteFailed):
                write_json(error_document(self.command, kind, message, self.code), self._lines)


def _judged(error: BaseException) -> tuple[int, str]:
    from bmc.engines.task import OutOfTime
    from bmc.evidence.verdict import Contradiction
    from bmc.running.hidden import said_of_hidden
    from bmc.running.interruption import LimitMet
    from bmc.running.memory import lacked_memory, limit_to_raise
    from bmc.running.room import has_no_place
    from bmc.solving.interface import SolverError

    if isinstance(error, _WriteInterrupted):
        return outcome.UNKNOWN, "interrupted: a file that was asked for may be missing"
    if isinstance(error, KeyboardInterrupt):
        return outcome.UNKNOWN, "interrupted"
    if isinstance(error, OutOfTime | LimitMet):
        return outcome.UNKNOWN, str(error)
    if isinstance(error, Contradiction):
        return (
            outcome.FAILURE,
            f"{error}. This is a bug in bmc and no verdict: please report it with the command line",
        )
    if lacked_memory(error):
        return outcome.UNKNOWN, (
            f"no memory was left to go on with{limit_to_raise()}; smaller parameters take less"
        )
    if isinstance(error, SolverError | WriteFailed):
        return outcome.FAILURE, str(error)
    if isinstance(error, BmcError):
        return outcome.USAGE, str(error)
    if isinstance(error, RecursionError):
        return outcome.USAGE, NESTED_TOO_DEEPLY
    if hidden := said_of_hidden():
        return outcome.USAGE, hidden
    if isinstance(error, OSError) and (long := said_of_a_long_name(error)):
        return outcome.USAGE, long
    if has_no_place(error):
        refused = error.strerror if isinstance(error, OSError) else error
        return outcome.UNKNOWN, (
            f"the system refuses what bmc needs to work: {refused}. Make room on the disks "
            "of TMPDIR and /dev/shm, which have to be writable, or raise the limits of `ulimit "
            "-a`, and ask again"
        )
    return outcome.FAILURE, (
        f"internal failure: {described(error)}. This is a bug in bmc: please report it with the "
        "command line and what --verbose shows"
    )


def said_of_a_long_name(error: OSError) -> str | None:
    """Return what is to be said where a path that somebody gave is too long for any file's."""
    if error.errno != ENAMETOOLONG or error.filename is None:
        return None
    return f"no file can be called {shortened(str(error.filename))}: give a shorter name"


def shortened(name: str) -> str:
    """A name in so few characters that it can be recognised."""
    return name if len(name) <= 2 * _SHOWN else f"{name[:_SHOWN]}…{name[-_SHOWN:]}"


_SHOWN = 30


def described(error: BaseException) -> str:
    """An exception that nobody expected, in a line: its kind, its text and the place."""
    frames = traceback.extract_tb(error.__traceback__)
    text = " ".join(str(error).split()) or "no message"
    # The deepest line that is bmc's own: what a report of the bug needs first.
    own = [frame for frame in frames if "bmc" in frame.filename.replace("\\", "/").split("/")]
    place = f" at {_short(own[-1].filename)}:{own[-1].lineno}" if own else ""
    return f"{type(error).__name__}: {text}{place}"


def _short(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    start = len(parts) - 1 - parts[::-1].index("bmc")
    return "/".join(parts[start:])


def write_json(whole: Document, one_line: bool = False) -> None:
    """Write the one document of a command to stdout."""
    from bmc.reports.documents import text_of

    page = Page()
    page.line(text_of(whole, one_line))
    page.flush()
