"""What the values of a log stand for in the protocol.

A member of a scalarset is any string or integer of the log. Members are numbered in the order in
which the log first names them. The language cannot tell them apart, so any other order would give
the same verdict.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from bmc.layout.domain import Domains, Value

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


@dataclass(frozen=True)
class WrittenForms:
    """How a text that is not Python writes values that its translation holds in other forms.

    ``parts`` has of each record how its fields are selected there: ``[1]``, ``[2]`` of a tuple, and
    nothing of one that stands for what a function has at an argument that it may lack. The first
    element of a sequence has the number ``first``. ``words`` has the values of enumerations by
    their words in JSON, several where a string is written like a name that is none, and ``names``
    those values that are such names.
    """

    parts: Mapping[RecordSort, tuple[str, ...]]
    first: int
    words: Mapping[EnumSort, Mapping[str, tuple[str, ...]]]
    names: Mapping[EnumSort, tuple[str, ...]]

    def is_tuple(self, sort: RecordSort) -> bool:
        """Tell whether the values of a record are tuples there."""
        numbered = tuple(f"[{self.first + place}]" for place in range(len(sort.fields)))
        return self.parts.get(sort) == numbered

    def is_unwritten(self, sort: Sort) -> bool:
        """Tell whether a record is what the text writes without it."""
        return isinstance(sort, RecordSort) and self.parts.get(sort) == ("",)

    def may_lack(self, sort: MapSort) -> bool:
        """Tell whether a function may lack arguments of its sort."""
        return isinstance(sort.value, OptionSort) and self.is_unwritten(sort.value.inner)


class Meanings:
    """Reads logged values by their sort, and remembers the members and integers it has seen.

    ``none`` are the logged values that mean that an option is none, beside null; ``absent`` is
    what the protocol's own text calls the none of an option. ``named`` gives
    the first members of scalarsets, ``renamed`` the values of enumerations by what the log calls
    them. ``written`` is how the protocol's text writes values, if it is not Python. Of a function
    that may lack arguments ``domains`` say how many there are; without them its value has those
    that are logged. ``greatest`` has the greatest integer seen of each identity. ``line`` is the
    log's that is read, and ``lines`` has those that named the members first.
    """

    def __init__(
        self,
        none: Sequence[Raw] = (),
        named: Mapping[str, Sequence[Raw]] | None = None,
        renamed: Mapping[str, Mapping[str, str]] | None = None,
        absent: Mapping[OptionSort, Raw] | None = None,
        written: WrittenForms | None = None,
        domains: Domains | None = None,
    ) -> None:
        self._none = tuple(none)
        self._written = written
        self._domains = domains
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
                return None if self._is_absent(sort, raw) else self.read(sort.inner, raw)
            case BoolSort():
                return self._of(bool, "true or false", raw)
            case IntSort():
                number = self._of(int, "an integer", raw)
                self.greatest[sort.name] = max(number, self.greatest.get(sort.name, number))
                return number
            case EnumSort():
                meant = self._meant(sort, raw)
                if len(meant) > 1:
                    both = " and ".join(meant)
                    self._refuse(f"one value, {both} are: say which in names.{sort.name}", raw)
                if not meant:
                    # What is no text has a word in a mapping alone.
                    said = "" if isinstance(raw, str) else f" (or what names.{sort.name} has)"
                    self._refuse(f"{self._form(sort)}{said}", raw)
                return meant[0]
            case Scalarset():
                return self._member(sort.name, raw)
            case RecordSort():
                fields = self._fields(sort, raw)
                if fields is None:
                    self._refuse(self._form(sort), raw)
                parts = zip(sort.fields, fields, strict=True)
                return tuple(self.read(part, field) for (_, part), field in parts)
            case VariantSort() if self._written is not None:
                return self._of_kind(sort, raw)
            case VariantSort():
                return self._tagged(sort, self._of(dict, "an object", raw))
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
        may_lack = self._written is not None and self._written.may_lack(sort)
        match sort.key:
            case IntSort():
                elements = self._elements(sort.value, raw)
                return (
                    (*elements, *self._lacking(sort.key, len(elements))) if may_lack else elements
                )
            case EnumSort(values=keys):
                fields = self._of(dict, "an object", raw)
                named = {self.read(sort.key, key): value for key, value in fields.items()}
                if len(named) != len(fields) or not (may_lack or len(named) == len(keys)):
                    self._refuse(f"each of {', '.join(keys)} once", raw)
                return tuple(self.read(sort.value, named.get(key)) for key in keys)
        return self._refuse("part of a map (name one with [key] in the path)", raw)

    def _lacking(self, sort: IntSort, there: int) -> tuple[None, ...]:
        """Return what is at the numbers behind a sequence that is held as a function."""
        numbers = () if self._domains is None else self._domains.values(sort)
        assert self._written is not None
        if not numbers or numbers[0] != self._written.first:
            return ()
        return (None,) * (len(numbers) - there)

    def _tagged(self, sort: VariantSort, content: dict[str, Raw]) -> Value:
        tags = [tag for tag, _ in sort.cases]
        if set(content) != {"tag", "value"} or content["tag"] not in tags:
            self._refuse(f'{{"tag", "value"}} with a tag of {", ".join(tags)}', content)
        tag = content["tag"]
        return tag, self.read(sort.case(tag), content["value"])

    def _of_kind(self, sort: VariantSort, raw: Raw) -> Value:
        """Return the value of one of several kinds that the text writes so."""
        tags = [tag for tag, part in sort.cases if self._has_form(part, raw)]
        # A word of the text is not the name of a member; an integer may be one.
        words = [tag for tag in tags if isinstance(sort.case(tag), EnumSort)]
        if len(found := words or tags) == 1:
            return found[0], self.read(sort.case(found[0]), raw)
        assert self._written is not None
        alone = [
            (tag, names[0])
            for tag, part in sort.cases
            if isinstance(part, EnumSort) and len(names := self._written.names.get(part, ())) == 1
        ]
        if not found and len(alone) == 1 and self._is_none(raw):
            return alone[0]
        if not found and type(raw) is dict and raw.keys() == {"tag", "value"}:
            return self._tagged(sort, raw)
        kinds = " or ".join(self._form(part) for _, part in sort.cases)
        if found:
            kinds = f'{{"tag": one of {", ".join(found)}, "value": …}} for what may be {kinds}'
        self._refuse(kinds, raw)

    def _has_form(self, sort: Sort, raw: Raw) -> bool:
        """Tell whether a value is written as those of a sort are, whatever it has in it."""
        match sort:
            case OptionSort():
                return self._is_absent(sort, raw) or self._has_form(sort.inner, raw)
            case BoolSort():
                return type(raw) is bool
            case IntSort():
                return type(raw) is int
            case EnumSort():
                return bool(self._meant(sort, raw))
            case Scalarset():
                return type(raw) in (int, str)
            case RecordSort():
                fields = self._fields(sort, raw)
                parts = zip(sort.fields, fields or (), strict=False)
                return fields is not None and all(self._has_form(s, one) for (_, s), one in parts)
            case VariantSort():
                return self._is_none(raw) or any(self._has_form(s, raw) for _, s in sort.cases)
            case MapSort(key=EnumSort(values=keys)):
                return type(raw) is dict and raw.keys() <= set(keys)
            case MapSort():
                element = sort.value
            case SequenceSort():
                element = sort.element
            case _ if isinstance(sort, AnySet):
                element = sort.element
            case _:
                unknown_sort(sort)
        return type(raw) is list and all(self._has_form(element, one) for one in raw)

    def _form(self, sort: Sort) -> str:
        """Return words for how the values of a sort are written."""
        match sort:
            case RecordSort() if self._written is not None and self._written.is_unwritten(sort):
                return self._form(sort.fields[0][1])
            case RecordSort() if self._written is not None and self._written.is_tuple(sort):
                return f"an array of {len(sort.fields)}"
            case RecordSort():
                return f"an object with the fields {', '.join(name for name, _ in sort.fields)}"
            case EnumSort():
                return f"one of {', '.join(sort.values)}"
            case BoolSort():
                return "true or false"
            case IntSort():
                return "an integer"
            case Scalarset():
                return f"the name of a {sort.name}"
            case _:
                return "an array"

    def _fields(self, sort: RecordSort, raw: Raw) -> list[Raw] | None:
        """Return what a record's value has in each field, or None for a value of another form."""
        if self._written is not None and self._written.is_unwritten(sort):
            return [raw]
        if self._written is not None and self._written.is_tuple(sort) and type(raw) is list:
            return raw if len(raw) == len(sort.fields) else None
        if type(raw) is dict and raw.keys() == {name for name, _ in sort.fields}:
            return [raw[name] for name, _ in sort.fields]
        return None

    def _is_absent(self, sort: OptionSort, raw: Raw) -> bool:
        return self._is_none(raw) or same(raw, self._absent.get(sort))

    def _is_none(self, raw: Raw) -> bool:
        return raw is None or any(same(raw, one) for one in self._none)

    def _meant(self, sort: EnumSort, raw: Raw) -> tuple[str, ...]:
        """Return the values that a word, a number, null or a truth value is, as a mapping says."""
        word = raw if isinstance(raw, str) else json.dumps(raw)
        if (named := self._renamed.get(sort.name, {}).get(word)) is not None:
            return (named,)
        words = {} if self._written is None else self._written.words.get(sort, {})
        if isinstance(raw, str) and raw in words:
            return words[raw]
        return (raw,) if raw in sort.values else ()

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
