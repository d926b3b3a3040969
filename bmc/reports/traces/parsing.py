"""Values read back from the JSON that reports write, by their sort.

Nothing is guessed: what is not exactly a value of its sort at these parameters is refused, with
the place where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from bmc.lang.errors import BmcError
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
from bmc.reports.values import counts_from_zero, key_names
from bmc.reports.vocabulary import Vocabulary


class TraceFileError(BmcError):
    """A file holds no trace of the protocol it is read for."""


class Parser:
    """Reads values as :func:`bmc.reports.values.value_json` writes them."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words

    def state(self, data: Any, names: Mapping[str, Sort], place: str) -> dict[str, Value]:
        """A state: each variable's value; TraceFileError where one is missing or unknown."""
        if not isinstance(data, dict):
            self.refuse(place, "a state is an object with a value for each variable")
        missing = [name for name in names if name not in data]
        if missing:
            self.refuse(place, f"the variable {missing[0]} is missing")
        unknown = [name for name in data if name not in names]
        if unknown:
            self.refuse(place, f"the protocol has no variable {unknown[0]}")
        return {n: self.checked(s, data[n], f"{place}, {n}") for n, s in names.items()}

    def checked(self, sort: Sort, data: Any, place: str) -> Value:
        """A value that is inside its sort."""
        value = self.value(sort, data, place)
        if not self.words.domains.contains(sort, value):
            self.refuse(place, f"the value is outside {sort} at these parameters")
        return value

    def value(self, sort: Sort, data: Any, place: str) -> Value:
        """A value of a sort's form; its range is for :meth:`checked`."""
        match sort:
            case OptionSort():
                return None if data is None else self.value(sort.inner, data, place)
            case BoolSort():
                return self.a(bool, data, place)
            case IntSort():
                return self.integer(data, place)
            case EnumSort():
                return self.a(str, data, place)
            case Scalarset():
                return self.member(sort, data, place)
            case RecordSort():
                fields = self.a(dict, data, place)
                if set(fields) != {name for name, _ in sort.fields}:
                    self.refuse(place, f"a {sort.name} has the fields {_names(sort)}")
                return tuple(self.value(s, fields[n], f"{place}.{n}") for n, s in sort.fields)
            case VariantSort():
                return self.variant(sort, data, place)
            case MapSort():
                return self.mapping(sort, data, place)
            case _ if isinstance(sort, AnySet):
                return self.collection(sort.element, data, place)
            case SequenceSort():
                return tuple(self.elements(sort.element, self.a(list, data, place), place))
            case _:
                unknown_sort(sort)

    def a(self, kind: type[Any], data: Any, place: str) -> Any:
        """The data if it is of a kind of JSON."""
        if type(data) is not kind:
            words = {bool: "true or false", str: "a string", dict: "an object", list: "an array"}
            self.refuse(place, f"expected {words.get(kind, kind.__name__)}, found {data!r:.60}")
        return data

    def integer(self, data: Any, place: str) -> int:
        """An integer."""
        if type(data) is not int:
            self.refuse(place, f"expected an integer, found {data!r:.60}")
        return data

    def member(self, sort: Scalarset, data: Any, place: str) -> int:
        """A scalarset's member by its name."""
        known = {self.words.member(sort, v): v for v in self.words.domains.values(sort)}
        if not isinstance(data, str) or data not in known:
            self.refuse(place, f"{data!r:.60} is none of {', '.join(known)}")
        return int(known[data])

    def elements(self, sort: Sort, data: list[Any], place: str) -> list[Value]:
        """The values of an array."""
        return [self.value(sort, one, f"{place}[{i}]") for i, one in enumerate(data)]

    def variant(self, sort: VariantSort, data: Any, place: str) -> Value:
        """``{"tag", "value"}``."""
        parts = self.a(dict, data, place)
        if set(parts) != {"tag", "value"} or parts["tag"] not in [tag for tag, _ in sort.cases]:
            self.refuse(place, f"a {sort.name} is an object with a tag and a value")
        tag = parts["tag"]
        return tag, self.value(sort.case(tag), parts["value"], f"{place}.{tag}")

    def mapping(self, sort: MapSort, data: Any, place: str) -> Value:
        """A map: an array, or an object by the keys' text."""
        keys = self.words.domains.values(sort.key)
        if counts_from_zero(self.words, sort):
            found = self.a(list, data, place)
            if len(found) != len(keys):
                self.refuse(place, f"expected {len(keys)} values, found {len(found)}")
            return tuple(self.elements(sort.value, found, place))
        parts = self.a(dict, data, place)
        names = key_names(self.words, sort)
        if set(parts) != set(names):
            self.refuse(place, f"expected a value for each of {', '.join(names)}")
        return tuple(self.value(sort.value, parts[name], f"{place}[{name}]") for name in names)

    def collection(self, element: Sort, data: Any, place: str) -> Value:
        """A set; no element stands in it twice."""
        found = self.elements(element, self.a(list, data, place), place)
        if len(set(found)) != len(found):
            self.refuse(place, "an element stands in the set twice")
        return frozenset(found)

    def refuse(self, place: str, why: str) -> NoReturn:
        """Raise TraceFileError."""
        raise TraceFileError(f"{place}: {why}")


def _names(sort: RecordSort) -> str:
    return ", ".join(name for name, _ in sort.fields)
