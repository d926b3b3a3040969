"""A digest of what a specification says, whatever it is translated into.

Layout and comments of the text are no part of it, nor are definitions that the configuration does
not reach. Two versions of bmc give one text the same digest, so that a lock can tell a change of
the text from a translation that has become another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256

from . import core as c
from .depth import deep_recursion
from .errors import Span
from .specification import Specification

_LEFT_OUT = ("span", "files", "taken", "edited", "partly", "hidden", "texts", "behaviours")
"""Places, notes, names that nothing reaches, what a command asks for, the variables that an
ENABLED hides (what mentions them says so), and what names the behaviours, whose parts are here."""


def digest(specification: Specification) -> str:
    """Return the digest of a specification at its configuration, in hexadecimal."""
    found = sha256()
    with deep_recursion(specification.module):
        for word in _Words().of(specification):
            found.update(f"{len(word)}:{word}".encode())
    return found.hexdigest()


class _Words:
    """Writes nodes; a definition or binding is written where it is first met, then numbered."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}

    def of(self, node: object) -> Iterator[str]:
        """Yield the words of a node."""
        match node:
            case None | bool() | int() | str():
                yield f"{type(node).__name__} {node}"
            case Enum():
                yield str(node.value)
            case tuple() | list():
                yield f"list {len(node)}"
                for part in node:
                    yield from self.of(part)
            case Mapping():
                yield f"table {len(node)}"
                for name in sorted(node):
                    yield str(name)
                    yield from self.of(node[name])
            case c.Definition() | c.Binding() | c.HiddenVariable():
                yield from self._named(node)
            case Span():
                pass
            case _ if is_dataclass(node):
                yield type(node).__name__
                for field in fields(node):
                    if field.name not in _LEFT_OUT:
                        yield from self.of(getattr(node, field.name))
            case _:
                raise TypeError(f"a specification holds {node!r}, which has no digest")

    def _named(self, node: c.Definition | c.Binding | c.HiddenVariable) -> Iterator[str]:
        known = self._numbers.get(id(node))
        if known is not None:
            yield f"see {known}"
            return
        self._numbers[id(node)] = len(self._numbers)
        yield f"{type(node).__name__} {node.name}"
        if isinstance(node, c.Definition):
            yield from self.of(node.parameters)
            yield from self.of(node.body)
        elif isinstance(node, c.HiddenVariable) and node.is_defined:
            yield from self.of(node.expression)
