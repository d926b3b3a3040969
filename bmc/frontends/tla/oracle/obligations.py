"""What a specification claims: of states, of steps, of beginnings, of behaviours."""

from __future__ import annotations

from dataclasses import dataclass

from .. import core as c
from ..conjuncts import conjuncts
from ..levels import Level, level
from ..specification import Named, Specification


@dataclass(frozen=True, slots=True)
class Obligations:
    """The claims of a specification.

    - `invariants`: of every state;
    - `initial`: of every initial state (`Init` of a specification that is refined);
    - `steps`: of every step (`[][A]_v`);
    - `temporal`: the rest, about behaviours, which a search over states does not check.
    """

    invariants: tuple[Named, ...]
    initial: tuple[Named, ...]
    steps: tuple[Named, ...]
    temporal: tuple[Named, ...]


def obligations(specification: Specification) -> Obligations:
    """Return the invariants, and the properties taken apart into their conjuncts."""
    found: dict[str, list[Named]] = {"invariants": [], "initial": [], "steps": [], "temporal": []}
    found["invariants"] += specification.invariants
    for named in specification.properties:
        for part in conjuncts(named.expression):
            kind, formula = _kind(part)
            found[kind].append(Named(named.name, formula))
    return Obligations(**{kind: tuple(formulas) for kind, formulas in found.items()})


def _kind(node: c.Expression) -> tuple[str, c.Expression]:
    if level(node) <= Level.STATE:
        return "initial", node
    if isinstance(node, c.Always):
        operand = _unfolded(node.operand)
        if level(operand) <= Level.STATE:
            return "invariants", operand
        if isinstance(operand, c.BoxAction):
            return "steps", operand
    return "temporal", node


def _unfolded(node: c.Expression) -> c.Expression:
    while isinstance(node, c.Call) and not node.arguments and level(node) > Level.STATE:
        node = node.definition.body
    return node
