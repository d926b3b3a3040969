"""Texts of others inside of Markdown: names and values that are shown, and never mean markup.

Protocols, properties, actions and values are named by whoever wrote the protocol. What they are
called may not end a table, close a fence, make a link or start an HTML element. Escapes are those
of CommonMark 0.31 (sections 2.4 and 2.5), tables and bare links those of GitHub's extensions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# An underscore inside a word is one; a name like max_id stays readable.
_SPECIAL = re.compile(r"[\\`*\[\]<>&|~]|(?<![^\W_])_|_(?![^\W_])")
_BARE_LINK = re.compile(r":(?=//)|(?<=www)\.", re.IGNORECASE)
_LINE_END = re.compile(r"[\r\n\v\f\x85\u2028\u2029]")
_SPACES = re.compile(rf"\s{{2,}}|{_LINE_END.pattern}")


class Markup(str):
    """A piece of Markdown that means what it says."""

    __slots__ = ()


def plain(text: object) -> Markup:
    """Return a text as one line of Markdown that shows it letter by letter."""
    if isinstance(text, Markup):
        return text
    escaped = _SPECIAL.sub(_escaped, _line(str(text)))
    return Markup(_BARE_LINK.sub(lambda found: f"&#{ord(found[0])};", escaped))


def _escaped(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0], f"\\{found[0]}")


def _line(text: str) -> str:
    return _SPACES.sub(lambda run: " " if _LINE_END.search(run[0]) else run[0], encodable(text))


def encodable(text: str) -> str:
    """Return a text that a file in UTF-8 can hold, with ``?`` for what it cannot."""
    # A file may have a name that is no UTF-8: Python has halves of surrogate pairs there.
    return text.encode("utf-8", "replace").decode("utf-8")


def code(text: object) -> Markup:
    """Return a text as a code span, whatever backticks it has."""
    line = _line(str(text))
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line.strip() else ""
    return Markup(f"{fence}{pad}{line}{pad}{fence}")


def fenced(text: str, kind: str = "", least: int = 3) -> Markup:
    """Return lines as a block of code of a ``kind``; nothing in them closes it."""
    fence = "`" * max(least, _longest_run(text) + 1)
    return Markup(f"{fence}{kind}\n{encodable(text)}\n{fence}")


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def link(text: object, target: str) -> Markup:
    """Return a link to a file below the document's folder."""
    return Markup(f"[{plain(text)}]({quote(target)})")


def table(head: Sequence[object], lines: Iterable[Sequence[object]]) -> Markup:
    """Return a table; what is no Markup is shown letter by letter."""
    rule = " | ".join("---" for _ in head)
    written = [" | ".join(map(_cell, line)) for line in (head, *lines)]
    return Markup("\n".join(f"| {line} |" for line in (written[0], rule, *written[1:])))


def _cell(content: object) -> str:
    # The bar ends a cell even inside of a code span.
    return re.sub(r"(?<!\\)\|", r"\\|", plain(content))
