"""Uninterpreted functions that stand for a value of any sort.

A map becomes a function of its key's scalars, one for each of the key's discrete cases.
"""

from __future__ import annotations

from collections.abc import Callable

from bmc.lang.sort_parts import key_index
from bmc.lang.sorts import (
    BitSet,
    BoolSort,
    Collection,
    CountedSet,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalarset,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)
from bmc.readings.quantified.formulas import (
    BOOL,
    FALSE,
    Expression,
    LogicSort,
    Symbol,
    app,
    eq,
    number,
)
from bmc.readings.quantified.structures import (
    ABSENT,
    Alternatives,
    Fields,
    Function,
    Indexed,
    NotQuantified,
    Optional,
    Structure,
    choose,
    index_sort,
    merge,
    require_key,
    scalar_sort,
    unspoken_key,
)

KeyParts = tuple[tuple[Expression, LogicSort], ...]


def fresh(
    sort: Sort,
    name: str,
    args: tuple[Expression, ...] = (),
    domain: tuple[LogicSort, ...] = (),
) -> Structure:
    """Uninterpreted functions of ``args`` for the scalars of a value of any sort."""
    match sort:
        case BoolSort() | IntSort() | EnumSort() | Scalarset():
            return app(Symbol(name, domain, scalar_sort(sort)), *args)
        case OptionSort(inner):
            present = app(Symbol(f"{name}?", domain, BOOL), *args)
            return Optional(present, fresh(inner, name, args, domain))
        case RecordSort():
            return Fields(tuple(fresh(p, f"{name}.{n}", args, domain) for n, p in sort.fields))
        case VariantSort():
            tag = app(Symbol(f"{name}!tag", domain, LogicSort("Int", sort.name)), *args)
            return Alternatives(
                tag, tuple(fresh(p, f"{name}.{n}", args, domain) for n, p in sort.cases)
            )
        case MapSort(key_sort, value):
            return _function(key_sort, value, name, args, domain)
        case _ if isinstance(sort, BitSet):
            return _function(sort.element, BoolSort(), name, args, domain)
        case KeyedSetSort():
            stored = OptionSort(_without_key(sort))
            function = _function(sort.key_sort, stored, name, args, domain)
            return Function(lambda key: _with_key(sort, key, function(key)))
        case SequenceSort(element, _):
            length = app(Symbol(f"{name}!length", domain, index_sort(sort)), *args)
            return Indexed(
                length,
                Function(lambda i: fresh(element, name, (*args, i), (*domain, index_sort(sort)))),
            )
        case _ if isinstance(sort, CountedSet):
            raise NotQuantified(f"a {sort} holds a number of elements, which is a cardinality")
        case _:
            unknown_sort(sort)


def _function(
    key_sort: Sort,
    value: Sort,
    name: str,
    args: tuple[Expression, ...],
    domain: tuple[LogicSort, ...],
) -> Function:
    require_key(key_sort)

    def at(suffix: str, keys: KeyParts) -> Structure:
        terms, sorts = (*args, *(k for k, _ in keys)), (*domain, *(s for _, s in keys))
        # A key without parts is a step into the value as well, and no other one has this name.
        token = suffix if suffix or keys else "@"
        return fresh(value, name + token, terms, sorts)

    def lookup(key: Structure) -> Structure:
        found = _by_cases(key_sort, key, at)
        return _nothing_of(value) if found is ABSENT else found

    return Function(lookup)


def _without_key(sort: KeyedSetSort) -> RecordSort:
    kept = tuple((n, s) for n, s in sort.element.fields if n != sort.key)
    return RecordSort(sort.element.name, kept)


def _nothing_of(sort: Sort) -> Structure:
    """What there is under a key that is not there itself: some value, which nobody may read."""
    if isinstance(sort, OptionSort):
        return Optional(FALSE, ABSENT)
    return FALSE if isinstance(sort, BoolSort) else ABSENT


def _with_key(sort: KeyedSetSort, key: Structure, slot: Optional) -> Optional:
    if slot.content is ABSENT:
        return slot
    parts = list(slot.content.parts)
    parts.insert(key_index(sort), key)
    return Optional(slot.present, Fields(tuple(parts)))


def _by_cases(sort: Sort, key: Structure, at: Callable[[str, KeyParts], Structure]) -> Structure:
    """What ``at`` gives for a key: by its scalars, apart for each of its discrete cases."""
    if key is ABSENT:
        return ABSENT
    match sort:
        case BoolSort():
            return choose(key, lambda: at("@true", ()), lambda: at("@false", ()))
        case EnumSort():
            last = len(sort.values) - 1
            found = at(f"@{last}", ())
            for i in reversed(range(last)):
                found = merge(eq(key, number(i)), at(f"@{i}", ()), found)
            return found
        case IntSort() | Scalarset():
            return at("", ((key, scalar_sort(sort)),))
        case OptionSort(inner):
            return choose(
                key.present,
                lambda: _by_cases(inner, key.content, lambda s, k: at(f"@some{s}", k)),
                lambda: at("@none", ()),
            )
        case RecordSort():
            return _record_cases(sort, key, 0, at)
        case _ if isinstance(sort, VariantSort | Collection):
            raise unspoken_key(sort)
        case _:
            unknown_sort(sort)


def _record_cases(
    sort: RecordSort, key: Fields, index: int, at: Callable[[str, KeyParts], Structure]
) -> Structure:
    if index == len(sort.fields):
        return at("", ())

    def further(suffix: str, keys: KeyParts) -> Structure:
        return _record_cases(sort, key, index + 1, lambda s, k: at(suffix + s, (*keys, *k)))

    return _by_cases(sort.fields[index][1], key.parts[index], further)
