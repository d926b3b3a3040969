"""What a suite is given: each of its parts is of its own kind, or it says what was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import UnionType

from bmc.lang.advice import shown
from bmc.lang.errors import BmcError, LanguageError
from bmc.lang.properties import Kind, PropertyDeclaration
from bmc.lang.protocol import History, Protocol
from bmc.lang.ranking import RankingDeclaration
from bmc.lang.scalars import BOOL
from bmc.lang.set_orders import require_an_order
from bmc.lang.temporal import Specification, TemporalDeclaration
from bmc.lang.terms import Expr, Term, term_of

_KINDS: Mapping[str, tuple[type, str]] = {
    "properties": (PropertyDeclaration, "claims of states and steps, as declared: (P.Safe, …)"),
    "lemmas": (PropertyDeclaration, "what @lemma(...) declares: (P.Helps, …)"),
    "temporal": (TemporalDeclaration, "what @temporal(...) declares: (P.Ends, …)"),
    "specifications": (Specification, 'specifications: (Specification("Fair", …), …)'),
    "rankings": (RankingDeclaration, "what @ranking(...) declares: (P.Nearer, …)"),
    "carried": (str, 'names of lemmas: ("Helps", …)'),
    "aliases": (str, 'further names of the suite: ("short", …)'),
    "notes": (str, 'texts: ("of executions without crashes", …)'),
    "refused": (
        BmcError,
        "errors that a front end met; for claims that are known to be false write "
        'refuted={"NAME": "why it is so"}',
    ),
}
LISTS = tuple(_KINDS)
"""The fields of a suite that list members of one kind."""


def listed(suite: str, field: str, given: object) -> tuple[object, ...]:
    """Return what a field of a suite lists. Raises LanguageError where that is something else."""
    kind, meant = _KINDS[field]
    if isinstance(given, str | kind) or not isinstance(given, Iterable):
        raise LanguageError(f"{field} of {suite} is a tuple of {meant}; you gave {_told(given)}")
    require_an_order(f"{field} of {suite}", given)
    # An iterator would be at its end when it is read again.
    members = tuple(given)
    for member in members:
        if not isinstance(member, kind):
            raise LanguageError(f"{field} of {suite} are {meant}; you gave {_told(member)}")
        if field == "properties" and getattr(member, "kind", None) is Kind.LEMMA:
            raise LanguageError(
                f"properties of {suite} are claims, and {_named(member)} is a lemma, about which "
                "nobody would ask: list it in lemmas=, or declare it with @invariant(...)"
            )
    return members


def formula_given(said: str, formula: object) -> Term | None:
    """Return a formula of a state, or None. Raises LanguageError where ``said`` is neither."""
    if formula is not None and not (isinstance(formula, Expr) and term_of(formula).sort == BOOL):
        raise LanguageError(
            f"{said} is {shown(formula)} and no formula of a state: give a claim's, "
            "suite.describe(suite.find(NAME), suite.model(False)).body, or None"
        )
    return None if formula is None else term_of(formula)


def require_classes(suite: str, protocol: object, history: object) -> None:
    """Raise LanguageError where a suite's protocol or history is no class of its kind."""
    if not (isinstance(protocol, type) and issubclass(protocol, Protocol)):
        raise LanguageError(
            f"{suite} is about a protocol's class, you gave {_told(protocol)}: name the class, and "
            "give parameters where you ask"
        )
    if not (history is None or (isinstance(history, type) and issubclass(history, History))):
        raise LanguageError(
            f"history of {suite} is the class of a History, you gave {_told(history)}: name the "
            "class"
        )


_MEANT = {
    "origin": "the text that a front end translated: of a protocol in Python leave it out",
    "explained": 'a table: {"NAME": Unreached("why it is so")}',
    "parts": 'a table of claims and what they are made of: {"NAME": ("ONE", "OTHER")}',
}


def require_of_kind(suite: str, field: str, given: object, kind: type | UnionType) -> None:
    """Raise LanguageError where a field of a suite, which lists nothing, is of no such kind."""
    if not isinstance(given, kind):
        raise LanguageError(f"{field} of {suite} is {_MEANT[field]}; you gave {_told(given)}")


def _named(given: object) -> object:
    return getattr(given, "name", None) or getattr(given, "__name__", None)


def _told(given: object) -> str:
    name = _named(given)
    called = f" called {name}" if isinstance(name, str) else ""
    return repr(given) if isinstance(given, str) else f"a {type(given).__name__}{called}"
