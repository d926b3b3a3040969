"""Values that the text of a protocol makes and that nothing in the whole of it reads.

One that a method counts on for itself is refused (:mod:`bmc.lang.counted`). Of the others Python
cannot tell whether they are left over, are wanted under another setting of the class, or were meant
for a variable (``box.set(box.n + 1)``): whoever asks is told of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from bmc.lang.function_text import file_of
from bmc.lang.places import Spot
from bmc.lang.scope import MethodScope


class Unread:
    """What the methods of a protocol have made so far and not read."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], Spot] = {}
        """By an instruction, whose code is held so that no other one is given its number."""
        self._read: set[tuple[int, int]] = set()

    def add(self, said: MethodScope) -> None:
        """Add what a method that has been read to its end has made."""
        self._made.update({(id(one.code), one.offset): one for one in said.never_read()})
        self._read |= said.told

    def notes(self) -> tuple[str, ...]:
        """Return one sentence for each value, in the order of the text, with file and line."""
        found = [spot for place, spot in self._made.items() if place not in self._read]
        return tuple(_note(one) for one in sorted(found, key=_place))


_gathering: ContextVar[Unread | None] = ContextVar("values that nothing reads", default=None)


@contextmanager
def gathered() -> Iterator[Unread]:
    """Gather the values of all methods that are read inside of the block."""
    unread = Unread()
    before = _gathering.set(unread)
    try:
        yield unread
    finally:
        _gathering.reset(before)


def note_left(said: MethodScope) -> None:
    """Note what a method has left unread, where somebody gathers that."""
    if (unread := _gathering.get()) is not None:
        unread.add(said)


def _place(spot: Spot) -> tuple[str, int, int]:
    line, _, column, _ = spot.position
    return spot.code.co_filename, line or 0, column or 0


def _note(spot: Spot) -> str:
    file, line, _ = _place(spot)
    text = _text(spot)
    what = f"`{text}` makes a value" if text else "a value is made"
    return (
        f"{Path(file).name}, line {line}: {what} that nothing reads: write s.x = ... where a "
        "variable is meant, and leave it out, or write _ = ..., where it is not wanted"
    )


def _text(spot: Spot) -> str:
    """Return the expression of a spot on one line, nothing where it has no text."""
    first, last, column, end = spot.position
    source = file_of(spot.code, spot.known)
    for part in ast.walk(source.tree):
        if isinstance(part, ast.expr) and (
            (part.lineno, part.end_lineno, part.col_offset, part.end_col_offset)
            == (first, last, column, end)
        ):
            return ast.unparse(part)
    return ""
