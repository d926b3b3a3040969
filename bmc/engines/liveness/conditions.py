"""A specification's fairness at given parameters: the rules that each condition speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from bmc.lang.temporal import Fairness, Specification
from bmc.readings.circuit import Node, Substitution
from bmc.system.transition import Rule, TransitionSystem


@dataclass(frozen=True)
class FairRules:
    """A fairness condition at values of its arguments: the numbers of the rules it asks for."""

    strong: bool
    rules: tuple[int, ...]


def fair_rules(system: TransitionSystem, specification: Specification) -> Iterator[FairRules]:
    """Yield every condition of a specification, at each choice of its arguments."""
    for one in specification.fairness:
        yield from _instances(system, one)


def _instances(system: TransitionSystem, fairness: Fairness) -> Iterator[FairRules]:
    own = [n for n, rule in enumerate(system.rules) if rule.action in fairness.actions]
    action = next(a for a in system.model.actions if a.name == fairness.actions[0])
    sorts = {a.name: a.variable.sort for a in action.arguments}
    for values in product(*(system.domains.values(sorts[name]) for name in fairness.per)):
        chosen = dict(zip(fairness.per, values, strict=True))
        found = [
            n
            for n in own
            if all(system.rules[n].arguments[name] == v for name, v in chosen.items())
        ]
        yield FairRules(fairness.strong, tuple(found))


def enabled(system: TransitionSystem, rules: tuple[int, ...]) -> Node:
    """Return that one of these rules can be taken, inside the constraint, to another state."""
    return system.circuit.any(_enabled(system, system.rules[number]) for number in rules)


def _enabled(system: TransitionSystem, rule: Rule) -> Node:
    circuit = system.circuit

    def afterwards(scalar: Node) -> Node:
        return rule.updates.get(scalar.data, scalar)

    changed = [
        circuit.not_(system.shapes.equal(system.leaf_node(index), node))
        for index, node in rule.updates.items()
    ]
    inside = Substitution(circuit, afterwards)(system.constraint)
    return circuit.and_(rule.guard, circuit.not_(rule.overflow), circuit.any(changed), inside)
