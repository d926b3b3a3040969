"""Names in a module: TLA+ lets nothing be declared twice, not even in another scope."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bmc.reports.exports.tla.errors import NoTla

_WORDS = """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE
    DEFS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL
    MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING
    SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH
    WITNESS"""
_EXTENDED = "Nat Int Cardinality IsFiniteSet Seq Len Append Head Tail SubSeq SelectSeq"
_DEFINED = """
    None Least LeastOr Greatest GreatestOr The Within Having Short Few Keyed Only
    Init Next vars Inside InSorts"""
_CONFIGURED = """
    ACTION_CONSTRAINT ACTION_CONSTRAINTS ALIAS CHECK_DEADLOCK CONSTRAINT CONSTRAINTS INIT INVARIANT
    INVARIANTS NEXT POSTCONDITION PROPERTIES PROPERTY SPECIFICATION SYMMETRY TYPE TYPE_CONSTRAINT
    VIEW"""
RESERVED = frozenset(f"{_WORDS} {_CONFIGURED} {_EXTENDED} {_DEFINED}".split())
"""Words of the language and of configurations, operators of the modules that are extended, and what
is always defined."""


class Names:
    """The names of a module, and those that are bound where one writes at the moment."""

    def __init__(self) -> None:
        self._taken = set(RESERVED)

    def declare(self, wanted: str) -> str:
        """Return the name for something of the module: what is wanted, with a number if taken.

        Raises `NoTla` where no name of TLA+ is like it.
        """
        found = self._free(wanted)
        self._taken.add(found)
        return found

    @contextmanager
    def bound(self, wanted: Iterable[str]) -> Iterator[tuple[str, ...]]:
        """Give names to bound variables, as long as the context lasts."""
        found = []
        for one in wanted:
            name = self._free(one)
            self._taken.add(name)
            found.append(name)
        try:
            yield tuple(found)
        finally:
            self._taken.difference_update(found)

    def _free(self, wanted: str) -> str:
        if not _spelt(wanted):
            raise NoTla(f"TLA+ has no name {wanted!r}: call it by letters of ASCII, digits and _")
        stem = wanted.lstrip("_") or "x"
        if stem.startswith(("WF_", "SF_")):
            stem = f"x{stem}"
        name, number = stem, 2
        while name in self._taken:
            name, number = f"{stem}{number}", number + 1
        return name


def check_field(name: str) -> None:
    """Raise `NoTla` where a record of TLA+ has no field of that name."""
    if not _spelt(name) or name in _WORDS.split() or name.startswith(("WF_", "SF_")):
        raise NoTla(f"TLA+ has no field {name!r}: call it otherwise, by letters of ASCII")


def _spelt(name: str) -> bool:
    return re.fullmatch(r"\w*[A-Za-z]\w*|_+", name, re.ASCII) is not None
