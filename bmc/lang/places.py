"""Where in its author's files something of a protocol is said."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_BETWEEN = ("bmc.lang.", "contextlib")


@dataclass(frozen=True)
class Line:
    """A line of a file, counted from 1."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.number}"


def here() -> Line:
    """Return the line of a protocol's text that is being read."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_BETWEEN):
        frame = frame.f_back
    if frame is None:
        return Line("?", 0)
    return Line(frame.f_code.co_filename, frame.f_lineno)
