"""JSON from files that somebody else may have written: read whole and plain, or refused.

Certificates, traces and records are read here. What could cost more than it is worth, or has no
meaning outside of one parser, is no document: text that is too long, nesting that is too deep,
``NaN`` and ``Infinity``, a key that stands twice in an object, of which one parser takes the first
and another the last, and strings that no terminal and no file can hold.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn

_MOST_BYTES = 256 * 1024 * 1024
_CHUNK = 1024 * 1024
_DEEPEST = 100


class NotADocument(ValueError):
    """A text is no JSON that is worth reading; the message says why."""


def text_in(path: Path) -> str:
    """Return the text of a file that may be one of data, of which no more is read than can be.

    Raises OSError, UnicodeDecodeError, and NotADocument where it is too long, or has no end.
    """
    parts: list[bytes] = []
    with path.open("rb") as stream:
        if os.fstat(stream.fileno()).st_size > _MOST_BYTES:
            raise _too_long()
        while part := stream.read(_CHUNK):
            parts.append(part)
            if len(parts) * _CHUNK > _MOST_BYTES + _CHUNK:
                raise _too_long()
    return b"".join(parts).decode("utf-8")


def _too_long() -> NotADocument:
    return NotADocument(f"it has more than {_MOST_BYTES:,} bytes, the most that is read")


def document(text: str) -> Any:
    """The value that a JSON text holds, behind a byte order mark or not. Raises NotADocument."""
    if len(text) > _MOST_BYTES:
        raise _too_long()
    try:
        plain = text.removeprefix("\ufeff")
        found = json.loads(plain, object_pairs_hook=once, parse_constant=refuse_constant)
    except RecursionError:
        raise NotADocument(f"it is nested more than {_DEEPEST} deep") from None
    except json.JSONDecodeError as error:
        raise NotADocument(str(error)) from None
    except NotADocument:
        raise
    except ValueError:
        raise NotADocument(too_many_digits()) from None
    _require_plain(found)
    return found


def too_many_digits() -> str:
    """Return what is said of a number for which a reader of Python's raises a ValueError."""
    most = sys.get_int_max_str_digits()
    return (
        f"a number in it has more than {most:,} digits, the most that is read: "
        "write a shorter one, or a string"
    )


def line_of_digits(text: str) -> int | None:
    """Return the line of the first such number in a text, None where there is none."""
    found = re.search(rf"\d(?:_?\d){{{sys.get_int_max_str_digits()}}}", text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; NotADocument where a key stands in it twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        uses = Counter(name for name, _ in pairs)
        twice = next(name for name, count in uses.items() if count > 1)
        raise NotADocument(f"the key {twice!r:.60} stands in it twice")
    return found


def refuse_constant(constant: str) -> NoReturn:
    """Raise NotADocument for what Python alone takes for a number."""
    raise NotADocument(f"{constant} is no JSON number")


def _require_plain(found: object) -> None:
    level: list[object] = [found]
    for _ in range(_DEEPEST):
        following: list[object] = []
        for part in level:
            match part:
                case dict():
                    following += part.keys()
                    following += part.values()
                case list():
                    following += part
                case str() if not part.isascii():
                    _require_text(part)
        if not following:
            return
        level = following
    raise NotADocument(f"it is nested more than {_DEEPEST} deep")


def _require_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotADocument("a string in it is no text: it holds half a character") from None


def text_of(part: object) -> str:
    """A string that is one and says something; ValueError otherwise."""
    if not isinstance(part, str) or not part.strip():
        raise ValueError(f"expected a text, found {part!r:.60}")
    return part


def integer_of(part: object) -> int:
    """An integer that is one; ValueError otherwise."""
    if isinstance(part, bool) or not isinstance(part, int):
        raise ValueError(f"expected an integer, found {part!r:.60}")
    return part


def only(document: Mapping[str, object], known: Collection[str]) -> None:
    """Raise ValueError where a document has a part that no reader of it knows.

    Whoever passes over a part judges something else than what the document says.
    """
    for name in document:
        if name not in known:
            raise ValueError(f"it has a part {name!r:.60}, which this version of bmc does not know")


def what_is_wrong(error: KeyError | TypeError | ValueError | AttributeError) -> str:
    """Return what reading a document's parts has met, in words about the document."""
    match error:
        case KeyError():
            return f"it lacks {error}"
        case ValueError():
            return str(error)
        case TypeError() | AttributeError():
            return "a part of it is of another form than that part has"
