"""What a parameter means whose argument has no value where it is given.

The translation and the shapes of values differ in how they evaluate all other arguments only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bmc.frontends.tla import core as c
from bmc.frontends.tla.levels import Level, level
from bmc.frontends.tla.translate.free import Free
from bmc.frontends.tla.translate.lazy import BuiltinClosure, ByName, Closure


def unevaluated(
    node: c.Expression,
    environment: Mapping[c.Binding, Any],
    free: Free,
    initial: bool,
    of_step: bool,
) -> Closure | BuiltinClosure | ByName | None:
    """Return what a parameter means whose argument is an operator, or is read where it is used.

    None where the argument has a value. In an `initial` predicate and in what has primes it is read
    where it is used, and where the operator is `of_step`: its body may prime the parameter, as in
    `Is(v) == v' = 0`.
    """
    match node:
        case c.OperatorRef():
            return Closure(node.definition.parameters, node.definition.body, environment)
        case c.BuiltinRef():
            return BuiltinClosure(node)
        case c.Lambda():
            return Closure(node.parameters, node.body, environment)
        case c.LocalRef():
            held = environment.get(node.binding)
            if isinstance(held, Closure | BuiltinClosure | ByName):
                return held
    by_name = of_step and level(node) >= Level.STATE
    if initial or by_name or _has_primes(node, environment, free):
        return ByName(node, environment)
    return None


def _has_primes(node: c.Expression, environment: Mapping[c.Binding, Any], free: Free) -> bool:
    """Tell whether an expression says something of the next state."""
    if level(node) >= Level.ACTION:
        return True
    return any(isinstance(environment.get(b), ByName) for b in free.of(node))
