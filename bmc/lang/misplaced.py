"""What a class declares and nothing reads: it would be lost in silence."""

from __future__ import annotations

from difflib import SequenceMatcher
from types import FunctionType
from typing import Any

from bmc.lang.declared import Declaration
from bmc.lang.errors import LanguageError
from bmc.lang.model import Source
from bmc.lang.protocol import ActionDeclaration, Follow, History, Protocol, Variable

_SAID_OF_STATES = ("Constraint", "terminated")
_CALLED_ELSEWHERE = {
    "Constraint": ("constrain", "constraints", "stateconstraint", "stateconstraints"),
    "terminated": ("isterminated", "terminate", "terminates", "termination"),
}
"""What others call it: a method of that name is a helper where the class reads it."""
_NEXT_ELSEWHERE = ("next", "nxt", "nextaction", "nextactions", "nextstate", "nextstep", "nextsteps")
_SAID_BY_PROTOCOLS = ("Init", "Next", *_SAID_OF_STATES)


def require_of_a_protocol(protocol: type[Protocol]) -> None:
    """Raise LanguageError where a protocol declares what a history does, or misspells a word."""
    for name, value in _declared(protocol):
        if isinstance(value, Follow):
            raise _misplaced(
                protocol, name, value, "an action's guards and new values stand in the action"
            )

    for said in _SAID_OF_STATES:
        if getattr(protocol, said) is getattr(Protocol, said):
            _require_spelt(protocol, said)
    _require_next_is_spelt(protocol)


def _require_next_is_spelt(protocol: type[Protocol]) -> None:
    """Raise LanguageError where actions are no Next by its spelling alone: another one stands."""
    for base in protocol.__mro__:
        for name, value in vars(base).items():
            called = name.replace("_", "").casefold()
            alike = called in _NEXT_ELSEWHERE or _is_misspelt(called, "next")
            lists = isinstance(value, tuple) and any(
                isinstance(a, ActionDeclaration) for a in value
            )
            if alike and lists and name != "Next":
                raise _misplaced(protocol, name, value, "bmc reads Next; call it so, or otherwise")


def _require_spelt(protocol: type[Protocol], said: str) -> None:
    """Raise LanguageError where a protocol says something under another spelling of its name."""
    for base in protocol.__mro__:
        for name, value in vars(base).items():
            called = name.replace("_", "").casefold()
            meant = called in _CALLED_ELSEWHERE[said] or _is_misspelt(called, said.casefold())
            alike = called == said.casefold() or (meant and not _is_read(protocol, name))
            # A method is one in every wrapping: `@staticmethod` makes it no less lost.
            method = isinstance(value, FunctionType | staticmethod | classmethod | property)
            if alike and name != said and method:
                remedy = f"bmc reads {said}; call it so, or a helper otherwise"
                raise _misplaced(protocol, name, value, remedy)


def _is_misspelt(called: str, said: str) -> bool:
    """Return whether a letter is missing, is too many, is another one or has changed its place."""
    shorter, longer = sorted((len(called), len(said)))
    if not _is_close(2 * shorter / (shorter + longer)):
        # Nothing of another length comes as near, and each name of a class is asked about.
        return False
    return _is_close(SequenceMatcher(None, called, said).ratio()) or sorted(called) == sorted(said)


def _is_close(ratio: float) -> bool:
    return ratio > 0.93


def _is_read(protocol: type[Protocol], name: str) -> bool:
    """Return whether a method of a protocol speaks of a name."""
    members = (value for base in protocol.__mro__ for value in vars(base).values())
    functions = (getattr(value, "function", value) for value in members)
    return any(isinstance(f, FunctionType) and name in f.__code__.co_names for f in functions)


def require_of_a_history(history: type[History]) -> None:
    """Raise LanguageError where a history declares what protocols and suites do."""
    for name, value in _declared(history):
        if not isinstance(value, Variable | Follow):
            raise _misplaced(
                history, name, value, "a history has variables and methods under @after(...) alone"
            )
    for name in _SAID_BY_PROTOCOLS:
        if (said := getattr(history, name, None)) is not None:
            raise _misplaced(history, name, said, "the protocol says it, or calls it otherwise")


def _declared(owner: type) -> list[tuple[str, Declaration]]:
    return [
        (name, value)
        for base in owner.__mro__
        for name, value in vars(base).items()
        if isinstance(value, Declaration)
    ]


def _misplaced(owner: type, name: str, value: object, remedy: str) -> LanguageError:
    function: Any = getattr(value, "function", value)
    if isinstance(function, property):
        function = function.fget
    elif isinstance(function, staticmethod | classmethod):
        function = function.__func__
    error = LanguageError(f"{owner.__name__} has a {name} that nothing would read: {remedy}")
    if hasattr(function, "__code__"):
        source = Source.of(function)
        error.place = source.file, source.line
    return error
