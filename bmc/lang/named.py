"""The names by which a suite speaks of its claims: a misspelled one would be nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches

from bmc.lang.advice import shown
from bmc.lang.errors import LanguageError, UnknownName, suggest

_A_SLIP = 0.8
"""How alike two names are, of which one is taken for the other misspelled."""


def require_stated(said: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise LanguageError, which begins with what is ``said``, where a name is not a known one."""
    for name in names:
        if name not in known:
            raise LanguageError(f"{said} {name}, which it does not state: {suggest(name, known)}")


def require_reasons(said: str, reasons: object) -> None:
    """Raise LanguageError unless each name is given with why, in a text."""
    whole = isinstance(reasons, Mapping) and all(isinstance(why, str) for why in reasons.values())
    if not whole:
        raise LanguageError(f'{said} names without why: write {{"NAME": "why it is so"}}')


def require_no_slip(said: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise LanguageError where a name is nearly a known one: others speak of what is no claim."""
    for name in names:
        near = [] if name in known else get_close_matches(name, known, n=1, cutoff=_A_SLIP)
        if near:
            raise LanguageError(f"{said} {name}, which nothing declares: did you mean {near[0]}?")


def require_names(properties: Iterable[object]) -> None:
    """Raise UnknownName where a property is not named by a text: a list of names is none."""
    for name in properties:
        if not isinstance(name, str):
            raise UnknownName(
                f"a property is named by a text, you gave {shown(name)}: write the names in quotes "
                "one after the other, or *names for a list of them"
            )
