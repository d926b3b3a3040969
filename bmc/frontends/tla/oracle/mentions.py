"""What an expression says of the next state: which variable it assigns, if it speaks of any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import core as c
from ..levels import Level, level
from ..walk import children
from .code import ByName, Env, Operation
from .compiler import Compiler


def target(compiler: Compiler, node: c.Expression, env: Env) -> int | None:
    """Return the slot of the next value that `node` names, None if it is no primed variable."""
    match node:
        case c.VariableRef():
            return compiler.places[node.name] + compiler.width if env.primed else None
        case c.HiddenRef():
            return compiler.hidden(node.variable) if env.primed else None
        case c.MiddleRef():
            return target(compiler, node.after, env) if env.primed else None
        case c.Prime():
            return target(compiler, node.operand, env.prime())
        case c.LocalRef():
            entry = env.names[node.binding]
            if isinstance(entry, ByName):
                inner = entry.env.prime() if env.primed else entry.env
                return target(compiler, entry.expression, inner)
        case c.Call(arguments=()):
            definition = node.definition
            if not definition.parameters and not definition.is_recursive:
                return target(compiler, definition.body, env.around(definition))
        case _:
            pass
    return None


def speaks_of_next(node: c.Expression, env: Env) -> bool:
    """Tell whether `node` mentions a next value, also by what its parameters stand for."""
    least = Level.STATE if env.primed else Level.ACTION
    if level(node) >= least:
        return True
    for reference in references(node):
        entry = env.names.get(reference.binding)
        if isinstance(entry, ByName):
            inner = entry.env.prime() if env.primed else entry.env
            if speaks_of_next(entry.expression, inner):
                return True
        elif isinstance(entry, Operation):
            inner = entry.env.prime() if env.primed else entry.env
            if speaks_of_next(entry.operator, inner):
                return True
    return any(_let_speaks(called, env) for called in _called(node) if called in env.lets)


def _let_speaks(definition: c.Definition, env: Env) -> bool:
    site = env.lets[definition].env
    if definition.is_recursive:
        return False
    return speaks_of_next(definition.body, site.prime() if env.primed else site)


def reads_nothing_around(node: c.Expression, env: Env) -> bool:
    """Tell whether a constant expression has the same value wherever it stands."""
    around = (reference.binding in env.names for reference in references(node))
    return not any(around) and not any(called in env.lets for called in _called(node))


def references(node: c.Expression) -> list[c.LocalRef | c.CallParameter]:
    """Return the bound variables and parameters that `node` reads."""
    found: list[c.LocalRef | c.CallParameter] = []

    def look(part: c.Expression) -> None:
        if isinstance(part, c.LocalRef | c.CallParameter):
            found.append(part)

    _walk(node, look)
    return found


def _called(node: c.Expression) -> list[c.Definition]:
    found: list[c.Definition] = []

    def look(part: c.Expression) -> None:
        if isinstance(part, c.Call | c.OperatorRef):
            found.append(part.definition)

    _walk(node, look)
    return found


def _walk(node: c.Expression, look: Callable[[Any], None]) -> None:
    pending = [node]
    while pending:
        part = pending.pop()
        look(part)
        pending.extend(children(part))
