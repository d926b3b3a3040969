"""What a star import takes the place of: the text does not say which names it binds.

A word that a file's own text gives another meaning below the import is written there for all to
read, and stays what it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import resolve_name
from typing import Any

from bmc.lang.slips import Slip, bound_by, read_by

_PLAIN = (bool, int, str, float, bytes, type(None))


def replaced_by_stars(statements: Sequence[ast.stmt], known: Mapping[str, Any]) -> Iterator[Slip]:
    """Yield what binds a name of a file that a star import further down gives another meaning.

    Of two star imports the first is found where the file reads the name. ``known`` are the names
    of the file, which is loaded.
    """
    given = {one: _given(one, known) for one in statements if _is_star(one)}
    if not given:
        return
    read = {name for one in statements for name in read_by(one)}
    own = str(known.get("__name__"))
    for place, one in enumerate(statements):
        for later in filter(given.__contains__, statements[place + 1 :]):
            anew = given[later]
            if one in given:
                first = given[one]
                both = first.keys() & anew.keys() & read
                lost = sorted(name for name in both if not _same(first[name], anew[name]))
            else:
                both = bound_by(one).keys() & anew.keys()
                lost = sorted(n for n in both if not _is_of(anew[n], n, one, own, known))
            if lost:
                yield one, _said(lost[0], later)


def _said(name: str, later: ast.stmt) -> str:
    return (
        f"the star import of line {later.lineno} gives {name} another meaning, so this one is "
        "gone: import there by name what is needed"
    )


def _is_star(one: ast.stmt) -> bool:
    return isinstance(one, ast.ImportFrom) and one.names[0].name == "*"


def _given(one: ast.stmt, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a star import gives, by the names; nothing where its module is not known."""
    assert isinstance(one, ast.ImportFrom)
    module = _module(one, known)
    if module is None:
        return {}
    names = getattr(module, "__all__", None) or [n for n in vars(module) if n[:1] != "_"]
    return {name: getattr(module, name, None) for name in names}


def _module(one: ast.ImportFrom, known: Mapping[str, Any]) -> Any:
    called = "." * one.level + (one.module or "")
    try:
        return sys.modules.get(resolve_name(called, known.get("__package__") or None))
    except ImportError:
        return None


def _is_of(value: object, name: str, one: ast.stmt, own: str, known: Mapping[str, Any]) -> bool:
    """Return whether what a star import gives is what a statement above it binds to the name."""
    if isinstance(one, ast.ImportFrom):
        asked = next(n.name for n in one.names if (n.asname or n.name) == name)
        return _same(getattr(_module(one, known), asked, value), value)
    return getattr(value, "__module__", None) == own


def _same(one: object, other: object) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and isinstance(one, _PLAIN) and one == other
