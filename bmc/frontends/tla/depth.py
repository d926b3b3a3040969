"""Room for Python to recurse in, as deep as the parser's limit of nesting asks for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import Span, TlaLimit

_FRAMES = 20_000
"""Python's frames while a text of the greatest nesting is read."""

_ROOM = 1_000
"""Python's frames for a translation, as many as a program has that never asked for more."""

FOR_CONSTANTS = 12_000
"""Python's frames for a constant expression: a recursion takes some ten for each call."""


@contextmanager
def same_room(frames: int = _ROOM) -> Iterator[None]:
    """Give Python as many frames from here on, however deep the caller is.

    What they are too few for is left open, which has to be the same for a finder and its judge.
    A program that has asked Python for more keeps them, as other threads of its may need them.
    """
    before = sys.getrecursionlimit()
    depth, frame = 0, sys._getframe()
    while (caller := frame.f_back) is not None:
        depth, frame = depth + 1, caller
    sys.setrecursionlimit(max(before, depth + frames))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def deep_recursion(file: str) -> Iterator[None]:
    """Let Python recurse as deep as the parser's limit asks for; what goes beyond is TlaLimit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    except RecursionError:
        raise TlaLimit(
            Span(file, 1, 1, 1, 1),
            "definitions build on each other deeper than is followed",
            "give less deeply nested parts to the checker",
        ) from None
    finally:
        sys.setrecursionlimit(before)
