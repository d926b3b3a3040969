"""What to write instead: the remedies that error messages about terms end with.

Only words live here; what is an error is decided where terms are made.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import get_args

from bmc.lang.sorts import (
    AnySet,
    MapSort,
    OptionSort,
    RecordSort,
    Scalar,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)

_METHODS = {
    "add": "insert(collection, element)",
    "discard": "remove(collection, element)",
    "remove": "remove(collection, element)",
    "union": "a | b",
    "intersection": "a & b",
    "difference": "a - b",
    "issubset": "a <= b",
    "append": "append(sequence, element)",
    "pop": "tail(sequence)",
    "get": "collection[key]",
}

_READ = {
    "head": "at(sequence, 0)",
    "tail": "tail(sequence)",
    "size": "size(collection)",
    "length": "size(collection)",
    "contains": "member(element, collection)",
}

_TLA_WORDS = {
    "Append": "append(sequence, element)",
    "Cardinality": "size(set)",
    "Head": "at(sequence, 0)",
    "Len": "size(sequence)",
    "SubSeq": "take(sequence, n)",
    "Tail": "tail(sequence)",
    "head": "at(sequence, 0)",
    "length": "size(sequence)",
}

_SORTS = frozenset(one.__name__ for one in (*get_args(Sort), *get_args(Scalar)))

NESTED_TOO_DEEPLY = (
    "a term is nested too deeply to be read: write long chains of conditionals as a map, "
    "or as actions of their own"
)
"""What is said of a RecursionError."""


def instead_of_field(sort: Sort, name: str) -> str:
    """The function of the language for what is a method in Python, where there is one."""
    if isinstance(sort, RecordSort):
        return ""
    if isinstance(sort, VariantSort):
        return _of_a_case(sort, name)
    if name in _READ:
        return f"; write {_READ[name]}"
    if name not in _METHODS:
        return ""
    return f"; terms are never changed in place: assign {_METHODS[name]}"


def _of_a_case(sort: VariantSort, name: str) -> str:
    for tag, held in sort.cases:
        if isinstance(held, RecordSort) and any(name == one for one, _ in held.fields):
            return f'; where is_case(x, "{tag}") holds, write payload(x, "{tag}").{name}'
    return ""


def instead_of_call(said: str) -> str:
    """What to write for the call that Python refused with these words."""
    called = re.match(r"'(\w+)' object is not callable$", said)
    match called and called[1]:
        case None:
            return ""
        case RecordSort.__name__:
            return "; a record is made with record(Sort, field=value, …)"
        case VariantSort.__name__:
            return '; a value of a variant is made with inject(Variant, "Case", value)'
        case name if name in _SORTS:
            return (
                "; a sort is no function. One that has the name of a word of the language, such as "
                "Record, hides it: give it another name"
            )
    return "; the value of a map at a key is s.map[key]"


def instead_of_name(name: str, words: Container[str]) -> str:
    """What to write for a name that Python does not know, among the words of the language.

    A word of the language was not imported, one of TLA+ has another name here, and what a class
    declares is reached through ``self`` and the state.
    """
    if name == "self":
        return "; in the body of the class what it declares has no self. in front"
    if name in words:
        return f"; it is a word of the language: from bmc.lang import {name}"
    if name in _TLA_WORDS:
        return f"; write {_TLA_WORDS[name]}"
    return f"; in a method, what the class declares is self.{name}, and a variable s.{name}"


def instead_of_number(sort: Sort) -> str:
    """How a collection becomes a number, or a longer one, where it was computed with."""
    if isinstance(sort, SequenceSort):
        return "; write size(sequence) for its length, and append(sequence, element) for q + [x]"
    return "; write size(set) for how many it has" if isinstance(sort, AnySet) else ""


def instead_of_index(sort: Sort) -> str:
    """How a part of what is no map is written, where there is a way."""
    if isinstance(sort, SequenceSort):
        return "; write at(sequence, i), from 0, and tail(sequence) or take(sequence, n) for a part"
    return "; write member(element, set)" if isinstance(sort, AnySet) else ""


def to_make(sort: Sort) -> str:
    """How a value of a sort without literals is written."""
    match sort:
        case MapSort(key, _):
            return (
                f": assign one entry, s.variable[key], or all with mapping({key}, lambda …, sort)"
            )
        case _ if isinstance(sort, AnySet):
            return ": write {element, …}, empty(sort), insert(…) or remove(…)"
        case SequenceSort():
            return ": write (), empty(sort), append(…), tail(…) or take(…)"
        case RecordSort():
            return f": write record({sort}, field=value, …)"
        case VariantSort(_, cases):
            return f': write inject({sort}, "{cases[0][0]}", value)'
        case OptionSort():
            return ""
        case _ if isinstance(sort, Scalar):
            return ""
        case _:
            unknown_sort(sort)


def standing_alone(value: object) -> str:
    """Why a Python value that needs a sort has none."""
    if isinstance(value, str):
        return (
            "; a name is read where it is compared or assigned, and == binds weaker than & and |: "
            f"write (x == {value!r}) & y"
        )
    if callable(value):
        return ": write the formula that it returns; a claim's method takes the steps it speaks of"
    if value in ((), [], {}):
        return ": write empty(sort), or mapping(keys, lambda key: …, sort) of a map"
    return ""
