"""Reading a parsed document field by field, with a complaint that says where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bmc.regress.errors import LockFormatError


class DocumentTable:
    """One table of a document; ``where`` names it in complaints."""

    def __init__(self, content: Mapping[str, Any], where: str) -> None:
        self._content = content
        self._where = where

    def wrong(self, what: str) -> LockFormatError:
        """The failure that something here is wrong."""
        return LockFormatError(f"{self._where}: {what}")

    def only(self, *names: str) -> None:
        """Complain about a field of any other name."""
        for name in self._content:
            if name not in names:
                raise self.wrong(f"it has a field {name!r} that bmc does not write")

    def has(self, name: str, value: object = None) -> bool:
        """Whether a field is there, and is ``value`` if one is given."""
        found = self._content.get(name)
        return found is not None if value is None else found == value

    def text(self, name: str) -> str:
        """A text that is there."""
        value: str = self._typed(name, str)
        return value

    def integer(self, name: str) -> int:
        """An integer that is there."""
        value: int = self._typed(name, int)
        return value

    def _typed(self, name: str, kind: type[Any]) -> Any:
        value = self._content.get(name)
        if type(value) is not kind:
            said = "is missing" if value is None else f"is {value!r}"
            raise self.wrong(f"the {kind.__name__} {name!r} {said}")
        return value

    def table(self, name: str) -> DocumentTable:
        """A table that is there."""
        return DocumentTable(self._typed(name, dict), f"{self._where}, {name}")

    def texts(self) -> dict[str, str]:
        """All fields, each a text."""
        return {name: self.text(name) for name in self._content}

    def integers(self) -> dict[str, int]:
        """All fields, each an integer."""
        return {name: self.integer(name) for name in self._content}

    def blocks(self, name: str, title: str) -> Iterator[DocumentTable]:
        """The tables of a list that may be missing, each called by its text ``title``."""
        blocks = self._content.get(name, [])
        if not isinstance(blocks, list):
            raise self.wrong(f"{name!r} is no list")
        for number, block in enumerate(blocks, 1):
            if not isinstance(block, dict):
                raise self.wrong(f"{name} {number} is no table")
            yield DocumentTable(block, f"{self._where}, {name} {block.get(title, number)}")
