"""Choices: what random sorts, terms and protocols are made by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

MOST_CHOICES = 700
"""Choices of an example that are random; all further ones are the first option."""


class Draw:
    """Choices read off a string of bytes, one byte a choice.

    Hypothesis then draws once and not hundreds of times, and spends its time on the examples. It
    shrinks by lowering bytes: the first option of a choice should be the simplest.
    """

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._next = 0

    def __repr__(self) -> str:
        return f"Draw({self._source.rstrip(bytes(1))!r})"

    def number(self, low: int, high: int) -> int:
        """A number of the range, both ends included."""
        byte = self._source[self._next] if self._next < len(self._source) else 0
        self._next += 1
        return low + byte % (high - low + 1)

    def truth(self) -> bool:
        """False or true."""
        return bool(self.number(0, 1))

    def one_of(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(0, len(options) - 1)] if len(options) > 1 else options[0]

    def chance(self, of: int) -> bool:
        """True in one of so many cases."""
        return self.number(0, of - 1) == of - 1


def draws() -> st.SearchStrategy[Draw]:
    """Choices for one example."""
    return st.binary(min_size=MOST_CHOICES, max_size=MOST_CHOICES).map(Draw)
