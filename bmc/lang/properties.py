"""What is claimed of a protocol: invariants, step invariants, lemmas and witnesses.

A property is a function ``(m, s, *arguments)`` of the protocol (for its operators) and a state;
its arguments are universally quantified, and each choice of them is one *instance*.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from bmc.lang.advice import shown
from bmc.lang.build import argument
from bmc.lang.by_parts import ByParts
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import (
    Declaration,
    require_arguments,
    require_undecorated,
    run_with,
)
from bmc.lang.errors import LanguageError, placed
from bmc.lang.model import Source
from bmc.lang.sorts import Sort
from bmc.lang.state import State
from bmc.lang.stated import require_well_stated
from bmc.lang.terms import Handle, Term, boolean


class Kind(Enum):
    """What a property says of the reachable states."""

    INVARIANT = "invariant"
    STEP_INVARIANT = "step invariant"
    LEMMA = "lemma"
    WITNESS = "witness"


@dataclass(frozen=True)
class Property(ByParts):
    """A property over a model's variables: ``\\A arguments : body``.

    ``body`` is a Bool term over state variables (primed ones too in a step invariant) and the
    arguments. ``text`` is the reader's sentence.
    """

    name: str
    kind: Kind
    arguments: tuple[Term, ...]
    body: Term
    text: str
    group: str
    source: Source


WITHIN_BOUNDS = "WithinBounds"
"""The name of the condition that no enabled action leaves the model's bounds: no property's."""


_BEFORE = frozenset({"s", "before", "current", "now", "old", "pre", "prev", "previous"})
_AFTER = frozenset({"t", "after", "new", "next", "nxt", "post", "prime", "primed"})
"""What the states of a step are called where a name, or a word in it, says which of them it is."""


def _is_after(name: str) -> bool:
    return not _AFTER.isdisjoint(name.split("_"))


def _is_before(name: str) -> bool:
    return not _is_after(name) and not _BEFORE.isdisjoint(name.split("_"))


def _counts_down(first: str, second: str) -> bool:
    """Return whether two names differ by their numbers alone, and the greater one comes first."""
    one, other = (re.fullmatch(r"(\D*)(\d+)", name) for name in (first, second))
    if one is None or other is None:
        return False
    return one[1] == other[1] and int(one[2]) > int(other[2])


def _require_in_order(function: Callable[..., Any]) -> None:
    """Raise LanguageError where the names of a step's states say the other order."""
    first, second = list(inspect.signature(function).parameters)[1:3]
    if (_is_after(first) and _is_before(second)) or _counts_down(first, second):
        raise LanguageError(
            f"{function.__name__} takes ({first}, {second}), and the first of a step's states is "
            f"the one before it: write def {function.__name__}(self, {second}, {first})"
        )


class PropertyDeclaration(Declaration):
    """A property as it is written: a function, and the sorts of its arguments."""

    def __init__(
        self,
        function: Callable[..., Any],
        kind: Kind,
        text: str,
        group: str,
        arguments: Mapping[str, Sort],
    ) -> None:
        require_undecorated(function)
        self.function = function
        self.kind = kind
        self.name = function.__name__
        if self.name == WITHIN_BOUNDS:
            raise LanguageError(
                f"{WITHIN_BOUNDS} is bmc's own name, for the condition that no enabled action "
                "leaves the model's bounds: rename the property"
            )
        self.text = text or inspect.getdoc(function) or ""
        self.group = group
        self.arguments = dict(arguments)
        states = 2 if kind is Kind.STEP_INVARIANT else 1
        require_arguments(function, self.arguments, 1 + states, "its states")
        if kind is Kind.STEP_INVARIANT:
            _require_in_order(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the property's formula, to build one property out of another.

        Raises LanguageError where the protocol is left out, as of a method of Python it is.
        """
        if args and isinstance(args[0], State):
            raise LanguageError(
                f"{self.name} is a claim and no method: write self.{self.name}(self, …), with all "
                "else as it is"
            )
        return self.function(*args, **kwargs)

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> Property:
        """The property over the given variables."""
        source = Source.of(self.function)
        with placed(source.file, source.line, self.name):
            return self._described(protocol, sorts, source)

    def _described(self, protocol: object, sorts: Mapping[str, Sort], source: Source) -> Property:
        variables = tuple(argument(n, s) for n, s in self.arguments.items())
        with nothing_decided(self.name):
            states = [State(sorts, False, protocol, self.arguments)]
            if self.kind is Kind.STEP_INVARIANT:
                states.append(State(sorts, True, protocol, self.arguments))
            formula = run_with(self.function, (protocol, *states), map(Handle, variables))
            if formula is None:
                raise LanguageError(f"{self.name} returns nothing: return its formula")
            body = boolean(formula)
        require_well_stated(self.name, protocol, sorts, variables, [body])
        return Property(self.name, self.kind, variables, body, self.text, self.group, source)


Decorator = Callable[[Callable[..., Any]], PropertyDeclaration]


def _decorator(kind: Kind, text: object, group: str, arguments: Mapping[str, Sort]) -> Decorator:
    if not isinstance(text, str):
        word = kind.value.replace(" ", "_")
        if not callable(text):
            raise LanguageError(
                f'@{word} is given a name for what it ranges over: @{word}("what it says", '
                f"x={shown(text)})"
            )
        raise LanguageError(
            f"{getattr(text, '__name__', text)}: write the decorator with parentheses, "
            f'@{word}("what it says")'
        )
    sentence = text

    def declare(function: Callable[..., Any]) -> PropertyDeclaration:
        return PropertyDeclaration(function, kind, sentence, group, arguments)

    return declare


def invariant(text: str = "", /, **arguments: Sort) -> Decorator:
    """Declare ``(m, s, *arguments)`` to hold in every reachable state."""
    return _decorator(Kind.INVARIANT, text, "", arguments)


def step_invariant(text: str = "", /, **arguments: Sort) -> Decorator:
    """Declare ``(m, s, t, *arguments)`` to hold of every step from a reachable ``s`` to ``t``."""
    return _decorator(Kind.STEP_INVARIANT, text, "", arguments)


def lemma(text: str = "", /, group: str = "", **arguments: Sort) -> Decorator:
    """Declare a candidate invariant that strengthens proofs; it is itself proven, or dropped."""
    return _decorator(Kind.LEMMA, text, group, arguments)


def witness(text: str = "", /, **arguments: Sort) -> Decorator:
    """Declare a state (for some arguments) that must be reachable, so no proof is vacuous."""
    return _decorator(Kind.WITNESS, text, "", arguments)
