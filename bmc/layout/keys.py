"""Keys: what a part of the state is about, so that its scalarset members can be renamed.

A map's entry is addressed by a value of its key. In a text that is the value's name; in a
:data:`Key` members of scalarsets are marked, so that two parts which differ in members only are
seen to be images of each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bmc.lang.errors import SortError
from bmc.lang.sorts import (
    BitSet,
    BoolSort,
    Collection,
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


class Member(NamedTuple):
    """A scalarset's member inside a key; it can be renamed."""

    sort: str
    number: int


Key = object
"""What a part of the state is about: nested tuples and frozensets of names, numbers, members."""


def key_text(domains: Domains, sort: Sort, value: Value) -> str:
    """Return the name of a key's value, as texts of state parts have it."""

    def of(part: Sort, v: Value) -> str:
        return key_text(domains, part, v)

    match sort:
        case Scalarset():
            return f"{sort.name}{value + 1}"
        case OptionSort(inner):
            return "none" if value is None else of(inner, value)
        case RecordSort():
            parts = zip(sort.fields, value, strict=True)
            return f"({', '.join(f'{f}={of(part, v)}' for (f, part), v in parts)})"
        case _ if isinstance(sort, BitSet):
            return f"{{{', '.join(sorted(of(sort.element, v) for v in value))}}}"
        case VariantSort():
            tag, held = value
            return f"{tag}({of(sort.case(tag), held)})"
        case MapSort(key, image):
            pairs = zip(domains.values(key), value, strict=True)
            return f"[{', '.join(f'{of(key, k)} |-> {of(image, v)}' for k, v in pairs)}]"
        case SequenceSort(element, _):
            return f"<<{', '.join(of(element, v) for v in value)}>>"
        case BoolSort() | IntSort() | EnumSort():
            return str(value)
        case _ if isinstance(sort, Collection):
            raise SortError(f"{sort} cannot be a key: the state has no names for its values")
        case _:
            unknown_sort(sort)


def key_token(domains: Domains, sort: Sort, value: Value) -> Key:
    """Return what stands for a key's value in a :data:`Key`, its members marked."""

    def of(part: Sort, v: Value) -> Key:
        return key_token(domains, part, v)

    match sort:
        case Scalarset():
            return Member(sort.name, value)
        case OptionSort(inner):
            return None if value is None else ("some", of(inner, value))
        case RecordSort():
            return tuple(of(part, v) for (_, part), v in zip(sort.fields, value, strict=True))
        case _ if isinstance(sort, BitSet):
            return frozenset(of(sort.element, v) for v in value)
        case VariantSort():
            tag, held = value
            return tag, of(sort.case(tag), held)
        case MapSort(key, image):
            pairs = zip(domains.values(key), value, strict=True)
            return frozenset((of(key, k), of(image, v)) for k, v in pairs)
        case SequenceSort(element, _):
            return tuple(of(element, v) for v in value)
        case BoolSort() | IntSort() | EnumSort():
            return value
        case _ if isinstance(sort, Collection):
            raise SortError(f"{sort} cannot be a key: the state has no names for its values")
        case _:
            unknown_sort(sort)


def renamed_key(key: Key, names: Mapping[str, tuple[int, ...]]) -> Key:
    """Return the key with its members renamed, those of the scalarsets that have new names."""
    match key:
        case Member(sort, number):
            return Member(sort, names[sort][number]) if sort in names else key
        case tuple():
            return tuple(renamed_key(part, names) for part in key)
        case frozenset():
            return frozenset(renamed_key(part, names) for part in key)
    return key


def anonymous(key: Key) -> Key:
    """Return a key without the numbers of its members."""
    match key:
        case Member(sort, _):
            return Member(sort, -1)
        case tuple():
            return tuple(anonymous(part) for part in key)
        case frozenset():
            return tuple(sorted(repr(anonymous(part)) for part in key))
    return key


def members_of(key: Key) -> Iterator[Member]:
    """Return the members that a key names, one after the other."""
    match key:
        case Member():
            yield key
        case tuple() | frozenset():
            for part in key:
                yield from members_of(part)
