"""What the values of a log stand for in the protocol.

A member of a scalarset is any string or integer of the log. Members are numbered in the order in
which the log first names them. The language cannot tell them apart, so any other order would give
the same verdict.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from bmc.conformance.errors import UnreadableValue
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    EnumSort,
    IntSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.layout.domain import Value

Raw = Any
"""A value as JSON has it."""


def same(one: Raw, other: Raw) -> bool:
    """Return whether two values are one in JSON, where ``true`` is no 1, and 1.0 is none either."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


class Meanings:
    """Reads logged values by their sort, and remembers the members and integers it has seen.

    ``none`` are the logged values that mean that an option is none, beside null; ``absent`` is
    what the protocol's own text calls the none of an option. ``named`` gives
    the first members of scalarsets, ``renamed`` the values of enumerations by what the log calls
    them. ``greatest`` has the greatest integer seen of each identity. ``line`` is the log's that is
    read, and ``lines`` has those that named the members first.
    """

    def __init__(
        self,
        none: Sequence[Raw] = (),
        named: Mapping[str, Sequence[Raw]] | None = None,
        renamed: Mapping[str, Mapping[str, str]] | None = None,
        absent: Mapping[OptionSort, Raw] | None = None,
    ) -> None:
        self._none = tuple(none)
        self._renamed = renamed or {}
        self._absent = absent or {}
        self._members: dict[str, dict[tuple[type, Raw], int]] = {}
        self.greatest: dict[str, int] = {}
        self.line = 0
        self.lines: dict[str, list[int]] = {}
        for scalarset, known in (named or {}).items():
            for raw in known:
                self._member(scalarset, raw)

    def members(self, scalarset: str) -> list[Raw]:
        """Return what the log calls the members of a scalarset, in the order of their numbers."""
        return [raw for _, raw in self._members.get(scalarset, {})]

    def scalarsets(self) -> list[str]:
        """Return the scalarsets of which a member was seen."""
        return sorted(self._members)

    def read(self, sort: Sort, raw: Raw) -> Value:
        """Return the value; its range is not looked at. Raises UnreadableValue."""
        match sort:
            case OptionSort():
                absent = raw is None or any(same(raw, one) for one in self._none)
                absent = absent or same(raw, self._absent.get(sort))
                return None if absent else self.read(sort.inner, raw)
            case BoolSort():
                return self._of(bool, "true or false", raw)
            case IntSort():
                number = self._of(int, "an integer", raw)
                self.greatest[sort.name] = max(number, self.greatest.get(sort.name, number))
                return number
            case EnumSort():
                # A mapping may say what a number, null or a truth value stands for.
                word = raw if isinstance(raw, str) else json.dumps(raw)
                value = self._renamed.get(sort.name, {}).get(word, raw)
                if value not in sort.values:
                    self._refuse(f"one of {', '.join(sort.values)}", raw)
                return value
            case Scalarset():
                return self._member(sort.name, raw)
            case RecordSort():
                fields = self._of(dict, "an object", raw)
                if set(fields) != {name for name, _ in sort.fields}:
                    self._refuse(f"fields {', '.join(name for name, _ in sort.fields)}", raw)
                return tuple(self.read(part, fields[name]) for name, part in sort.fields)
            case VariantSort():
                content = self._of(dict, "an object", raw)
                tags = [tag for tag, _ in sort.cases]
                if set(content) != {"tag", "value"} or content["tag"] not in tags:
                    self._refuse(f'{{"tag", "value"}} with a tag of {", ".join(tags)}', raw)
                tag = content["tag"]
                return tag, self.read(sort.case(tag), content["value"])
            case MapSort():
                return self._map(sort, raw)
            case _ if isinstance(sort, AnySet):
                elements = self._elements(sort.element, raw)
                if len(set(elements)) != len(elements):
                    self._refuse("each element of a set once", raw)
                return frozenset(elements)
            case SequenceSort():
                return self._elements(sort.element, raw)
            case _:
                unknown_sort(sort)

    def _map(self, sort: MapSort, raw: Raw) -> Value:
        match sort.key:
            case IntSort():
                return self._elements(sort.value, raw)
            case EnumSort(values=keys):
                fields = self._of(dict, "an object", raw)
                named = {self.read(sort.key, key): value for key, value in fields.items()}
                if len(named) != len(fields) or len(named) != len(keys):
                    self._refuse(f"each of {', '.join(keys)} once", raw)
                return tuple(self.read(sort.value, named[key]) for key in keys)
        return self._refuse("part of a map (name one with [key] in the path)", raw)

    def _elements(self, sort: Sort, raw: Raw) -> tuple[Value, ...]:
        return tuple(self.read(sort, one) for one in self._of(list, "an array", raw))

    def _member(self, scalarset: str, raw: Raw) -> int:
        if type(raw) not in (int, str):
            self._refuse(f"the name of a {scalarset}, a string or an integer", raw)
        known = self._members.setdefault(scalarset, {})
        if (member := (type(raw), raw)) not in known:
            known[member] = len(known)
            self.lines.setdefault(scalarset, []).append(self.line)
        return known[member]

    def _of(self, kind: type, words: str, raw: Raw) -> Any:
        if type(raw) is not kind:
            self._refuse(words, raw)
        return raw

    def _refuse(self, wanted: str, raw: Raw) -> NoReturn:
        shown = "null" if raw is None else f"{raw!r:.60}"
        raise UnreadableValue(f"expected {wanted}, found {shown}")


def as_logged(sort: Sort, value: Value, members: Mapping[str, Sequence[Raw]]) -> str:
    """Return a value's text, with the log's names for the ``members`` that it has named so far."""

    def of(part: Sort, found: Value) -> str:
        return as_logged(part, found, members)

    match sort:
        case OptionSort():
            return "None" if value is None else of(sort.inner, value)
        case Scalarset():
            named = members.get(sort.name, ())
            return repr(named[value]) if value < len(named) else f"another {sort.name}"
        case RecordSort():
            parts = zip(sort.fields, value, strict=True)
            return f"[{', '.join(f'{name}: {of(part, one)}' for (name, part), one in parts)}]"
        case MapSort() | SequenceSort():
            element = sort.value if isinstance(sort, MapSort) else sort.element
            return f"[{', '.join(of(element, one) for one in value)}]"
        case VariantSort():
            tag, content = value
            return f"{tag}({of(sort.case(tag), content)})"
        case BoolSort() | IntSort() | EnumSort():
            return repr(value)
        case _ if isinstance(sort, AnySet):
            return f"{{{', '.join(sorted(of(sort.element, one) for one in value))}}}"
        case _:
            unknown_sort(sort)
