"""Lines of a mapping file, for what is said of its keys: TOML gives values without their lines."""

from __future__ import annotations

import re

_PLACE = re.compile(r"(event\[(?P<number>\d+)\](?: \(.*?\))?|(?P<table>\w+))(?P<keys>(?:\.\w+)*)")
_HEADER = re.compile(r"\s*\[{1,2}\s*(?P<name>[\w.-]+)\s*\]{1,2}\s*(#.*)?$")
_WHOLE = "the file: "
_UNKNOWN = re.compile(r"unknown key '([^']*)'")


def line_of(text: str, said: str) -> int | None:
    """Return the line of the key that a message begins with, or of what is nearest around it.

    A message begins with ``table.key: `` or ``event[2] (name).key: ``. None where the key is
    written in a way that is not found, as events in one array.
    """
    place = _PLACE.match(said)
    if place is None:
        return None
    keys = [key for key in place["keys"].split(".") if key]
    if unknown := _UNKNOWN.search(said):
        keys.append(unknown[1])
    named = ("event",) if place["number"] else (place["table"],)
    here = (*(() if said.startswith(_WHOLE) else named), *keys)
    seen, inside, found = 0, "", None
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header is not None:
            inside = header["name"]
            seen += inside == "event"
        if place["number"] and seen != int(place["number"]):
            continue
        if header is not None:
            opened = tuple(inside.split("."))
            if opened == here or (found is None and opened in _starts(here)):
                found = number
            continue
        key, equals, _ = line.partition("=")
        names = tuple(part.strip().strip('"') for part in key.split("."))
        if equals and (*(inside.split(".") if inside else ()), *names) in _starts(here):
            return number
    return found


def _starts(here: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """A key by its full name, and the one that an inline table of it stands under."""
    return tuple(here[:length] for length in range(len(here), 0, -1))
