"""What samples of a text's states suggest for its sorts: a key of messages, how many there are.

Whatever they suggest is proven with everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import values as v
from .layout import Hints
from .oracle.symmetry import renamings

MOST_ALIKE = 5
"""The most model values that are renamed into each other."""

EVIDENCE = 20
"""Sets of two members or more that a key has to be seen in."""


def hints_of(
    samples: Sequence[Mapping[str, Any]], arguments: Mapping[str, frozenset[Any]] | None = None
) -> Hints:
    """Return the keys of sets of records, and the most members of a variable that is a set.

    ``arguments`` are those that variables that are functions were met to be defined at.
    """
    sets = [found for state in samples for value in state.values() for found in _sets(value)]
    candidates: dict[tuple[str, ...], dict[str, int]] = {}
    for members in sets:
        if len(members) < 2:
            continue
        graphs = [v.graph_of(one) if isinstance(one, v.Function) else {} for one in members]
        fields = tuple(sorted(str(k) for k in graphs[0]))
        if not fields or any(tuple(sorted(map(str, g))) != fields for g in graphs):
            continue
        known = candidates.setdefault(fields, dict.fromkeys(fields, 0))
        for name in list(known):
            held = [g[name] for g in graphs]
            scalar = all(isinstance(one, int | str | v.ModelValue) for one in held)
            if scalar and len(set(held)) == len(held):
                known[name] += 1
            else:
                del known[name]
    keys = {
        fields: max(known, key=lambda name: (known[name], name))
        for fields, known in candidates.items()
        if known and max(known.values()) >= EVIDENCE
    }
    seen: dict[str, set[int]] = {}
    for state in samples:
        for name, value in state.items():
            if isinstance(value, frozenset):
                seen.setdefault(name, set()).add(len(value))
    sizes = {name: _room(found, len(samples)) for name, found in seen.items()}
    return Hints(keys, sizes, dict(arguments or {}))


def _room(sizes: set[int], samples: int) -> int:
    """Return how many members a set is given room for that has been seen with so many."""
    most = max(sizes)
    return most if len(sizes) == 1 and most > 0 and samples >= EVIDENCE else 2 * most + 2


def with_renamed(
    arguments: Mapping[str, frozenset[Any]], alike: Iterable[frozenset[v.ModelValue]]
) -> dict[str, frozenset[Any]]:
    """Return arguments with those that differ from them in the names of model values only.

    ``alike`` are sets of model values that the configuration says nothing else of: what one of
    them sends the others mostly send as well.
    """
    found = {name: set(listed) for name, listed in arguments.items()}
    for members in alike:
        if not 1 < len(members) <= MOST_ALIKE:
            continue
        first, *rest = listed = v.ordered(members)
        swap = {first: rest[0], rest[0]: first}
        around = dict(zip(listed, [*rest, first], strict=True))
        for renaming in renamings([v.function(swap), v.function(around)]):
            for known in found.values():
                known |= {renaming.image(one) for one in known}
    return {name: frozenset(known) for name, known in found.items()}


def _sets(value: Any) -> Iterator[frozenset[Any]]:
    if isinstance(value, frozenset):
        yield value
        for one in value:
            yield from _sets(one)
    elif isinstance(value, tuple):
        for one in v.graph_of(value).values():
            yield from _sets(one)
