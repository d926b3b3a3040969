"""Compiled expressions, the frame that they read, and the environment they are compiled in.

A frame is one list for a whole specification: the variables' values, their next values, then a slot
for each bound variable, each argument and each LET definition at each place where it is compiled.
Operators are compiled where they are called, so arguments that contain primes, operator arguments
and INSTANCE's substitutions need no treatment at run time. A recursive operator is compiled once;
its calls save its slots and restore them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from .. import core as c
from ..errors import Span
from ..node import node
from .errors import EvaluationError

Frame: TypeAlias = list[Any]
Run: TypeAlias = Callable[[Frame], Any]


class Missing:
    """What stands in a slot before it has a value; equal to no value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "(no value yet)"


MISSING: Final = Missing()
NOTHING: Final[frozenset[int]] = frozenset()
ANY_STEP: Final = frozenset((-1,))
"""What an action needs: it is never a constant."""


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled expression.

    - `run`: the value in a frame; of a test, a Python truth;
    - `needs`: the slots it reads that are not its own; none: a constant expression;
    - `known`: the value of a constant expression, MISSING if it has none (an error in dead text);
    - `lazy`: whether the value may be a set or function that is not written out;
    - `cheap`: whether finding it again costs no more than remembering it.
    """

    run: Run
    needs: frozenset[int] = NOTHING
    known: Any = MISSING
    lazy: bool = False
    cheap: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A name whose value is in a slot of the frame, or :class:`Lacking` where it may lack one."""

    index: int
    lazy: bool = False
    may_lack: bool = False


@dataclass(slots=True, eq=False)
class Lacking:
    """What a slot holds of an argument without a value: whoever reads it meets the error."""

    error: EvaluationError


@dataclass(slots=True, eq=False)
class ByName:
    """A name that stands for an expression: an argument or a LET definition without parameters.

    `codes` has its value where it is read unprimed and where it is read primed; `memos` the slots
    that remember them, which are emptied where the name is bound.
    """

    expression: c.Expression
    env: Env
    codes: dict[bool, Code] = field(default_factory=dict)
    memos: list[int] = field(default_factory=list)


@node
class Operation:
    """An operator as an argument, with the environment that it is read in."""

    operator: c.OperatorRef | c.BuiltinRef | c.Lambda
    env: Env


Entry: TypeAlias = Slot | ByName | Operation


class Reader(ABC):
    """What an expression is compiled to: its value, its truth, or the steps that it allows."""

    known: dict[tuple[c.Definition, bool], Code] | None = None
    """Codes of whole operators by their definition and whether they are primed, if reusable."""

    @abstractmethod
    def __call__(self, node: c.Expression, env: Env) -> Code: ...

    @abstractmethod
    def adapt(self, code: Code, span: Span) -> Code:
        """Return the code of a value as what this reader makes of an expression."""

    def steps(self, called: Recursive) -> Code | None:
        """Return a recursive call as the steps that it allows; None where it is read as a value."""
        return None


@dataclass(slots=True, eq=False)
class LetSite:
    """A LET at a place where it is compiled: its definitions' environment, which has them too."""

    env: Env
    values: dict[c.Definition, ByName] = field(default_factory=dict)


@node
class Env:
    """What names mean at a place; `primed` where variables stand for their next values."""

    names: dict[c.Binding, Entry] = field(default_factory=dict)
    lets: dict[c.Definition, LetSite] = field(default_factory=dict)
    primed: bool = False

    def bind(self, names: dict[c.Binding, Entry]) -> Env:
        """Return the environment with these names as well."""
        return replace(self, names={**self.names, **names})

    def let(self, definitions: tuple[c.Definition, ...]) -> tuple[Env, LetSite]:
        """Return the environment with these local definitions as well, and where they are."""
        site = LetSite(self)
        site.env = replace(self, lets={**self.lets, **dict.fromkeys(definitions, site)})
        for definition in definitions:
            if not definition.parameters and not definition.is_recursive:
                site.values[definition] = ByName(definition.body, site.env)
        return site.env, site

    def around(self, definition: c.Definition) -> Env:
        """Return the environment in which a definition's body is read, as primed as this one."""
        site = self.lets.get(definition)
        found = Env() if site is None else site.env
        return found.prime() if self.primed else found

    def prime(self) -> Env:
        """Return the environment in which variables stand for their next values."""
        return self if self.primed else replace(self, primed=True)


@node
class Recursive:
    """A call of a recursive operator: the environment of the call, and that of the operator."""

    definition: c.Definition
    arguments: list[Entry]
    env: Env
    inner: Env
    node: c.Expression


EMPTY = Env()
EMPTY_PRIMED = Env(primed=True)


def constant(value: Any, lazy: bool = False) -> Code:
    """Return the code of a known value."""
    return Code(lambda _frame: value, NOTHING, value, lazy, cheap=True)


@dataclass(slots=True, eq=False)
class Unit:
    """A recursive operator, compiled once: its slots `low` to `high`, the parameters first."""

    low: int
    high: int
    code: Code | None = None
    needs: frozenset[int] = NOTHING
