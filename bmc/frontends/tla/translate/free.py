"""What an expression reads besides constants, and which variables it primes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from bmc.frontends.tla import core as c
from bmc.frontends.tla.levels import Level, asks_enabled, level
from bmc.frontends.tla.walk import children

Found = TypeVar("Found")

_NONE_OPEN = 1 << 30


def speaks_of_step(body: c.Expression) -> bool:
    """Tell whether an operator's body says something of the next state."""
    return level(body) >= Level.ACTION


def may_prime_parameters(body: c.Expression) -> bool:
    """Tell whether an operator's body may prime what it is given, also inside of ENABLED."""
    return speaks_of_step(body) or asks_enabled(body)


class Occurrences(ABC, Generic[Found]):
    """What occurs in expressions and in the definitions that they call."""

    def __init__(self) -> None:
        self._known: dict[c.Expression, frozenset[Found]] = {}
        self._definitions: dict[c.Definition, frozenset[Found]] = {}
        self._open: list[c.Definition] = []
        self._least = _NONE_OPEN
        """The place among the open definitions of the outermost that the present node calls."""

    @abstractmethod
    def _here(self, node: c.Expression, inner: frozenset[Found]) -> frozenset[Found]:
        """Return what occurs in a node, given what occurs in its parts."""

    def of(self, node: c.Expression) -> frozenset[Found]:
        """Return what occurs in an expression."""
        found = self._known.get(node)
        if found is None:
            before, self._least = self._least, _NONE_OPEN
            inner: frozenset[Found] = frozenset().union(*(self.of(p) for p in children(node)))
            found = self._here(node, inner)
            if self._least == _NONE_OPEN:
                self._known[node] = found
            self._least = min(self._least, before)
        return found

    def _of_definition(self, definition: c.Definition) -> frozenset[Found]:
        found = self._definitions.get(definition)
        if found is not None:
            return found
        if definition in self._open:
            # What it adds is in the body that is being read: a least fixed point after one round.
            self._least = min(self._least, self._open.index(definition))
            return frozenset()
        place = len(self._open)
        self._open.append(definition)
        before, self._least = self._least, _NONE_OPEN
        found = self.of(definition.body) - self._bound(definition)
        self._open.pop()
        if self._least >= place:
            self._least = _NONE_OPEN
            self._definitions[definition] = found
        self._least = min(self._least, before)
        return found

    def _bound(self, definition: c.Definition) -> frozenset[Found]:
        """Return what a definition's body may mention that its caller does not read."""
        return frozenset()


class Free(Occurrences[c.Binding]):
    """The bound variables and parameters that occur free in expressions."""

    def _bound(self, definition: c.Definition) -> frozenset[c.Binding]:
        return frozenset(definition.parameters)

    def _here(self, node: c.Expression, inner: frozenset[c.Binding]) -> frozenset[c.Binding]:
        match node:
            case c.LocalRef():
                return inner | {node.binding}
            case c.CallParameter():
                return inner | {node.binding}
            case c.Call() | c.OperatorRef():
                return inner | self._of_definition(node.definition)
            case c.Lambda():
                return inner - set(node.parameters)
            case c.Quantifier() | c.FunctionLiteral() | c.SetMap():
                return inner - {b for one in node.bounds for b in one.variables}
            case c.RecursiveFunction():
                return inner - {node.itself} - {b for one in node.bounds for b in one.variables}
            case c.Choose() | c.SetFilter():
                return inner - set(node.bound.variables)
            case c.Except():
                return inner - {u.at for u in node.updates}
            case c.Let():
                return inner - {p for d in node.definitions for p in d.parameters}
        return inner


class Variables(Occurrences[str]):
    """The state variables that expressions read, directly or through what they call.

    Hidden ones are among them: they have next values.
    """

    def _here(self, node: c.Expression, inner: frozenset[str]) -> frozenset[str]:
        match node:
            case c.VariableRef() | c.HiddenRef() | c.MiddleRef():
                return inner | {node.name}
            case c.Call() | c.OperatorRef():
                return inner | self._of_definition(node.definition)
        return inner


class OfStep(Occurrences[bool]):
    """Whether an expression reads next values: primed ones, or those of a state in the middle."""

    def _here(self, node: c.Expression, inner: frozenset[bool]) -> frozenset[bool]:
        match node:
            case c.MiddleRef():
                return inner | {True}
            case c.Call() | c.OperatorRef():
                return inner | self._of_definition(node.definition)
        return inner | {True} if level(node) >= Level.ACTION else inner


class Recursions(Occurrences[c.Definition]):
    """The recursive operators that expressions call, directly or through what they call."""

    def _here(self, node: c.Expression, inner: frozenset[c.Definition]) -> frozenset[c.Definition]:
        match node:
            case c.Call() | c.OperatorRef():
                itself = {node.definition} if node.definition.is_recursive else set()
                return inner | itself | self._of_definition(node.definition)
        return inner
