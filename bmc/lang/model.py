"""A model: what a protocol is, with nothing of how it was written.

It is all that the rest of bmc sees of a protocol, whether a Python class was read
(:mod:`bmc.lang.describe`) or another language was translated.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bmc.lang.by_parts import ByParts
from bmc.lang.parameters import Parameter
from bmc.lang.sorts import BOOL, Sort
from bmc.lang.state import Branch
from bmc.lang.terms import Term, make


@dataclass(frozen=True)
class Source:
    """Where something is written: a file and a line counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @staticmethod
    def of(function: Callable[..., object]) -> Source:
        """The place of a function's definition."""
        code = inspect.unwrap(function).__code__
        return Source(code.co_filename, code.co_firstlineno)


@dataclass(frozen=True)
class Argument(ByParts):
    """An action's existential choice.

    ``collection`` is the variable's term when the choice is an element of a set in the state.
    """

    name: str
    variable: Term
    collection: Term | None

    @property
    def drawn(self) -> Term:
        """What is known of the choice where it is made."""
        if self.collection is None:
            return make("bool", (), BOOL, True)
        return make("member", (self.variable, self.collection), BOOL)


@dataclass(frozen=True)
class Action:
    """``name == \\E arguments : branch \\/ branch …``."""

    name: str
    arguments: tuple[Argument, ...]
    branches: tuple[Branch, ...]
    source: Source
    about: str = ""
    fairness: str | None = None


@dataclass(frozen=True)
class Model(ByParts):
    """What a protocol is, with nothing of how it was written.

    ``variables`` maps names to sorts in declaration order, ghosts last; ``ghosts`` names those
    that exist for proofs only. ``constraint`` is the state constraint: a successor outside it
    is not entered (as TLC counts).
    """

    name: str
    parameters: tuple[Parameter, ...]
    variables: Mapping[str, Sort]
    ghosts: frozenset[str]
    initial: Action
    actions: tuple[Action, ...]
    constraint: Term
    about: Mapping[str, str] = field(default_factory=dict)
