"""A limit of work that is met at the same place on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


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
