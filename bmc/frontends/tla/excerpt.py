"""What stands in a text at a place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from .errors import Span, TlaError


def excerpt(span: Span, texts: Mapping[str, str]) -> list[str]:
    """Return what stands there, line by line, its first line at the margin.

    ``texts`` are those of the modules as they were read: their files may have changed since. What a
    configuration says is looked up. Raises OSError and UnicodeDecodeError where that cannot be
    read, and TlaError where it has become shorter.
    """
    text = texts.get(span.file)
    if text is None:
        text = Path(span.file).read_text(encoding="utf-8")
    there = text.split("\n")[span.line - 1 : span.end_line]
    if len(there) <= span.end_line - span.line:
        raise TlaError(span, "the file has changed since it was read", "run the command again")
    there[-1] = there[-1][: span.end_column - 1]
    there[0] = " " * (span.column - 1) + there[0][span.column - 1 :]
    return [one.rstrip() for one in dedent("\n".join(there)).split("\n")]


def on_one_line(span: Span, texts: Mapping[str, str]) -> str:
    """Return what stands there on one line, or the place where that cannot be read."""
    try:
        return " ".join(" ".join(excerpt(span, texts)).split())
    except (OSError, UnicodeDecodeError, TlaError):
        return str(span)
