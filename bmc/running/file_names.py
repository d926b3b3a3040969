"""Names of files that differ on every file system: some do not tell capital letters apart."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count


def names_apart(names: Iterable[str]) -> list[str]:
    """Return the names in their order; one that a file system may take for an earlier has a number.

    The same names in the same order are called the same each time.
    """
    taken: set[str] = set()
    found = []
    for one in names:
        numbered = chain([one], (f"{one}-{number}" for number in count(2)))
        name = next(name for name in numbered if name.casefold() not in taken)
        taken.add(name.casefold())
        found.append(name)
    return found
