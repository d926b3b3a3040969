"""What a mapping compares a state or an argument with: a field of the event, or a constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bmc.conformance.errors import MappingError
from bmc.conformance.events import MISSING, field_at


class AbsentField(Exception):
    """An event has not the field that its mapping reads."""

    def __init__(self, name: str, optional: bool) -> None:
        super().__init__(name)
        self.name = name
        self.optional = optional


@dataclass(frozen=True)
class Field:
    """``$a.b``: a field of the event; ``$a?`` says that an event may lack it."""

    names: tuple[str, ...]
    optional: bool = False

    def of(self, fields: Mapping[str, Any]) -> Any:
        """Return the field's value in an event. Raises AbsentField."""
        found = field_at(fields, self.names)
        if found is MISSING:
            raise AbsentField(".".join(self.names), self.optional)
        return found

    def __str__(self) -> str:
        return f"${'.'.join(self.names)}{'?' if self.optional else ''}"


@dataclass(frozen=True)
class Constant:
    """A value that the mapping gives itself, as JSON would have it."""

    value: Any

    def of(self, fields: Mapping[str, Any]) -> Any:
        """Return the value."""
        return self.value

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Listed:
    """An array of operands: the elements of a set or of a sequence."""

    parts: tuple[Operand, ...]

    def of(self, fields: Mapping[str, Any]) -> Any:
        """Return the array in an event. Raises AbsentField."""
        return [part.of(fields) for part in self.parts]

    def __str__(self) -> str:
        return f"[{', '.join(str(part) for part in self.parts)}]"


Operand = Field | Constant | Listed


def operand_of(data: Any, place: str) -> Operand:
    """Return the operand that a TOML value stands for; ``$$`` begins a string with one ``$``."""
    if isinstance(data, str) and data.startswith("$$"):
        return Constant(data[1:])
    if isinstance(data, str) and data.startswith("$"):
        optional = data.endswith("?")
        names = tuple(data[1:].removesuffix("?").split("."))
        if not all(names):
            raise MappingError(f"{place}: {data!r} names no field: write $field or $outer.inner")
        return Field(names, optional)
    if isinstance(data, list):
        return Listed(tuple(operand_of(part, f"{place}[{i}]") for i, part in enumerate(data)))
    if isinstance(data, str | bool | int):
        return Constant(data)
    raise MappingError(
        f"{place}: {data!r:.60} is nothing to compare with: write $field, a string, an integer, "
        "true, false or an array of them"
    )
