"""Values as a person reads them: TLA+'s brackets, with what is empty or equal said once.

[hw: 0, leader: None, isr: {r1, r2}]    a record
⟨a, b⟩                                  a sequence, or a map from 0, 1, 2 …; trailing None
                                        is left out of the latter
[r1,r2: a, r3: b]                       a map from other keys, those with equal values
                                        together
"None", "a, b"                          a value of an enumeration that is called so
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

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
from bmc.reports.values import counts_from_zero, members
from bmc.reports.vocabulary import Vocabulary

_WORDS = re.compile(r"\w+([ .-]\w+)*")


def value_text(words: Vocabulary, sort: Sort, value: Value) -> str:
    """A value on one line."""
    if words.origin is not None:
        return words.origin.value_text(sort, value)
    match sort:
        case OptionSort():
            return "None" if value is None else value_text(words, sort.inner, value)
        case Scalarset():
            return words.member(sort, value)
        case RecordSort():
            parts = zip(sort.fields, value, strict=True)
            shown = (f"{name}: {value_text(words, part, v)}" for (name, part), v in parts)
            return f"[{', '.join(shown)}]"
        case VariantSort():
            tag, content = value
            inner = value_text(words, sort.case(tag), content)
            return f"{tag}{inner}" if inner.startswith("[") else f"{tag}({inner})"
        case MapSort():
            return _map_text(words, sort, value)
        case _ if isinstance(sort, AnySet):
            shown = (value_text(words, sort.element, v) for v in members(sort, value))
            return f"{{{', '.join(shown)}}}"
        case SequenceSort():
            return f"⟨{', '.join(value_text(words, sort.element, v) for v in value)}⟩"
        case BoolSort():
            return "TRUE" if value else "FALSE"
        case IntSort():
            return str(value)
        case EnumSort():
            return _name_text(value)
        case _:
            unknown_sort(sort)


def _name_text(name: str) -> str:
    """A name as it is, or in quotes where it is no words or would be read as none."""
    if _WORDS.fullmatch(name) and name != "None":
        return name
    return json.dumps(name, ensure_ascii=not name.isprintable())


def value_lines(words: Vocabulary, sort: Sort, value: Value, width: int) -> list[tuple[str, str]]:
    """A value as lines, each with the part of the value it is about (``[r1]``, or nothing).

    One line if it is no longer than ``width``; otherwise a map has a line for each of its
    values and a set one for each element.
    """
    whole = value_text(words, sort, value)
    if len(whole) > width:
        if isinstance(sort, MapSort) and not counts_from_zero(words, sort):
            groups = _grouped(words, sort, value)
            return [(f"[{','.join(keys)}]", text) for text, keys in groups.items()]
        if isinstance(sort, AnySet):
            shown = [value_text(words, sort.element, v) for v in members(sort, value)]
            starts = ["{", *[" "] * (len(shown) - 1)]
            ends = [*[","] * (len(shown) - 1), "}"]
            return [("", f"{s}{t}{e}") for s, t, e in zip(starts, shown, ends, strict=True)]
    return [("", whole)]


def _map_text(words: Vocabulary, sort: MapSort, value: Value) -> str:
    if counts_from_zero(words, sort):
        kept = list(value)
        while kept and kept[-1] is None:
            kept.pop()
        return f"⟨{', '.join(value_text(words, sort.value, v) for v in kept)}⟩"
    groups = _grouped(words, sort, value)
    return f"[{', '.join(','.join(keys) + ': ' + text for text, keys in groups.items())}]"


def _grouped(words: Vocabulary, sort: MapSort, value: Value) -> dict[str, list[str]]:
    """The keys of each value, by its text."""
    together: dict[str, list[str]] = {}
    for key, part in zip(words.domains.values(sort.key), value, strict=True):
        name = value_text(words, sort.key, key)
        together.setdefault(value_text(words, sort.value, part), []).append(name)
    return together


def call_text(
    words: Vocabulary, name: str, sorts: Mapping[str, Sort], arguments: Mapping[str, Value]
) -> str:
    """An action or a property with its arguments: ``BecomeLeader(leader=r1)``."""
    shown = (
        f"{argument}={value_text(words, sorts[argument], value)}"
        if argument in sorts
        else f"{argument}={value!r}"
        for argument, value in arguments.items()
    )
    return f"{name}({', '.join(shown)})" if arguments else name
