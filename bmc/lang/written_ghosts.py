"""Ghosts as plain data, for files that carry a history which no protocol's text has.

Reading believes nothing: :func:`bmc.lang.ghosts.with_ghosts` refuses what is no history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bmc.lang.errors import BmcError
from bmc.lang.ghosts import Ghost
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term
from bmc.lang.written import Unreadable, read_sort, read_term, write_sort, write_term


def write_ghost(ghost: Ghost) -> dict[str, Any]:
    """Return a ghost as JSON data."""
    return {
        "name": ghost.name,
        "sort": write_sort(ghost.sort),
        "about": ghost.about,
        "initially": write_term(ghost.initially),
        "after": {action: write_term(value) for action, value in ghost.after.items()},
    }


def read_ghosts(
    written: Iterable[Mapping[str, Any]], variables: Mapping[str, Sort]
) -> tuple[Ghost, ...]:
    """Return the ghosts that data says, beside a model's variables.

    Raises Unreadable for data that is none.
    """
    try:
        sorts = {str(one["name"]): read_sort(one["sort"]) for one in written}
        known = {**variables, **sorts}
        return tuple(_ghost(one, sorts[str(one["name"])], known) for one in written)
    except Unreadable:
        raise
    except (BmcError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unreadable(f"a carried history cannot be read: {error}") from None


def _ghost(written: Mapping[str, Any], sort: Sort, variables: Mapping[str, Sort]) -> Ghost:
    def read(term: object) -> Term:
        return read_term(term, variables)

    return Ghost(
        str(written["name"]),
        sort,
        str(written["about"]),
        read(written["initially"]),
        {str(action): read(value) for action, value in written["after"].items()},
    )
