"""What a log shows: the kinds of its events, their fields, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bmc.conformance.errors import LogError
from bmc.conformance.events import MISSING, field_at, read_objects
from bmc.conformance.likeness import likeness

Names = tuple[str, ...]
"""A field of a field: the names from the outside in."""

MOST_VALUES = 200
"""Different values of a field that are remembered."""

_DEEPEST = 4
_MOST_FIELDS = 400
_USUAL = ("event", "name", "action", "type", "kind")


@dataclass
class Seen:
    """What stood in a field: in how many events, of which kinds, some of its values."""

    events: int = 0
    kinds: set[type] = field(default_factory=set)
    values: dict[tuple[type, Any], None] = field(default_factory=dict)
    inner: set[type] = field(default_factory=set)
    more: bool = False

    def take(self, value: Any) -> None:
        """Remember one more value."""
        self.events += 1
        self.kinds.add(type(value))
        if isinstance(value, list):
            self.inner.update(type(one) for one in value)
            for one in value:
                self._value(one)
        elif not isinstance(value, dict):
            self._value(value)

    def _value(self, value: Any) -> None:
        if isinstance(value, list | dict):
            return
        if len(self.values) < MOST_VALUES:
            self.values[type(value), value] = None
        elif (type(value), value) not in self.values:
            self.more = True


@dataclass
class SeenEvent:
    """The events of one name: how many there are, and their fields."""

    count: int = 0
    fields: dict[Names, Seen] = field(default_factory=dict)

    def optional(self, names: Names) -> bool:
        """Whether some event of the name lacks a field."""
        return self.fields[names].events < self.count


def look_at(log: Path, actions: list[str]) -> tuple[Names, dict[str, SeenEvent]]:
    """Return the field that names events, and what was seen of the events of each name.

    The field is one that every line has, with names like those of ``actions``. Raises LogError
    where there is none, and for a line that is no event.
    """
    name = _name_field(log, actions)
    found: dict[str, SeenEvent] = {}
    for line, fields in read_objects(log):
        event = field_at(fields, name)
        if not _sayable(event):
            raise LogError(f"{log}, line {line}: no mapping can name the event {event!r:.60}")
        seen = found.setdefault(event, SeenEvent())
        seen.count += 1
        for names, value in _flat(fields, ()):
            if names == name:
                continue
            if names in seen.fields or len(seen.fields) < _MOST_FIELDS:
                seen.fields.setdefault(names, Seen()).take(value)
    return name, found


def _name_field(log: Path, actions: list[str]) -> Names:
    candidates: dict[Names, dict[str, int]] | None = None
    lines = 0
    for _, fields in read_objects(log):
        lines += 1
        if candidates is None:
            candidates = {n: {} for n, value in _flat(fields, ()) if isinstance(value, str)}
        for names, values in list(candidates.items()):
            value = field_at(fields, names)
            if not isinstance(value, str) or len(values) > MOST_VALUES or value is MISSING:
                del candidates[names]
            else:
                values[value] = values.get(value, 0) + 1
    if not lines:
        raise LogError(f"{log} has no events")
    if not candidates:
        raise LogError(
            f"{log}: no field says in every line which event it is: write the log with one, say "
            '{"event": "write", …}'
        )

    def fitness(names: Names) -> tuple[float, bool, int]:
        values = candidates[names]
        alike = sum(max(likeness(value, action) for action in actions) for value in values)
        return round(alike / len(values), 3), names[-1] in _USUAL, -len(names)

    return max(candidates, key=fitness)


def _flat(fields: dict[str, Any], outer: Names) -> Iterator[tuple[Names, Any]]:
    """The fields of an event that a mapping can name, those of fields included."""
    for name, value in fields.items():
        if not name or "." in name or name[0] == "$" or name[-1] == "?" or not _sayable(name):
            continue
        names = (*outer, name)
        yield names, value
        if isinstance(value, dict) and len(names) < _DEEPEST:
            yield from _flat(value, names)


def _sayable(name: str) -> bool:
    """Whether a name can stand in a file: half of a surrogate pair, which JSON allows, cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
