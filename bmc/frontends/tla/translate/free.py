"""What an expression reads besides constants, and which variables it primes."""

from __future__ import annotations

from bmc.frontends.tla import core as c
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.walk import children


def speaks_of_step(body: c.Expression) -> bool:
    """Tell whether an operator's body says something of the next state."""
    return level(body) >= Level.ACTION


class Free:
    """The bound variables and parameters that occur free in expressions."""

    def __init__(self) -> None:
        self._known: dict[c.Expression, frozenset[c.Binding]] = {}
        self._definitions: dict[c.Definition, frozenset[c.Binding]] = {}

    def of(self, node: c.Expression) -> frozenset[c.Binding]:
        """Return them; those of the definitions that are called are included."""
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._of(node)
        return found

    def _of(self, node: c.Expression) -> frozenset[c.Binding]:
        inner: frozenset[c.Binding] = frozenset().union(*(self.of(p) for p in children(node)))
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

    def _of_definition(self, definition: c.Definition) -> frozenset[c.Binding]:
        found = self._definitions.get(definition)
        if found is None:
            self._definitions[definition] = frozenset()
            found = self.of(definition.body) - set(definition.parameters)
            self._definitions[definition] = found
        return found


class Variables:
    """The state variables that expressions read, directly or through what they call."""

    def __init__(self) -> None:
        self._known: dict[c.Expression, frozenset[str]] = {}
        self._definitions: dict[c.Definition, frozenset[str]] = {}

    def of(self, node: c.Expression) -> frozenset[str]:
        """Return their names."""
        found = self._known.get(node)
        if found is None:
            found = frozenset().union(*(self.of(p) for p in children(node)))
            if isinstance(node, c.VariableRef):
                found |= {node.name}
            elif isinstance(node, c.Call | c.OperatorRef):
                found |= self._of_definition(node.definition)
            self._known[node] = found
        return found

    def _of_definition(self, definition: c.Definition) -> frozenset[str]:
        found = self._definitions.get(definition)
        if found is None:
            self._definitions[definition] = frozenset()
            found = self._definitions[definition] = self.of(definition.body)
        return found
