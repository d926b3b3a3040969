"""Values as JSON, by their sort.

Scalarset members are names (``r1``), none is null, records are objects, maps are arrays when
their keys are 0, 1, 2 … and objects otherwise, sets are sorted arrays, sequences are arrays and
variants are ``{"tag", "value"}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

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
from bmc.reports.vocabulary import Vocabulary


def value_json(words: Vocabulary, sort: Sort, value: Value) -> Any:
    """A value as plain JSON data."""
    match sort:
        case OptionSort():
            return None if value is None else value_json(words, sort.inner, value)
        case Scalarset():
            return words.member(sort, value)
        case RecordSort():
            parts = zip(sort.fields, value, strict=True)
            return {name: value_json(words, part, v) for (name, part), v in parts}
        case VariantSort():
            tag, content = value
            return {"tag": tag, "value": value_json(words, sort.case(tag), content)}
        case MapSort():
            return _map_json(words, sort, value)
        case _ if isinstance(sort, AnySet):
            return [value_json(words, sort.element, v) for v in members(sort, value)]
        case SequenceSort():
            return [value_json(words, sort.element, v) for v in value]
        case BoolSort() | IntSort() | EnumSort():
            return value
        case _:
            unknown_sort(sort)


def _map_json(words: Vocabulary, sort: MapSort, value: Value) -> Any:
    parts = [value_json(words, sort.value, v) for v in value]
    if counts_from_zero(words, sort):
        return parts
    return dict(zip(key_names(words, sort), parts, strict=True))


def key_names(words: Vocabulary, sort: MapSort) -> list[str]:
    """Return under what names a map's values stand in an object: one for each of its keys."""
    keys = [value_json(words, sort.key, key) for key in words.domains.values(sort.key)]
    names = [key_text(key) for key in keys]
    # A value of an enumeration may be called "none", or like two parts of a record.
    return names if len(set(names)) == len(names) else [json.dumps(key) for key in keys]


def key_text(key: Any) -> str:
    """The text under which a map's value stands in an object, of its key as JSON."""
    if isinstance(key, dict):
        return ", ".join(f"{name}={key_text(part)}" for name, part in key.items())
    if isinstance(key, bool):
        return "true" if key else "false"
    return "none" if key is None else str(key)


def counts_from_zero(words: Vocabulary, sort: MapSort) -> bool:
    """Whether a map's keys are the integers 0, 1, 2 …, so that it reads as a list."""
    return isinstance(sort.key, IntSort) and words.domains.range(sort.key)[0] == 0


def members(sort: AnySet, value: Value) -> list[Value]:
    """A set's elements in canonical order."""
    return sorted(value, key=lambda element: rank(sort.element, element))


def rank(sort: Sort, value: Value) -> tuple[Any, ...]:
    """A key that sorts the values of one sort canonically."""
    match sort:
        case OptionSort():
            return (0,) if value is None else (1, rank(sort.inner, value))
        case EnumSort():
            return (sort.values.index(value),)
        case RecordSort():
            return tuple(rank(p, v) for (_, p), v in zip(sort.fields, value, strict=True))
        case VariantSort():
            tags = [tag for tag, _ in sort.cases]
            return tags.index(value[0]), rank(sort.case(value[0]), value[1])
        case MapSort():
            return tuple(rank(sort.value, v) for v in value)
        case _ if isinstance(sort, AnySet):
            return tuple(sorted(rank(sort.element, v) for v in value))
        case SequenceSort():
            return tuple(rank(sort.element, v) for v in value)
        case BoolSort() | IntSort() | Scalarset():
            return (value,)
        case _:
            unknown_sort(sort)


def state_json(words: Vocabulary, state: Mapping[str, Value]) -> dict[str, Any]:
    """A state: its variables by name, in order of declaration."""
    return {n: value_json(words, s, state[n]) for n, s in words.variables.items() if n in state}


def arguments_json(
    words: Vocabulary, sorts: Mapping[str, Sort], arguments: Mapping[str, Value]
) -> dict[str, Any]:
    """An action's or a property's arguments by name."""
    return {
        name: value_json(words, sorts[name], value) if name in sorts else repr(value)
        for name, value in arguments.items()
    }
