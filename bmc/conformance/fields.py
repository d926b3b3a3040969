"""Which fields of a log could hold the values of a sort, and which of them is likeliest to."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from bmc.conformance.likeness import likeness, words_of
from bmc.conformance.seen import Names, Seen, SeenEvent
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    EnumSort,
    IntSort,
    OptionSort,
    Scalarset,
    Sort,
)

ENOUGH = 0.5
"""How alike names are at least for a field to be proposed."""

NONES = ((int, -1), (str, ""), (str, "none"), (str, "None"), (str, "nil"), (str, "Nil"))
"""Logged values that are likely to say that there is no value."""

_IDENTITIES = frozenset(
    ("broker", "host", "id", "member", "nid", "node", "peer", "process", "replica", "server")
)
_MOST_MEMBERS = 32


def fits(sort: Sort, seen: Seen) -> bool:
    """Whether every value that a field had can be one of a sort."""
    if isinstance(sort, AnySet):
        return seen.kinds == {list} and _all(sort.element, seen, seen.inner)
    return _all(sort, seen, seen.kinds)


def _all(sort: Sort, seen: Seen, kinds: set[type]) -> bool:
    if isinstance(sort, OptionSort):
        left = {kind for kind, value in seen.values if (kind, value) not in NONES}
        return _all(sort.inner, seen, left - {type(None)})
    match sort:
        case BoolSort():
            return kinds == {bool}
        case IntSort():
            return kinds == {int}
        case EnumSort():
            return kinds == {str} and not seen.more and values_of(sort, seen) is not None
        case Scalarset():
            return kinds in ({int}, {str}) and len(seen.values) <= _MOST_MEMBERS and not seen.more
        case _:
            return False


def values_of(sort: EnumSort, seen: Seen) -> Mapping[str, str] | None:
    """Return the value of an enumeration that each logged word is likest to, or None.

    Every word needs a value of its own.
    """
    found: dict[str, str] = {}
    for kind, word in seen.values:
        if kind is not str:
            return None
        best = max(sort.values, key=lambda value: (likeness(word, value), value == word))
        if likeness(word, best) < ENOUGH or best in found.values():
            return None
        found[word] = best
    return found


def likeliest(
    name: str, sort: Sort, event: SeenEvent, taken: Collection[Names] = ()
) -> tuple[Names, float] | None:
    """Return the field of an event that is likeliest to hold what ``name`` is, and how likely.

    None where no field fits the sort and is called like it. Of several it is the outermost, and
    of those the one with fewer values.
    """
    found: tuple[tuple[float, int, int], Names] | None = None
    for names, seen in event.fields.items():
        if names in taken or not seen.values or not fits(sort, seen):
            continue
        alike = max(likeness(name, names[-1]), likeness(sort.name, names[-1]))
        if isinstance(sort, Scalarset) and _IDENTITIES.intersection(words_of(names[-1])):
            alike = max(alike, ENOUGH)
        rank = (alike, -len(names), -len(seen.values))
        if alike >= ENOUGH and (found is None or rank > found[0]):
            found = rank, names
    return None if found is None else (found[1], found[0][0])
