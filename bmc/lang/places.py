"""Where in its author's files something of a protocol is said."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from bmc.lang.errors import LanguageError
from bmc.lang.whose import is_bmcs, module_of

_BETWEEN = ("bmc.lang.", "contextlib")


@dataclass(frozen=True)
class Line:
    """A line of a file, counted from 1."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.number}"


@dataclass(frozen=True, eq=False)
class Spot:
    """An instruction of a protocol's text, with the names of its module."""

    code: CodeType
    offset: int
    known: dict[str, Any]

    @property
    def position(self) -> tuple[int | None, int | None, int | None, int | None]:
        """First and last line, first and last column of the expression it is of."""
        return list(self.code.co_positions())[self.offset // 2]


def spot() -> Spot | None:
    """Return the instruction of a protocol's text that is under way, None where there is none."""
    frame = _frame_of_the_text()
    return None if frame is None else Spot(frame.f_code, frame.f_lasti, frame.f_globals)


def here() -> Line:
    """Return the line of a protocol's text that is being read."""
    frame = _frame_of_the_text()
    return Line("?", 0) if frame is None else Line(frame.f_code.co_filename, frame.f_lineno)


def is_a_protocols() -> bool:
    """Return whether the text that is being read is a protocol's, and none of bmc's own."""
    frame = _frame_of_the_text()
    return frame is None or _is_of_a_protocol(frame)


def require_none_asks(remedy: str) -> None:
    """Raise LanguageError with ``remedy`` where a protocol's text called the caller."""
    if a_protocol_asks(2):
        raise LanguageError(remedy)


def a_protocol_asks(above: int) -> bool:
    """Return whether what is so many calls ``above`` the caller is a protocol's text."""
    asking = sys._getframe(1 + above)
    module = module_of(asking).partition(".")[0]
    # Tables of Python's own ask on behalf of bmc, as those of weak references do.
    return _is_of_a_protocol(asking) and module not in sys.stdlib_module_names


def _is_of_a_protocol(frame: FrameType) -> bool:
    return not is_bmcs(module_of(frame))


def _frame_of_the_text() -> FrameType | None:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and module_of(frame).startswith(_BETWEEN):
        frame = frame.f_back
    return frame
