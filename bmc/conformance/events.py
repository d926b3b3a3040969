"""Events of a log in NDJSON: one JSON object a line, read with bounded memory.

Nothing is guessed or skipped but blank lines: what is not exactly an object is refused with the
number of its line, so that no event is lost unnoticed.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Any, NoReturn

from bmc.conformance.errors import LogError
from bmc.evidence.untrusted import NotADocument, once, refuse_constant, too_many_digits

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read."""


@dataclass(frozen=True)
class Event:
    """A logged event: its line, from 1, what kind it is, and all its fields."""

    line: int
    name: str
    fields: dict[str, Any]


def read_events(log: Path, name: str) -> Iterator[Event]:
    """Return the events of a log in order; ``name`` is the field that says what an event is.

    ``outer.inner`` is a field of a field. Raises LogError with the line of what cannot be read.
    """
    names = tuple(name.split("."))
    for number, fields in read_objects(log):
        found = field_at(fields, names)
        if found is MISSING:
            _refuse(log, number, f"it has no field {name!r} that says which event it is")
        if not isinstance(found, str):
            _refuse(log, number, f"its field {name!r} is {_kind(found)}, not a string")
        yield Event(number, found, fields)


_POSITION = re.compile(r"[0-9]{1,9}")

MISSING = object()
"""What :func:`field_at` returns where there is no such field."""


def field_at(fields: Any, names: Sequence[str]) -> Any:
    """Return a field of a field of an object, or :data:`MISSING`.

    In an array a name is a position, from 0.
    """
    for name in names:
        if isinstance(fields, list) and _POSITION.fullmatch(name) and int(name) < len(fields):
            fields = fields[int(name)]
        elif isinstance(fields, dict) and name in fields:
            fields = fields[name]
        else:
            return MISSING
    return fields


def read_objects(log: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the lines of a log that are not blank, with their numbers.

    Raises LogError with the line of what cannot be read.
    """
    if log.exists() and not log.is_file():
        # A pipe would be empty when it is read for the second time.
        raise LogError(f"{log} is no regular file: a log is read several times, so write it to one")
    try:
        with log.open("rb") as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    _refuse(log, number, f"it is longer than {LONGEST_LINE} bytes")
                if line.strip():
                    yield number, _object(log, number, line)
    except OSError as error:
        raise LogError(f"cannot read {log}: {error.strerror or error}") from None


def _object(log: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        fields = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        _refuse(log, number, _looks_like(line) or f"byte {error.start + 1} is not UTF-8")
    except json.JSONDecodeError as error:
        if (looks := _looks_like(line)) is not None:
            _refuse(log, number, looks)
        cut = "" if line.endswith(b"\n") else " (the log ends within the line)"
        _refuse(log, number, f"it is no JSON: {error.msg} at column {error.colno}{cut}")
    except RecursionError:
        _refuse(log, number, "it is nested too deeply")
    except NotADocument as error:
        _refuse(log, number, str(error))
    except ValueError:
        _refuse(log, number, too_many_digits())
    if not isinstance(fields, dict):
        _refuse(log, number, f"an event is a JSON object, not {_kind(fields)}")
    return fields


_FORMS = {
    codecs.BOM_UTF8: "it begins with a byte order mark: write the log as UTF-8 without one",
    codecs.BOM_UTF16_LE: "it is UTF-16: write the log as UTF-8",
    codecs.BOM_UTF16_BE: "it is UTF-16: write the log as UTF-8",
    b"\x1f\x8b": "it is compressed by gzip: unpack the log",
    b"\x28\xb5\x2f\xfd": "it is compressed by zstd: unpack the log",
}


def _looks_like(line: bytes) -> str | None:
    """What a line is that is no event, where its first bytes tell."""
    return next((said for first, said in _FORMS.items() if line.startswith(first)), None)


class Written(float):
    """A number of which a float has not all digits, as nanoseconds of our time: ``text`` has."""

    text: str


def _number(text: str) -> float:
    most = sys.get_int_max_str_digits()
    # Zero says that there is no limit.
    if 0 < most < len(text) and sum(map(str.isdigit, text)) > most:
        raise ValueError(text)
    found = float(text)
    # What is too small or too large for a float has as many digits as its exponent says.
    if not found or abs(found) == inf or Decimal(text) == Decimal(repr(found)):
        return found
    found = Written(found)
    found.text = text
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=once, parse_constant=refuse_constant, parse_float=_number
)


def _kind(data: Any) -> str:
    kinds = {dict: "an object", list: "an array", str: "a string", bool: "a truth value"}
    return "null" if data is None else kinds.get(type(data), "a number")


def _refuse(log: Path, number: int, why: str) -> NoReturn:
    raise LogError(f"{log}, line {number}: {why}")
