"""Aliases: expressions over a state that a reader wants to see at each step of a trace.

TLC's ALIAS under a decorator. An alias is shown and never checked: nothing that decides a
verdict reads it, and a model is the same model with it or without.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bmc.lang.build import argument
from bmc.lang.by_parts import ByParts
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import Declaration, require_arguments, require_undecorated, run_with
from bmc.lang.errors import LanguageError, placed
from bmc.lang.model import Source
from bmc.lang.protocol import Protocol
from bmc.lang.sorts import Sort
from bmc.lang.state import State
from bmc.lang.terms import Expr, Handle, Term, term_of


@dataclass(frozen=True)
class Alias(ByParts):
    """An expression over a model's variables, one for each choice of its arguments."""

    name: str
    arguments: tuple[Term, ...]
    term: Term
    text: str


class AliasDeclaration(Declaration):
    """An alias as it is written: a method, and the sorts of its arguments."""

    def __init__(
        self, function: Callable[..., Any], text: str, arguments: Mapping[str, Sort]
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.text = text or inspect.getdoc(function) or ""
        self.arguments = dict(arguments)
        require_arguments(function, self.arguments, 2, "self and s")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The expression, to build others out of it."""
        return self.function(*args, **kwargs)

    def describe(self, protocol: Protocol, sorts: Mapping[str, Sort]) -> Alias:
        """The alias over the given variables; LanguageError where it is no expression."""
        source = Source.of(self.function)
        with placed(source.file, source.line, self.name):
            return self._described(protocol, sorts)

    def _described(self, protocol: Protocol, sorts: Mapping[str, Sort]) -> Alias:
        variables = tuple(argument(n, s) for n, s in self.arguments.items())
        with nothing_decided(self.name):
            found = run_with(
                self.function,
                (protocol, State(sorts, False, protocol, self.arguments)),
                map(Handle, variables),
            )
            if not isinstance(found, Expr):
                raise LanguageError(
                    f"{self.name} returns no expression over the state: return what to show"
                )
            term = term_of(found)
        if term.free - frozenset(variables):
            raise LanguageError(f"{self.name} uses a bound variable outside its binder")
        return Alias(self.name, variables, term, self.text)


def alias(
    text: object = "", /, **arguments: Sort
) -> Callable[[Callable[..., Any]], AliasDeclaration]:
    """Declare a method ``(self, s, *arguments)`` of a protocol to be shown beside its variables."""
    if not isinstance(text, str):
        name = getattr(text, "__name__", text)
        raise LanguageError(f'{name}: write the decorator with parentheses, @alias("what it is")')

    sentence = text

    def declare(function: Callable[..., Any]) -> AliasDeclaration:
        require_undecorated(function)
        return AliasDeclaration(function, sentence, arguments)

    return declare


def aliases_of(protocol: type[Protocol], sorts: Mapping[str, Sort]) -> tuple[Alias, ...]:
    """A protocol's aliases over its variables, parents' first, in order of declaration."""
    found: dict[str, AliasDeclaration] = {}
    for base in reversed(protocol.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, AliasDeclaration):
                found[name] = value
            elif name in found:
                del found[name]
    clash = [name for name in found if name in sorts]
    if clash:
        raise LanguageError(f"{protocol.__name__}: the alias {clash[0]} is a variable already")
    instance = protocol()
    return tuple(declared.describe(instance, sorts) for declared in found.values())
