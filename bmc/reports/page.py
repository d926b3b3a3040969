"""A page: lines of text on a stream, in colour where a terminal shows it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from bmc.running.files import WriteFailed

if TYPE_CHECKING:
    from rich.console import Console

Part = str | tuple[str, str]
"""A piece of a line: plain, or with a style in rich's words (``"bold red"``)."""

_ASCII = {"→": "->", "⟨": "<<", "⟩": ">>", "┊": "|", "·": "*", "…": "...", "—": "-", "−": "-"}

# A name in a protocol is no command to a terminal.
_CONTROLS = {c: "?" for c in (*range(0x20), *range(0x7F, 0xA0)) if c not in (0x09, 0x0A)}


class Page:
    """Where a report is written.

    Lines are never wrapped or cut: what is piped into a file is what was said. Signs that the
    stream's encoding cannot carry are written in ASCII. Writing raises WriteFailed when stdout
    cannot be written, a full disk mostly; that nobody reads it, or stderr, is no failure.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self._encoding = getattr(self._stream, "encoding", None) or "ascii"
        try:
            "".join(_ASCII).encode(self._encoding)
            self._signs = dict(_CONTROLS)
        except (UnicodeEncodeError, LookupError):
            self._signs = {**_CONTROLS, **str.maketrans(_ASCII)}
        self._console = self._terminal()

    def _terminal(self) -> Console | None:
        # Rich takes NO_COLOR by the letter and keeps what is bold.
        if not self._stream.isatty() or os.environ.get("NO_COLOR"):
            return None
        from rich.console import Console

        return Console(file=self._stream, highlight=False)

    def line(self, *parts: Part) -> None:
        """Write one line."""
        pieces = [(part, "") if isinstance(part, str) else part for part in parts]
        pieces = [(self._writable(text), style) for text, style in pieces]
        try:
            if self._console is None:
                self._stream.write("".join(text for text, _ in pieces).rstrip() + "\n")
            else:
                from rich.text import Text

                self._console.print(Text.assemble(*pieces), soft_wrap=True)
        except OSError as error:
            self._give_up(error)

    def blank(self) -> None:
        """Write an empty line."""
        self.line()

    def flush(self) -> None:
        """Hand everything to the stream's reader."""
        try:
            self._stream.flush()
        except OSError as error:
            self._give_up(error)

    def _writable(self, text: str) -> str:
        text = text.translate(self._signs)
        try:
            return text.encode(self._encoding, "replace").decode(self._encoding)
        except LookupError:
            return text.encode("ascii", "replace").decode("ascii")

    def _give_up(self, error: OSError) -> None:
        discard(self._stream)
        # A closed pipe (`bmc list | head`) is no failure, and the exit code says the verdict.
        if not isinstance(error, BrokenPipeError) and self._stream is sys.stdout:
            raise unwritten_answer(error) from None


def discard(stream: TextIO) -> None:
    """Let a stream that cannot be written swallow what it still holds, and all that follows."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())
    os.close(sink)


def unwritten_answer(error: OSError) -> WriteFailed:
    """Return what is to be said when stdout cannot be written."""
    return WriteFailed(f"cannot write the answer to stdout: {error.strerror}")
