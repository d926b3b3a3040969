"""Room for Python to recurse in, as deep as the parser's limit of nesting asks for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import Span, TlaLimit

_FRAMES = 20_000
"""Python's frames while a text of the greatest nesting is read."""


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
