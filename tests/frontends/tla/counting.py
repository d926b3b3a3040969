"""Counts what is called, so that a test fails where work doubles, and does not run for ever."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def calls(most: int) -> Iterator[None]:
    """Within, an assertion fails where Python functions are called more often than ``most``."""
    left = [most]

    def counted(_frame: FrameType, event: str, _found: object) -> None:
        left[0] -= event == "call"
        assert left[0] >= 0

    sys.setprofile(counted)
    try:
        yield
    finally:
        sys.setprofile(None)
