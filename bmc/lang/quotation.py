"""A false formula in the words of the text that a model was translated from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QuotedPart:
    """A part of a quoted formula that makes it what it is, and the values that it compares."""

    text: str
    truth: bool
    values: str = ""


@dataclass(frozen=True)
class Quotation:
    """A conjunct as it stands in a text, for the instance that fails, and why it is false there.

    ``place`` is file and line, ``chosen`` the values of the bound variables around it.
    """

    place: str
    lines: tuple[str, ...]
    chosen: tuple[tuple[str, str], ...]
    parts: tuple[QuotedPart, ...]
