"""What stands in a text at a place."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from .errors import Span


def excerpt(span: Span) -> list[str]:
    """Return what stands there, line by line, its first line at the margin.

    Raises OSError and UnicodeDecodeError where the file cannot be read.
    """
    there = Path(span.file).read_text(encoding="utf-8").split("\n")[span.line - 1 : span.end_line]
    there[-1] = there[-1][: span.end_column - 1]
    there[0] = " " * (span.column - 1) + there[0][span.column - 1 :]
    return [one.rstrip() for one in dedent("\n".join(there)).split("\n")]


def on_one_line(span: Span) -> str:
    """Return what stands there on one line, or the place where the file cannot be read."""
    try:
        return " ".join(" ".join(excerpt(span)).split())
    except (OSError, UnicodeDecodeError):
        return str(span)
